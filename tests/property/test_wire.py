"""Laws of the text forms: what is written is read back equal."""

import dataclasses
import json
import math
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.ground import SpecError
from vfnb.spec import (
    TRACKERS,
    Device,
    DeviceProfile,
    Event,
    Layout,
    Mapping,
    Options,
    Point,
    Profile,
    Record,
    Row,
    Stage,
    VirtualCluster,
    Weighted,
    accelerators,
    from_json,
    to_json,
)

numbers = st.integers(1, 10**6)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(),
    float: st.floats(),
    str: st.text(),
    bool: st.booleans(),
    type(None): st.none(),
    tuple[str, ...]: st.lists(st.text(), max_size=4).map(tuple),
    tuple[int, ...]: st.lists(st.integers(), max_size=4).map(tuple),
    dict[str, float]: st.dictionaries(
        st.text() | st.sampled_from(["$type", "$float", "$$", "type", "version"]), st.floats(), max_size=4
    ),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    if isinstance(kind, UnionType):
        return st.one_of(*map(values_of, get_args(kind)))
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    return PLAIN[kind]


def any_of(record: type[Any]) -> st.SearchStrategy[Any]:
    """Draw an event or a row with any values that its fields' types allow."""
    return st.builds(record, **{field.name: values_of(field.type) for field in dataclasses.fields(record)})


devices = st.builds(Device, st.sampled_from(["cuda", "xpu"]), st.integers(0, 99)) | st.builds(
    Device, st.just("cpu"), st.integers(0, 99), st.integers(1, 64)
)
layouts = numbers.flatmap(lambda nodes: st.builds(Layout, st.just(nodes), st.integers(1, nodes))) | st.builds(
    lambda size, first, counts: Layout(
        size * (first + sum(counts)), first + sum(counts), tuple(enumerate(counts, start=2))
    ),
    numbers,
    st.integers(1, 9),
    st.lists(st.integers(1, 9), max_size=3),
)
clusters = st.builds(
    VirtualCluster,
    accelerator=st.sampled_from(["", *(row.name for row in accelerators())]),
    count=numbers,
    global_batch=numbers,
)
positive = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
options = st.builds(
    Options,
    reduction=st.sampled_from(["exact", "native"]),
    blocks=st.none() | numbers,
    nodes_per_pass=numbers | st.just("auto"),
    precision=st.sampled_from(["no", "bf16", "fp16"]),
    clip_norm=st.none() | positive,
    buffers=st.sampled_from(["mean", "first"]),
    drop_last=st.booleans(),
    batch_schedule=st.none()
    | st.lists(st.integers(2, 99), max_size=3, unique=True).map(lambda found: {size: size for size in found}),
    nonfinite=st.sampled_from(["skip", "stop"]),
    threads=numbers,
    loader_workers=st.integers(0, 8),
    evaluate_every=st.none() | numbers,
    checkpoint_every=st.none() | positive,
    keep=numbers,
    keep_best=st.none() | st.sampled_from(["accuracy", "-loss", "\u00fcber"]),
    log_with=st.lists(st.sampled_from(TRACKERS), unique=True).map(tuple),
    fingerprint_every=st.none() | numbers,
    stuck_after=st.none() | positive,
    check=st.booleans(),
)


points = st.builds(Point, samples=numbers, seconds=positive, memory_bytes=numbers, passes=numbers)
speeds = st.builds(
    DeviceProfile,
    device=st.text(),
    hardware=st.text(),
    points=st.lists(points, min_size=1, max_size=4, unique_by=lambda point: point.samples).map(
        lambda found: tuple(sorted(found, key=lambda point: point.samples))
    ),
    block_seconds=positive,
    step_seconds=positive,
    too_large=st.none() | numbers,
)
profiles = st.builds(
    Profile,
    subject=st.dictionaries(st.text(), st.text(), max_size=3),
    versions=st.dictionaries(st.text(), st.text(), max_size=3),
    speeds=st.lists(speeds, max_size=3, unique_by=lambda speed: (speed.device, speed.hardware)).map(tuple),
)


@st.composite
def mappings(draw: st.DrawFn) -> Mapping:
    layout = draw(st.integers(1, 40).flatmap(lambda nodes: st.builds(Layout, st.just(nodes), st.integers(1, nodes))))
    owners = draw(st.lists(st.integers(0, 6), min_size=layout.blocks, max_size=layout.blocks))
    owned = {one: tuple(block for block, owner in enumerate(owners) if owner == one) for one in owners}
    return Mapping(layout, tuple(owned.items()))


records: st.SearchStrategy[Record] = st.one_of(
    devices,
    layouts,
    clusters,
    options,
    mappings(),
    points,
    speeds,
    profiles,
    any_of(Row),
    st.builds(
        Stage, step=numbers, at=st.floats(), devices=st.lists(st.text(), max_size=4).map(tuple), mapping=mappings()
    ),
    st.builds(Weighted, st.floats(), st.floats(0)),
    *map(any_of, get_args(Event)),
)


def bare(value: Any) -> Any:
    """Turn a record into what can be compared, its time included, where nan equals nan."""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, dict):
        return {key: bare(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(bare(one) for one in value)
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return (type(value).__name__, *((one.name, bare(getattr(value, one.name))) for one in fields))
    return value


@given(record=records)
def test_what_is_written_is_read_back_equal(record: Record) -> None:
    assert bare(from_json(to_json(record))) == bare(record)


@given(record=records)
def test_what_is_read_back_is_written_alike(record: Record) -> None:
    text = to_json(record)

    assert to_json(from_json(text)) == text


@given(record=records)
def test_every_text_has_its_version_and_type_and_is_one_line(record: Record) -> None:
    text = to_json(record)
    found = json.loads(text)

    assert found["version"] == 1
    assert found["type"] == type(record).__name__
    assert "\n" not in text


@given(record=records, data=st.data())
def test_a_text_cut_short_is_refused(record: Record, data: st.DataObject) -> None:
    text = to_json(record)
    cut = data.draw(st.integers(0, len(text) - 1))

    with pytest.raises(SpecError, match="is not JSON"):
        from_json(text[:cut])


@given(device=devices)
def test_a_device_is_read_as_it_is_printed(device: Device) -> None:
    assert Device.parse(str(device)) == device


@given(cluster=clusters)
def test_a_cluster_is_read_as_it_is_printed(cluster: VirtualCluster) -> None:
    text = str(cluster).rpartition(", batch ")[0].removesuffix(" virtual nodes").removesuffix(" virtual node")

    assert VirtualCluster.parse(text, global_batch=cluster.global_batch) == cluster
