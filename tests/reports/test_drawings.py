"""Drawings of trust: every line and mark at its place, so that a picture says what the numbers do."""

from __future__ import annotations

import re

import pytest

from evenhand.core.trust.anchor_drift import Movement
from evenhand.core.trust.sample_curve import CurvePoint
from evenhand.core.values.calibration import Curve
from evenhand.reports.html import anchors, calibration
from evenhand.reports.html.interval_chart import Measured
from evenhand.reports.report_file import _columns, _is_table
from evenhand.reports.trust.sample_curve import curve_drawing


def point(judge: str, samples: int, share: float, cost: float | None = None, way: str = "mean") -> CurvePoint:
    return CurvePoint(judge, way, samples, float(samples), cost, 1, 10, share, share - 0.1, share + 0.1)


def places(svg: str) -> list[tuple[str, str]]:
    return re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)


def test_a_curve_is_drawn_over_calls_with_the_highest_share_on_top():
    """570 pixels for 4 calls from 50 on, 300 for the shares from 20 on down: 2 calls at 335, 75 % halfway at 170."""
    points = [point("a", 1, 0.5), point("a", 2, 0.75), point("a", 4, 1.0), point("a", 4, 0.9, way="median")]
    svg = curve_drawing(points)
    assert places(svg) == [("192.5", "320.0"), ("335.0", "170.0"), ("620.0", "20.0")]
    assert '<polyline points="192.5,320.0 335.0,170.0 620.0,20.0" fill="none" stroke="#1f5fa8"' in svg
    assert '<text x="4" y="26">100%</text><text x="4" y="320">50%</text>' in svg
    assert 'text-anchor="end">4 calls a question</text>' in svg and "Accuracy against calls" in svg
    assert '<text x="50" y="346">0</text>' in svg
    assert '<line x1="50" y1="320" x2="620" y2="320"' in svg and '<line x1="50" y1="20" x2="50" y2="320"' in svg


def test_a_curve_is_drawn_over_dollars_where_they_are_known_and_a_line_for_each_judge():
    """Each in its own colour, with its name 18 pixels above the one before; the sixth begins again."""
    names = ["a<b", "b", "c", "d", "e", "f"]
    svg = curve_drawing([point(name, 1, 0.5 + 0.1 * place, 0.25) for place, name in enumerate(names)])
    assert "0.25 dollars a question" in svg
    texts = re.findall(r'<text x="390" y="(\d+)" fill="(#\w+)">([^<]+)</text>', svg)
    assert [(y, name) for y, _, name in texts] == [
        ("300", "a&lt;b"), ("282", "b"), ("264", "c"), ("246", "d"), ("228", "e"), ("210", "f"),
    ]  # fmt: skip
    assert len({colour for _, colour, _ in texts}) == 5 and texts[0][1] == texts[5][1]


def test_shares_that_are_all_alike_are_on_top():
    assert places(curve_drawing([point("a", 1, 0.5), point("a", 2, 0.5)])) == [("335.0", "20.0"), ("620.0", "20.0")]


CURVE = Curve("shift", ((3.0, 2.0), (9.0, 8.0)), 3.0, 9.0, 60, 1.0, 1.0, 0.2, 0.5, 0.9, 1.5)


def test_a_calibration_is_drawn_between_the_labelled_scores_with_its_interval():
    """248 pixels for 9 points from 36 on: 3 is at 91.1, 9 at 256.4, and people's 2 at 320 - 63.6 from above."""
    drawing = calibration._drawing("final", CURVE)
    assert (drawing["side"], drawing["margin"]) == (320, 36)
    assert drawing["ticks"][0] == (36.0, 284.0, "1") and drawing["ticks"][-1] == (284.0, 36.0, "10")
    assert len(drawing["ticks"]) == 10
    first, last = drawing["curve"][0], drawing["curve"][-1]
    assert (first[:2], last[2:]) == ((91.1, 256.4), (256.4, 91.1))
    assert len(drawing["curve"]) == 40 and len(drawing["bounds"]) == 80
    below, above = drawing["bounds"][0], drawing["bounds"][40]
    assert (below[:2], above[:2]) == ((91.1, 270.2), (91.1, 242.7))  # half a point: 13.8 pixels
    assert drawing["label"] == "final: the judge's 3.00 is people's 2.00, its 9.00 is 8.00"


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
    assert anchors._chart(moved) == "Change in points since the reference, with its interval"
    assert drawn == [
        ([Measured("final", -1.25, -2.0, -0.5, "-1.25 moved"), Measured("safety", 0.5, -0.5, 1.5, "+0.50")], 0.0)
    ]
    assert anchors._chart(moved[2:]) is None


def test_a_table_of_ours_is_known_by_all_of_its_columns_in_the_footer():
    """The last eight bytes: the footer's length, and the mark of Parquet."""
    names = "".join(_columns()).encode()

    def tail(footer: bytes, before: bytes = b"rows", mark: bytes = b"PAR1") -> bytes:
        return before + footer + len(footer).to_bytes(4, "little") + mark

    assert _is_table(tail(names))
    assert not _is_table(tail(names, mark=b"PAR2"))
    assert not _is_table(tail(names.replace(_columns()[0].encode(), b"")))
    assert not _is_table(tail(b"other", before=names)), "the names of columns must be in the footer"
