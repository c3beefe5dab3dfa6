"""Drawings of trust: every line and mark at its place, so that a picture says what the numbers do."""

from __future__ import annotations

import pytest

from evenhand.core.curve import Curve
from evenhand.reports.charts import Measured, curve_chart
from evenhand.reports.report_file import _columns, _is_table
from evenhand.reports.trust import anchors
from evenhand.stats.trust.anchor_drift import Movement

CURVE = Curve("shift", ((3.0, 2.0), (9.0, 8.0)), 3.0, 9.0, 60, 1.0, 1.0, 0.2, 0.5, 0.9, 1.5)


def test_a_calibration_is_drawn_between_the_labelled_scores_with_its_interval():
    """248 pixels for 9 points from 36 on: 3 is at 91.1, 9 at 256.4, and people's 2 at 320 - 63.6 from above."""
    drawing = curve_chart("final", CURVE)
    assert drawing.side == 320
    assert drawing.ticks[0] == (36.0, 284.0, "1") and drawing.ticks[-1] == (284.0, 36.0, "10")
    assert len(drawing.ticks) == 10
    first, last = drawing.curve[0], drawing.curve[-1]
    assert (first[:2], last[2:]) == ((91.1, 256.4), (256.4, 91.1))
    assert len(drawing.curve) == 40 and len(drawing.bounds) == 80
    below, above = drawing.bounds[0], drawing.bounds[40]
    assert (below[:2], above[:2]) == ((91.1, 270.2), (91.1, 242.7))  # half a point: 13.8 pixels
    assert drawing.label == "final: the judge's 3.00 is people's 2.00, its 9.00 is 8.00"


def test_a_chart_of_anchors_has_the_fields_that_can_be_told_and_marks_what_moved(monkeypatch: pytest.MonkeyPatch):
    drawn: list[tuple[list[Measured], float]] = []
    monkeypatch.setattr(
        anchors,
        "interval_chart",
        lambda measured, *, reference, caption: drawn.append((measured, reference)) or caption,
    )
    moved = [
        Movement("final", 8, 0, -1.25, -2.0, -0.5, 0.01, True),
        Movement("safety", 8, 0, 0.5, -0.5, 1.5, 0.4, False),
        Movement("efficiency", 1, 7, 0.5, None, None, None, False),
        Movement("consistency", 0, 8, None, None, None, None, False),
    ]
    (node,) = anchors._drawing(moved)
    assert node.chart == "Change in points since the reference, with its interval"
    assert drawn == [
        ([Measured("final", -1.25, -2.0, -0.5, "-1.25 moved"), Measured("safety", 0.5, -0.5, 1.5, "+0.50")], 0.0)
    ]
    assert anchors._drawing(moved[2:]) == ()


def test_a_table_of_ours_is_known_by_all_of_its_columns_in_the_footer():
    """The last eight bytes: the footer's length, and the mark of Parquet."""
    names = "".join(_columns()).encode()

    def tail(footer: bytes, before: bytes = b"rows", mark: bytes = b"PAR1") -> bytes:
        return before + footer + len(footer).to_bytes(4, "little") + mark

    assert _is_table(tail(names))
    assert not _is_table(tail(names, mark=b"PAR2"))
    assert not _is_table(tail(names.replace(_columns()[0].encode(), b"")))
    assert not _is_table(tail(b"other", before=names)), "the names of columns must be in the footer"
