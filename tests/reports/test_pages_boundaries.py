"""Estimates, calibrations and judged texts at the boundaries of what pages and reports say about them."""

from __future__ import annotations

import pytest

from evenhand.core.finding import Place
from evenhand.reports.charts import MARGIN, SIDE, square_x, square_y
from evenhand.reports.html.texts.judged_text import judged_text
from evenhand.reports.trust.estimates import estimate_lines
from evenhand.stats.trust.estimated import Estimated
from evenhand.stats.trust.estimates import Estimate
from evenhand.stats.trust.pass_rate import PassRate
from evenhand.work.submission import Event, Submission, ToolCall
from report_formats import estimate_page


def estimate(low: float, high: float) -> Estimate:
    """An interval, whatever it was made from."""
    return Estimate((low + high) / 2, low, high, 0.95, 30, 70, 0.5, 7.25, (7.0, 6.5, 7.5), (low, high))


RATE = PassRate(0.8, 0.7, 0.9, 0.95, 0.85, 0.9, 0.6, beyond=(0.7, 0.9))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.0, 1.0, "no difference shown"),
        (0.01, 1.0, "people would see a difference"),
        (-1.0, 0.0, "no difference shown"),
        (-1.0, -0.01, "people would see a difference"),
        (-1.0, 1.0, "no difference shown"),
    ],
)
def test_a_difference_is_shown_by_an_interval_without_zero(low: float, high: float, words: str):
    """An interval that ends at exactly zero holds it."""
    lines = estimate_lines(Estimated("difference", "a less b", estimate(low, high), 30, 70, None, None))
    assert (
        lines[0]
        == f"a less b: people would see a difference of {(low + high) / 2:+.2f}, 95% interval {low:+.2f} to {high:+.2f}"
    )
    assert lines[3] == words


@pytest.mark.parametrize(
    ("result", "precision", "needed", "plan"),
    [
        (estimate(6, 8), None, None, None),
        (estimate(6, 8), 0.25, 120, "for plus or minus 0.25: 120 labels in all"),
        (RATE, 0.05, 120, "for plus or minus 5%: 120 labels in all"),
        (
            RATE,
            0.05,
            None,
            "for plus or minus 5%: not even labels for all of them would do; judge and label more outputs",
        ),
    ],
)
def test_an_estimate_says_what_it_was_made_from_and_what_more_would_take(result, precision, needed, plan):
    """The plan is there when a precision is asked for."""
    lines = estimate_lines(Estimated("mean", "a", result, 30, 70, precision, needed))
    made_from = "from 30 labelled and 70 other judged outputs"
    assert lines[lines.index(made_from) :] == [made_from, *([plan] if plan else [])]


@pytest.mark.parametrize(
    ("what", "result", "shown"),
    [
        ("mean", estimate(6, 8), "7.00 (6.00 to 8.00)"),
        ("difference", estimate(6, 8), "+7.00 (+6.00 to +8.00)"),
        ("pass-rate", RATE, "80.0% (70.0% to 90.0%)"),
    ],
)
def test_a_page_shows_an_estimate_in_its_own_unit(what, result, shown):
    """Points, points with their sign, or percent."""
    assert shown in estimate_page(Estimated(what, "a", result, 30, 70, None, None))


def test_a_calibration_is_drawn_from_corner_to_corner():
    """1 is at the lower left and 10 at the upper right; a point is a ninth of the way, to a tenth of a unit."""
    assert (square_x(1), square_y(1), square_x(10), square_y(10)) == (MARGIN, SIDE - MARGIN, SIDE - MARGIN, MARGIN)
    assert (square_x(2), square_y(2)) == (63.6, 256.4)  # 36 + 248 / 9 = 63.56


@pytest.mark.parametrize(("lines", "folded"), [(16, False), (17, True)])
def test_a_result_of_more_than_sixteen_lines_is_folded(lines: int, folded: bool):
    """An argument is not, however long."""
    text = "\n".join("x" for _ in range(lines))
    call = Event("tool_call", "assistant", "", Place("run.jsonl", 1), ToolCall("read", {"path": text}, "", text))
    (event,) = judged_text(Submission(output="Done.", events=(call,)), []).events
    assert [part.folded for part in event.parts] == [False, folded]
