"""A scorecard as HTML for notebooks: the grade, a bar for each dimension, the arithmetic. Self-contained and escaped.

Colours are of middle brightness and text keeps the page's own, so that light and dark notebooks both can show it.
"""

from __future__ import annotations

from html import escape

from evenhand.core.values import Scorecard
from evenhand.reports.advice import TITLE, AdviceRow
from evenhand.reports.document import CardReport, DimensionRow, card_report
from evenhand.work.printable import printable

_COLOURS = {True: "#2e8b57", False: "#c0504d", None: "#8a8a8a"}
"""By whether it passes; None when that is undecided."""

_NUMBERS = "text-align:right;font-variant-numeric:tabular-nums"


def scorecard_html(card: Scorecard) -> str:
    """One block of HTML without scripts, style sheets or anything to load."""
    report = card_report(card)
    colour = _COLOURS[report.passed]
    rows = "".join(_row(row, colour) for row in report.rows)
    return (
        '<div style="font-family:sans-serif;max-width:42em;line-height:1.4">'
        f'<p style="margin:0"><b style="font-size:1.6em;color:{colour}">{_text(report.letter)}</b> '
        f"<b>{_text(report.headline)}</b></p>"
        f'<p style="margin:0;opacity:.75">{_text(report.skill)} &middot; {_text(report.verdict)}</p>'
        f'<table style="border-collapse:collapse;margin:.5em 0">{rows}</table>'
        f'{_flagged(report)}{_claims(report)}<p style="margin:0">{_text(report.arithmetic)}</p>{_advice(report)}'
        f"{_warnings(report)}</div>"
    )


def _row(row: DimensionRow, colour: str) -> str:
    width = 0 if row.share is None else round(row.share * 100)
    bar = f'<div style="background:{colour};width:{width}%;height:.7em"></div>'
    return (
        f'<tr title="{_text(row.says)}"><td style="text-align:left">{_text(row.name)}</td>'
        f'<td style="width:12em;text-align:left"><div style="background:#8a8a8a40">{bar}</div></td>'
        f'<td style="{_NUMBERS}">{_text(row.score)}</td><td style="{_NUMBERS};opacity:.75">{_text(row.sum)}</td>'
        f'<td style="text-align:left;opacity:.75">{_text(row.mean)}</td></tr>'
    )


def _claims(report: CardReport) -> str:
    lines = [
        f"<li>{_text(claim.amount)} {claim.kind} <b>{_text(claim.id)}</b>: {_text(claim.description)}</li>"
        for claim in report.claims
    ]
    return f'<ul style="margin:.5em 0">{"".join(lines)}</ul>' if lines else ""


def _flagged(report: CardReport) -> str:
    lines = [f"<li><b>{_text(line)}</b></li>" for line, _ in report.flagged]
    return f'<ul style="margin:.5em 0">{"".join(lines)}</ul>' if lines else ""


def _advice(report: CardReport) -> str:
    rows = [f"<li><b>{_text(row.title)}</b>: {_text(row.effect)}{_reasons(row)}</li>" for row in report.advice.rows]
    return f'<p style="margin:.5em 0 0">{TITLE}:</p><ol style="margin:0">{"".join(rows)}</ol>' if rows else ""


def _reasons(row: AdviceRow) -> str:
    return "".join(f'<div style="opacity:.75">{_text(f"{label}: {text}")}</div>' for label, text in row.lines)


def _warnings(report: CardReport) -> str:
    lines = [f"<li>{_text(warning)}</li>" for warning in report.warnings]
    return f'<ul style="margin:.5em 0;opacity:.75">{"".join(lines)}</ul>' if lines else ""


def _text(text: str) -> str:
    """Text from outside, as HTML may hold it."""
    return escape(printable(text))
