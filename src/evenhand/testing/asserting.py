"""Requirements on a scorecard -> nothing, or an AssertionError that shows the scorecard and its quotes."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from shutil import get_terminal_size
from typing import Any

from evenhand.core.text.printable import printable
from evenhand.core.values.scorecard import Scorecard
from evenhand.evaluations.gate import shortcomings

WIDEST = 100
MARGIN = 8
"""What pytest puts before each line of an assertion's message."""


def assert_requirements(card: Scorecard, required: Mapping[str, Any]) -> None:
    """Raise AssertionError if the scorecard misses a requirement, or if that cannot be told."""
    __tracebackhide__ = True
    reasons = shortcomings(card, required)
    if reasons:
        raise AssertionError("\n".join((*map(printable, reasons), "", scorecard_text(card))))


def scorecard_text(card: Scorecard) -> str:
    """A scorecard with its reasons and quotes, as plain text."""
    from rich.console import Console

    from evenhand.reports.terminal.reports import print_scorecard
    from evenhand.rubrics.resolved import rubric_used

    text = StringIO()
    width = min(WIDEST, get_terminal_size().columns - MARGIN)
    console = Console(file=text, width=width, color_system=None, highlight=False, emoji=False)
    print_scorecard(card, console, rubric=rubric_used(card))
    return printable("\n".join(line.rstrip() for line in text.getvalue().splitlines()))
