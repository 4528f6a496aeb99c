"""A sweep whose kernel is killed in the middle: the next kernel's same call makes the rest, with the same bits."""

import subprocess
import sys
from pathlib import Path

import pytest
from kernels import PATHS
from sweep_doubles import two_runs

import vfnb

_KERNEL = """
import sys
sys.path[:0] = {paths!r}
from jobs import reach, until
from sweep_doubles import two_runs
from vfnb.runtime import newest_checkpoint
sweep = two_runs()
until(lambda: any(job.cluster.global_batch == 64 and job.step >= 3 for job in sweep.jobs))
(job,) = sweep.jobs
job.pause()
reach(job, "paused")
until(lambda: newest_checkpoint(job.run_dir))
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_sweep_goes_on_after_its_kernel_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = _KERNEL.format(paths=PATHS)
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1, text=True, cwd=tmp_path) as kernel:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "ready\n"
        kernel.kill()
    left = vfnb.runs("vfnb-runs/sweep").set_index("name").state
    assert left.to_dict() == {"batch-32-seed-0": "done", "batch-64-seed-0": "crashed"}

    sweep = two_runs()
    sweep.wait(60)

    assert sweep.table.state.tolist() == ["done", "done"]
    assert sweep.table.run.tolist() == ["batch-32-seed-0", "batch-64-seed-0~2"]
    assert vfnb.open_run(sweep.run_dir / "batch-64-seed-0~2").history.step.iloc[0] > 1, "from its checkpoint"
    straight = two_runs(name="straight", engine="inline")
    assert sweep.table.fingerprint.tolist() == straight.table.fingerprint.tolist()
