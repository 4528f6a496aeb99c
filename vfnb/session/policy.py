"""The decisions that a run needs from planning, as the pure functions its driver calls."""

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Table

from vfnb.ground import PlanError
from vfnb.planning import by_counts, even, remap
from vfnb.runtime import Policy
from vfnb.spec import Layout, Mapping


def policy() -> Policy:
    """Give the decisions that every job leaves to its driver.

    Returns:
        Even mappings that move as few blocks as possible; survivors that keep theirs.
    """
    return Policy(spread=_spread, remap=remap)


def proposal(present: Mapping, counts: Table[int, int] | str) -> Callable[[Mapping], Mapping]:
    """Make the function that maps as many virtual nodes to each worker as was asked for.

    Args:
        present: The mapping now, of the blocks that are there; those that come in later follow in proportion.
        counts: Virtual nodes by worker.

    Returns:
        A function of the mapping at the time of the switch.

    Raises:
        PlanError: If `counts` is none, has other workers than there are, does not sum up, or would split a block.
    """
    if isinstance(counts, str):
        raise PlanError(
            f"map({counts!r}) is not possible; give virtual nodes by worker, as {{0: 48, 1: 16}}, or 'solve'"
        )
    strangers = sorted(set(counts) - set(present.workers), key=str)
    missing = sorted(set(present.workers) - set(counts))
    if strangers:
        raise PlanError(f"there is no worker {_listed(strangers)}; the workers are {_listed(present.workers)}")
    if missing:
        raise PlanError(
            f"worker {_listed(missing)} is left out; give every worker its virtual nodes, or resize the job to drop it"
        )
    wanted = dict(counts)
    # Nodes of several sizes are meant for the workers in their order: the fewest moves would mix them up.
    uneven = bool(present.layout.samples)
    by_counts(present.layout, wanted, near=None if uneven else present)
    return lambda now: by_counts(now.layout, wanted, near=None if uneven else now, present=present.layout)


def extended(after: Mapping, now: Mapping) -> Mapping:
    """Let the blocks that come in later follow a mapping of those that are there.

    Args:
        after: Of the blocks that are there, or of all.
        now: Of all, over the same workers.

    Returns:
        The mapping of all.
    """
    return after if after.layout == now.layout else by_counts(now.layout, after.counts, now, present=after.layout)


def first_mapping(layout: Layout, workers: int) -> Mapping:
    """Map a layout evenly over workers 0, 1, ...

    Args:
        layout: The blocks.
        workers: How many workers.

    Returns:
        The mapping; more workers than blocks is a PlanError.
    """
    return even(layout, range(workers))


def _spread(present: Mapping, workers: Sequence[int]) -> Mapping:
    return even(present.layout, workers, near=present)


def _listed(workers: Sequence[object]) -> str:
    return ", ".join(str(worker) for worker in workers)
