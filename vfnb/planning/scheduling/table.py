"""The policies by name."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Literal

from vfnb.ground import SpecError
from vfnb.planning.scheduling.elastic import elastic
from vfnb.planning.scheduling.fair_share import earliest_deadline, fair_share, shortest, shortest_remaining
from vfnb.planning.scheduling.gavel import OBJECTIVES
from vfnb.planning.scheduling.program import Columns, mixed_kinds, one_kind
from vfnb.planning.scheduling.queueing import fifo, priority, priority_backfill
from vfnb.planning.scheduling.rounds import in_rounds
from vfnb.planning.scheduling.state import Decide, Decision, Policy, State, from_counts

ROUND_S = 360.0  # as Gavel has it

# Gavel's own way; the paper's, which adds idle devices of a second kind; and mixtures inside the program.
_WAYS: tuple[tuple[str, Columns, Literal["many", "mixed"]], ...] = (
    ("", one_kind, "many"),
    ("-widened", one_kind, "mixed"),
    ("-mixed", mixed_kinds, "mixed"),
)

_POLICIES = (
    Policy(name="fifo", decide=fifo),
    Policy(name="priority", decide=priority),
    Policy(name="priority-backfill", decide=priority_backfill),
    Policy(name="wfs", decide=fair_share(), elastic=True),
    Policy(name="wfs-sjf", decide=fair_share(shortest), elastic=True),
    Policy(name="wfs-srtf", decide=fair_share(shortest_remaining), elastic=True),
    Policy(name="wfs-deadline", decide=fair_share(earliest_deadline), elastic=True),
    Policy(name="elastic", decide=elastic(), elastic=True),
    *(
        Policy(
            name=f"gavel-{name}{suffix}",
            decide=in_rounds(objective, columns, mixes=kinds == "mixed"),
            elastic=True,
            preempts=True,
            kinds=kinds,
            round_s=ROUND_S,
        )
        for name, objective in OBJECTIVES.items()
        for suffix, columns, kinds in _WAYS
    ),
)


def policies() -> tuple[Policy, ...]:
    """List the policies that have names.

    Returns:
        The policies.
    """
    return _POLICIES


def find_policy(policy: "str | Policy | Decide | Callable[[State], dict[str, int]]") -> Policy:
    """Find a policy by its name, or make one of a user's function.

    A function maps a state to a decision, or, where there is one kind of device, to numbers of devices by job;
    it may do what every policy may: change sizes, suspend, mix kinds.

    Args:
        policy: The name, the policy itself, or the function.

    Returns:
        The policy.

    Raises:
        SpecError: If no policy has that name.
    """
    if isinstance(policy, Policy):
        return policy
    if callable(policy):
        name = getattr(policy, "__name__", type(policy).__name__)
        return Policy(name=name, decide=_decision_of(policy), elastic=True, preempts=True, kinds="mixed")
    known = {each.name: each for each in _POLICIES}
    if policy not in known:
        near = get_close_matches(str(policy), known, n=3) or known
        raise SpecError(f"there is no policy {policy!r}; did you mean {', '.join(near)}?")
    return known[policy]


def _decision_of(function: "Decide | Callable[[State], dict[str, int]]") -> Decide:
    def decide(state: State) -> Decision:
        answer = function(state)
        return answer if isinstance(answer, Decision) else from_counts(state, answer)

    return decide
