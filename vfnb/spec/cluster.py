"""The virtual cluster: the target whose run is trained on the devices at hand."""

import re
from dataclasses import dataclass
from typing import Any, Self

from vfnb.ground import SpecError
from vfnb.spec.accelerator import Accelerator, find_accelerator
from vfnb.spec.checks import check_count

_TEXT = re.compile(
    r"(?P<count>[+-]?\d[\d,_]*)(?:(?:\s*[x\u00d7*]\s*|\s+)(?P<name>[^\W_]\S.*?)(?:\s+(?P<unit>chips?|cores?))?)?",
    re.IGNORECASE,
)
# Names of Cloud TPU slices; all but v5e and v6e count cores, two a chip.
_SLICE = re.compile(r"(?:tpu[\s-]*)?(?P<kind>v\d+(?:e|p|x|litepod)?)-(?P<number>\d+)", re.IGNORECASE)
_SLICES_OF_CHIPS = ("v5litepod", "v5e", "v6e")


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualCluster:
    """So many accelerators of one kind and the global batch they share; each one is a virtual node.

    Args:
        accelerator: Its name in any spelling that the catalogue knows, kept as the catalogue's row is
            called; "" leaves the kind open.
        count: How many of them; a TPU counts in chips, as the row's unit says.
        global_batch: Samples in a step, over all of them.

    Raises:
        SpecError: If the accelerator is unknown, or a number is less than 1.
    """

    accelerator: str
    count: int
    global_batch: int

    def __post_init__(self) -> None:
        check_count("count", self.count)
        check_count("global_batch", self.global_batch)
        _check_name(self.accelerator)
        if self.accelerator:
            object.__setattr__(self, "accelerator", find_accelerator(self.accelerator).name)

    @classmethod
    def parse(cls, text: str, *, global_batch: int) -> Self:
        """Read a cluster as papers write it.

        Args:
            text: Such as "1024xTPUv3", "16 x V100" or "8 H100-80GB"; "64" alone leaves the kind open. A TPU counts
                in chips; "2048xTPUv3 cores" is read as 1024 chips.
            global_batch: Samples in a step, over all of them.

        Returns:
            The cluster.

        Raises:
            SpecError: If the text is no cluster, the accelerator is unknown, or a number is less than 1.
        """
        match = _read(text)
        if match is None:
            raise SpecError(f"{text!r} is no cluster; {_remedy(str(text).strip())}")
        count = int(re.sub("[,_]", "", match["count"]))
        name = match["name"] or ""
        if (match["unit"] or "").lower().startswith("core"):
            count = _units(count, find_accelerator(name))
        return cls(accelerator=name, count=count, global_batch=global_batch)

    @property
    def nodes(self) -> int:
        """How many virtual nodes there are."""
        return self.count

    @property
    def idle_nodes(self) -> int:
        """How many virtual nodes get no sample even in a full batch."""
        return max(0, self.count - self.global_batch)

    @property
    def row(self) -> Accelerator | None:
        """The catalogue's row, or None where the kind is open."""
        return find_accelerator(self.accelerator) if self.accelerator else None

    def __str__(self) -> str:
        unnamed = "1 virtual node" if self.count == 1 else f"{self.count} virtual nodes"
        what = f"{self.count} x {self.accelerator}" if self.accelerator else unnamed
        return f"{what}, batch {self.global_batch:,}"

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """Stand at a cell's end in words, as on the panel."""
        printer.text(str(self))


def _read(text: object) -> re.Match[str] | None:
    return _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise SpecError(f"accelerator={name!r} is no name; give one such as 'TPU v3', or '' to leave it open")


def _units(cores: int, row: Accelerator) -> int:
    """Turn cores into what the catalogue counts."""
    if cores % row.cores_per_unit:
        raise SpecError(
            f"{cores} cores are no whole {row.unit}s: a {row.name} has {row.cores_per_unit} cores a {row.unit}"
        )
    return cores // row.cores_per_unit


def _remedy(text: str) -> str:
    """Say how to write it; a Cloud slice's name is turned into chips."""
    match = _SLICE.fullmatch(text)
    if match is None:
        return "write it like '1024xTPUv3', '16 x V100', '8xH100-80GB', or '64' alone"
    kind, number = match["kind"].lower(), int(match["number"])
    if kind in _SLICES_OF_CHIPS:
        return f"the slice {text} has {number} chips: write '{number}xTPU{kind}'"
    chips = max(1, number // 2)
    return f"the slice {text} counts {number} cores, two a chip: write '{chips}xTPU{kind}'"
