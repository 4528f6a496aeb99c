"""Going on from a checkpoint: finding it, and telling whether it is of the same job."""

from pathlib import Path

from vfnb.ground import CheckpointError
from vfnb.runtime import Checkpoint, newest_checkpoint, not_guaranteed, read_checkpoint
from vfnb.session.identity import Identity
from vfnb.session.record import RUN
from vfnb.spec import Event, NodesPerPassChosen, NodesPerPassHalved, NotGuaranteed, Warned

_MOST_SAID = 3


def find_checkpoint(path: str | Path) -> Checkpoint:
    """Read the checkpoint that a path means.

    Args:
        path: A checkpoint's folder, or a run's directory for its newest one.

    Returns:
        The checkpoint, verified.

    Raises:
        CheckpointError: If there is none, or it is corrupt or foreign.
    """
    folder = Path(path).absolute()
    if not folder.exists():
        raise CheckpointError(f"there is nothing at {folder}; vfnb.runs() lists the runs that are here")
    newest = newest_checkpoint(folder)
    if newest is not None:
        return read_checkpoint(newest)
    if (folder / RUN).exists():
        raise CheckpointError(f"the run in {folder} has no checkpoint yet; it can only be started again")
    return read_checkpoint(folder)


def compare(here: Identity, checkpoint: Checkpoint) -> tuple[Event, ...]:
    """Check that a job is the one that a checkpoint was saved by.

    Args:
        here: The job that is to go on.
        checkpoint: From which.

    Returns:
        What differs and does not stop it.

    Raises:
        CheckpointError: If it is another job; names the first fields that differ.
    """
    saved = Identity.parse(checkpoint.identity)
    differences = here.against(saved)
    if differences.refused:
        first = "; ".join(differences.refused[:_MOST_SAID])
        more = len(differences.refused) - _MOST_SAID
        raise CheckpointError(
            f"{checkpoint.folder} is of another job: {first}{f'; and {more} more' if more > 0 else ''}; load "
            f"it with the task it was saved with"
        )
    step = checkpoint.step
    warned = [f"the code has changed since the checkpoint: {one}" for one in differences.warned]
    warned += [
        f"{name} is a function, which no checkpoint holds; this job goes on without it"
        for name in sorted(saved.fields.get("functions", {}).keys() - here.fields.get("functions", {}).keys())
    ]
    return (
        *_chosen(saved, step),
        *(NodesPerPassHalved(step=since, nodes_per_pass=nodes) for since, nodes in checkpoint.state["halvings"]),
        *([not_guaranteed(kinds, step)] if len(kinds := checkpoint.state.get("kinds", ())) > 1 else []),
        *(Warned(step=step, message=message) for message in warned),
        *(
            NotGuaranteed(step=step, what="another environment than the checkpoint's", reason=one)
            for one in differences.noted
        ),
    )


def _chosen(saved: Identity, step: int) -> tuple[Event, ...]:
    if not saved.automatic:
        return ()
    nodes = saved.fields["nodes_per_pass"]
    return (NodesPerPassChosen(step=step, nodes_per_pass=nodes, reason="the run that goes on had so many"),)
