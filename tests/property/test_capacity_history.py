"""Law: capacities are a function of the last 64 committed steps, and a redo leaves no trace."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from vfnb.numerics import Capacities

MAGNITUDES = st.floats(0, 2.0**100, width=32)


@given(
    before=st.lists(MAGNITUDES, max_size=20),
    recent=st.lists(MAGNITUDES, min_size=64, max_size=70),
    redo=st.booleans(),
)
def test_capacities_follow_the_last_64_steps_alone(before: list[float], recent: list[float], redo: bool) -> None:
    long, short = Capacities.new(1), Capacities.new(1)
    for magnitude in [*before, *recent]:
        long = long.committed(torch.tensor([magnitude]))
    for magnitude in recent[-64:]:
        raised = short.raised(torch.tensor([magnitude])) if redo else short
        short = raised.committed(torch.tensor([magnitude]))

    assert torch.equal(long.exponents(), short.exponents())


@given(magnitudes=st.lists(st.floats(0, 2.0**127, width=32), min_size=1, max_size=5))
def test_a_raised_capacity_is_never_exceeded_and_never_lower(magnitudes: list[float]) -> None:
    absmax = torch.tensor(magnitudes)
    capacities = Capacities.new(len(magnitudes)).committed(torch.ones(len(magnitudes)))

    raised = capacities.raised(absmax)

    assert not raised.exceeded(absmax).any()
    assert (raised.exponents() >= capacities.exponents()).all()
