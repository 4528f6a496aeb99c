"""Several virtual nodes a pass: the same bits on any mapping, and from any halving on."""

import json
from pathlib import Path

import pytest
from jobs import STEPS, finished, job_of, reach, slots, transformer_task
from measured import keep_profile

import vfnb
from vfnb.runtime import LocalEngine
from vfnb.spec import NodesPerPassChosen, NodesPerPassHalved, OutOfMemory
from vfnb.testing import FaultScript

AUTO = {"nodes_per_pass": "auto", "blocks": 2}


class Short:
    """A probe that runs out of memory in one worker's pass of a step, so often."""

    def __init__(self, worker: int, step: int, times: int = 1, then: FaultScript | None = None) -> None:
        self.worker, self.step, self.left, self.then = worker, step, times, then

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> None:
        if point == "pass" and (worker, step) == (self.worker, self.step) and self.left:
            self.left -= 1
            raise MemoryError("out of memory")
        if self.then is not None:
            self.then(point, worker=worker, step=step, detail=detail)


@pytest.fixture(autouse=True)
def _flat() -> None:
    """Make larger passes free, so that "auto" takes the largest: four nodes in each of two blocks."""
    keep_profile(transformer_task(), lambda samples: 0.01)


def automatic(folder: Path, devices: int, probe: Short, **given: object) -> vfnb.Job:
    return job_of(transformer_task(), folder, slots(devices), engine=LocalEngine(probe=probe), **AUTO | given)


def test_auto_and_the_literal_it_prints_give_the_same_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    auto = finished(job_of(transformer_task(), tmp_path, 1, **AUTO))

    literal = finished(job_of(transformer_task(), tmp_path, 1, nodes_per_pass=4, blocks=2))

    assert "Options(nodes_per_pass=4)" in capsys.readouterr().out
    assert NodesPerPassChosen(step=0, nodes_per_pass=4, reason=auto.events[0].reason) == auto.events[0]
    assert json.loads((auto.run_dir / "run.json").read_text())["identity"]["nodes_per_pass"] == 4
    assert json.loads((auto.run_dir / "receipt.json").read_text())["job"]["nodes_per_pass"] == 4
    assert auto.fingerprint == literal.fingerprint


def test_a_halving_is_at_the_same_step_on_any_mapping(tmp_path: Path) -> None:
    alone = finished(automatic(tmp_path, 1, Short(0, step=4)))

    together = finished(automatic(tmp_path, 2, Short(1, step=4)))

    assert alone.fingerprint == together.fingerprint
    assert alone.fingerprint_notes == together.fingerprint_notes == ("2 nodes per pass from step 4",)
    assert not [event for event in together.events if isinstance(event, OutOfMemory)]


def test_a_halving_changes_bits_from_its_step_on(tmp_path: Path) -> None:
    late = finished(automatic(tmp_path, 1, Short(0, step=STEPS)))

    early = finished(automatic(tmp_path, 1, Short(0, step=4)))

    assert early.fingerprint != late.fingerprint


def test_nodes_are_halved_down_to_one_and_then_the_job_pauses(tmp_path: Path) -> None:
    job = automatic(tmp_path, 1, Short(0, step=4, times=3))

    job.start()
    reach(job, "paused")
    with pytest.raises(TimeoutError, match="paused"):
        job.wait(timeout=0.1)
    job.resume()
    job.wait(timeout=60)

    assert job.fingerprint_notes == ("1 node per pass from step 4",)
    assert [event.step for event in job.events if isinstance(event, OutOfMemory)] == [3]


def test_a_halving_outlives_a_worker_that_is_lost_in_its_step(tmp_path: Path) -> None:
    undisturbed = finished(automatic(tmp_path, 2, Short(0, step=4)))

    script = FaultScript().kill(1, "before_commit", step=4)
    disturbed = finished(automatic(tmp_path, 2, Short(0, step=4, then=script)))

    assert disturbed.fingerprint == undisturbed.fingerprint
    assert "2 nodes per pass from step 4" in disturbed.fingerprint_notes


def test_a_run_goes_on_from_a_checkpoint_with_what_it_was_halved_to(tmp_path: Path) -> None:
    whole = finished(automatic(tmp_path, 1, Short(0, step=4)))
    half = finished(automatic(tmp_path, 1, Short(0, step=4), stop_when=lambda row: row.step == 6))

    loaded = vfnb.Job.load(half.run_dir, transformer_task(), devices=1, name="loaded", engine="inline")
    loaded.run_dir = tmp_path / "loaded"
    finished(loaded)

    assert loaded.fingerprint == whole.fingerprint
    assert loaded.fingerprint_notes == ("2 nodes per pass from step 4",)
    assert loaded.options.nodes_per_pass == "auto"
    assert NodesPerPassHalved(step=4, nodes_per_pass=2) in loaded.events


def test_a_run_that_was_halved_is_replayed_with_its_halvings(tmp_path: Path) -> None:
    job = automatic(tmp_path, 1, Short(0, step=4, times=2), fingerprint_every=1)
    job.start()
    job.wait(timeout=60)

    verdict = vfnb.verify(job.run_dir, transformer_task(), engine="inline")

    assert job.fingerprint_notes == ("1 node per pass from step 4",)
    assert json.loads((job.run_dir / "receipt.json").read_text())["halvings"] == [[4, 1]]
    assert verdict.equal
    assert verdict.compared == tuple(range(1, STEPS + 1))
    assert verdict.fingerprint == job.fingerprint


def test_a_replay_that_does_not_fit_says_so(tmp_path: Path) -> None:
    job = finished(job_of(transformer_task(), tmp_path, 1, fingerprint_every=1))
    short = LocalEngine(probe=Short(0, step=2, times=100))

    with pytest.raises(vfnb.StateError, match=r"the run cannot be repeated here: .* memory"):
        vfnb.verify(job.run_dir, transformer_task(), engine=short)


def test_an_explicit_number_pauses_and_is_never_halved(tmp_path: Path) -> None:
    job = automatic(tmp_path, 1, Short(0, step=4), nodes_per_pass=4)

    job.start()
    reach(job, "paused")
    with pytest.raises(TimeoutError, match="paused"):
        job.wait(timeout=0.1)
    job.resume()
    job.wait(timeout=60)

    assert job.fingerprint_notes == ()
