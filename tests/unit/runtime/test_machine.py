"""What this machine has: memory, without a CUDA context."""

import subprocess
from typing import Any

import pytest

from vfnb.runtime import machine, memory_bytes
from vfnb.spec import Device


def test_the_hosts_memory_is_what_this_process_may_use() -> None:
    size = memory_bytes(Device("cpu", 0))

    assert size is not None
    assert 2**27 < size < 2**50


def test_a_gpus_memory_is_asked_of_its_driver_by_its_visible_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(words)
        return subprocess.CompletedProcess(words, 0, stdout="81559\n")

    monkeypatch.setattr(machine.subprocess, "run", run)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")

    assert memory_bytes(Device("cuda", 1)) == 81559 * 2**20
    assert asked[0][:3] == ["nvidia-smi", "-i", "5"]


def test_an_unknown_gpus_memory_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    assert memory_bytes(Device("cuda", 0)) is None
