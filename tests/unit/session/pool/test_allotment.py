"""Which devices make up the numbers of a decision."""

from hypothesis import given
from hypothesis import strategies as st

from vfnb.session.pool.allotment import allot, next_step
from vfnb.spec import Device

SLOTS = tuple(Device("cpu", index) for index in range(8))
NAMES = ("a", "b", "c", "d")


def slots(*indices: int) -> tuple[Device, ...]:
    return tuple(SLOTS[index] for index in indices)


@st.composite
def shares(draw: st.DrawFn) -> dict[str, int]:
    """Draw numbers that eight devices are enough for."""
    left, chosen = len(SLOTS), {}
    for name in draw(st.permutations(NAMES)):
        chosen[name] = draw(st.integers(0, left))
        left -= chosen[name]
    return chosen


def test_who_shrinks_keeps_its_first_and_who_grows_takes_what_is_free() -> None:
    before = {"a": slots(0, 1, 2, 3), "b": slots(4)}

    after = allot({"a": 2, "b": 3}, before, before, SLOTS[:5])

    assert after == {"a": slots(0, 1), "b": slots(4, 2, 3)}


def test_a_device_that_nobody_has_goes_before_one_that_is_to_be_given_back() -> None:
    before = {"a": slots(0, 1)}

    assert allot({"a": 1, "b": 1}, before, before, SLOTS[:3]) == {"a": slots(0), "b": slots(2)}


def test_who_is_told_to_grow_again_takes_back_what_it_has_still() -> None:
    assert allot({"a": 2}, {"a": slots(0)}, {"a": slots(0, 3)}, SLOTS)["a"] == slots(0, 3)


def test_nobody_takes_a_device_that_another_has() -> None:
    assert next_step(slots(0, 1), slots(0), others=slots(1)) == slots(0)
    assert next_step(slots(1, 2), slots(0, 1), others=slots(2)) == slots(1)
    assert next_step(slots(0, 1), slots(0), others=slots(2)) == slots(0, 1)
    assert next_step((), slots(0), others=slots(1)) == ()


@given(decisions=st.lists(shares(), min_size=1, max_size=6), data=st.data())
def test_devices_are_never_in_two_hands_and_every_decision_is_reached(
    decisions: list[dict[str, int]], data: st.DataObject
) -> None:
    goals: dict[str, tuple[Device, ...]] = {}
    held: dict[str, tuple[Device, ...]] = dict.fromkeys(NAMES, ())
    under_way: dict[str, tuple[Device, ...]] = {}

    def move(name: str) -> None:
        """Let a job's resize be done, or ask for its next one."""
        if name in under_way:
            held[name] = under_way.pop(name)
            return
        others = [device for other in NAMES if other != name for device in held[other]]
        step = next_step(goals[name], held[name], others)
        if set(step) != set(held[name]):
            under_way[name] = step
            held[name] = tuple({*held[name], *step})
        taken = [device for own in held.values() for device in own]
        assert len(taken) == len(set(taken))

    for decision in decisions:
        goals = allot(decision, goals, held, SLOTS)
        given_out = [device for own in goals.values() for device in own]
        assert len(given_out) == len(set(given_out))
        assert {name: len(own) for name, own in goals.items()} == decision
        for name in data.draw(st.lists(st.sampled_from(NAMES), max_size=8)):
            move(name)
    for name in NAMES * 6:
        move(name)
    assert {name: set(own) for name, own in held.items()} == {name: set(own) for name, own in goals.items()}
