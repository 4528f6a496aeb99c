from typing import Any

import pytest
from session_doubles import FakeEngine

from vfnb.ground import SpecError
from vfnb.runtime import InlineEngine, LocalEngine
from vfnb.session.engines import engine_of, first_devices, trains_inside_start
from vfnb.spec import Device

HERE = tuple(Device("cpu", index) for index in range(4))


def test_engines_have_names() -> None:
    assert isinstance(engine_of("local"), LocalEngine)
    assert isinstance(engine_of("inline"), InlineEngine)


def test_an_engine_itself_is_taken() -> None:
    engine = FakeEngine()

    assert engine_of(engine) is engine


@pytest.mark.parametrize("engine", ["ray", None, FakeEngine, 3])
def test_refuses_another_engine(engine: Any) -> None:
    with pytest.raises(SpecError, match=r"engine=.* is unknown; give 'local'.*'inline'"):
        engine_of(engine)


def test_none_asks_for_no_more_devices_than_there_are_blocks() -> None:
    assert first_devices(None, HERE, FakeEngine(), threads=1, blocks=3) == HERE[:3]


def test_the_inline_engine_trains_on_one_device() -> None:
    engine = engine_of("inline")

    assert trains_inside_start(engine)
    assert first_devices(None, HERE, engine, threads=1, blocks=3) == HERE[:1]
    with pytest.raises(SpecError, match="devices=2 are 2; engine='inline' trains on one"):
        first_devices(2, HERE, engine, threads=1, blocks=3)
