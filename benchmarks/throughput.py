"""How fast vfnb trains against accelerate's `accumulate` loop: same model, micro-batch, threads and type."""

from collections.abc import Iterator

from contenders import Baseline, Training, ratios
from figures import Figure

_PAIRS = 10


def figures() -> Iterator[Figure]:
    """Measure each form of the sum on a convnet and a transformer."""
    for workload in ("convnet", "transformer"):
        yield _compared(workload, nodes=256, blocks=32, steps=1, reduction="native", bound=0.98)
        yield _compared(workload, nodes=256, blocks=32, steps=1, reduction="exact", bound=0.95)
        yield _compared(workload, nodes=32, blocks=32, steps=6, reduction="exact", bound=None)


def _compared(workload: str, *, nodes: int, blocks: int, steps: int, reduction: str, bound: float | None) -> Figure:
    samples = nodes * 4 * 4
    with (
        Baseline("accumulate", workload, passes=nodes, samples=samples) as baseline,
        Training(workload, nodes=nodes, samples=samples, blocks=blocks, reduction=reduction) as training,
    ):
        training.pause()
        ratio, low, high, theirs, ours = ratios(baseline, training, pairs=_PAIRS, steps=steps)
    passes = nodes // blocks
    return Figure(
        what=f"throughput, {reduction}, {workload}, {passes} pass{'es' if passes > 1 else ''} a block",
        value=ratio,
        low=low,
        high=high,
        unit="x",
        bound=bound,
        note=f"{nodes} virtual nodes, {blocks} blocks; a step took {min(theirs):.3f} s there, {min(ours):.3f} s here",
    )
