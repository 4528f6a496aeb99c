"""One device's pass: roofs, precisions, and the two stacks."""

import pytest

from vfnb.ground import SpecError
from vfnb.planning import known, precision_for
from vfnb.planning.target.roofline import PLAIN, TUNED, bandwidth_bytes_per_s, computing, roof_flops_per_s
from vfnb.spec import Accelerator, accelerators, find_accelerator


@pytest.mark.parametrize(
    ("kind", "usual"),
    [("V100", "fp16"), ("A100", "bf16"), ("TPUv3", "bf16"), ("K80", "fp32"), ("P100", "fp32"), ("M1", "fp32")],
)
def test_a_device_is_usually_trained_in(kind: str, usual: str) -> None:
    chosen, remark = precision_for(find_accelerator(kind), None)

    assert chosen == usual
    assert usual in remark


@pytest.mark.parametrize(
    ("kind", "asked", "chosen", "remark"),
    [
        ("A100", "tf32", "tf32", ""),
        ("A100", "no", "fp32", ""),
        ("V100", "bf16", "fp16", "has no bf16"),
        ("V100", "tf32", "fp32", "no faster tf32"),
        ("K80", "fp16", "fp32", "no faster fp16"),
        ("TPUv3", "fp32", "fp32", "at its rate of bf16"),
    ],
)
def test_a_precision_that_is_not_there_is_replaced_and_said(kind: str, asked: str, chosen: str, remark: str) -> None:
    found, said = precision_for(find_accelerator(kind), asked)

    assert found == chosen
    assert remark in said


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(SpecError, match="precision='fp7' is unknown; give one of fp32, tf32, fp16, bf16"):
        precision_for(find_accelerator("A100"), "fp7")


def test_a_measured_product_is_the_roof_where_there_is_one() -> None:
    assert roof_flops_per_s(find_accelerator("A100"), "bf16") == 271e12
    assert roof_flops_per_s(find_accelerator("V100"), "fp16") == pytest.approx(0.85 * 125e12)


def test_a_missing_bandwidth_is_refused() -> None:
    with pytest.raises(SpecError, match="no memory bandwidth of Apple M5 Ultra"):
        bandwidth_bytes_per_s(find_accelerator("Apple M5 Ultra"))


@pytest.mark.parametrize("row", [row for row in accelerators() if row.memory_gb_per_s], ids=lambda row: row.name)
def test_tuned_software_is_faster_than_plain_on_every_device(row: Accelerator) -> None:
    workload = known("resnet50", "fp32")

    tuned, plain = (computing(workload, row, 32, stack).seconds for stack in (TUNED, PLAIN))

    assert 0 < tuned < plain


def test_a_larger_batch_takes_longer_but_not_by_its_fixed_part() -> None:
    workload, row = known("bert-large", "fp16"), find_accelerator("V100")

    one, two = (computing(workload, row, batch, TUNED) for batch in (32, 64))

    assert one.fixed_s == two.fixed_s > 0
    assert one.batch_s < two.batch_s < 2.01 * one.batch_s
