"""A comparison as the `history` of a scorecard's document, and back again. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.core.consistency import Comparison, DimensionComparison, Drift
from evenhand.core.methodology import DIMENSIONS


def history_document(comparison: Comparison) -> dict[str, Any]:
    """The published shape (`shapes.HistoryDocument`): four decimals, and four digits of a strength."""
    return {
        "n": comparison.n,
        "flags": list(comparison.flags),
        "other_rubric": comparison.other_rubric,
        "other_judge": comparison.other_judge,
        "dimensions": {
            name: {
                **line._asdict(),
                "mean": _rounded(line.mean),
                "deviation": _rounded(line.deviation),
                "delta": _rounded(line.delta),
                "strength": None if line.strength is None else _significant(line.strength),
            }
            for name, line in comparison.dimensions.items()
        },
        "drift": None
        if comparison.drift is None
        else {
            name: _rounded(value) if isinstance(value, float) else value
            for name, value in comparison.drift._asdict().items()
        },
    }


def _rounded(value: float | None, places: int = 4) -> int | float | None:
    """A number as JSON shows it; whole ones without a point, as everywhere."""
    if value is None:
        return None
    rounded = round(value, places)
    return int(rounded) if rounded == int(rounded) else rounded


def _significant(value: float) -> int | float:
    """Four digits that count, so that a small probability does not look like none."""
    return _rounded(float(f"{value:.4g}"), 12) or 0


def history_from(document: Mapping[str, Any]) -> Comparison:
    """A comparison from what was published of it."""
    drift = document.get("drift")
    lines = document["dimensions"]
    return Comparison(
        n=int(document["n"]),
        dimensions={
            name: DimensionComparison(
                mean=float(line["mean"]),
                deviation=None if line["deviation"] is None else float(line["deviation"]),
                delta=float(line["delta"]),
                flagged=bool(line["flagged"]),
                provisional=bool(line["provisional"]),
                reason=str(line["reason"]),
                strength=None if line["strength"] is None else float(line["strength"]),
            )
            for name, line in ((name, lines[name]) for name in DIMENSIONS if name in lines)
        },
        other_rubric=int(document["other_rubric"]),
        other_judge=int(document["other_judge"]),
        drift=None
        if drift is None
        else Drift(
            alarm=bool(drift["alarm"]),
            baseline=float(drift["baseline"]),
            deviation=float(drift["deviation"]),
            average=float(drift["average"]),
            limit=float(drift["limit"]),
            since=int(drift["since"]),
        ),
    )
