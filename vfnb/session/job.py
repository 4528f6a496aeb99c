"""A job: a task trained on a virtual cluster, from its description to its end, with every verb in between.

What can be read of it stands in readings.py, what its verbs share in steered.py.
"""

import sys
from collections.abc import Generator
from collections.abc import Mapping as Table
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

from vfnb.ground import StateError, SystemClock, face
from vfnb.runtime import Engine, Status, write_checkpoint
from vfnb.runtime import devices as devices_here
from vfnb.session.balancing import Balancer
from vfnb.session.blueprint import Length, draw
from vfnb.session.choice import Request, next_devices
from vfnb.session.engines import EngineName, engine_of, first_devices
from vfnb.session.feed import Feed
from vfnb.session.handle import Handle
from vfnb.session.identity import Identity
from vfnb.session.learned import Learned
from vfnb.session.ledger import Ledger
from vfnb.session.place import place_of
from vfnb.session.plan import settled
from vfnb.session.policy import first_mapping, proposal
from vfnb.session.prepared import Prepared
from vfnb.session.remarks import remarks_on
from vfnb.session.resume import find_checkpoint
from vfnb.session.steered import Steered
from vfnb.session.task import Task
from vfnb.session.waiting import ended, ends_within
from vfnb.spec import Event, Options, VirtualCluster

_SETTLING = 10.0  # seconds that the user's on_event has to see the last events, where no time-out is given


class Job(Steered):
    """A task on its way through a virtual cluster's steps.

    Everything that can be read (`state`, `history`, `events`, `workers`) is a cached value; nothing waits for
    the workers but `fingerprint`, `model` and `save`, one step at most.

    Args:
        task: What to learn.
        cluster: The target whose run this is.
        devices: None takes every device of the best kind here, a number the first so many of it, names
            (`["cuda:0", "cpu:1"]`) exactly these.
        seed: Of every random stream.
        epochs: How often the training data are gone through; or `steps`.
        steps: The last step's number; or `epochs`.
        name: The run's; None makes one.
        run_dir: Where rows, events and checkpoints go; None is `vfnb-runs/NAME`.
        engine: "local" trains in worker processes, "inline" inside `start` for a debugger.
        options: The rarer choices.

    Attributes:
        name: The run's.
        run_dir: Its directory, made by `start`.
        cluster: The target.
        steps: The last step's number.
        course: Which epoch and which samples each step is of.
        options: The rarer choices.

    Raises:
        SpecError: If one of them is wrong, or they do not fit together.
        PlanError: If there are more devices than blocks.
    """

    def __init__(  # noqa: PLR0913  # a job is what these ten are
        self,
        task: Task,
        cluster: VirtualCluster,
        *,
        devices: Request = None,
        seed: int = 0,
        epochs: int | None = None,
        steps: int | None = None,
        name: str | None = None,
        run_dir: str | Path | None = None,
        engine: EngineName | Engine = "local",
        options: Options | None = None,
    ) -> None:
        self.cluster, self.options = cluster, Options() if options is None else options
        length = Length(epochs=epochs, steps=steps)
        blueprint = draw(task, cluster, seed=seed, length=length, options=self.options)
        self.steps, self.course = blueprint.steps, blueprint.course
        self._engine, here = engine_of(engine), devices_here()
        threads, blocks = self.options.threads, blueprint.layout.most_workers
        chosen = first_devices(devices, here, self._engine, threads=threads, blocks=blocks)
        blueprint, found = settled(blueprint, chosen)
        self._prepared = Prepared(blueprint, chosen)
        self.name, self.run_dir = place_of(name, run_dir)
        self._clock = SystemClock()
        self._ledger = Ledger(Status(state="new", step=0))
        self._feed = Feed(self._ledger, self._clock)
        self._learned = Learned(self._prepared, self._ledger)
        self._balancer = Balancer(self._prepared, self._feed, self._ledger, self._learned)
        self._looked_over = False
        self._notice((*found, *remarks_on(chosen, here, step=0)))

    @classmethod
    def load(  # noqa: PLR0913  # a checkpoint says the rest of what a job is
        cls,
        path: str | Path,
        task: Task,
        *,
        devices: Request = None,
        engine: EngineName | Engine = "local",
        name: str | None = None,
        run_dir: str | Path | None = None,
        options: Options | None = None,
        trust: bool = False,
    ) -> Self:
        """Go on from a checkpoint, with the same bits as if the run had not ended, as a new run.

        Args:
            path: A checkpoint's folder, or a run's directory for its newest one.
            task: The task that it was saved with.
            devices: As for a new job; they need not be those it was saved on.
            engine: As for a new job.
            name: Of the new run; None makes one.
            run_dir: Of the new run, as for a new job.
            options: As it was saved with, with the functions that no checkpoint holds; None takes the checkpoint's
                without them.
            trust: Makes no difference yet: a checkpoint holds no code, and none is ever run from it.

        Returns:
            The job, not started.

        Raises:
            CheckpointError: If there is none, it is corrupt, or it is another job's; names the field.
        """
        del trust
        checkpoint = find_checkpoint(path)
        saved = Identity.parse(checkpoint.identity)
        job = cls(
            task,
            saved.cluster,
            devices=devices,
            seed=saved.fields["seed"],
            steps=saved.fields["steps"],
            name=name,
            run_dir=run_dir,
            engine=engine,
            options=saved.options if options is None else replace(options, nodes_per_pass=saved.options.nodes_per_pass),
        )
        noticed = job._prepared.go_on_from(checkpoint)
        job.options = job._prepared.blueprint.options
        job._feed(Status(state="new", step=checkpoint.step))
        job._notice(noticed)
        return job

    # -- verbs -----------------------------------------------------------------------------------------------

    def check(self) -> tuple[Event, ...]:
        """Try one virtual node's pass, and all else that can be tried without a worker, in this process.

        The user's own exceptions come through with their traceback; a SpecError says what else cannot be
        trained. `start` does this unless it was done, or `Options(check=False)`.

        Returns:
            What was noticed and does not stop the job; it stands in `events` too.
        """
        return self._look_over()

    def start(self) -> None:
        """Begin to train; returns at once, or at the end with engine="inline".

        Raises:
            StateError: If the job was started before.
        """
        self._free_for("start")
        if self.state != "new":
            raise StateError(f"job {self.name!r} was started already and is {self.state}; make a new Job for a new run")
        self._begin()

    def pause(self) -> None:
        """Hold at the next step boundary; workers keep their devices (`resize(0)` gives them back)."""
        self._live("pause").pause()

    def resume(self) -> None:
        """Go on after a pause."""
        self._equipped("resume").resume()

    def stop(self) -> None:
        """End at the next step boundary, with a checkpoint; called again, at once. Nothing once it ended."""
        if not self._ledger.ended:
            self._started("stop").stop()

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the end, and raise what ended the job where it failed.

        An interrupt ends the waiting and not the job.

        Args:
            timeout: Seconds to wait at most; None waits as long as it takes.

        Raises:
            TimeoutError: If the time ran out first; the job goes on.
        """
        if self._learned.run is None:
            self._raise_failure()  # the engine itself could not start
        run = self._started("wait for")
        try:
            if not ends_within(run.join, timeout, self._clock):
                raise TimeoutError(f"job {self.name!r} is {self.state} after {timeout} s of waiting; it goes on")
            self._feed.settled(_SETTLING if timeout is None else timeout)
        except KeyboardInterrupt:
            sys.stdout.write(f"job {self.name!r} is still {self.state}; job.stop() ends it\n")
            return
        self._raise_failure()

    def __await__(self) -> Generator[Any, None, None]:
        return self._awaited().__await__()

    def resize(self, devices: Request) -> Handle:
        """Go on with other devices, from the next step boundary at which they are ready.

        Without devices the job is suspended: its state is written, its workers end, and it is paused until a resize
        gives it devices again. It stays the same run, with the same bits.

        Args:
            devices: A number keeps as many of the present ones as it can and adds others of their kind, 0 takes all;
                names and None as for a new job.

        Returns:
            A handle to wait for the switch, at once.
        """
        self._free_for("resize")
        self._resizable("resize")
        layout, here = self._prepared.blueprint.layout, devices_here()
        if devices == 0 and not isinstance(devices, bool):
            return self._go_on_with(())
        present = tuple(worker.device for worker in self.workers) or self._prepared.devices
        chosen = next_devices(devices, present, here, threads=self.options.threads)
        if devices is None:
            chosen = chosen[: layout.most_workers]
        first_mapping(layout, len(chosen))
        self._notice(remarks_on(chosen, here, step=self._ledger.status.step))
        return self._go_on_with(chosen)

    def map(self, nodes: Table[int, int] | Literal["solve"]) -> Handle:
        """Give each worker another number of virtual nodes.

        Args:
            nodes: Virtual nodes by worker id, for every worker, all of them in sum; or "solve" for the mapping that is
                fastest by the speeds measured so far, by the task's profile where a worker has none yet.

        Returns:
            A handle to wait for the switch, at once.
        """
        self._resizable("map")
        run = self._equipped("map")
        if nodes == "solve":
            return Handle("map to the fastest", run.remap(self._balancer.solved()))
        propose = proposal(self.mapping or self._present(), nodes)
        return Handle(f"map to {dict(nodes)}", run.remap(propose))

    def rebalance(self) -> Handle | None:
        """Move virtual nodes to the workers that are faster, where the speeds measured of late make it worth it.

        Worth it is a tenth of a step's time, and until the run's end more than the move takes.

        Returns:
            A handle to wait for the switch, at once; None where the present mapping had better stay.
        """
        self._resizable("rebalance")
        run, propose = self._equipped("rebalance"), self._balancer.worthwhile()
        return None if propose is None else Handle("rebalance", run.remap(propose))

    def save(self, path: str | Path | None = None) -> Path:
        """Write a checkpoint of the newest committed step; one that is there is replaced once this is whole.

        Args:
            path: The checkpoint's folder; None adds one to those that the run keeps itself.

        Returns:
            Its absolute path, which `Job.load` takes.
        """
        if path is None:
            return self._live("save").save().result()
        return write_checkpoint(Path(path).absolute(), self._learned.state(), self._prepared.identity.text)

    def dashboard(self) -> Any:
        """Make the panel that shows the job live, and from which it is paused, resized, mapped and stopped.

        A notebook shows the same for the job itself. Closing it does not stop the run.

        Returns:
            What a notebook shows when it stands at a cell's end; `widget` is to be put beside others.
        """
        return face("dashboard")(self)

    # -- waiting ---------------------------------------------------------------------------------------------

    async def _awaited(self) -> None:
        if self._learned.run is None:
            self._raise_failure()
        await ended(self._started("wait for"))
        self._feed.settled(_SETTLING)
        self._raise_failure()

    def _raise_failure(self) -> None:
        failure = self._ledger.status.failure
        if failure is not None:
            raise failure
