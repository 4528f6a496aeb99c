"""An outcome as one HTML file that needs nothing else: allocation over time, utilisation below it, a table of jobs."""

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from vfnb.planning import Costs
from vfnb.simulation.outcome import Outcome

_WIDTH, _HEIGHT, _BELOW, _LEFT = 960, 260, 70, 44
# Okabe and Ito's colours, told apart by all eyes; jobs take them in turn.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; }} td, th {{ padding: .2rem .8rem; text-align: right; }}
td:first-child, th:first-child {{ text-align: left; }} tr:nth-child(even) {{ background: #f4f4f4; }}
svg {{ width: 100%; height: auto; }} svg text {{ font: 12px system-ui, sans-serif; fill: #444; }}
</style></head><body>
<h1>{title}</h1>
<p>{summary}</p>
{chart}
{table}
<p>Changes cost: start {costs.start_s:g} s, growth {costs.grow_s:g} s, pause {costs.pause_s:g} s.</p>
</body></html>
"""


def html_report(outcome: Outcome, costs: Costs) -> str:
    """Draw an outcome.

    Args:
        outcome: What came of a trace.
        costs: What changes of size cost in it.

    Returns:
        The page.
    """
    rows = [
        (job.name, f"{job.arrival_s:.0f}", f"{job.priority:g}", f"{job.demand}", f"{job.queueing_s:.0f}",
         f"{job.completion_s:.0f}", f"{job.slowdown:.2f}", f"{job.resizes}")
        for job in outcome.jobs
    ]  # fmt: skip
    head = ("job", "arrival s", "priority", "demand", "queueing s", "completion s", "slowdown", "resizes")
    return _PAGE.format(
        title=escape(f"{outcome.trace} under {outcome.policy}"),
        summary=escape(outcome.summary),
        chart=_chart(outcome),
        table=_table(head, rows),
        costs=costs,
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f"<table><tr>{heads}</tr>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _chart(outcome: Outcome) -> str:
    """Stack the jobs' devices over time, and draw below how many are in use."""
    total = sum(outcome.devices.values())
    begin = min(job.arrival_s for job in outcome.jobs)
    across, up = (_WIDTH - _LEFT) / outcome.makespan_s, _HEIGHT / total
    colours = {job.name: _COLOURS[at % len(_COLOURS)] for at, job in enumerate(outcome.jobs)}
    parts = []
    for start, end, sizes in _spans(outcome):
        x, width, below = _LEFT + (start - begin) * across, (end - start) * across, 0
        for name, devices in sizes:
            y = _HEIGHT - (below + devices) * up
            parts.append(
                f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{devices * up:.2f}" '
                f'fill="{colours[name]}"><title>{escape(name)}: {devices}</title></rect>'
            )
            below += devices
        high = below / total * (_BELOW - 20)
        y = _HEIGHT + _BELOW - high
        parts.append(f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{high:.2f}" fill="#888"/>')
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + _BELOW + 24}" role="img" aria-label="allocation over time">'
        + "".join(parts)
        + f'<text x="0" y="12">{total}</text><text x="0" y="{_HEIGHT}">0</text>'
        + f'<text x="0" y="{_HEIGHT + _BELOW}">in use</text>'
        + f'<text x="{_LEFT}" y="{_HEIGHT + _BELOW + 18}">0 s</text>'
        + f'<text x="{_WIDTH}" y="{_HEIGHT + _BELOW + 18}" text-anchor="end">{outcome.makespan_s:.0f} s</text></svg>'
    )


def _spans(outcome: Outcome) -> list[tuple[float, float, list[tuple[str, int]]]]:
    """List (from, to, who has how many) between changes, jobs in the order of the trace."""
    now = dict.fromkeys((job.name for job in outcome.jobs), 0)
    times: dict[float, list[tuple[str, int]]] = {}
    for change in outcome.changes:
        now[change.job] = change.devices
        times[change.time] = [(name, devices) for name, devices in now.items() if devices]
    return [(start, end, times[start]) for start, end in pairwise(sorted(times))]
