"""Runs of anchors in words and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.files import codec
from evenhand.in_words import counted
from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.tree import Drawing, Head, Line, Node, Report, Section
from evenhand.stats.trust.anchor_drift import LEAST_ANCHORS, LEVEL, MARGIN, AnchorReport, Movement

SCHEMA = "evenhand/anchor-run/v1"


def anchors_report(set_name: str, runs: Sequence[AnchorReport]) -> Report:
    """The runs of a set, given oldest first: of each judge the newest with a drawing, then the earlier ones."""
    title = f"Anchors of {set_name}"
    if len(runs) == 1:
        first, *rest = run_lines(runs[0])
        return Report(title, (Head(title=first), *map(Line, rest), *_drawing(runs[0].moved)))
    newest = {run.judge["name"]: run for run in runs}
    nodes: list[Node] = [Head(title=title)]
    for name, run in newest.items():
        earlier = [run_lines(entry)[0] for entry in reversed(runs) if entry.judge["name"] == name][1:]
        below: tuple[Node, ...] = (*map(Line, run_lines(run)), *_drawing(run.moved))
        if earlier:
            below = (*below, Section(title="Earlier runs", nodes=tuple(map(Line, earlier))))
        nodes.append(Section(title=name, nodes=below))
    if not newest:
        nodes.append(Line("Not judged yet."))
    return Report(title, tuple(nodes))


def _drawing(moved: Sequence[Movement]) -> tuple[Node, ...]:
    measured = [
        Measured(entry.field, entry.mean, entry.low, entry.high, f"{entry.mean:+.2f}{' moved' if entry.alarm else ''}")
        for entry in moved
        if entry.mean is not None and entry.low is not None and entry.high is not None
    ]
    caption = "Change in points since the reference, with its interval"
    return (Drawing("interval_chart", interval_chart(measured, reference=0.0, caption=caption)),) if measured else ()


def run_lines(run: AnchorReport) -> list[str]:
    """One run: whether the judge moved first, then each field, then what changed about the judge."""
    head = f"{run.judge['name']} on {counted(run.anchors, 'anchor')} of {run.set_name}, {run.created[:10]}"
    if run.reference is None:
        return [f"{head}: the first judging; later runs are compared with it", *_too_few(run.anchors)]
    alarms = [f"{movement.field} by {movement.mean:+.2f}" for movement in run.moved if movement.alarm]
    verdict = f"the judge moved: {', '.join(alarms)}" if alarms else "no move is shown"
    lines = [f"{head}: {verdict} (since {run.reference[:10]})"]
    lines += [f"  {_line(movement)}" for movement in run.moved]
    gathered = [f"{movement.field} by {movement.mean:+.2f}" for movement in run.gathered if movement.alarm]
    if gathered:
        lines.append(f"over all runs, later half against earlier: the judge moved: {', '.join(gathered)}")
    lines += [f"changed since then: {change}" for change in run.changes]
    lines += _too_few(max((movement.anchors for movement in run.moved), default=0))
    if alarms or gathered:
        lines.append("calibrate the judge again, or replace it; until then a skill's drift cannot be told from its own")
    return lines


def _line(movement: Movement) -> str:
    if movement.mean is None:
        return f"{movement.field}: no anchor has a score both times"
    span = "" if movement.low is None else f" ({movement.low:+.2f} to {movement.high:+.2f})"
    missing = f", {movement.missing} without a score" if movement.missing else ""
    mark = "; MOVED" if movement.alarm else ""
    return f"{movement.field}: {movement.mean:+.2f}{span} over {counted(movement.anchors, 'anchor')}{missing}{mark}"


def _too_few(anchors: int) -> list[str]:
    if anchors >= LEAST_ANCHORS:
        return []
    return [
        f"too few to tell: an alarm needs {LEAST_ANCHORS} anchors with scores; add some: evenhand trust anchors add"
    ]


def run_document(run: AnchorReport) -> dict[str, Any]:
    """A run as JSON."""
    return codec.document(run, SCHEMA) | {"level": LEVEL, "margin": MARGIN}


def drift_note(judge: str, raised: str, says: str) -> str:
    """What a history says about an alarm that may be the judge's."""
    return (
        f"DRIFT is not told apart from the judge's own drift: anchors show that {judge} moved ({says}, "
        f"{raised[:10]}); calibrate it again or replace it"
    )
