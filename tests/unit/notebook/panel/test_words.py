"""Numbers as people say them."""

import pytest

from vfnb.notebook.panel import words


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (0, "0 s"),
        (59.6, "1 min"),
        (125, "2 min 5 s"),
        (754, "13 min"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
        (190_000, "2 d 4 h"),
        (float("nan"), "unknown"),
    ],
)
def test_a_long_span_has_two_units_at_most(span: float, said: str) -> None:
    assert words.lasting(span) == said


@pytest.mark.parametrize(("span", "said"), [(0.0421, "42 ms"), (0.171, "0.17 s"), (75, "1 min 15 s")])
def test_a_short_span_has_the_digits_that_matter(span: float, said: str) -> None:
    assert words.seconds(span) == said


def test_one_and_many_are_told_apart() -> None:
    assert [words.count(number, "worker") for number in (1, 2, 1200)] == ["1 worker", "2 workers", "1,200 workers"]


def test_a_throughput_has_digits_that_matter() -> None:
    assert [words.rate(speed) for speed in (1234.5, 0.123)] == ["1,234 samples/s", "0.12 samples/s"]
