"""Calibrations in words: on a scorecard, and on their own. Pure."""

from __future__ import annotations

from decimal import Decimal

from evenhand.core.curve import CalibratedScore, Calibration
from evenhand.core.scorecard import RawResult, Scorecard
from evenhand.reports.tree import Column, Drawing, Head, Line, Node, Report, Row, Section, Table
from evenhand.reports.trust.judge_uses import answers_in_short, uses_lines


def calibration_lines(card: Scorecard) -> tuple[str, ...]:
    """Which score is official where the rubric says so, what people would give, and how sure that is."""
    calibration = card.calibration
    lines = [official_line(card)] if card.official is not None else []
    if calibration is None:
        return tuple(lines)
    final = calibration.scores.get("final")
    if final is not None:
        lines.append(
            f"people would give {final.value}, {_percent(calibration.confidence)} of the time between {final.low} and "
            f"{final.high} (learned from {calibration.labels} labelled outputs)"
        )
    elif "final" in calibration.left_out:
        lines.append(f"no final score: {calibration.left_out['final']}")
    if calibration.uses:
        lines.append(f"its judge can be used {answers_in_short(calibration.uses)}")
    dimensions = [f"{name} {_with_interval(score)}" for name, score in calibration.scores.items() if name != "final"]
    if dimensions:
        lines.append(f"by dimension: {', '.join(dimensions)}")
    return tuple(lines)


def official_line(card: Scorecard) -> str:
    """Both scores where the rubric makes the calibrated one official, and which of them counts."""
    assert card.official is not None
    raw = _result(card.official.raw)
    if card.no_official is not None:
        return f"no official score; the raw score is {raw}"
    return f"the calibrated score is official: {_result(card)}; the raw score is {raw}"


def _result(result: Scorecard | RawResult) -> str:
    interval = result.interval
    span = f"{result.final}" if interval is None else f"between {interval.low} and {interval.high}"
    return f"{span} ({result.grade.letter})" if result.grade else span


def calibration_report(calibration: Calibration) -> Report:
    """What it holds for in words, then every curve with its errors, that of the final score drawn."""
    title = f"Calibration of {calibration.judge['name']} with rubric {calibration.rubric}"
    confidence = next(iter(calibration.curves.values())).confidence
    numbers = ("labels", "judge's bias", "error before", "error after", f"{confidence:.0%} within")
    rows = tuple(
        Row(
            (
                field,
                curve.method,
                str(curve.labels),
                f"{curve.bias:+.2f}",
                f"{curve.raw_error:.2f}",
                f"{curve.error:.2f}",
                f"{curve.reach:.2f}",
            )
        )
        for field, curve in calibration.curves.items()
    )
    columns = (Column("score"), Column("method"), *(Column(name, right=True) for name in numbers))
    from evenhand.reports.charts import curve_chart  # a scorecard takes only lines from here

    final = calibration.curves.get("final")
    nodes: list[Node] = [Head(title=title), *map(Line, summary_lines(calibration))]
    drawings = () if final is None else (Drawing("curve_chart", curve_chart("final", final)),)
    nodes.append(Section(title="Curves", nodes=(Table(columns, rows), *drawings)))
    return Report(title, tuple(nodes))


def summary_lines(calibration: Calibration) -> tuple[str, ...]:
    """A calibration on its own: what it holds for, and each curve with its error."""
    confidence = next(iter(calibration.curves.values())).confidence
    lines = [
        f"{calibration.judge['name']} with rubric {calibration.rubric}, labelled by "
        f"{', '.join(calibration.raters) or 'people who are not named'}",
    ]
    for field, curve in calibration.curves.items():
        direction = "too high" if curve.bias > 0 else "too low"
        lines.append(
            f"{field}: {curve.labels} labels, {curve.method}; the judge is {abs(curve.bias):.2f} points {direction} on "
            f"average; mean error {curve.raw_error:.2f} before, {curve.error:.2f} after (cross-validated); "
            f"{confidence:.0%} of labels within {curve.reach:.2f}; one score for every output would be off by "
            f"{curve.constant_error:.2f}"
        )
        if curve.error > curve.raw_error:
            lines.append(f"{field}: calibrating raises the error: use the judge's own scores")
    if calibration.clusters is not None:
        lines.append(f"the labelled outputs come from {calibration.clusters} cases or tasks, left out whole by turns")
    lines += [f"{field}: not calibrated: {reason}" for field, reason in calibration.left_out.items()]
    return (*uses_lines(calibration.uses), *lines)


def _with_interval(score: CalibratedScore) -> str:
    return f"{score.value} ({score.low} to {score.high})"


def _percent(share: Decimal) -> str:
    return f"{share:.0%}"
