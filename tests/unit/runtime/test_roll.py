"""Who is in a generation, who leads it, and who tells of the last step."""

import pytest
from together import Together, side_by_side

from vfnb.ground import TrainingError
from vfnb.runtime.roll import Member, Roll, call_roll, kind_of, member_on, not_guaranteed
from vfnb.spec import Device
from vfnb.testing import slower


def test_every_member_holds_the_same_roll() -> None:
    members = [member_on(Device("cpu", 0), row=3, kinds=["cuda"]), member_on(Device("cpu", 1, 2), row=2, kinds=[])]

    def call(member: Member) -> "object":
        return lambda group: call_roll(group, (4, 7), member)

    rolls = side_by_side([call(member) for member in members])

    assert rolls[0] == rolls[1] == Roll({4: members[0], 7: members[1]})
    assert rolls[0].mixed
    assert rolls[0].kinds == ("cpu", "cpu/2", "cuda")


def test_the_first_worker_leads_unless_another_has_an_accelerator() -> None:
    alike = Roll({3: Member(kind="cpu"), 5: Member(kind="cpu/2")})
    better = Roll({3: Member(kind="cpu"), 5: Member(kind="cuda A"), 6: Member(kind="cuda B")})

    assert (alike.lead, better.lead) == (3, 5)


def test_a_row_is_told_by_the_lead_or_by_the_first_that_holds_it() -> None:
    roll = Roll({0: Member(row=4), 1: Member(row=5), 2: Member(row=5)})

    assert [roll.teller(step) for step in (4, 5, 6)] == [0, 1, 0]


def test_kinds_are_news_until_somebodys_state_has_seen_them_all() -> None:
    first = Roll({0: Member(kind="cpu"), 1: Member(kind="cpu/2")})
    later = Roll({0: Member(kind="cpu", kinds=first.kinds), 2: Member(kind="cpu")})

    assert first.news
    assert not later.news
    assert not later.mixed
    assert later.kinds == ("cpu", "cpu/2")


def test_a_slot_made_slower_rounds_like_any_other() -> None:
    assert kind_of(slower("cpu:1/2", 4)) == kind_of(Device("cpu", 0, 2)) == "cpu/2"


def test_refuses_devices_whose_sums_have_two_forms() -> None:
    def call(member: Member) -> "object":
        def body(group: Together) -> Roll:
            return call_roll(group, (0, 1), member)

        return body

    with pytest.raises(TrainingError, match="mps has no fp64 and sums in another form"):
        side_by_side([call(Member(kind="cpu")), call(Member(kind="mps", fp64=False))])


def test_says_which_kinds_took_part() -> None:
    event = not_guaranteed(("cpu", "cpu/2"), 3)

    assert event.what == "devices of more than one kind (cpu, cpu/2)"
    assert event.step == 3
