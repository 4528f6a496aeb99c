"""How long the sum of gradients over a cluster takes, by the topology of its network.

A sum goes in messages, and each pays the network's latency: ring inside a host, tree between hosts, two levels where
both are there, and a torus of two or three axes between TPUs.
"""

from dataclasses import dataclass
from math import ceil, log2, prod

from vfnb.spec import Accelerator

MESSAGE_BYTES = 25 * 2**20  # torch's DistributedDataParallel sums buckets of 25 MiB
# Seconds a hop: NCCL's planner (src/graph/tuning.cc, 2.8 to 2.9) for ring on NVLink and PCIe, tree on a network; a
# TPU's hop is about 1 microsecond (jax-ml/scaling-book, sharding.md).
_NVLINK, _PCIE, _NETWORK, _ICI = 3.4e-6, 5.7e-6, 8.5e-6, 1e-6
# Of the sheet's bandwidth, what sums reach: 366 of 450 GB/s on 8 H200, 682 of 900 on 8 B200, 235 of 300 at most on
# A100; 382 of 400 between four nodes (ml-engineering, network README).
_LINK_SHARE, _NETWORK_SHARE = 0.8, 0.9
_ASSUMED_HOST_GB_PER_S = 12.5  # 100 Gb/s, what clouds give a host, where the catalogue has no figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """How a cluster's devices are joined.

    Attributes:
        sizes: Devices along each level: inside a host and between hosts, or along each axis of a torus.
        wrapped: Whether a torus' axes close to rings.
        torus: Whether it is a torus.
        link_bytes_per_s: One way, over all of a device's close links.
        scale_out_bytes_per_s: One way, a device's part of the network between hosts.
        hop_s: Latency of a close hop, in seconds.
        remark: What was assumed; "" where nothing was.
    """

    sizes: tuple[int, ...]
    wrapped: bool = True
    torus: bool = False
    link_bytes_per_s: float
    scale_out_bytes_per_s: float = 0.0
    hop_s: float
    remark: str = ""

    @property
    def name(self) -> str:
        """The topology in words."""
        shape = " x ".join(str(size) for size in self.sizes)
        if self.torus:
            return f"{'torus' if self.wrapped else 'mesh'} {shape}"
        inside, hosts = self.sizes
        if hosts == 1:
            return "no network" if inside == 1 else f"ring of {inside}"
        return f"tree of {hosts}" if inside == 1 else f"{hosts} hosts of {inside}"

    def seconds(self, size_bytes: float) -> float:
        """Give the time of one sum over all devices.

        Args:
            size_bytes: What each device holds.

        Returns:
            Seconds; 0 for one device.
        """
        devices = prod(self.sizes)
        if devices == 1 or not size_bytes:
            return 0.0
        messages = ceil(size_bytes / MESSAGE_BYTES)
        return self._moving(size_bytes, devices) + messages * self._latency()

    def _moving(self, size_bytes: float, devices: int) -> float:
        if self.torus:
            # Every axis carries its part at once; a line has half of a ring's links to each side.
            lines = 1 if self.wrapped else 2
            return lines * 2 * (devices - 1) / devices * size_bytes / self.link_bytes_per_s
        inside, hosts = self.sizes
        close = 2 * (inside - 1) / inside * size_bytes / self.link_bytes_per_s if inside > 1 else 0.0
        far = 2 * (hosts - 1) / hosts * size_bytes / inside / self.scale_out_bytes_per_s if hosts > 1 else 0.0
        return close + far

    def _latency(self) -> float:
        if self.torus:
            return 2 * sum(size - 1 for size in self.sizes) * self.hop_s
        inside, hosts = self.sizes
        return 2 * (inside - 1) * self.hop_s + 2 * log2(hosts) * _NETWORK


def network_of(row: Accelerator, devices: int) -> Network:
    """Say how a cluster's devices are joined.

    Args:
        row: The kind of device.
        devices: How many.

    Returns:
        The network.
    """
    axes = next((axes for axes in (2, 3) if f"{axes}D" in row.link_type), 0)
    return _torus(row, devices, axes) if axes else _two_levels(row, devices)


def hosts_of(row: Accelerator, devices: int) -> int:
    """Count a cluster's hosts.

    Args:
        row: The kind of device.
        devices: How many.

    Returns:
        The number of hosts.
    """
    return ceil(devices / (row.devices_per_host or 1))


def _torus(row: Accelerator, devices: int, axes: int) -> Network:
    whole = row.fast_domain_devices or devices
    sizes = near_cube(devices, axes)
    # Optical switches close 3D axes of multiples of 4; a 2D axis closes at a pod's full length only (scaling-book,
    # tpus.md). An open axis holds up the others, which carry equal parts.
    wrapped = all(size % 4 == 0 for size in sizes) if axes == 3 else min(sizes) >= round(whole**0.5)
    many = devices > whole
    return Network(
        sizes=sizes,
        wrapped=wrapped,
        torus=True,
        link_bytes_per_s=(row.link_gb_per_s_one_way or 0.0) * 1e9 * _LINK_SHARE,
        hop_s=_ICI,
        remark=f"{devices:,} are more than one pod of {whole:,}; counted as one torus" if many else "",
    )


def near_cube(devices: int, axes: int) -> tuple[int, ...]:
    """Cut a number into factors that are as alike as they can be.

    Args:
        devices: The number.
        axes: How many factors.

    Returns:
        The factors, descending.
    """
    if axes == 1:
        return (devices,)
    first = min(
        (size for size in range(1, devices + 1) if devices % size == 0),
        key=lambda size: abs(log2(size) - log2(devices) / axes),
    )
    return tuple(sorted((first, *near_cube(devices // first, axes - 1)), reverse=True))


def _two_levels(row: Accelerator, devices: int) -> Network:
    whole = max(row.devices_per_host or 1, row.fast_domain_devices or 1)
    inside = min(devices, whole)
    hosts = ceil(devices / whole)
    far, remark = row.scale_out_gb_per_s_one_way, ""
    if far is None:
        far = _ASSUMED_HOST_GB_PER_S / inside
        if hosts > 1:
            remark = f"the network between hosts of {row.name} is not in the catalogue; 100 Gb/s a host assumed"
    return Network(
        sizes=(inside, hosts),
        link_bytes_per_s=(row.link_gb_per_s_one_way or far) * 1e9 * _LINK_SHARE,
        scale_out_bytes_per_s=far * 1e9 * _NETWORK_SHARE,
        hop_s=_PCIE if "PCIe" in row.link_type else _NVLINK,
        remark=remark,
    )
