"""The rules with a node size a kind against brute force, and what every split keeps."""

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vfnb.ground import PlanError
from vfnb.planning import Split, solve
from vfnb.spec import Speed, Speeds

COMMUNICATION = st.sampled_from([0.0, 0.0, 0.5, 4.0])
Way = tuple[int, int, int]  # devices, nodes of each, samples of a node


@st.composite
def a_speed(draw: st.DrawFn, kind: str, batches: st.SearchStrategy[int]) -> Speed:
    sizes = sorted(draw(st.lists(batches, min_size=1, max_size=3, unique=True)))
    times = sorted(draw(st.lists(st.sampled_from([1.0, 1.5, 2.0, 3.0]), min_size=len(sizes), max_size=len(sizes))))
    return Speed(kind, tuple(zip(sizes, times, strict=True)))


@st.composite
def profiles(draw: st.DrawFn, batches: st.SearchStrategy[int]) -> Speeds:
    kinds = "ABC"[: draw(st.integers(1, 3))]
    return Speeds(tuple(draw(a_speed(kind, batches)) for kind in kinds), draw(COMMUNICATION))


def whole_ways(speed: Speed, devices: int, batch: int) -> Iterator[Way]:
    yield 0, 0, 0
    for size in range(speed.smallest, speed.largest + 1):
        for nodes in range(1, batch // size + 1):
            yield from ((count, nodes, size) for count in range(1, devices + 1))


def doubled_ways(speed: Speed, devices: int, batch: int) -> Iterator[Way]:
    for size, _ in speed.points:
        yield from ((devices, nodes, size) for nodes in (1, 2, 4, 8, 16, 32) if devices * nodes * size <= batch)


def rank(ways: tuple[Way, ...], speeds: Speeds) -> tuple[float, int]:
    """Order as the solver does: times that differ by rounding alone are equal."""
    devices = sum(way[0] for way in ways)
    slowest = max(
        nodes * speed.seconds(size) for (count, nodes, size), speed in zip(ways, speeds.kinds, strict=True) if count
    )
    return round(slowest + ((speeds.communication or 0.0) if devices > 1 else 0.0), 9), devices


def best(options: list[list[Way]], speeds: Speeds, batch: int) -> tuple[float, int] | None:
    exact = (ways for ways in product(*options) if sum(count * nodes * size for count, nodes, size in ways) == batch)
    return min((rank(ways, speeds) for ways in exact), default=None)


def samples(split: Split) -> int:
    return sum(sum(part.nodes) * part.batch for part in split.parts)


@settings(max_examples=200)
@given(speeds=profiles(st.integers(1, 6)), data=st.data(), batch=st.integers(1, 14))
def test_no_split_into_whole_numbers_of_nodes_is_faster_nor_as_fast_with_fewer_devices(
    speeds: Speeds, data: st.DataObject, batch: int
) -> None:
    devices = {speed.kind: data.draw(st.integers(1, 2)) for speed in speeds.kinds}
    expected = best([list(whole_ways(one, devices[one.kind], batch)) for one in speeds.kinds], speeds, batch)
    if expected is None:
        with pytest.raises(PlanError, match="the nearest that can"):
            solve(speeds, devices, batch=batch, rule="integer")
        return

    found = solve(speeds, devices, batch=batch, rule="integer")

    assert (round(found.step_seconds, 9), found.devices) == expected
    assert samples(found) == batch


@given(speeds=profiles(st.sampled_from([1, 2, 3, 4, 6, 8])), data=st.data(), batch=st.integers(1, 64))
def test_no_split_by_the_papers_rule_is_faster(speeds: Speeds, data: st.DataObject, batch: int) -> None:
    devices = {speed.kind: data.draw(st.integers(1, 4)) for speed in speeds.kinds}
    expected = best([list(doubled_ways(one, devices[one.kind], batch)) for one in speeds.kinds], speeds, batch)
    if expected is None:
        with pytest.raises(PlanError, match="the nearest that can"):
            solve(speeds, devices, batch=batch, rule="power-of-two")
        return

    found = solve(speeds, devices, batch=batch, rule="power-of-two")

    assert (round(found.step_seconds, 9), found.devices) == expected
    assert samples(found) == batch


@given(
    speeds=profiles(st.integers(1, 6)),
    rule=st.sampled_from(["integer", "power-of-two"]),
    batch=st.integers(1, 60),
    data=st.data(),
)
def test_the_nearest_batches_are_reached_and_none_between_them(
    speeds: Speeds, rule: str, batch: int, data: st.DataObject
) -> None:
    devices = {speed.kind: data.draw(st.integers(1, 4)) for speed in speeds.kinds}

    def reached(total: int) -> bool:
        try:
            return samples(solve(speeds, devices, batch=total, rule=rule)) == total
        except PlanError:
            return False

    assume(not reached(batch))
    with pytest.raises(PlanError) as refused:
        solve(speeds, devices, batch=batch, rule=rule)
    assume("the nearest that can" in str(refused.value))

    named = [int(one) for one in str(refused.value).rsplit(": ", 1)[1].split(" and ")]

    assert all(reached(one) for one in named)
    assert not any(reached(one) for one in range(max([0, *(one for one in named if one < batch)]) + 1, max(named)))


@given(speeds=profiles(st.integers(1, 6)), data=st.data())
def test_one_kind_alone_is_never_faster_where_devices_may_be_idle(speeds: Speeds, data: st.DataObject) -> None:
    devices = {speed.kind: data.draw(st.integers(1, 4)) for speed in speeds.kinds}
    nodes = data.draw(st.integers(1, 30))
    size = data.draw(st.integers(max(one.smallest for one in speeds.kinds), 6))
    assume(any(size <= one.largest for one in speeds.kinds))

    found = solve(speeds, devices, batch=nodes * size, nodes=nodes)

    assert samples(found) == nodes * size
    assert found.single is None or found.step_seconds <= found.single.step_seconds
    assert all(0 < share <= 1 for part in found.parts for share in found.busy(part))
