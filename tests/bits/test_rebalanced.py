"""Mappings that follow measured speeds, of devices of several speeds and of one that slows down, change no bit."""

from pathlib import Path

import pytest
from jobs import convnet_task, finished, job_of, slots, until

import vfnb
from vfnb.spec import Rebalanced, Resized
from vfnb.testing import FaultScript, slower

STEPS = 40


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> str:
    return finished(job_of(convnet_task(), tmp_path_factory.mktemp("inline"), engine="inline", steps=STEPS)).fingerprint


def test_solved_by_measured_speeds_the_slowest_has_least_and_the_bits_are_the_same(
    reference: str, tmp_path: Path
) -> None:
    job = job_of(convnet_task(), tmp_path, ["cpu:0", slower("cpu:1", 10), slower("cpu:2", 20)], steps=STEPS)
    job.start()
    until(lambda: len(job.history) >= 5)

    switched = job.map("solve").result(timeout=30)
    counts = [worker.virtual_nodes for worker in job.workers]
    job.wait(timeout=60)

    assert isinstance(switched, Resized)
    assert counts[0] >= 5
    assert counts[2] == 1
    assert job.fingerprint == reference


def test_a_device_that_slows_down_in_mid_run_sheds_nodes_by_itself_and_the_bits_are_the_same(
    reference: str, tmp_path: Path
) -> None:
    script = FaultScript().slow(0, 40, step=8)
    job = job_of(convnet_task(), tmp_path, slots(3), faults=script, steps=STEPS, rebalance="auto")

    finished(job)

    moved = [event for event in job.events if isinstance(event, Rebalanced)]
    assert moved, "the slow worker was waited for to the end"
    assert moved[-1].after[0] == 1
    assert job.fingerprint == reference
    assert job.fingerprint_notes == ()


def test_inline_there_is_nobody_to_move_anything_to(reference: str, tmp_path: Path) -> None:
    job = finished(job_of(convnet_task(), tmp_path, engine="inline", steps=STEPS, rebalance="auto"))

    assert job.fingerprint == reference
    with pytest.raises(vfnb.StateError):
        job.rebalance()
