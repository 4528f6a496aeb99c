"""The catalogue of accelerators: what a virtual node stands for, each row with its sources and confidence."""

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from vfnb.ground import SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """A row of the catalogue; figures are per unit, None where none was found.

    Args:
        name: The row's name, such as "TPU v3".
        aliases: Other names for it; a family's name stands with its usual member.
        vendor: Who makes it.
        unit: What one is: "chip", "GPU", "half card", ... A virtual node is one unit.
        cores_per_unit: Cores of one unit (two in a TPU v3 chip).
        memories_per_unit: Memories that share no data, each with weights of its own (a TPU v3's two cores).
        release_year: The year it came out.
        memory_gib: Memory in GiB.
        memory_gb_per_s: Memory bandwidth in GB/s.
        fp32_tflops: Peak dense rate in fp32.
        tf32_tflops: Peak dense rate in TF32.
        fp16_bf16_tflops: Peak dense rate in fp16 or bf16 with fp32 accumulation.
        fp8_tflops: Peak dense rate in fp8.
        matmul_tflops: The best matrix product measured in bf16 (ml-engineering, README of accelerators).
        bf16_hardware: Whether bf16 is native.
        link_type: The link between close devices.
        link_gb_per_s_one_way: Its bandwidth in GB/s, one way, over all of a device's links.
        scale_out_type: The network between hosts.
        scale_out_gb_per_s_one_way: Its bandwidth in GB/s, one way.
        devices_per_host: Units in a usual host.
        fast_domain_devices: The most units that the fast link joins.
        tdp_w: Design power in watts.
        price_usd_per_device_hour: A price on demand.
        price_basis: Which offer that is.
        price_date: When it was read.
        source_spec: Where the figures stand.
        source_price: Where the price stands.
        confidence: "A" a vendor's page or a copy of it, "B" a second-hand page, "C" a recollection.
        notes: Traps and exceptions.
    """

    name: str
    aliases: tuple[str, ...]
    vendor: str
    unit: str
    cores_per_unit: int
    memories_per_unit: int
    release_year: int
    memory_gib: float
    memory_gb_per_s: float | None
    fp32_tflops: float | None
    tf32_tflops: float | None
    fp16_bf16_tflops: float | None
    fp8_tflops: float | None
    matmul_tflops: float | None
    bf16_hardware: Literal["yes", "no", "partly"]
    link_type: str
    link_gb_per_s_one_way: float | None
    scale_out_type: str
    scale_out_gb_per_s_one_way: float | None
    devices_per_host: int | None
    fast_domain_devices: int | None
    tdp_w: float | None
    price_usd_per_device_hour: float | None
    price_basis: str
    price_date: str
    source_spec: str
    source_price: str
    confidence: Literal["A", "B", "C"]
    notes: str


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """List the catalogue.

    Returns:
        Every row, in the order of the package's table.
    """
    text = files("vfnb.spec").joinpath("accelerators.csv").read_text(encoding="utf-8")
    return tuple(_accelerator(row) for row in csv.DictReader(text.splitlines()))


def find_accelerator(name: str) -> Accelerator:
    """Find an accelerator by its name or a family's, without regard to case, spaces or hyphens.

    Args:
        name: Such as "TPUv3", "tpu v3", "V100" (its SXM2 16GB) or "H100-80GB".

    Returns:
        The catalogue's row.

    Raises:
        SpecError: If nothing is called so; it names what is called nearly so.
    """
    names = _names()
    key = _key(name)
    row = names.get(key) or names.get(_without_maker(key))
    if row is None:
        raise SpecError(f"accelerator {name!r} is unknown; {_nearest(key, names)}")
    return row


# Drivers print "Tesla V100-SXM2-16GB", "NVIDIA H100 80GB HBM3" or "AMD Instinct MI300X".
_MAKERS = re.compile("(nvidia|tesla|google|cloud|amd|instinct|intel)+")


def _without_maker(key: str) -> str:
    return _MAKERS.sub("", key, count=1) if _MAKERS.match(key) else key


def _nearest(key: str, names: Mapping[str, Accelerator]) -> str:
    close = get_close_matches(key, names, n=12, cutoff=0.0)
    found = list(dict.fromkeys(names[one].name for one in close))[:3]
    return f"the nearest names are {', '.join(found)}; leave the name out for devices of no kind"


@cache
def _names() -> dict[str, Accelerator]:
    return {_key(name): row for row in accelerators() for name in (row.name, *row.aliases)}


def _key(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _accelerator(row: dict[str, str]) -> Accelerator:
    read: dict[str, Any] = {column: _READ.get(column, str)(text) for column, text in row.items()}
    return Accelerator(**read)


def _number(text: str) -> float | None:
    return float(text) if text else None


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _aliases(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


_READ: dict[str, Callable[[str], object]] = {
    "aliases": _aliases,
    "cores_per_unit": int,
    "memories_per_unit": int,
    "release_year": int,
    "memory_gib": float,
    "memory_gb_per_s": _number,
    "fp32_tflops": _number,
    "tf32_tflops": _number,
    "fp16_bf16_tflops": _number,
    "fp8_tflops": _number,
    "matmul_tflops": _number,
    "link_gb_per_s_one_way": _number,
    "scale_out_gb_per_s_one_way": _number,
    "devices_per_host": _whole,
    "fast_domain_devices": _whole,
    "tdp_w": _number,
    "price_usd_per_device_hour": _number,
}
