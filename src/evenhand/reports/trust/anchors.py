"""Runs of anchors in words and as JSON. Pure."""

from __future__ import annotations

from typing import Any

from evenhand.decisions.sets.anchor_drift import LEAST_ANCHORS, LEVEL, MARGIN, AnchorReport, Movement
from evenhand.files.records import document_of
from evenhand.in_words import counted

SCHEMA = "evenhand/anchor-run/v1"


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
    return document_of(run, SCHEMA) | {"level": LEVEL, "margin": MARGIN}


def drift_note(judge: str, raised: str, says: str) -> str:
    """What a history says about an alarm that may be the judge's."""
    return (
        f"DRIFT is not told apart from the judge's own drift: anchors show that {judge} moved ({says}, "
        f"{raised[:10]}); calibrate it again or replace it"
    )
