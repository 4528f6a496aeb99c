"""Faces are found by their entry point."""

import pytest

from vfnb.ground import StateError, face, has_face
from vfnb.notebook import dashboard, pool_dashboard


def test_the_notebook_room_names_the_dashboard() -> None:
    assert has_face("dashboard")
    assert face("dashboard") is dashboard
    assert face("pool") is pool_dashboard


def test_a_face_that_nobody_named_is_one_sentence() -> None:
    assert not has_face("mask")
    with pytest.raises(StateError, match=r"no mask; install it: pip install"):
        face("mask")
