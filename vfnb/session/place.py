"""A job's name and directory."""

from pathlib import Path

from vfnb.ground import SpecError
from vfnb.session.names import unique_name
from vfnb.session.record import FOLDER, exists


def place_of(name: str | None, run_dir: str | Path | None) -> tuple[str, Path]:
    """Find a job's name and directory.

    Args:
        name: The user's; None takes the directory's, or makes a new one.
        run_dir: The user's; None is one of that name below `vfnb-runs`.

    Returns:
        The name and the absolute directory, which is not there yet.

    Raises:
        SpecError: If the name is none of a directory, or the directory is there.
    """
    runs = FOLDER.absolute()
    if name is None:
        name = unique_name(lambda one: (runs / one).exists()) if run_dir is None else Path(run_dir).absolute().name
    name = checked_name(name)
    folder = runs / name if run_dir is None else Path(run_dir).absolute()
    if folder.exists():
        raise SpecError(exists(folder))
    return name, folder


def checked_name(name: object) -> str:
    """Check that a name can be a directory's.

    Args:
        name: The user's.

    Returns:
        The name, as text.

    Raises:
        SpecError: If it cannot.
    """
    text = str(name)
    if not text or text.startswith(".") or set(text) & set("/\\\0"):
        raise SpecError(f"name={text!r} cannot name a run's directory; give a word such as 'baseline-2'")
    return text
