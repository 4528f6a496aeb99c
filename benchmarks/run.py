"""Measures the figures of docs/benchmarks.md and prints them as a table; `--json PATH` keeps them too.

Run it on a quiet machine: figures are ratios and differences taken side by side, which leaves out the machine's
speed and not its other work.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import dashboard
import elasticity
import memory
import mixed
import overhead
import planning
import scale
import solver
import throughput
from figures import Figure, keep, lines, machine

TOPICS: dict[str, Callable[[], Iterator[Figure]]] = {
    "throughput": throughput.figures,
    "memory": memory.figures,
    "elasticity": elasticity.figures,
    "overhead": overhead.figures,
    "planning": planning.figures,
    "scale": scale.figures,
    "dashboard": dashboard.figures,
    "solver": solver.figures,
    "mixed": mixed.figures,
}


def main() -> int:
    """Measure, print, keep; 1 where a figure does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topics", nargs="*", choices=[*TOPICS, []], help="Which; all without any.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="Where to keep the figures.")
    given = parser.parse_args()
    found: list[Figure] = []
    for topic in given.topics or TOPICS:
        for figure in TOPICS[topic]():
            found.append(figure)
            print(lines([figure])[-1], file=sys.stderr, flush=True)
    print(", ".join(f"{name} {value}" for name, value in machine().items()), *lines(found), sep="\n")
    if given.json is not None:
        keep(given.json, found)
    return int(any(one.holds is False for one in found))


if __name__ == "__main__":
    sys.exit(main())
