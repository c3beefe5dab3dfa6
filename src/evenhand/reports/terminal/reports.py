"""Reports on a terminal, with rich: 60 columns or 120, with or without colour, wide characters or plain ASCII."""

from __future__ import annotations

from rich.console import Console

from evenhand.core.scorecard import Scorecard
from evenhand.in_words import counted
from evenhand.reports.cases import UNNAMED, case_name
from evenhand.reports.panel import marked_grade
from evenhand.reports.terminal.pieces import WIDEST, Text, cut, grade_colour


def print_card_line(card: Scorecard, console: Console, name: str = "") -> None:
    """Print one scorecard of many on one line, under its name or one made for it."""
    grade = marked_grade(card)
    final = f"{card.final}" if card.final is not None else "unscored"
    marks = f"!{len(card.warnings)}" if card.warnings else ""
    flags = counted(len(card.red_flags), "flag") if card.red_flags else ""
    width = min(console.width, WIDEST)
    name = name or case_name(card)
    name = name if card.skill == UNNAMED else f"{card.skill}  {name}"
    expected = () if card.checked is None else card.checked.expectations
    met = f"  {sum(expectation.result == 'met' for expectation in expected)}/{len(expected)} met" if expected else ""
    console.print(
        Text.assemble(
            (f" {grade:<3}", f"bold {grade_colour(grade)}"),
            (f"{final:>8}  ", "bold"),
            cut(name, max(10, width - 35 - len(met))),
            (f"  {flags:<7}", "red"),
            (f" {marks:<3}", "yellow"),
            {True: ("  pass", "green"), False: ("  fail", "red"), None: ("  open", "magenta")}[card.passed],
            met,
        ),
        no_wrap=True,
        overflow="crop",
    )
