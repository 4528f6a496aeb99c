import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.runtime.pace import Pace, spacing

seconds = st.floats(1e-6, 1e4)


@given(cost=seconds, step=seconds)
def test_fingerprints_cost_less_than_a_hundredth_and_are_no_rarer_than_needed(cost: float, step: float) -> None:
    apart = spacing(cost, step)

    if apart < 2**20:
        assert cost <= 0.01 * step * apart * (1 + 1e-9)
    assert apart == 1 or cost > 0.01 * step * apart / 2 * (1 - 1e-9)
    assert apart & (apart - 1) == 0


def test_a_step_of_unknown_length_tells_nothing() -> None:
    assert spacing(1.0, 0.0) == 1


def test_the_last_step_always_has_one() -> None:
    pace = Pace()
    pace.learn(cost=1.0, step=1.0)

    assert [step for step in range(1, 301) if pace.due(step, 300)] == [128, 256, 300]


def test_two_paces_share_the_slower_ones_steps() -> None:
    quick, slow = Pace(), Pace()
    quick.learn(cost=0.02, step=1.0)
    slow.learn(cost=0.3, step=1.0)

    steps = [{step for step in range(1, 200) if pace.due(step, 999)} for pace in (quick, slow)]

    assert steps[1] < steps[0]


@pytest.mark.parametrize("every", [1, 3])
def test_what_was_asked_for_is_kept_whatever_it_costs(every: int) -> None:
    pace = Pace(every)
    pace.learn(cost=100.0, step=0.1)

    assert [step for step in range(1, 8) if pace.due(step, 99)] == list(range(every, 8, every))
