"""Profiles are measured in a process of their own, kept, and planned from."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from jobs import convnet_task, tokens_task
from measured import blueprint_of, keep_profile, speed_of
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.session.environment import hardware_of, numeric_environment
from vfnb.session.profiling import folder, subject_of
from vfnb.spec import Device, Profile, from_json
from vfnb.testing import slower

CLUSTER = vfnb.VirtualCluster.parse("16", global_batch=64)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_profile_has_the_sizes_asked_for_and_is_kept_as_readable_json() -> None:
    found = vfnb.profile(tokens_task(), "cpu:0", batches=[4, 8])

    (speed,) = found.speeds
    assert [point.samples for point in speed.points] == [4, 8]
    assert all(point.seconds > 0 and point.memory_bytes > 1 << 20 for point in speed.points)
    assert speed.device == "cpu"
    (file,) = folder().iterdir()
    assert from_json(file.read_text()) == found
    assert file.read_text().startswith('{\n "version": 1')


def test_what_was_measured_is_not_measured_again() -> None:
    first = vfnb.profile(tokens_task(), "cpu:0", batches=[4])

    both = vfnb.profile(tokens_task(), "cpu:0", batches=[4, 8])

    assert both.speeds[0].points[0] == first.speeds[0].points[0]
    assert vfnb.profile(tokens_task(), "cpu:0", batches=[4, 8]) == both
    assert vfnb.profile(tokens_task(), "cpu:0", batches=[4], fresh=True) != first


def test_a_broken_file_is_measured_anew() -> None:
    found = vfnb.profile(tokens_task(), "cpu:0", batches=[4])
    (file,) = folder().iterdir()
    file.write_text("{")

    again = vfnb.profile(tokens_task(), "cpu:0", batches=[4])

    assert again.subject == found.subject


def test_a_slot_of_more_threads_is_another_device() -> None:
    found = vfnb.profile(tokens_task(), ["cpu:0", "cpu:1/2", "cpu:2"], batches=[4])

    assert [speed.device for speed in found.speeds] == ["cpu", "cpu/2"]
    assert len(list(folder().iterdir())) == 2


def test_sizes_end_where_a_pass_does_not_fit() -> None:
    found = vfnb.profile(_hungry(), "cpu:0", batches=[2, 4, 8, 16])

    assert [point.samples for point in found.speeds[0].points] == [2, 4]
    assert found.speeds[0].too_large == 8


def test_sizes_end_where_the_process_is_ended() -> None:
    found = vfnb.profile(_hungry(kills=True), "cpu:0", batches=[2, 4, 8, 16])

    assert found.speeds[0].too_large == 8


def test_measuring_leaves_the_task_and_generators_alone() -> None:
    task = tokens_task()
    before = torch.get_rng_state()

    vfnb.profile(task, "cpu:0", batches=[4])

    assert torch.equal(before, torch.get_rng_state())
    assert task.parts.model.build(0).training


def test_an_error_of_the_users_comes_through() -> None:
    def fails(model: nn.Module, batch: Any) -> torch.Tensor:
        raise KeyError("weights")

    with pytest.raises(vfnb.TrainingError, match="weights"):
        vfnb.profile(_task(fails), "cpu:0", batches=[4])


def test_a_plan_measures_and_chooses() -> None:
    plan = vfnb.plan(tokens_task(), CLUSTER, 1)

    assert [choice.nodes_per_pass for choice in plan.choices] == [1, 2, 3, 4]
    assert plan.nodes_per_pass > 1, "a pass of a tiny model costs the same for 4 samples and for 16"
    assert plan.literal in repr(plan)


def test_a_plan_of_coupled_samples_says_why_it_is_one() -> None:
    plan = vfnb.plan(convnet_task(), CLUSTER, 1)

    assert plan.nodes_per_pass == 1
    assert "body.1 is a BatchNorm2d" in plan.why
    assert not folder().exists(), "there is nothing to measure for"


def test_a_profile_of_another_model_is_refused_with_the_difference_named() -> None:
    other = vfnb.profile(_task(), "cpu:0", batches=[4])

    with pytest.raises(vfnb.SpecError, match=r"of another task or version: its architecture is \w+, here it is"):
        vfnb.plan(tokens_task(), CLUSTER, 1, profile=other)


def test_a_profile_of_another_device_is_refused_with_what_there_is() -> None:
    found = vfnb.profile(tokens_task(), "cpu:0", batches=[4])

    with pytest.raises(vfnb.SpecError, match=r"the profile has no cpu/2 .*, it has cpu \(.*; vfnb.profile"):
        vfnb.plan(tokens_task(), CLUSTER, "cpu:0/2", profile=found)


def test_a_shipped_profile_is_planned_from_without_measuring(tmp_path: Path) -> None:
    file = keep_profile(tokens_task(), lambda samples: 0.5 + samples)
    shipped = from_json(json.dumps(json.loads(file.read_text())))
    file.unlink()

    plan = vfnb.plan(tokens_task(), CLUSTER, 1, profile=shipped)  # type: ignore[arg-type]  # a Profile

    assert plan.choices[0].step_seconds == pytest.approx(16 * 4.5)
    assert not file.exists()


def test_a_plan_on_devices_of_several_speeds_says_the_solved_mapping_where_samples_are_coupled_too() -> None:
    task, devices, hardware = convnet_task(), ["cpu:0", slower("cpu:1", 3)], hardware_of(Device("cpu", 0))
    speeds = tuple(
        speed_of(lambda samples, times=times: 0.01 * samples * times, device=name, hardware=hardware)
        for name, times in (("cpu", 1), ("cpu@1/3-simulated", 3))
    )
    profile = Profile(subject=subject_of(blueprint_of(task)), versions=numeric_environment(), speeds=speeds)

    plan = vfnb.plan(task, CLUSTER, devices, profile=profile)

    assert plan.share is not None
    assert plan.share.nodes == (12, 4)
    assert vfnb.plan(task, CLUSTER, 2).share is None, "two devices of one speed"


def test_auto_is_one_where_samples_are_coupled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = vfnb.Job(
        convnet_task(),
        CLUSTER,
        devices=1,
        steps=1,
        run_dir=tmp_path / "run",
        options=vfnb.Options(nodes_per_pass="auto"),
    )

    assert "one node a pass, since body.1 is a BatchNorm2d" in capsys.readouterr().out
    assert job.events[0].nodes_per_pass == 1  # type: ignore[union-attr]  # NodesPerPassChosen


@pytest.mark.parametrize(
    ("given", "said"),
    [({"batches": [0]}, "a batch=0"), ({"devices": "cuba:0"}, "cuba"), ({"options": 3}, "options is a int")],
)
def test_wrong_words_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(vfnb.SpecError, match=said):
        vfnb.profile(tokens_task(), **given)


def _task(loss: Any = None) -> vfnb.Task:
    data = TensorDataset(torch.randn(64, 6), torch.randint(0, 4, (64,)))
    return vfnb.Task(nn.Linear(6, 4), data, loss or nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))


def _hungry(*, kills: bool = False) -> vfnb.Task:
    def loss(model: nn.Module, batch: Any) -> torch.Tensor:
        if len(batch[0]) > 4:
            if kills:
                import os
                import signal

                os.kill(os.getpid(), signal.SIGKILL)
            raise MemoryError("no room")
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    return _task(loss)
