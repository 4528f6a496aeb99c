"""The virtual cluster: as papers write it, checked, and read back by people."""

import dataclasses

import pytest
from IPython.lib.pretty import pretty

from vfnb.ground import SpecError
from vfnb.spec import VirtualCluster


@pytest.mark.parametrize(
    ("text", "count", "accelerator"),
    [
        ("1024xTPUv3", 1024, "TPU v3"),
        ("16 x V100", 16, "V100 SXM2 16GB"),
        ("8xH100-80GB", 8, "H100 SXM 80GB"),
        ("64", 64, ""),
        (" 64 ", 64, ""),
        ("1,024 X tpu v3", 1024, "TPU v3"),
        ("32_768", 32768, ""),
        ("4 \u00d7 A100", 4, "A100 40GB SXM4"),
        ("4*T4", 4, "T4"),
        ("1024 TPUv3", 1024, "TPU v3"),
        ("1024xTPUv3 chips", 1024, "TPU v3"),
        ("2048 TPU v3 cores", 1024, "TPU v3"),
        ("8 x TPU v5e cores", 8, "TPU v5e"),
    ],
)
def test_reads_a_cluster_as_people_write_it(text: str, count: int, accelerator: str) -> None:
    cluster = VirtualCluster.parse(text, global_batch=512)

    assert cluster == VirtualCluster(accelerator=accelerator, count=count, global_batch=512)
    assert cluster.nodes == count


@pytest.mark.parametrize("text", ["", "x", "TPUv3", "x4", "4 x", "4x", "1.5xV100", "four x V100"])
def test_refuses_a_text_that_is_no_cluster(text: str) -> None:
    with pytest.raises(SpecError, match="is no cluster; write it like '1024xTPUv3'"):
        VirtualCluster.parse(text, global_batch=512)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("v3-2048", "1024xTPUv3"),
        ("TPU v4-8", "4xTPUv4"),
        ("v5litepod-16", "16xTPUv5litepod"),
        ("v6e-8", "8xTPUv6e"),
        ("v5p-128", "64xTPUv5p"),
    ],
)
def test_a_slice_name_is_refused_with_its_chips_which_then_are_read(text: str, written: str) -> None:
    with pytest.raises(SpecError, match=f"slice {text} .*: write '{written}'"):
        VirtualCluster.parse(text, global_batch=512)

    assert VirtualCluster.parse(written, global_batch=512).row is not None


def test_refuses_cores_that_are_no_whole_chips() -> None:
    with pytest.raises(SpecError, match="7 cores are no whole chips: a TPU v3 has 2 cores a chip"):
        VirtualCluster.parse("7xTPUv3 cores", global_batch=512)


@pytest.mark.parametrize("text", ["0", "0xV100", "-4xV100", "-1"])
def test_refuses_a_count_below_one(text: str) -> None:
    with pytest.raises(SpecError, match=r"count=(0|-\d) is not possible"):
        VirtualCluster.parse(text, global_batch=512)


@pytest.mark.parametrize("batch", [0, -512, 3.5, True])
def test_refuses_a_batch_below_one_or_not_whole(batch: int) -> None:
    with pytest.raises(SpecError, match=f"global_batch={batch} is not possible"):
        VirtualCluster(accelerator="TPU v3", count=4, global_batch=batch)


def test_refuses_an_unknown_accelerator_with_the_nearest_names() -> None:
    with pytest.raises(SpecError, match="accelerator 'V1000' is unknown; the nearest names are V100"):
        VirtualCluster.parse("8xV1000", global_batch=512)


def test_refuses_an_accelerator_that_is_no_text() -> None:
    with pytest.raises(SpecError, match="accelerator=None is no name"):
        VirtualCluster(accelerator=None, count=4, global_batch=4)  # type: ignore[arg-type]


def test_keeps_the_rows_name_whatever_was_written() -> None:
    one = VirtualCluster(accelerator="tpu-V3", count=8, global_batch=64)
    other = VirtualCluster(accelerator="TPUv3", count=8, global_batch=64)

    assert one == other
    assert one.accelerator == "TPU v3"
    assert one.row is not None
    assert one.row.name == "TPU v3"


def test_a_cluster_of_no_kind_has_no_row() -> None:
    assert VirtualCluster.parse("64", global_batch=512).row is None


@pytest.mark.parametrize(("count", "batch", "idle"), [(4, 8, 0), (4, 4, 0), (8, 5, 3), (64, 1, 63)])
def test_a_batch_below_the_node_count_is_allowed_and_leaves_nodes_idle(count: int, batch: int, idle: int) -> None:
    assert VirtualCluster(accelerator="", count=count, global_batch=batch).idle_nodes == idle


@pytest.mark.parametrize(
    ("text", "batch", "said"),
    [
        ("1024xTPUv3", 32768, "1024 x TPU v3, batch 32,768"),
        ("64", 512, "64 virtual nodes, batch 512"),
        ("1", 1, "1 virtual node, batch 1"),
        ("2xV100", 64, "2 x V100 SXM2 16GB, batch 64"),
    ],
)
def test_says_what_it_is(text: str, batch: int, said: str) -> None:
    assert str(VirtualCluster.parse(text, global_batch=batch)) == said


def test_stands_at_a_cells_end_in_words() -> None:
    assert pretty(VirtualCluster.parse("64", global_batch=512)) == "64 virtual nodes, batch 512"


def test_takes_as_many_nodes_as_a_pod_has() -> None:
    assert VirtualCluster.parse("32768xTPUv3", global_batch=65536).nodes == 32768


def test_cannot_be_changed() -> None:
    cluster = VirtualCluster.parse("64", global_batch=512)

    with pytest.raises(dataclasses.FrozenInstanceError):
        cluster.count = 3  # type: ignore[misc]
