"""How long a step would take on another mapping, from the passes measured on this one."""

from collections.abc import Mapping as Table


def step_seconds(nodes: Table[int, int], passes: Table[int, float], nodes_per_pass: int = 1) -> float | None:
    """Add up the slowest worker's passes.

    Args:
        nodes: Virtual nodes by worker.
        passes: Seconds that a pass takes, by worker; a worker without one counts as the mean of the others.
        nodes_per_pass: Virtual nodes in a pass.

    Returns:
        Seconds of a step's passes; None where no pass is measured yet.
    """
    known = [seconds for worker, seconds in passes.items() if worker in nodes and seconds > 0]
    if not known or not nodes:
        return None
    usual = sum(known) / len(known)
    return max((passes.get(worker) or usual) * count / nodes_per_pass for worker, count in nodes.items())


def forecast(
    before: Table[int, int],
    after: Table[int, int],
    passes: Table[int, float],
    measured: float | None,
    nodes_per_pass: int = 1,
) -> float | None:
    """Foretell a step's seconds on another mapping of the same workers.

    What a step takes beyond its passes (the sum, the update) is taken to stay.

    Args:
        before: Virtual nodes by worker, now.
        after: Virtual nodes by worker, then.
        passes: Seconds that a pass takes, by worker.
        measured: Seconds of a step, now; None where unknown.
        nodes_per_pass: Virtual nodes in a pass.

    Returns:
        Seconds; None where no pass is measured yet.
    """
    then, now = step_seconds(after, passes, nodes_per_pass), step_seconds(before, passes, nodes_per_pass)
    if then is None or now is None:
        return None
    rest = 0.0 if measured is None else max(0.0, measured - now)
    return then + rest
