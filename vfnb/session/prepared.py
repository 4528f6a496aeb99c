"""A job that is ready to begin: its blueprint, its first devices, where it goes on from, its program."""

from dataclasses import replace
from functools import cached_property
from pathlib import Path

from vfnb.runtime import Checkpoint, Launch, Program, Snapshot, initial_state
from vfnb.session.blueprint import Blueprint
from vfnb.session.checkup import look_over
from vfnb.session.identity import Identity, identity_of
from vfnb.session.policy import first_mapping, policy
from vfnb.session.record import Heading
from vfnb.session.resume import compare
from vfnb.spec import Device, Event, Mapping


class Prepared:
    """What a job begins with. Samples are read once something needs the job's identity.

    Args:
        blueprint: What the job is.
        devices: Where it begins.
    """

    def __init__(self, blueprint: Blueprint, devices: tuple[Device, ...]) -> None:
        self.blueprint, self.devices = blueprint, devices
        self.mapping: Mapping = first_mapping(blueprint.layout, len(devices))
        self.checkpoint: Checkpoint | None = None
        self.halvings: tuple[tuple[int, int], ...] = ()  # of the run that it repeats

    @property
    def step(self) -> int:
        """The last step that was committed before it begins."""
        return 0 if self.checkpoint is None else self.checkpoint.step

    @cached_property
    def identity(self) -> Identity:
        """What the job is, in one record; that of the checkpoint where it goes on from one."""
        if self.checkpoint is not None:
            return Identity.parse(self.checkpoint.identity)
        return self._identity()

    @cached_property
    def program(self) -> Program:
        """What workers run."""
        return replace(self.blueprint.program(self.identity.text), halvings=self.halvings)

    @cached_property
    def state(self) -> Snapshot:
        """The state that it begins with."""
        return initial_state(self.program) if self.checkpoint is None else self.checkpoint.state

    def begin_on(self, devices: tuple[Device, ...]) -> None:
        """Begin on other devices than were chosen at first, of the same kind; more than blocks are a PlanError.

        Args:
            devices: Where it begins.
        """
        self.mapping = first_mapping(self.blueprint.layout, len(devices))
        self.devices = devices

    def go_on_from(self, checkpoint: Checkpoint) -> tuple[Event, ...]:
        """Begin after a checkpoint's step; a CheckpointError says that it is another job's.

        Args:
            checkpoint: The checkpoint.

        Returns:
            What differs and does not stop the job.
        """
        noticed = compare(self._identity(), checkpoint)
        self.checkpoint = checkpoint
        if Identity.parse(checkpoint.identity).automatic:
            options = replace(self.blueprint.options, nodes_per_pass="auto")
            self.blueprint = replace(self.blueprint, options=options)
        return noticed

    def look_over(self, *, travels: bool) -> tuple[Event, ...]:
        """Try what can be tried without a worker; the user's own exceptions come through.

        Args:
            travels: Whether the program goes to other processes.

        Returns:
            What was noticed and does not stop the job.
        """
        return look_over(self.blueprint, self.program, travels=travels)

    def heading(self, name: str, started: float) -> Heading:
        """Say what the run is, for its directory.

        Args:
            name: The run's.
            started: Unix seconds.

        Returns:
            The heading.
        """
        return Heading(
            name=name,
            started=started,
            cluster=str(self.blueprint.cluster),
            steps=self.blueprint.steps,
            devices=tuple(str(device) for device in self.devices),
            identity=self.identity.fields,
            resumed=None if self.checkpoint is None else str(self.checkpoint.folder),
        )

    def launch(self, name: str, run_dir: Path) -> Launch:
        """Say how the run begins, for its engine.

        Args:
            name: The run's.
            run_dir: Exists.

        Returns:
            The launch.
        """
        return Launch(
            devices=self.devices,
            mapping=self.mapping,
            run_dir=run_dir,
            policy=policy(),
            resume=self.checkpoint,
            name=name,
        )

    def _identity(self) -> Identity:
        return identity_of(self.blueprint, [device.kind for device in self.devices])
