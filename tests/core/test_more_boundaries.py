"""Boundaries that a second sample of small mistakes found open."""

from __future__ import annotations

from conftest import judged, make_rubric, seven

import evenhand


def test_a_scorecard_whose_rubric_gives_a_dimension_no_weight_holds():
    """Weights may be 0, not less."""
    card = judged(seven(8), rubric=make_rubric(weights=seven("0", "0", "0", "0", "0", "0.5", "0.5")))
    document = evenhand.document(card)
    assert evenhand.verify(document).ok
    document["dimensions"]["correctness"]["weight"] = -0.1
    document["dimensions"]["safety"]["weight"] = 0.6
    assert not evenhand.verify(document).ok
