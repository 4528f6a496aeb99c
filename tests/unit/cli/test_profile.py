"""`vfnb profile` in a terminal: its JSON is what `vfnb solve` takes."""

import json
from pathlib import Path

import pytest
from measured import keep_profile
from session_doubles import small_task

from vfnb.cli import main


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_profile_is_printed_alone_and_solved_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_profile(small_task(), lambda samples: 0.5 + samples)
    main(["profile", "--task", "session_doubles:small_task", "--on", "cpu:0", "--batches", "1,2"])
    file = tmp_path / "profile.json"
    file.write_text(capsys.readouterr().out)

    status = main(["solve", str(file), "--devices", "cpu=2", "--batch", "64", "--nodes", "32", "--json"])

    found = json.loads(capsys.readouterr().out)
    assert status == 0
    assert found["devices"]["cpu"]["nodes"] == [16, 16]
    assert found["step_seconds"] == pytest.approx(16 * 2.5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--batches", "8,few"], "'few' where a number of samples stands"),
        (["--on", "cuba:0"], "cuba"),
        (["--batches", "0"], "a batch=0"),
    ],
)
def test_mistakes_are_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["profile", "--task", "session_doubles:small_task", *words])

    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert said in line
