"""A scorecard as HTML for notebooks: the grade, a bar for each dimension, the arithmetic. Self-contained and escaped.

Colours are of middle brightness and text keeps the page's own, so that light and dark notebooks both can show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Award, Deduction, Scorecard
from evenhand.reports.advice import TITLE, AdviceRow, advice_report
from evenhand.reports.history import flag_lines
from evenhand.reports.scorecard import arithmetic, bars, grade_words, headline, verdict
from evenhand.reports.tree import Bar
from evenhand.work.printable import printable

_COLOURS = {True: "#2e8b57", False: "#c0504d", None: "#8a8a8a"}
"""By whether it passes; None when that is undecided."""

_NUMBERS = "text-align:right;font-variant-numeric:tabular-nums"


def scorecard_html(card: Scorecard, rubric: Rubric | None = None) -> str:
    """One block of HTML without scripts, style sheets or anything to load."""
    colour = _COLOURS[card.passed]
    rows = "".join(_row(bar, colour) for bar in bars(card).rows)
    advice = [
        f"<b>{_text(row.title)}</b>: {_text(row.effect)}{_reasons(row)}" for row in advice_report(card, rubric).rows
    ]
    claims = [f"{_text(f'-{flag.deduction}')} red flag {_claim(flag)}" for flag in card.red_flags]
    claims += [f"{_text(f'+{award.bonus}')} bonus {_claim(award)}" for award in card.bonuses]
    flagged = [f"<b>{_text(line)}</b>" for line, _ in (flag_lines(card.history) if card.history is not None else ())]
    return (
        '<div style="font-family:sans-serif;max-width:42em;line-height:1.4">'
        f'<p style="margin:0"><b style="font-size:1.6em;color:{colour}">{_text(grade_words(card))}</b> '
        f"<b>{_text(headline(card))}</b></p>"
        f'<p style="margin:0;opacity:.75">{_text(card.skill)} &middot; {_text(verdict(card))}</p>'
        f'<table style="border-collapse:collapse;margin:.5em 0">{rows}</table>'
        f'{_list("ul", flagged)}{_list("ul", claims)}<p style="margin:0">{_text(arithmetic(card))}</p>'
        f"{_list('ol', advice, f'{TITLE}:')}{_list('ul', list(map(_text, card.warnings)))}</div>"
    )


def _row(bar: Bar, colour: str) -> str:
    width = round(bar.width) if bar.known else 0
    filled = f'<div style="background:{colour};width:{width}%;height:.7em"></div>'
    return (
        f'<tr title="{_text(bar.says)}"><td style="text-align:left">{_text(bar.name)}</td>'
        f'<td style="width:12em;text-align:left"><div style="background:#8a8a8a40">{filled}</div></td>'
        f'<td style="{_NUMBERS}">{_text(bar.score)}</td><td style="{_NUMBERS};opacity:.75">{_text(bar.sum)}</td>'
        f'<td style="text-align:left;opacity:.75">{_text(bar.compared)}</td></tr>'
    )


def _claim(claim: Deduction | Award) -> str:
    return f"<b>{_text(claim.id)}</b>: {_text(claim.description)}"


def _list(tag: str, entries: Sequence[str], title: str = "") -> str:
    """Escaped entries as a list; nothing where there are none."""
    if not entries:
        return ""
    head = f'<p style="margin:.5em 0 0">{title}</p>' if title else ""
    return f'{head}<{tag} style="margin:.5em 0">{"".join(f"<li>{entry}</li>" for entry in entries)}</{tag}>'


def _reasons(row: AdviceRow) -> str:
    return "".join(f'<div style="opacity:.75">{_text(f"{label}: {text}")}</div>' for label, text in row.lines)


def _text(text: str) -> str:
    """Text from outside, as HTML may hold it."""
    return escape(printable(text))
