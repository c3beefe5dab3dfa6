"""A suite's decision as a reader sees it, whole: sentences, table, document, and the picture on the page."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.decisions.suite_run import SuiteRun
from evenhand.reports.comparison.decision import chance_text
from evenhand.reports.exchange.result_rows import result_rows
from evenhand.work.agent_run import CaseResult, RunId

RUN = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 40, notes=("a note",))


@pytest.mark.parametrize(
    ("p_value", "text"),
    [(None, "-"), (0.0, "below 0.001"), (0.00049, "below 0.001"), (0.0005, "0.001"), (0.25, "0.250"), (1.0, "1.000")],
)
def test_a_probability_is_never_shown_as_zero(p_value: float | None, text: str):
    """0.0005 is the smallest that rounds to 0.001."""
    assert chance_text(p_value) == text


def test_a_row_for_each_run_has_points_and_the_reason_there_are_none():
    """Hundredths become points; what is unknown stays empty."""
    scored = CaseResult(
        RunId("c", "new", 2),
        "finished",
        final=725,
        dimensions=(("safety", 650), ("clarity", None)),
        met=3,
        expectations=4,
        seconds=Decimal("1.5"),
        cost=Decimal("0.25"),
        evaluation="e-1",
    )
    first, second = result_rows([scored, CaseResult(RunId("c", "new", 3), "finished", unscored="nobody read it")])
    assert (first["id"], first["score"], first["safety"], first["clarity"]) == ("e-1", 7.25, 6.5, None)
    assert (first["seconds"], first["cost"], first["met"], first["expectations"]) == (1.5, 0.25, 3, 4)
    assert (second["id"], second["score"], second["reason"]) == ("c/new/3", None, "nobody read it")
    assert (second["seconds"], second["cost"], second["skill"]) == (None, None, "new")


# --- the page
