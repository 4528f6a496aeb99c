"""A kernel that stands still stalls nobody, and misses nothing once it moves again."""

import signal
import time
from pathlib import Path

from jobs import until
from kernels import interpreter

TRAIN = """
job = begun(task=tiny_task)
print(flush=True)
sys.stdin.readline()
last = len((job.run_dir / "steps.jsonl").read_text().splitlines())
while len(job.history) < last:
    time.sleep(0.02)
steps = list(job.history.step)
print(steps == list(range(1, len(steps) + 1)), "WorkerLost" in str(job.events), job.state, flush=True)
job.stop()
job.wait()
"""
_FULL = 1000  # steps, of 190 bytes of news each: more than a socket holds
_LONG = 5.0  # seconds: beyond those after which a stopped process, or a late driver, is noticed


def test_training_goes_on_while_the_kernel_is_stopped_and_nothing_is_lost(tmp_path: Path) -> None:
    rows = tmp_path / "run-0" / "steps.jsonl"
    with interpreter(tmp_path, TRAIN) as kernel:
        assert kernel.stdout is not None
        assert kernel.stdin is not None
        assert kernel.stdout.readline() == "\n"
        kernel.send_signal(signal.SIGSTOP)
        stopped, before = time.monotonic(), _lines(rows)
        until(lambda: _lines(rows) > before + _FULL and time.monotonic() > stopped + _LONG, within=90)

        kernel.send_signal(signal.SIGCONT)
        kernel.stdin.write("\n")
        kernel.stdin.flush()

        assert kernel.stdout.readline().split() == ["True", "False", "running"]
        assert kernel.wait(timeout=60) == 0


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n")
