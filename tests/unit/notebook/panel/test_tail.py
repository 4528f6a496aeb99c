"""Workers' output, as it comes."""

from pathlib import Path

from vfnb.notebook.panel.tail import Tail


def test_lines_stand_in_the_order_in_which_they_come(tmp_path: Path) -> None:
    tail, first, second = Tail(tmp_path), tmp_path / "w0.log", tmp_path / "w3.log"
    first.write_text("one\n")
    assert tail.lines() == ("[w0] one",)
    second.write_text("two\n")
    tail.lines()
    with first.open("a") as file:
        file.write("three\n")

    assert tail.lines() == ("[w0] one", "[w3] two", "[w0] three")


def test_a_line_that_is_being_written_waits_for_its_end(tmp_path: Path) -> None:
    tail, path = Tail(tmp_path), tmp_path / "w0.log"
    path.write_text("whole\nha")
    assert tail.lines() == ("[w0] whole",)
    path.write_text("whole\nhalf\n")

    assert tail.lines() == ("[w0] whole", "[w0] half")


def test_only_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "w0.log").write_text("".join(f"line {number}\n" for number in range(100_000)))

    lines = Tail(tmp_path).lines()

    assert len(lines) <= 200
    assert lines[-1] == "[w0] line 99999"


def test_a_folder_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert Tail(tmp_path / "later").lines() == ()
