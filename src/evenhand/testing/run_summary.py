"""The section that ends a test run in which something was judged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

MOST = 20
"""Lines shown without --verbose."""


def write_summary(reporter: pytest.TerminalReporter, reports: Iterable[Any]) -> None:
    """A line for each scorecard, test by test."""
    lines = [f"{text}  {test}" for test, texts in _judged(reports).items() for text in texts]
    reporter.section("evenhand", "=")
    shown = lines if reporter.verbosity > 0 else lines[:MOST]
    for line in shown:
        reporter.write_line(line)
    hidden = f"; {len(lines) - len(shown)} more with --verbose" if len(shown) < len(lines) else ""
    reporter.write_line(f"{len(lines)} judged{hidden}")


def _judged(reports: Iterable[Any]) -> dict[str, list[str]]:
    """The lines of each test. A test has a report for each of its phases, and the later ones repeat the earlier."""
    judged: dict[str, list[str]] = {}
    for report in reports:
        texts = [text for name, text in getattr(report, "user_properties", ()) if name == "evenhand"]
        if len(texts) > len(judged.get(report.nodeid, ())):
            judged[report.nodeid] = texts
    return judged
