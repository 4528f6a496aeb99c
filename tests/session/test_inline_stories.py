"""What a user does with a job, told with the engine that needs no worker."""

from pathlib import Path
from typing import Any

import pytest
import torch
from session_doubles import CLUSTER, Net, pairs, small_task
from torch import nn
from torchmetrics.classification import MulticlassAccuracy

from vfnb.ground import CheckpointError, StateError, TrainingError
from vfnb.session import Job, open_run, replay, runs, verify
from vfnb.spec import Evaluated, Event, Finished, Options, Row, VirtualCluster


def job(**changes: Any) -> Job:
    given: dict[str, Any] = {"task": small_task(), "cluster": CLUSTER, "steps": 6, "engine": "inline"}
    return Job(**(given | changes))


def trained(**changes: Any) -> Job:
    ready = job(**changes)
    train(ready)
    return ready


def train(ready: Job) -> None:
    ready.start()
    ready.wait(timeout=60)


def at_step_three(row: Row) -> bool:
    return row.step == 3


def test_a_job_trains_to_its_end() -> None:
    done = trained()

    assert done.state == "done"
    assert list(done.history["step"]) == [1, 2, 3, 4, 5, 6]
    assert list(done.history["epoch"]) == [0, 0, 0, 1, 1, 1]
    assert isinstance(done.events[-1], Finished)
    assert done.workers == ()


def test_running_a_cell_again_gives_the_same_bits_and_another_seed_others() -> None:
    task = small_task()

    first, again, other = trained(task=task), trained(task=task), trained(task=task, seed=1)

    assert first.fingerprint == again.fingerprint != other.fingerprint
    torch.testing.assert_close(first.model.state_dict(), again.model.state_dict(), rtol=0, atol=0)


def test_a_job_leaves_its_task_as_it_was() -> None:
    task = small_task(model=Net())
    new = job(task=task).fingerprint

    trained(task=task)

    assert job(task=task).fingerprint == new


def test_a_run_that_stopped_goes_on_from_its_directory_with_the_same_bits() -> None:
    task = small_task(evaluate=pairs(6), metrics={"accuracy": MulticlassAccuracy(2)})
    whole = trained(task=task)
    half = trained(task=task, options=Options(stop_when=at_step_three))
    assert half.state == "stopped"

    rest = Job.load(half.run_dir, task, engine="inline")
    train(rest)

    assert list(half.history["step"]) + list(rest.history["step"]) == [1, 2, 3, 4, 5, 6]
    assert rest.fingerprint == whole.fingerprint != half.fingerprint


def test_a_checkpoint_is_verified_once_when_it_is_loaded() -> None:
    task = small_task()
    half = trained(task=task, options=Options(stop_when=at_step_three))
    rest = Job.load(half.run_dir, task, engine="inline")
    for manifest in half.run_dir.glob("checkpoints/*/manifest.json"):
        manifest.unlink()

    train(rest)

    assert rest.fingerprint == trained(task=task).fingerprint


def test_a_checkpoint_of_one_task_is_refused_by_another() -> None:
    done = trained()
    done.save("mine")

    with pytest.raises(CheckpointError, match=r"optimizer\.name"):
        Job.load("mine", small_task(optimizer=torch.optim.AdamW), engine="inline")


def test_evaluations_stand_in_the_history_and_among_the_events() -> None:
    task = small_task(evaluate=pairs(10), metrics={"accuracy": MulticlassAccuracy(2)})

    done = trained(task=task, options=Options(evaluate_every=2))

    evaluated = [event for event in done.events if isinstance(event, Evaluated)]
    assert [event.step for event in evaluated] == [2, 4, 6]
    rows = done.history.set_index("step")
    assert rows["accuracy"].notna().tolist() == [False, True] * 3
    assert rows["accuracy"][6] == evaluated[-1].metrics["accuracy"]
    assert rows["evaluation_loss"][6] == evaluated[-1].metrics["loss"]


def test_what_is_on_disk_is_what_was_seen() -> None:
    done = trained(name="base")

    lines = [(done.run_dir / file).read_text().split("\n") for file in ("steps.jsonl", "events.jsonl")]
    read = replay(*lines)

    assert read.history().equals(done.history)
    assert read.events == done.events
    assert read.status.state == "done"
    (listed,) = runs().to_dict("records")
    assert (listed["name"], listed["state"], listed["step"], listed["steps"]) == ("base", "done", 6, 6)


def test_what_the_loss_raises_comes_before_the_start_with_the_users_own_traceback() -> None:
    def loss(model: nn.Module, batch: Any) -> torch.Tensor:
        raise ValueError("wrong shape")

    broken = job(task=small_task(loss=loss))

    with pytest.raises(ValueError, match="wrong shape") as caught:
        broken.start()
    assert caught.traceback[-1].name == "loss"
    assert broken.state == "new"


def test_what_the_loss_raises_while_training_fails_the_job() -> None:
    calls: list[int] = []

    def loss(model: nn.Module, batch: Any) -> torch.Tensor:
        calls.append(1)
        if len(calls) > 10:
            raise ValueError("wrong shape")
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    broken = job(task=small_task(loss=loss), options=Options(check=False))

    with pytest.raises((TrainingError, ValueError), match="wrong shape"):
        train(broken)
    assert broken.state == "failed"


def test_on_event_sees_what_happens() -> None:
    seen: list[Event] = []

    done = trained(options=Options(on_event=seen.append))

    assert seen == list(done.events)


def test_an_optimizer_built_on_the_model_trains_like_its_description() -> None:
    model = Net()
    built = torch.optim.AdamW(model.parameters(), lr=0.01)

    one = trained(task=small_task(model=model, optimizer=built))
    other = trained(task=small_task(model=model, optimizer=lambda net: torch.optim.AdamW(net.parameters(), lr=0.01)))

    assert one.fingerprint == other.fingerprint


def test_the_loss_of_a_step_is_the_mean_over_all_targets_that_count() -> None:
    data = [(row, -100 if index < 7 else int(target)) for index, (row, target) in enumerate(pairs())]
    task = small_task(model=nn.Linear(3, 2), train=data)
    cluster = VirtualCluster(accelerator="", count=5, global_batch=len(data))
    model = job(task=task).model

    done = trained(task=task, steps=1, cluster=cluster)

    inputs, targets = torch.stack([row for row, _ in data]), torch.tensor([target for _, target in data])
    plain = nn.functional.cross_entropy(model(inputs), targets).detach()
    assert done.history["loss"][0] == pytest.approx(float(plain), rel=1e-6)


def test_an_autocast_around_the_start_is_refused() -> None:
    ready = job()

    with torch.autocast("cpu", dtype=torch.bfloat16), pytest.raises(StateError, match="precision='bf16'"):
        ready.start()


def test_a_batch_that_grows_stands_in_history_mappings_and_receipt() -> None:
    task = small_task(model=nn.Linear(3, 2))
    ready = job(task=task, steps=None, epochs=2, options=Options(batch_schedule={3: 16}))
    assert (ready.steps, ready.cluster, ready.course.steps_of(1)) == (5, CLUSTER, 3)
    train(ready)
    saved = open_run(ready.run_dir)

    assert list(ready.history["samples"]) == [8, 8, 8, 16, 8]
    assert list(ready.history["epoch"]) == [0, 0, 0, 1, 1]
    assert [(stage.step, stage.mapping.counts) for stage in saved.stages] == [(0, {0: 4}), (2, {0: 8})]
    assert "for 5 of 5 steps of 8 samples, then 16 from step 3 on, as on 4 virtual nodes" in saved.receipt["methods"]
    assert "4 virtual nodes in 4 blocks" in saved.receipt["methods"]
    assert saved.receipt["job"]["options"]["batch_schedule"] == [[3, 16]]


def test_a_run_whose_batch_grows_is_verified_and_another_schedule_is_another_job(tmp_path: Path) -> None:
    task = small_task(model=nn.Linear(3, 2))
    done = trained(task=task, steps=5, options=Options(batch_schedule={3: 16}))
    folder = done.save(tmp_path / "saved")

    assert verify(done.run_dir, task, engine="inline").equal
    assert Job.load(folder, task, engine="inline").options.growth == ((3, 16),)
    assert done.identity != job(task=task, steps=5).identity
    assert done.identity == job(task=task, steps=5, options=Options(batch_schedule=((3, 16),))).identity
