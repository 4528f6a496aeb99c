"""What this machine has: memory, without a CUDA context."""

from pathlib import Path

import pytest

from vfnb.runtime import memory_bytes
from vfnb.spec import Device


def test_the_hosts_memory_is_what_this_process_may_use() -> None:
    size = memory_bytes(Device("cpu", 0))

    assert size is not None
    assert 2**27 < size < 2**50


def test_a_gpus_memory_is_asked_of_its_driver_by_its_visible_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text('#!/bin/sh\n[ "$1 $2" = "-i 5" ] && echo 81559\n', encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")

    assert memory_bytes(Device("cuda", 1)) == 81559 * 2**20
    assert memory_bytes(Device("cuda", 0)) is None


def test_an_unknown_gpus_memory_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert memory_bytes(Device("cuda", 0)) is None
