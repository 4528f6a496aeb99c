"""What a worker shows of itself without a message."""

from pathlib import Path

import pytest

from vfnb.runtime.board import Board, Sign


def test_a_sign_is_read_as_it_was_written(tmp_path: Path) -> None:
    board, other = Board(tmp_path / "board"), Board(tmp_path / "board")
    slot = other.slot(3)

    slot.took(0.5)
    slot.took(1.5)
    slot.mark("compute", step=7, node=2)

    times = {"slowest": 1.5, "usual": pytest.approx(0.6), "passes": 2, "spent": 2.0}
    assert board.read(3) == Sign(beats=1, phase="compute", step=7, node=2, **times)
    assert board.read(2) == Sign(beats=0, phase="idle", step=0, node=0, slowest=0.0)


def test_what_is_usual_follows_the_newest_passes(tmp_path: Path) -> None:
    board = Board(tmp_path / "board")
    slot = board.slot(0)

    for seconds in [9.0] + [1.0] * 100:
        slot.took(seconds)
    slot.mark("idle", step=1)

    assert board.read(0).usual == pytest.approx(1.0, abs=0.01)
    assert board.read(0).slowest == 9.0
