"""`%vflow pool` and `submit` in an in-process IPython shell."""

from typing import Any

import pytest
from IPython.core.error import UsageError
from shells import MAGICS

import vfnb


def flow_of(shell: Any) -> Any:
    return shell.magics_manager.registry[MAGICS].flow


def vflow(shell: Any, line: str) -> Any:
    return shell.run_line_magic("vflow", line)


@pytest.fixture
def ready(shell: Any) -> Any:
    """Give a shell with a target."""
    vflow(shell, "target 8xV100 --batch 32")
    return shell


@pytest.fixture
def done(ready: Any) -> Any:
    """Give a shell with a run, named old, that is done."""
    old = ready.user_ns["old"] = vfnb.Job(
        ready.user_ns["task"], flow_of(ready).target, name="old", engine="inline", steps=2
    )
    old.start()
    return ready


def test_a_task_and_a_job_share_a_pool(ready: Any) -> None:
    pool = vflow(ready, "pool --on 2 --policy fifo")
    first = vflow(ready, "submit task --on 2 --steps 5 --name first --priority 8")
    ready.user_ns["second"] = vfnb.Job(ready.user_ns["task"], flow_of(ready).target, devices=1, steps=5, name="second")
    assert vflow(ready, "submit second") is ready.user_ns["second"]
    pool.wait(timeout=60)

    assert vflow(ready, "pool") is pool
    assert ready.user_ns["first"] is first
    assert [(job.name, job.state, job.priority) for job in pool.jobs] == [
        ("first", "done", 8.0),
        ("second", "done", 5.0),
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("submit", "submit what? Name a task, or a job that is not started: %vflow submit task --on 2"),
        ("submit nothing", "nothing here is named 'nothing'; give a vfnb.Task or a vfnb.Job that is not started"),
        ("submit old --steps 3", "old is a job already and keeps what it is; leave out --steps"),
        ("submit old", "job 'old' was started already and is done; submit a job that is not started"),
        ("submit task --priority much", "'much' is no number; write one such as 5"),
        ("submit task --steps 2 --priority 0", "priority=0.0 is not possible; give a number above 0"),
        ("pool --policy wsf", "there is no policy 'wsf'; did you mean wfs"),
    ],
)
def test_what_a_pool_does_not_take_is_refused_in_one_line(line: str, sentence: str, done: Any) -> None:
    with pytest.raises(UsageError) as caught:
        vflow(done, line)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
