"""Devices that are not alike: of several speeds, where no bit depends on it; of several kinds, where replicas agree."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from jobs import SAMPLES, convnet_task, finished, job_of, tokens_task
from together import Together, side_by_side
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.numerics import fingerprint
from vfnb.runtime import Program, Source
from vfnb.runtime.feed import Feed
from vfnb.runtime.post import Post
from vfnb.runtime.replica import Replica
from vfnb.runtime.roll import Member, Roll
from vfnb.runtime.step import Stepped, take_step
from vfnb.spec import Device, Layout, Mapping, NotGuaranteed, Recovered, Warned, WorkerJoined
from vfnb.testing import FaultScript, slower

MIXED = ["cpu:0", "cpu:1/2", "cpu:2"]
KINDS = ("cpu", "cpu/2")


def test_slower_devices_and_one_that_slows_down_in_mid_run_change_no_bit(tmp_path: Path) -> None:
    reference = finished(job_of(convnet_task(), tmp_path, engine="inline"))
    devices = ["cpu:0", slower("cpu:1", 2), "cpu:2@1/3-simulated"]
    job = job_of(convnet_task(), tmp_path, devices, faults=FaultScript().slow(0, 3, step=4, until=6))

    finished(job)

    assert job.fingerprint == reference.fingerprint
    assert job.fingerprint_notes == ()
    assert [said for event in job.events if isinstance(event, Warned) and "script" in (said := event.message)] == [
        "from step 4 on, cpu:0 computes 3 times slower (simulated by a script)",
        "from step 6 on, cpu:0 computes at its own speed again (simulated by a script)",
    ]
    joined = [event.device for event in job.events if isinstance(event, WorkerJoined)]
    assert sorted(joined) == ["cpu:0", "cpu:1@1/2-simulated", "cpu:2@1/3-simulated"]


class OddOnTwoThreads(torch.optim.SGD):
    """Where there are two threads, each update is an ulp off: what another kind of device may do."""

    def step(self, closure: Any = None) -> Any:
        """Step, and nudge."""
        super().step(closure)
        if torch.get_num_threads() == 2:
            nudge_(parameter for group in self.param_groups for parameter in group["params"])


def nudge_(tensors: Any) -> None:
    """Move tensors by an ulp."""
    with torch.no_grad():
        for one in tensors:
            one.copy_(torch.nextafter(one, torch.tensor(torch.inf)))


def odd_task() -> vfnb.Task:
    """Give a task whose update differs by an ulp with the number of threads, and whose passes do not."""
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
    generator = torch.Generator().manual_seed(5)
    for one in model.parameters():
        nn.init.uniform_(one, -0.3, 0.3, generator=generator)
    inputs = torch.randn(SAMPLES, 6, generator=generator)
    train = TensorDataset(inputs, inputs.argmax(1) % 3)
    return vfnb.Task(model, train, nn.CrossEntropyLoss(), partial(OddOnTwoThreads, lr=0.1, momentum=0.9))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> vfnb.Job:
    """Give a run on one kind, undisturbed; of a task whose passes give the same bits on one thread and on two."""
    return finished(job_of(tokens_task(), tmp_path_factory.mktemp("plain"), engine="inline", clip_norm=1.0))


def test_two_kinds_agree_and_the_first_computes_the_update(tmp_path: Path) -> None:
    cluster = vfnb.VirtualCluster.parse("2", global_batch=12)
    alone = finished(vfnb.Job(odd_task(), cluster, engine="inline", run_dir=tmp_path / "alone", steps=15))
    odd = finished(
        vfnb.Job(odd_task(), cluster, devices="cpu:0/2", engine="inline", run_dir=tmp_path / "odd", steps=15)
    )
    job = finished(vfnb.Job(odd_task(), cluster, devices=["cpu:0", "cpu:1/2"], run_dir=tmp_path / "run", steps=15))

    # Replicas that part end a job, and the second worker's own update would make them part at step 1.
    assert job.state == "done"
    assert job.fingerprint == alone.fingerprint != odd.fingerprint
    (note,) = job.fingerprint_notes
    assert note.startswith("devices of more than one kind (cpu, cpu/2): each kind rounds in its own way")
    assert list(job.history.grad_norm) == list(alone.history.grad_norm)


@pytest.mark.parametrize(("point", "worker"), [("in_sum", 0), ("in_update", 0), ("in_update", 1), ("after_commit", 0)])
def test_a_kill_at_any_point_of_a_mixed_step_loses_nothing(
    point: str, worker: int, plain: vfnb.Job, tmp_path: Path
) -> None:
    script = FaultScript().kill(worker, point, step=5)

    job = finished(job_of(tokens_task(), tmp_path, MIXED, faults=script, clip_norm=1.0))

    assert len([event for event in job.events if isinstance(event, Recovered)]) == 1
    _same(job, plain)


def test_a_worker_that_misses_an_update_takes_it_over_from_one_that_has_it(plain: vfnb.Job, tmp_path: Path) -> None:
    script = FaultScript().kill(0, "after_commit", step=5).fail(1, "in_update", step=5)

    job = finished(job_of(tokens_task(), tmp_path, MIXED, faults=script, clip_norm=1.0))

    _same(job, plain)


def test_resizes_that_add_and_remove_a_kind_keep_replicas_equal_and_say_so_once(tmp_path: Path) -> None:
    job = job_of(odd_task(), tmp_path, ["cpu:0"], steps=16, faults=_holding())
    job.start()
    job.resize(["cpu:0", "cpu:1/2"]).result(timeout=60)
    job.resize(["cpu:1/2", "cpu:2"]).result(timeout=60)
    job.resize(["cpu:3", "cpu:2"]).result(timeout=60)
    job.wait(timeout=60)

    assert job.state == "done"
    assert list(job.history.step) == list(range(1, 17))
    (told,) = [event for event in job.events if isinstance(event, NotGuaranteed)]
    assert told.what == f"devices of more than one kind ({', '.join(KINDS)})"


def test_a_run_that_goes_on_still_says_which_kinds_took_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    job = finished(job_of(odd_task(), tmp_path, ["cpu:0", "cpu:1/2"], steps=4))

    loaded = vfnb.Job.load(job.run_dir, odd_task(), devices=["cpu:0"])

    assert loaded.fingerprint_notes == job.fingerprint_notes != ()


@pytest.mark.gpu
@pytest.mark.parametrize("lost", [None, 0, 1])
def test_a_gpu_beside_a_cpu_slot_agrees_with_one_kind_to_rounding(
    lost: int | None, plain: vfnb.Job, tmp_path: Path
) -> None:
    script = FaultScript() if lost is None else FaultScript().kill(lost, "in_update", step=5)

    job = finished(job_of(tokens_task(), tmp_path, ["cpu:0", "cuda:0"], faults=script, clip_norm=1.0))

    theirs = plain.model.state_dict()
    assert all(torch.allclose(one, theirs[name], rtol=1e-3, atol=1e-5) for name, one in job.model.state_dict().items())
    assert list(job.history.step) == list(plain.history.step)
    assert "cpu, cuda" in job.fingerprint_notes[0]


def test_metrics_and_buffers_agree_on_two_kinds(tmp_path: Path) -> None:
    reference = finished(job_of(convnet_task(), tmp_path, engine="inline", keep_best="-loss"))

    job = finished(job_of(convnet_task(), tmp_path, ["cpu:0", "cpu:1/2"], keep_best="-loss"))

    # Convolutions round otherwise on two threads: these replicas would part too.
    ours, theirs = job.model.state_dict(), reference.model.state_dict()
    assert job.state == "done"
    assert all(torch.allclose(ours[name], theirs[name], rtol=1e-3, atol=1e-5) for name in theirs)
    measured, expected = (one.history.evaluation_loss.dropna() for one in (job, reference))
    assert list(measured) == pytest.approx(list(expected), rel=1e-4)


def test_replicas_of_two_kinds_are_equal_to_the_last_number_after_200_steps() -> None:
    layout = Layout.of(4)
    mapping = Mapping(layout, ((0, (0, 2)), (1, (1, 3))))
    roll = Roll({0: Member(kind="cpu"), 1: Member(kind="other")})

    def body(worker: int, program: Program) -> Callable[[Together], Replica]:
        def run(group: Together) -> Replica:
            replica = Replica(program, Device("cpu", worker))
            post = Post(worker=worker, mapping=mapping, group=group, called=roll)
            feed = Feed(program, replica.device)
            for _ in range(200):
                assert isinstance(take_step(replica, post, feed), Stepped)
            return replica

        return run

    first, second = side_by_side([body(0, _program(layout, odd=False)), body(1, _program(layout, odd=True))])

    assert fingerprint(first.capture()) == fingerprint(second.capture())
    assert first.step == 200


class _Odd(torch.optim.AdamW):
    """An AdamW that rounds in its own way."""

    def step(self, closure: Any = None) -> Any:
        """Step, and nudge."""
        super().step(closure)
        nudge_(parameter for group in self.param_groups for parameter in group["params"])


def _program(layout: Layout, *, odd: bool) -> Program:
    generator = torch.Generator().manual_seed(5)
    inputs = torch.randn(SAMPLES, 6, generator=generator)
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3))
    for one in model.parameters():
        nn.init.uniform_(one, -0.3, 0.3, generator=generator)
    kind = _Odd if odd else torch.optim.AdamW
    return Program(
        model=model,
        loss=lambda model, batch: nn.functional.cross_entropy(model(batch[0]), batch[1]),
        predict=None,
        train=Source(dataset=TensorDataset(inputs, inputs.argmax(1) % 3)),
        evaluation=None,
        metrics={},
        optimizer=lambda model: kind(model.parameters(), lr=0.01),
        schedule=torch.optim.lr_scheduler.CosineAnnealingLR,
        layout=layout,
        global_batch=24,
        seed=0,
        steps=200,
        options=vfnb.Options(clip_norm=0.5),
        identity="{}",
    )


def _same(job: vfnb.Job, reference: vfnb.Job) -> None:
    ours, theirs = job.model.state_dict(), reference.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    assert job.fingerprint == reference.fingerprint
    assert list(job.history.step) == list(reference.history.step)
    assert list(job.history.grad_norm) == list(reference.history.grad_norm)


def _holding() -> FaultScript:
    script = FaultScript()
    for worker in range(8):
        script = script.hold(worker, "before_vote", 0.05)
    return script
