"""A task's metrics: fresh torchmetrics, by name."""

from collections.abc import Mapping
from copy import deepcopy

from torchmetrics import Metric, MetricCollection

from vfnb.ground import SpecError

_GIVE = "give a dictionary such as {'accuracy': torchmetrics.classification.MulticlassAccuracy(10)}"
_TAKEN = "loss"  # every evaluation has it already


def metrics_of(metrics: object) -> dict[str, Metric]:
    """Take a task's metrics.

    Args:
        metrics: By name, or a MetricCollection, or None.

    Returns:
        Copies on the CPU that have seen nothing.

    Raises:
        SpecError: If they are not metrics by name.
    """
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping | MetricCollection):
        raise SpecError(f"metrics={metrics!r} has no names; {_GIVE}")
    return {_name(name): _fresh(name, metric) for name, metric in metrics.items()}


def _name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise SpecError(f"metrics has the name {name!r}, which is no text; {_GIVE}")
    if name == _TAKEN:
        raise SpecError(f"metrics has the name {name!r}, which every evaluation gives already; take another")
    return name


def _fresh(name: object, metric: object) -> Metric:
    if not isinstance(metric, Metric):
        raise SpecError(f"metrics[{name!r}] is a {type(metric).__name__}, not a torchmetrics.Metric; {_GIVE}")
    copy = deepcopy(metric).cpu()
    copy.reset()
    return copy
