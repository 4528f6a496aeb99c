"""Progress over time, and the refusal of decisions that cannot be."""

import pytest

from vfnb.ground import PlanError, SpecError
from vfnb.planning import Claim, Costs, Decision, Policy, Progress, Scaling, State, decided, find_policy, linear_scaling

HELD = (("device", 2),)
CLAIM = Claim(name="J0", arrival=0.0, demand=2, work=10.0, rates=linear_scaling(2))
RUNNING = Claim(name="J1", arrival=0.0, demand=4, work=10.0, rates=linear_scaling(4), held=HELD)


def state(*claims: Claim, devices: int = 4) -> State:
    return State(now=0.0, capacity={"device": devices}, claims=claims)


def answer(policy: Policy, *claims: Claim) -> Decision:
    return decided(policy, state(*claims))


def test_progress_adds_up_its_phases() -> None:
    progress = Progress(1.0, 10.0, ((10.0, 0.0), (12.0, 2.0), (15.0, 0.5)))

    assert [progress.at(time) for time in (10.0, 12.0, 13.0, 15.0, 17.0)] == [1.0, 1.0, 3.0, 7.0, 8.0]
    assert [progress.rate(time) for time in (10.0, 12.0, 16.0)] == [0.0, 2.0, 0.5]
    assert [progress.reaches(work) for work in (1.0, 3.0, 8.0)] == [10.0, 13.0, 17.0]
    assert Progress(1.0, 10.0).reaches(2.0) == float("inf")


@pytest.mark.parametrize(
    ("allocations", "said"),
    [
        ({"J0": (("device", 2),), "J1": (("device", 3),)}, "gives out 5 devices of 'device' and there are 4"),
        ({"J0": (("device", 3),)}, "gives J0 3 devices and it demands 2"),
        ({"J9": (("device", 1),)}, "gives devices to 'J9', which is not here"),
        ({"J0": (("v100", 1),)}, "gives out 1 devices of 'v100' and there are 0"),
        ({"J0": (("device", -1),)}, "gives -1 devices"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_its_numbers(allocations: dict[str, object], said: str) -> None:
    policy = Policy(name="mine", decide=lambda _: Decision(allocations=allocations), elastic=True, preempts=True)  # type: ignore[arg-type]

    with pytest.raises(PlanError, match=said):
        answer(policy, CLAIM, RUNNING)


@pytest.mark.parametrize(
    ("after", "able", "said"),
    [
        (4, {"elastic": False}, "changes J1 from 2 to 4 devices while it runs"),
        (0, {"elastic": True}, "changes J1 from 2 to 0 devices while it runs"),
        (4, {"elastic": True}, None),
        (0, {"preempts": True}, None),
    ],
)
def test_a_policy_does_only_what_it_says_it_is_able_to(after: int, able: dict[str, bool], said: str | None) -> None:
    decision = Decision(allocations={"J1": (("device", after),)} if after else {})
    policy = Policy(name="mine", decide=lambda _: decision, **able)  # type: ignore[arg-type]

    if said is None:
        assert answer(policy, RUNNING) == decision
    else:
        with pytest.raises(PlanError, match=said):
            answer(policy, RUNNING)


def test_a_users_function_may_answer_in_numbers() -> None:
    decision = answer(find_policy(lambda seen: {claim.name: 1 for claim in seen.claims}), CLAIM)

    assert decision.allocations == {"J0": (("device", 1),)}


def test_a_policy_for_one_kind_is_refused_on_several() -> None:
    several = State(now=0.0, capacity={"p100": 1, "v100": 1}, claims=(CLAIM,))

    with pytest.raises(PlanError, match="'wfs' shares devices of one kind and the cluster has p100, v100"):
        decided(find_policy("wfs"), several)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(SpecError, match="grow_s=-1 is not possible"):
        Costs(grow_s=-1)
    with pytest.raises(SpecError, match="round_s=0 is not possible"):
        Policy(name="mine", decide=lambda _: Decision(allocations={}), round_s=0)
    with pytest.raises(SpecError, match="mixing=0 is not possible"):
        Scaling((("", 1, 1.0),), mixing=0)
    with pytest.raises(SpecError, match="rates has no points"):
        Scaling(())
