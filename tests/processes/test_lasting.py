"""What a run leaves behind outlives its kernel: a killed one's is opened, a finished one's is replayed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jobs import STEPS, convnet_task, finished, job_of, slots

import vfnb

SUPPORT, ROOT = Path(__file__).parents[1] / "support", Path(vfnb.__file__).parents[1]
_KERNEL = """
import sys, time
from pathlib import Path
sys.path[:0] = {paths!r}
from jobs import convnet_task, job_of, slots
job = job_of(convnet_task(), Path({folder!r}), slots(2), steps=100_000, fingerprint_every=5)
job.start()
while len(job.history) < 20:
    time.sleep(0.01)
print(job.run_dir, flush=True)
sys.stdin.read()
"""


def test_a_run_whose_kernel_was_killed_is_opened_as_crashed_with_all_its_steps(tmp_path: Path) -> None:
    script = _KERNEL.format(paths=[str(SUPPORT), str(ROOT)], folder=str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as kernel:
        assert kernel.stdout is not None
        folder = Path(kernel.stdout.readline().strip())
        assert vfnb.open_run(folder).state == "running"
        kernel.send_signal(signal.SIGKILL)
        kernel.wait()

    run = vfnb.open_run(folder)
    assert run.state == "crashed"
    steps = run.history["step"].tolist()
    assert len(steps) >= 20
    assert steps == list(range(1, len(steps) + 1))
    assert [str(stage) for stage in run.stages] == ["cpu:0: 4, cpu:1: 4"]
    assert set(range(5, 20, 5)) <= set(run.fingerprints)
    assert "crashed" in repr(run)
    assert "<img" in run._repr_html_()
    assert json.loads((folder / "receipt.json").read_text())["mappings"]


@pytest.fixture(scope="module")
def resized(tmp_path_factory: pytest.TempPathFactory) -> vfnb.Job:
    job = job_of(convnet_task(), tmp_path_factory.mktemp("runs"), slots(2), steps=STEPS, fingerprint_every=2)
    job.start()
    job.resize(slots(1))
    job.wait(timeout=60)
    return job


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    code = "import sys; from vfnb.cli import main; sys.exit(main())"
    given = [sys.executable, "-c", code, "verify", *map(str, words)]
    return subprocess.run(given, env=environ, capture_output=True, text=True, check=False, timeout=100)


def test_the_command_replays_a_run_that_was_resized_and_says_equal(resized: vfnb.Job) -> None:
    done = command(resized.run_dir, "--task", f"{SUPPORT / 'jobs.py'}:convnet_task", "--json")

    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)
    assert verdict["equal"] is True
    assert verdict["compared"] == [2, 4, 6, 8, 10, 12]
    assert verdict["fingerprint"] == resized.fingerprint


def test_the_command_says_where_a_run_differs_and_why(resized: vfnb.Job) -> None:
    receipt = json.loads((resized.run_dir / "receipt.json").read_text())
    receipt["fingerprints"]["4"] = "0" * 64
    receipt["environment"]["numpy"] = "1.26.0"
    changed = resized.run_dir / "changed.json"
    changed.write_text(json.dumps(receipt))

    done = command(changed, "--task", f"{SUPPORT / 'jobs.py'}:convnet_task")

    assert done.returncode == 1, done.stderr
    assert f"{resized.name}: differs at step 4 (equal up to step 2); likely cause: numpy was 1.26.0" in done.stdout


def test_every_mapping_that_a_run_went_through_is_in_its_receipt(resized: vfnb.Job) -> None:
    receipt = json.loads((resized.run_dir / "receipt.json").read_text())

    assert [len(one["workers"]) for one in receipt["mappings"]] in ([2, 1], [1])
    assert receipt["mappings"][-1]["workers"].popitem()[1] == {"device": "cpu:0", "virtual_nodes": 8}
    assert receipt["fingerprint"] == resized.fingerprint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere", "--task", "jobs:convnet_task"), "there is no module 'jobs' here"),
        (("nowhere", "--task", f"{SUPPORT / 'jobs.py'}:convnet_task"), "there is no run in"),
        (("nowhere",), "a run's files hold no code"),
        ((), "the following arguments are required: RUN"),
    ],
)
def test_a_wrong_command_is_one_line_and_status_2(words: tuple[str, ...], said: str) -> None:
    done = command(*words)

    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_a_fingerprint_in_a_row_is_the_same_on_any_mapping(tmp_path: Path) -> None:
    alone, together = (
        finished(job_of(convnet_task(), tmp_path, slots(count), steps=6, fingerprint_every=1)) for count in (1, 3)
    )

    assert vfnb.compare(alone, together).table["differs_at"].isna().all()
    assert len(vfnb.open_run(alone.run_dir).fingerprints) == 6


def test_the_kernel_may_open_its_own_run_while_it_trains(tmp_path: Path) -> None:
    job = job_of(convnet_task(), tmp_path, slots(1), steps=100_000, fingerprint_every=1)
    job.start()
    until = time.monotonic() + 30
    while len(job.history) < 5:
        assert time.monotonic() < until, job.state
        time.sleep(0.01)

    run = vfnb.open_run(job.run_dir)
    job.stop()
    job.wait(timeout=30)

    assert run.state == "running"
    assert len(run.history) >= 5
    assert vfnb.open_run(job.run_dir).fingerprint == job.fingerprint
