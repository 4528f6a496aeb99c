"""A stage of a run: the mapping that it trained on from one step to the next switch."""

from dataclasses import dataclass

from vfnb.spec.mapping import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The steps after `step`, up to the next stage's, were computed on this mapping.

    Args:
        step: The last step before it.
        at: When it began, in Unix seconds.
        devices: Of the mapping's workers, in the order of their ids, as they are printed.
        mapping: Blocks to workers.
    """

    step: int
    at: float
    devices: tuple[str, ...]
    mapping: Mapping

    def __str__(self) -> str:
        counts = self.mapping.counts
        workers = zip(self.mapping.workers, self.devices, strict=True)
        return ", ".join(f"{device}: {counts[worker]:,}" for worker, device in workers)
