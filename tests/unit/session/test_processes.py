import os
import subprocess
import sys

from vfnb.session.processes import runs_still, started_at


def test_this_process_runs() -> None:
    assert runs_still(os.getpid(), started_at(os.getpid()))
    assert runs_still(os.getpid(), None)


def test_a_process_that_ended_does_not() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()

    assert not runs_still(child.pid, None)
    assert started_at(child.pid) is None


def test_another_process_with_the_same_number_is_another() -> None:
    born = started_at(os.getpid())

    assert born is None or not runs_still(os.getpid(), born - 1)
