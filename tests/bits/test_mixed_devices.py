"""Devices that are not alike: of several speeds, where no bit may depend on it, and of several kinds."""

from pathlib import Path

from jobs import convnet_task, finished, job_of

from vfnb.spec import Warned
from vfnb.testing import FaultScript, slower


def test_slower_devices_and_one_that_slows_down_in_mid_run_change_no_bit(tmp_path: Path) -> None:
    reference = finished(job_of(convnet_task(), tmp_path, engine="inline"))
    devices = ["cpu:0", slower("cpu:1", 2), "cpu:2@1/3-simulated"]
    job = job_of(convnet_task(), tmp_path, devices, faults=FaultScript().slow(0, 3, step=4, until=6))

    finished(job)

    assert job.fingerprint == reference.fingerprint
    assert job.fingerprint_notes == ()
    said = [
        event.message for event in job.events if isinstance(event, Warned) and "simulated by a script" in event.message
    ]
    assert said == [
        "from step 4 on, cpu:0 computes 3 times slower (simulated by a script)",
        "from step 6 on, cpu:0 computes at its own speed again (simulated by a script)",
    ]
    joined = [event.device for event in job.events if type(event).__name__ == "WorkerJoined"]
    assert sorted(joined) == ["cpu:0", "cpu:1@1/2-simulated", "cpu:2@1/3-simulated"]
