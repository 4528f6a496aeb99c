"""The catalogue: complete rows, and names as people write them."""

import pytest

from vfnb.ground import SpecError
from vfnb.spec import Accelerator, accelerators, find_accelerator
from vfnb.spec.accelerator import _key


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("V100", "V100 SXM2 16GB"),
        ("P100", "P100 SXM2 16GB"),
        ("A100", "A100 40GB SXM4"),
        ("H100", "H100 SXM 80GB"),
        ("H100-80GB", "H100 SXM 80GB"),
        ("TPUv3", "TPU v3"),
        ("tpu-v3", "TPU v3"),
        ("  TPU   V3 ", "TPU v3"),
        ("a100-sxm4-80gb", "A100 80GB SXM4"),
        ("NVIDIA A100-SXM4-40GB", "A100 40GB SXM4"),
        ("Tesla V100-SXM2-32GB", "V100 SXM2 32GB"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM 80GB"),
        ("NVIDIA GeForce RTX 2080 Ti", "RTX 2080 Ti"),
        ("AMD Instinct MI300X", "MI300X"),
        ("Trillium", "TPU v6e (Trillium)"),
        ("K80", "K80 (one GK210)"),
        ("M1", "Apple M1"),
    ],
)
def test_a_name_is_found_as_people_and_drivers_write_it(written: str, name: str) -> None:
    assert find_accelerator(written).name == name


@pytest.mark.parametrize("row", accelerators(), ids=lambda row: row.name)
def test_every_row_is_found_by_each_of_its_names(row: Accelerator) -> None:
    found = [find_accelerator(name) for name in (row.name, row.name.lower().replace(" ", "-"), *row.aliases)]

    assert all(one is row for one in found)


def test_no_two_rows_share_a_name() -> None:
    names = [_key(name) for row in accelerators() for name in {_key(row.name), *map(_key, row.aliases)}]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", accelerators(), ids=lambda row: row.name)
def test_every_row_says_its_unit_source_and_confidence(row: Accelerator) -> None:
    assert row.unit
    assert row.cores_per_unit in {1, 2}
    assert row.memory_gib > 0
    assert row.source_spec
    assert row.confidence in {"A", "B", "C"}
    assert row.bf16_hardware in {"yes", "no", "partly"}


@pytest.mark.parametrize("row", accelerators(), ids=lambda row: row.name)
def test_a_price_has_a_basis_a_date_and_a_source(row: Accelerator) -> None:
    priced = row.price_usd_per_device_hour is not None

    assert [bool(text) for text in (row.price_basis, row.price_date, row.source_price)] == [priced] * 3


def test_the_facts_of_a_row_are_read_with_their_units() -> None:
    row = find_accelerator("TPUv3")

    assert (row.unit, row.cores_per_unit, row.memory_gib) == ("chip", 2, 32.0)
    assert (row.memory_gb_per_s, row.fp16_bf16_tflops, row.fp8_tflops) == (900.0, 123.0, None)
    assert (row.devices_per_host, row.fast_domain_devices) == (4, 1024)
    assert row.link_gb_per_s_one_way == 332.0
    assert row.confidence == "A"


def test_the_catalogue_has_all_its_rows() -> None:
    assert len(accelerators()) == 45


@pytest.mark.parametrize(
    ("written", "nearest"), [("V1000", "V100 SXM2 16GB"), ("RTX 5090", "RTX 4090"), ("TPU v8", "TPU v")]
)
def test_an_unknown_name_is_refused_with_the_nearest(written: str, nearest: str) -> None:
    with pytest.raises(SpecError, match=f"accelerator '{written}' is unknown; the nearest names are .*{nearest}"):
        find_accelerator(written)


@pytest.mark.parametrize("written", ["", " - ", "NVIDIA", "?"])
def test_a_name_of_nothing_is_refused_too(written: str) -> None:
    with pytest.raises(SpecError, match="is unknown; the nearest names are"):
        find_accelerator(written)
