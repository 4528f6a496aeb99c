"""A worker's post in one generation: who it is, which blocks it computes, with whom, and who is watching."""

from collections.abc import Callable
from dataclasses import dataclass, field

from vfnb.runtime.board import Slot
from vfnb.runtime.group import Alone, Group
from vfnb.runtime.passes import Pass, passes_of
from vfnb.runtime.probe import Probe, silent
from vfnb.runtime.roll import Member, Roll
from vfnb.runtime.stretch import Stretch
from vfnb.spec import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What a step needs to know of the world.

    Attributes:
        worker: The worker's id.
        mapping: Of this generation.
        group: The other workers.
        slot: Where signs of life go.
        probe: What is called at named points.
        stretch: What makes passes take as long as on a slower device.
        orders: Gives the newest order's number that is known here.
        abandoned: Whether this generation is known to be broken.
        generation: Its number.
        called: The roll, once the group has called it; None where this worker is alone.
    """

    worker: int
    mapping: Mapping
    group: Group = field(default_factory=Alone)
    slot: Slot = field(default_factory=Slot.nowhere)
    probe: Probe = silent
    stretch: Stretch = field(default_factory=Stretch)
    orders: Callable[[], int] = lambda: 0
    abandoned: Callable[[], bool] = lambda: False
    generation: int = 0
    called: Roll | None = None

    @property
    def roll(self) -> Roll:
        """What the members say of themselves."""
        return self.called or Roll({worker: Member() for worker in self.mapping.workers})

    @property
    def leads(self) -> bool:
        """Whether this worker speaks for all."""
        return self.worker == self.roll.lead

    @property
    def lead_place(self) -> int:
        """Where in the group the lead stands."""
        return self.mapping.workers.index(self.roll.lead)

    def passes(self, step: int, batch: int, nodes_per_pass: int) -> tuple[Pass, ...]:
        """List this worker's passes.

        Args:
            step: Whose blocks are computed.
            batch: Samples in the step's batch.
            nodes_per_pass: Virtual nodes computed at once.

        Returns:
            The passes, in order.
        """
        blocks = self.mapping.blocks_of(self.worker)
        return passes_of(self.mapping.layout.at(step), blocks, batch, nodes_per_pass)
