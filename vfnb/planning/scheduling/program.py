"""Gavel's policies as linear programs: which share of its time a job spends on which set of devices.

Letters: X[m, c] is job m's share of time on column c, a set of devices; T[m, c] its rate there; n_k(c) the devices
of kind k in c; N_k those of the cluster. Always X >= 0, the sum over c of X[m, c] is at most 1, and the sum over m and
c of n_k(c) X[m, c] at most N_k.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from vfnb.ground import SpecError
from vfnb.planning.scheduling.rates import Bundle, devices_in
from vfnb.planning.scheduling.state import Claim, State

Columns = Callable[[Claim, Mapping[str, int]], tuple[Bundle, ...]]  # the sets of devices that a job may have


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """A program's answer.

    Args:
        of: The share of time by job and set of devices; those above zero.
        objective: What was reached.
        failure: Why there is no answer, "" where there is.
    """

    of: Mapping[tuple[str, Bundle], float] = field(default_factory=dict)
    objective: float | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """The constraints that all programs share, with their own rows added; variables are X and one more, z.

    Args:
        state: The cluster.
        cells: The pairs of job and set of devices that X has, in order.
        rates: The rate of each cell.
    """

    state: State
    cells: tuple[tuple[Claim, Bundle], ...]
    rates: tuple[float, ...]

    def maximise(
        self,
        gain: Sequence[float],
        z_gain: float = 0.0,
        floors: Sequence[tuple[Sequence[tuple[int, float]], float, float]] = (),
    ) -> Shares:
        """Maximise gain . X + z_gain z.

        Args:
            gain: The worth of each cell.
            z_gain: The worth of z, which is 0 or more.
            floors: Rows ((cell, factor), ...), b, c for: sum of factor X[cell] >= b + c z.

        Returns:
            The shares, with z as their objective where it has worth; a failure where the solver gives none.

        Raises:
            SpecError: If scipy is not installed.
        """
        try:
            from scipy.optimize import linprog
            from scipy.sparse import csr_array
        except ImportError as error:
            raise SpecError("Gavel's policies need scipy; install it with pip install 'vfnb[scheduling]'") from error

        rows, bounds = self._always()
        for terms, constant, of_z in floors:
            rows.append([*((at, -factor) for at, factor in terms), (len(self.cells), of_z)])
            bounds.append(-constant)
        entries = [(at, column, value) for at, row in enumerate(rows) for column, value in row]
        where = ([at for at, _, _ in entries], [column for _, column, _ in entries])
        matrix = csr_array(([value for _, _, value in entries], where), shape=(len(rows), len(self.cells) + 1))
        # Presolve and the simplex are deterministic: the same state gives the same vertex.
        answer = linprog([*(-each for each in gain), -z_gain], A_ub=matrix, b_ub=bounds, method="highs-ds")
        if answer.x is None or not answer.success:
            return Shares(failure=f"the linear program has no answer: {answer.message}")
        found = {
            (claim.name, devices): float(x)
            for (claim, devices), x in zip(self.cells, answer.x[:-1], strict=True)
            if x > 1e-9
        }
        return Shares(of=found, objective=float(answer.x[-1]) if z_gain else -float(answer.fun))

    def of_job(self, claim: Claim) -> list[tuple[int, float]]:
        """List a job's cells and its rates there.

        Args:
            claim: The job.

        Returns:
            (cell, rate) pairs; their sum weighted by X is the job's rate.
        """
        return [(at, self.rates[at]) for at, (each, _) in enumerate(self.cells) if each is claim]

    def _always(self) -> tuple[list[list[tuple[int, float]]], list[float]]:
        rows: list[list[tuple[int, float]]] = []
        bounds: list[float] = []
        for kind, there in self.state.capacity.items():
            rows.append([(at, float(dict(devices).get(kind, 0))) for at, (_, devices) in enumerate(self.cells)])
            bounds.append(float(there))
        of: dict[str, list[tuple[int, float]]] = {}
        for at, (claim, _) in enumerate(self.cells):
            of.setdefault(claim.name, []).append((at, 1.0))
        rows.extend(of.values())
        bounds.extend(1.0 for _ in of)
        return rows, bounds


def program(state: State, columns: Columns) -> Program:
    """Lay out the variables: each job with each set of devices on which it has a rate.

    Args:
        state: The cluster.
        columns: The sets that a job may have.

    Returns:
        The program.
    """
    cells = [(claim, devices) for claim in state.claims for devices in columns(claim, state.capacity)]
    rated = [(cell, cell[0].rates(cell[1])) for cell in cells]
    kept = [(cell, rate) for cell, rate in rated if rate > 0]
    return Program(state, tuple(cell for cell, _ in kept), tuple(rate for _, rate in kept))


def one_kind(claim: Claim, capacity: Mapping[str, int]) -> tuple[Bundle, ...]:
    """List Gavel's columns: of each kind as many as the job demands, or as there are.

    Args:
        claim: The job.
        capacity: The cluster.

    Returns:
        The sets.
    """
    return tuple(((kind, min(claim.demand, there)),) for kind, there in capacity.items() if there)


def mixed_kinds(claim: Claim, capacity: Mapping[str, int]) -> tuple[Bundle, ...]:
    """List sets of one kind, and of two: of each as many as the demand leaves, or a power of two.

    Args:
        claim: The job.
        capacity: The cluster.

    Returns:
        The sets.
    """
    kinds = [kind for kind, there in capacity.items() if there]
    found = dict.fromkeys(one_kind(claim, capacity))
    for first in kinds:
        for second in kinds:
            if second == first:
                continue
            for count in _counts(min(capacity[first], claim.demand - 1)):
                rest = min(capacity[second], claim.demand - count)
                found[tuple(sorted(((first, count), (second, rest))))] = None
    return tuple(devices for devices in found if devices_in(devices) <= claim.demand)


def _counts(most: int) -> list[int]:
    return sorted({most} | {1 << power for power in range(most.bit_length()) if 1 << power <= most}) if most > 0 else []
