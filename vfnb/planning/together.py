"""How many virtual nodes to compute in one pass here: a step's time and memory for each choice, from a profile.

A step takes, on the worker with the most blocks: its passes, each at the profile's time for its samples; a block's
part in the sum, for each of its blocks; and what a step adds. Sums between workers are not in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from vfnb.ground import SpecError, share_range
from vfnb.planning.even import even
from vfnb.planning.mixed.fastest import levelled
from vfnb.spec import DeviceProfile, Layout, VirtualCluster

WORTH = 1.03  # a step must get faster by so much: within it, times on another day may fall the other way
_ALIKE = 1.02  # choices whose predicted times differ by less are alike; the fewest nodes a pass win
_ROOM = 4  # a job keeps so many blocks at least, or two for each device, so that it can be resized
_CELL = 'style="text-align:right"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One number of virtual nodes a pass.

    Attributes:
        nodes_per_pass: The number.
        blocks: Of the job then: it can use so many workers at most.
        samples: Of the largest pass.
        step_seconds: Predicted.
        memory_bytes: Predicted peak of a worker.
        fits: Whether the largest pass fits the device.
    """

    nodes_per_pass: int
    blocks: int
    samples: int
    step_seconds: float
    memory_bytes: int
    fits: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan:
    """How a run's virtual nodes are best computed on these devices.

    Attributes:
        cluster: Whose virtual nodes.
        devices: Where.
        choices: What was compared, ascending; the first is one node a pass.
        nodes_per_pass: What won.
        why: Why, in a sentence.
        share: Of each device, where they are of several speeds.
    """

    cluster: VirtualCluster
    devices: tuple[str, ...]
    choices: tuple[Choice, ...]
    nodes_per_pass: int
    why: str
    share: "Share | None" = None

    @property
    def literal(self) -> str:
        """What to write for the same choice, and the same bits, at any time and place."""
        return f"Options(nodes_per_pass={self.nodes_per_pass})"

    def __repr__(self) -> str:
        rows = [_HEAD, *(_cells(one, self.choices[0]) for one in self.choices)] if self.choices else []
        widths = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))] if rows else []
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        marks = [" ", *("*" if one.nodes_per_pass == self.nodes_per_pass else " " for one in self.choices)]
        return "\n".join(
            [
                f"{self.cluster} on {', '.join(self.devices)}",
                *(f"{mark} {line}" for mark, line in zip(marks, lines, strict=False)),
                f"{self.why}: {self.literal}",
                *([] if self.share is None else [self.share.said(self.devices)]),
            ]
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr{' style=font-weight:bold' if one.nodes_per_pass == self.nodes_per_pass else ''}>"
            + "".join(f"<td {_CELL}>{escape(cell)}</td>" for cell in _cells(one, self.choices[0]))
            + "</tr>"
            for one in self.choices
        )
        head = "".join(f"<th {_CELL}>{escape(name)}</th>" for name in _HEAD)
        table = f"<table><tr>{head}</tr>{rows}</table>" if self.choices else ""
        return (
            f"<div>{escape(str(self.cluster))} on {escape(', '.join(self.devices))}</div>{table}"
            f"<div>{escape(self.why)}: <code>{escape(self.literal)}</code></div>"
            f"<div>{'' if self.share is None else escape(self.share.said(self.devices))}</div>"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How devices of several speeds share the virtual nodes so that a step is fastest.

    Attributes:
        nodes: Virtual nodes by device.
        speed: How many times as fast as an even mapping, by the passes alone.
    """

    nodes: tuple[int, ...]
    speed: float

    def said(self, devices: Sequence[str]) -> str:
        """Say it.

        Args:
            devices: Their names.

        Returns:
            A sentence.
        """
        shares = ", ".join(f"{count:,} on {device}" for count, device in zip(self.nodes, devices, strict=True))
        return (
            f"virtual nodes: {shares}, predicted to be {self.speed:.2f} times as fast as an even mapping; "
            'job.map("solve") maps a run so'
        )


def share_of(layout: Layout, seconds: Sequence[float]) -> Share | None:
    """Share virtual nodes between devices by their speeds.

    Args:
        layout: The virtual nodes in blocks.
        seconds: Of one virtual node's pass, by device.

    Returns:
        The share; None where all are equally fast, or too many for the blocks.
    """
    if len(set(seconds)) < 2 or len(seconds) > layout.most_workers:
        return None
    times = dict(enumerate(seconds))
    solved, plain = levelled(layout, times).counts, even(layout, range(len(seconds))).counts
    slowest = [max(counts[device] * each for device, each in times.items()) for counts in (plain, solved)]
    return Share(nodes=tuple(solved.values()), speed=slowest[0] / slowest[1])


def candidates(nodes: int, blocks: int | None, devices: int) -> tuple[int, ...]:
    """List the numbers of nodes a pass that are worth comparing: 2^k and 3 * 2^k.

    Args:
        nodes: Of the cluster.
        blocks: What the user fixed; None leaves fewer blocks for larger passes, though never too few to be resized.
        devices: Of the job.

    Returns:
        Ascending from 1.
    """
    least = min(nodes, max(_ROOM, 2 * devices))
    sizes = [size for size in sizes_to(nodes) if size <= nodes]
    if blocks is not None:
        return tuple(size for size in sizes if size <= -(-nodes // blocks))
    return tuple(size for size in sizes if size == 1 or Layout.of(nodes, nodes_per_pass=size).blocks >= least)


def sizes_to(largest: int, smallest: int = 1) -> tuple[int, ...]:
    """List 1, 2, 3, 4, 6, 8, 12, ...: those that lie between two sizes, and their neighbours outside.

    Args:
        largest: The last is not below it.
        smallest: The first is not above it.

    Returns:
        Ascending.
    """
    grid = sorted({base << power for power in range(largest.bit_length() + 1) for base in (1, 3)})
    first = max(size for size in grid if size <= smallest)
    last = min(size for size in grid if size >= largest)
    return tuple(size for size in grid if first <= size <= last)


def choice_of(  # what a step's time depends on
    nodes_per_pass: int,
    cluster: VirtualCluster,
    speeds: Sequence[DeviceProfile],
    *,
    workers: int,
    blocks: int | None = None,
    memory_bytes: int | None = None,
) -> Choice:
    """Predict a step with a number of nodes a pass.

    Args:
        nodes_per_pass: The number.
        cluster: Its virtual nodes and batch.
        speeds: Of the kinds of device that take part; the slowest is waited for.
        workers: How many; blocks are spread evenly.
        blocks: What the user fixed.
        memory_bytes: What a device has; None where it is not known.

    Returns:
        The prediction.
    """
    layout = Layout.of(cluster.nodes, blocks, nodes_per_pass=nodes_per_pass)
    mine = range(-(-layout.blocks // workers))
    passes = [samples for block in mine for samples in _passes(layout, block, cluster.global_batch, nodes_per_pass)]
    times = [
        sum(speed.pass_seconds(samples) for samples in passes) + len(mine) * speed.block_seconds + speed.step_seconds
        for speed in speeds
    ]
    largest, needed = max(passes), max(speed.pass_bytes(max(passes)) for speed in speeds)
    fits = all(speed.too_large is None or largest < speed.too_large for speed in speeds)
    return Choice(
        nodes_per_pass=nodes_per_pass,
        blocks=layout.blocks,
        samples=largest,
        step_seconds=max(times),
        memory_bytes=needed,
        fits=fits and (memory_bytes is None or needed <= memory_bytes),
    )


def best(choices: Sequence[Choice]) -> tuple[int, str]:
    """Choose, and say why.

    Args:
        choices: Ascending, one node a pass first.

    Returns:
        The number of nodes a pass, and the reason.

    Raises:
        SpecError: If there is nothing to choose from.
    """
    if not choices:
        raise SpecError("there is no choice of nodes a pass to compare; measure one virtual node's pass at least")
    one = choices[0]
    fitting = [choice for choice in choices if choice.fits]
    if not fitting:
        return 1, "no pass fits this device by prediction, and one virtual node a pass needs least"
    fastest = min(choice.step_seconds for choice in fitting)
    winner = next(choice for choice in fitting if choice.step_seconds <= fastest * _ALIKE)
    gain = one.step_seconds / winner.step_seconds
    if winner is one or gain < WORTH:
        return 1, f"no larger pass is predicted to be {WORTH - 1:.0%} faster than one virtual node a pass"
    nodes = winner.nodes_per_pass
    return nodes, f"{nodes} virtual nodes a pass are predicted to be {gain:.2f} times as fast as one"


_HEAD = ("nodes a pass", "samples", "blocks", "s a step", "speed", "memory")


def _cells(choice: Choice, first: Choice) -> tuple[str, ...]:
    memory = f"{choice.memory_bytes / 2**20:,.0f} MiB"
    return (
        str(choice.nodes_per_pass),
        f"{choice.samples:,}",
        str(choice.blocks),
        f"{choice.step_seconds:.4g}",
        f"{first.step_seconds / choice.step_seconds:.2f}x",
        memory if choice.fits else f"{memory}, does not fit",
    )


def _passes(layout: Layout, block: int, batch: int, nodes_per_pass: int) -> Iterator[int]:
    """Give the samples of each of a block's passes."""
    nodes = layout.nodes_of(block)
    for first in range(nodes.start, nodes.stop, nodes_per_pass):
        last = min(first + nodes_per_pass, nodes.stop) - 1
        samples = share_range(batch, layout.nodes, last).stop - share_range(batch, layout.nodes, first).start
        if samples:
            yield samples
