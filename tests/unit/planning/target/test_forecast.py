"""The estimate as a whole: what it holds, refuses and shows."""

import json

import pytest

from vfnb.ground import SpecError
from vfnb.planning import Estimate, estimate_known, plain
from vfnb.spec import VirtualCluster

POD = VirtualCluster.parse("1024xTPUv3", global_batch=32768)
SLICE = VirtualCluster.parse("16xTPUv3", global_batch=512)


def lamb() -> Estimate:
    return estimate_known("bert-large", POD, sequence=128, measured={SLICE: 0.293}, steps=15_600)


def test_the_card_says_what_is_counted_measured_and_assumed() -> None:
    said = repr(lamb())

    assert "1024 x TPU v3, batch 32,768 (chips)" in said
    assert "one TPU v3 is taken as a chip, which has 2 cores" in said
    assert "scaled from a measured step: 293 ms on 16 x TPU v3" in said
    assert "torus 32 x 32" in said
    assert "undated" in said


def test_nothing_measured_is_said_too() -> None:
    assert "nothing was measured" in repr(estimate_known("resnet50", POD))


def test_the_notebooks_card_has_the_memory_table_and_escapes_words() -> None:
    html = lamb()._repr_html_()

    assert "<details><summary>memory a device</summary>" in html
    assert "activations" in html
    assert "<script" not in html


def test_json_has_every_unit_in_its_key_and_survives() -> None:
    found = json.loads(json.dumps(plain(lamb()), allow_nan=False))

    assert set(found["step_seconds"]) == {"low", "mid", "high"}
    assert set(found["memory"]) >= {"verdict", "bytes", "device_bytes", "table"}
    assert found["batch_per_device"] == 32
    assert found["flops_per_sample"] == pytest.approx(237e9, rel=0.03)
    assert found["price_usd"] == pytest.approx(1024 * 2.0 * found["run_seconds"]["mid"] / 3600)
    assert found["energy_kwh"]["mid"] == pytest.approx(1024 * 0.262 * found["run_seconds"]["mid"] / 3600)
    assert found["target"]["unit"] == "chip"


def test_lambs_run_costs_about_what_it_did() -> None:
    # 1024 chips for 1.27 to 1.69 hours at 2 USD (arXiv 1904.00962: 76 minutes mixed, 101 minutes all at 32k).
    price = lamb().price_usd

    assert price is not None
    assert price.low < 1024 * 1.69 * 2.0 < price.high * 1.01


def test_price_and_power_are_the_users_where_given() -> None:
    found = estimate_known("resnet50", POD, steps=1000, price_usd_per_hour=1.0, watts=100.0)

    assert found.bill is not None
    assert found.bill.price_basis == "1 USD an hour and device, as given"
    assert found.price_usd is not None
    assert found.energy_kwh is not None
    assert found.energy_kwh.mid == pytest.approx(0.1 * found.price_usd.mid)


def test_an_unknown_price_is_none_and_said() -> None:
    found = estimate_known("resnet50", VirtualCluster.parse("8xGB200", global_batch=512), steps=10)

    assert found.price_usd is None
    assert plain(found)["price_usd"] is None
    assert "no price of GB200" in repr(found)


def test_a_known_model_is_trained_as_long_as_papers_do() -> None:
    found = estimate_known("resnet50", VirtualCluster.parse("256xP100", global_batch=8192))

    assert found.bill is not None
    assert found.bill.steps == -(-90 * 1_281_167 // 8192)


def test_a_length_that_nobody_knows_leaves_the_run_out() -> None:
    found = estimate_known("vit-base-16", POD)

    assert found.run_seconds is found.price_usd is found.energy_kwh is None
    assert "price" not in repr(found).split()


def test_the_share_of_the_busiest_device_counts() -> None:
    assert estimate_known("resnet50", VirtualCluster.parse("3xV100", global_batch=64)).batch_per_device == 22


def test_a_cluster_of_no_kind_is_refused() -> None:
    with pytest.raises(SpecError, match="names no accelerator"):
        estimate_known("resnet50", VirtualCluster.parse("64", global_batch=64))


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_an_impossible_measured_step_is_refused(seconds: float) -> None:
    with pytest.raises(SpecError, match="measured step"):
        estimate_known("resnet50", POD, measured={SLICE: seconds})


@pytest.mark.parametrize("given", [{"steps": 0}, {"price_usd_per_hour": -1.0}, {"watts": float("nan")}])
def test_an_impossible_number_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(SpecError, match="is not possible"):
        estimate_known("resnet50", POD, **{"steps": 1} | given)  # type: ignore[arg-type]  # that is the test
