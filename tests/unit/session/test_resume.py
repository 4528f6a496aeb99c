import json
from pathlib import Path
from typing import Any

import pytest
import torch
from session_doubles import FakeEngine, pairs, seeded_net, small_job, small_task, started
from torch import nn

from vfnb.ground import CheckpointError
from vfnb.runtime import write_checkpoint
from vfnb.session import Job
from vfnb.session.resume import find_checkpoint
from vfnb.spec import NotGuaranteed, Options, Warned


def saved(path: Path, committed: int = 2, **changes: Any) -> Job:
    engine = FakeEngine()
    job = started(engine, **changes)
    engine.run.commit(committed)
    job.save(path)
    engine.run.end("stopped")
    return job


def load(path: Path, **changes: Any) -> Job:
    given: dict[str, Any] = {"task": small_task(), "engine": FakeEngine()}
    return Job.load(path, **(given | changes))


def test_a_loaded_job_is_the_same_job_at_the_same_step(tmp_path: Path) -> None:
    first = saved(tmp_path / "mine", seed=5, steps=9, options=Options(blocks=2, clip_norm=1.0))

    again = load(tmp_path / "mine")

    assert again.fingerprint == first.fingerprint
    assert again.steps == first.steps == 9
    assert again.cluster == first.cluster
    assert again.options == first.options
    assert again.state == "new"
    assert "step 2 of 9" in repr(again)
    assert again.run_dir != first.run_dir
    assert again.events == ()


def test_a_loaded_job_starts_from_the_checkpoint(tmp_path: Path) -> None:
    saved(tmp_path / "mine", seed=5)
    engine = FakeEngine()

    load(tmp_path / "mine", engine=engine, devices=1, name="again").start()

    assert engine.run.launch.resume is not None
    assert engine.run.launch.resume.folder == tmp_path / "mine"
    assert engine.run.program.seed == 5
    assert len(engine.run.launch.devices) == 1
    head = json.loads((tmp_path / "vfnb-runs" / "again" / "run.json").read_text())
    assert head["resumed"] == str(tmp_path / "mine")


def test_a_chain_of_loads_keeps_the_first_jobs_identity(tmp_path: Path) -> None:
    first = saved(tmp_path / "one")

    second = load(tmp_path / "one", task=small_task(model=seeded_net(3)))
    second.save(tmp_path / "two")

    assert find_checkpoint(tmp_path / "two").identity == find_checkpoint(tmp_path / "one").identity
    assert load(tmp_path / "two").fingerprint == first.fingerprint


def test_the_model_has_the_checkpoints_weights(tmp_path: Path) -> None:
    first = saved(tmp_path / "mine")

    again = load(tmp_path / "mine", task=small_task(model=seeded_net(3)))

    torch.testing.assert_close(again.model.state_dict(), first.model.state_dict())


def test_a_run_directory_stands_for_its_newest_checkpoint(tmp_path: Path) -> None:
    job = saved(tmp_path / "mine")
    state, identity = find_checkpoint(tmp_path / "mine").state, find_checkpoint(tmp_path / "mine").identity
    for step in (3, 12):
        write_checkpoint(job.run_dir / "checkpoints" / f"step-{step:08d}", state | {"step": step}, identity)

    assert find_checkpoint(job.run_dir).step == 12


def test_a_run_without_a_checkpoint_is_told_apart(tmp_path: Path) -> None:
    job = started(FakeEngine())

    with pytest.raises(CheckpointError, match="has no checkpoint yet; it can only be started again"):
        load(job.run_dir)


def test_nothing_at_all_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"there is nothing at .*nowhere; vfnb\.runs\(\)"):
        load(tmp_path / "nowhere")


def test_another_task_is_refused_with_the_field_named(tmp_path: Path) -> None:
    saved(tmp_path / "mine")

    with pytest.raises(CheckpointError, match=r"is of another job: data\.length was 24, is 20 here; data\.samples"):
        load(tmp_path / "mine", task=small_task(train=pairs(20)))
    with pytest.raises(CheckpointError, match=r"loss\.name was torch\.nn\.modules\.loss\.CrossEntropyLoss"):
        load(tmp_path / "mine", task=small_task(loss=nn.MSELoss()))


def test_a_corrupt_checkpoint_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "mine")
    (largest, *_) = sorted(
        (path for path in (tmp_path / "mine").iterdir()), key=lambda path: path.stat().st_size, reverse=True
    )
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 1
    largest.write_bytes(data)

    with pytest.raises(CheckpointError, match="damaged"):
        load(tmp_path / "mine")


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()

    with pytest.raises(CheckpointError, match="no checkpoint of vfnb's"):
        load(tmp_path / "other")


def test_functions_that_are_gone_are_warned_of(tmp_path: Path) -> None:
    saved(tmp_path / "mine", options=Options(stop_when=lambda row: False))

    (event,) = load(tmp_path / "mine").events

    assert isinstance(event, Warned)
    assert event.message.startswith("stop_when is a function, which no checkpoint holds")


def test_another_environment_ends_the_promise(tmp_path: Path) -> None:
    job = saved(tmp_path / "mine")
    checkpoint = find_checkpoint(tmp_path / "mine")
    fields = json.loads(checkpoint.identity)
    fields["environment"]["torch"] = "2.6.0"
    write_checkpoint(tmp_path / "older", checkpoint.state, json.dumps(fields))

    again = load(tmp_path / "older")

    assert isinstance(again.events[0], NotGuaranteed)
    assert "environment.torch was 2.6.0" in again.fingerprint_notes[0]
    assert again.fingerprint == job.fingerprint


def test_a_job_can_be_saved_before_it_starts_and_over_an_older_checkpoint(tmp_path: Path) -> None:
    job = small_job(FakeEngine())

    assert job.save("mine") == tmp_path / "mine"
    assert job.save("mine") == tmp_path / "mine"

    assert find_checkpoint("mine").step == 0
    assert load(tmp_path / "mine").fingerprint == job.fingerprint


def test_a_checkpoint_never_runs_code_whatever_is_trusted(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "ran",)

    saved(tmp_path / "mine")
    checkpoint = find_checkpoint(tmp_path / "mine")
    write_checkpoint(tmp_path / "evil", checkpoint.state | {"extra": Evil()}, checkpoint.identity)

    with pytest.raises(CheckpointError):
        load(tmp_path / "evil", trust=True)
    assert not (tmp_path / "ran").exists()
