"""Models known by name: their work, parameters and traffic, from shapes alone."""

import subprocess
import sys

import pytest

from vfnb.ground import SpecError
from vfnb.planning import known, known_models

# Operations of training on one sample, multiply-add 2: FlopCounterMode on torchvision and transformers models.
PUBLISHED = [
    ("resnet50", None, 24.3e9),
    ("bert-base", 128, 67.0e9),
    ("bert-large", 128, 237e9),
    ("bert-large", 512, 1005e9),
]
PARAMETERS = [
    ("resnet18", 11_689_512),
    ("resnet34", 21_797_672),
    ("resnet50", 25_557_032),
    ("resnet101", 44_549_160),
    ("resnet152", 60_192_808),
    ("bert-base", 108_891_648),
    ("bert-large", 334_092_288),
    ("vit-base-16", 86_567_656),
]


@pytest.mark.parametrize(("name", "sequence", "flops"), PUBLISHED)
def test_work_is_within_3_percent_of_what_was_published(name: str, sequence: int | None, flops: float) -> None:
    assert known(name, "bf16", sequence=sequence).flops_per_sample == pytest.approx(flops, rel=0.03)


@pytest.mark.parametrize(("name", "parameters"), PARAMETERS)
def test_parameters_are_those_of_the_published_models(name: str, parameters: int) -> None:
    assert known(name, "fp32").parameters == parameters


@pytest.mark.parametrize("name", known_models())
def test_sixteen_bits_halve_traffic_and_keep_no_more_than_32(name: str) -> None:
    low, full = known(name, "fp16"), known(name, "fp32")

    assert low.other_bytes == full.other_bytes / 2
    assert full.kept_bytes / 2 <= low.kept_bytes < full.kept_bytes
    assert low.flops_per_sample == full.flops_per_sample


def test_a_bert_keeps_what_korthikanti_and_others_count() -> None:
    s, h, a = 512, 1024, 16

    assert known("bert-large", "bf16", sequence=s).kept_bytes == 24 * s * h * (34 + 5 * a * s / h)


@pytest.mark.parametrize("spelling", ["ResNet50", "resnet-50", " resnet50 ", "ResNet_50"])
def test_a_name_is_found_as_people_write_it(spelling: str) -> None:
    assert known(spelling, "bf16").name == "resnet50"


def test_an_unknown_model_is_refused_with_the_nearest() -> None:
    with pytest.raises(SpecError, match=r"model 'bert-huge' is unknown.*bert-base"):
        known("bert-huge", "bf16")


@pytest.mark.parametrize(
    ("name", "sequence", "said"),
    [("bert-large", 513, "1 to 512"), ("bert-large", 0, "1 to 512"), ("resnet50", 8, "no meaning")],
)
def test_an_impossible_sequence_is_refused(name: str, sequence: int, said: str) -> None:
    with pytest.raises(SpecError, match=f"sequence={sequence} .*{said}"):
        known(name, "bf16", sequence=sequence)


def test_a_known_model_is_estimated_without_torch() -> None:
    code = (
        "import sys; from vfnb.planning import estimate_known; from vfnb.spec import VirtualCluster; "
        "estimate_known('resnet50', VirtualCluster.parse('8xV100', global_batch=64)); print('torch' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False"]
