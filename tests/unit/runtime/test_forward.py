"""What a pass stands in while it computes."""

import torch

from vfnb.runtime.forward import autocast

CPU = torch.device("cpu")


def product() -> torch.dtype:
    return (torch.ones(2, 2) @ torch.ones(2, 2)).dtype


def test_full_precision_keeps_out_an_autocast_of_the_callers() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16), autocast(CPU, "no"):
        assert product() == torch.float32


def test_low_precision_casts_inside_alone() -> None:
    with autocast(CPU, "bf16"):
        assert product() == torch.bfloat16

    with autocast(CPU, "no"):
        assert product() == torch.float32
