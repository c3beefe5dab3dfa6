"""A comparison to and from the `history` field of a scorecard's document. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from evenhand.core.basics.canonical import quoted
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.values.comparison import Change, Comparison, DimensionComparison, Drift

_SORTED = sorted(DIMENSIONS)
_PLAIN = 0.0001
"""Four digits of a number from here up to 1 are written without an exponent."""


def history_json(comparison: Comparison) -> str:
    """The published shape (`shapes.HistoryDocument`) as canonical text: four decimals, and four digits of a
    strength."""
    left_out = f'"left_out":{comparison.left_out},' if comparison.left_out else ""
    changes = "" if comparison.changes is None else f'"changes":[{",".join(map(_change, comparison.changes))}],'
    dimensions = comparison.dimensions
    lines = [f'"{name}":{_dimension(dimensions[name])}' for name in _SORTED if name in dimensions]
    return (
        f'{{{changes}"dimensions":{{{",".join(lines)}}},"drift":{_drift(comparison.drift)},'
        f'"flags":[{",".join(map(quoted, comparison.flags))}],{left_out}"n":{comparison.n},'
        f'"other_judge":{comparison.other_judge},"other_rubric":{comparison.other_rubric}}}'
    )


def _change(change: Change) -> str:
    return f'{{"after":{quoted(change.after)},"before":{quoted(change.before)},"what":{quoted(change.what)}}}'


def _dimension(line: DimensionComparison) -> str:
    mean, deviation, delta, flagged, provisional, reason, strength = line
    spread = "null" if deviation is None else _short(deviation)
    likely = "null" if strength is None else f"{strength:.4g}" if strength >= _PLAIN else _significant(strength)
    return (
        f'{{"delta":{_rounded(delta)},"deviation":{spread},"flagged":{"true" if flagged else "false"},'
        f'"mean":{_rounded(mean)},"provisional":{"true" if provisional else "false"},'
        f'"reason":{_reason(reason)},"strength":{likely}}}'
    )


def _drift(drift: Drift | None) -> str:
    if drift is None:
        return "null"
    alarm, baseline, deviation, average, limit, since = drift
    return (
        f'{{"alarm":{"true" if alarm else "false"},"average":{_short(average)},"baseline":{_rounded(baseline)},'
        f'"deviation":{_rounded(deviation)},"limit":{_rounded(limit)},"since":{since}}}'
    )


_reason = lru_cache(maxsize=64)(quoted)
"""A few reasons recur."""


def _short(value: float) -> str:
    """A number with four decimals at most; a whole one without a point, as everywhere."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


_rounded = lru_cache(maxsize=4096)(_short)
"""For numbers that recur, such as means."""


def _significant(value: float) -> str:
    """Four significant digits, so that a small probability does not look like zero."""
    return repr(round(float(f"{value:.4g}"), 12) or 0)


def history_from(document: Any, where: str = "history") -> Comparison:
    """A comparison from its published form."""
    from evenhand.core.documents.records import record_from  # `score` writes comparisons and reads none

    comparison = record_from(Comparison, document, "scorecard", where)
    known = {name: comparison.dimensions[name] for name in DIMENSIONS if name in comparison.dimensions}
    return comparison._replace(dimensions=known)
