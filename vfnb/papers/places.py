"""Where data lie that are not in the package: beside the notebooks, or in a folder that the user names."""

from pathlib import Path

from vfnb.ground import SpecError

_CHECKOUT = Path(__file__).parents[2] / "notebooks" / "data"


def find(name: str, folder: str | Path | None, remedy: str) -> Path:
    """Find a file or folder of data.

    Args:
        name: The file's.
        folder: Where to look; None looks in `data` and `notebooks/data` below the working directory, then in the
            checkout that the package was imported from.
        remedy: How it gets there, for the sentence that says it is missing.

    Returns:
        The path.

    Raises:
        SpecError: If it is not there.
    """
    here = Path.cwd()
    folders = [Path(folder)] if folder is not None else [here / "data", here / "notebooks" / "data", _CHECKOUT]
    for one in folders:
        if (one / name).exists():
            return one / name
    looked = ", ".join(str(one) for one in folders)
    raise SpecError(f"{name} is not in {looked}: {remedy}, and give the folder where it lies")
