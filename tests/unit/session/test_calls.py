from collections.abc import Callable
from typing import Any

import pytest

from vfnb.session.calls import takes


@pytest.mark.parametrize(
    ("function", "arguments", "answer"),
    [
        (lambda a, b: None, 2, True),
        (lambda a, b=1: None, 1, True),
        (lambda *a: None, 5, True),
        (lambda a: None, 2, False),
        (lambda a, *, b: None, 1, False),
        (lambda a, b, c: None, 2, False),
        (min, 2, True),
    ],
)
def test_knows_what_a_function_can_be_called_with(function: Callable[..., Any], arguments: int, answer: bool) -> None:
    assert takes(function, arguments) is answer
