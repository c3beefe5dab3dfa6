"""Calibration: the curve, its error on labels it has not seen, and the interval."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.calibration import at, calibrated
from evenhand.stats.calibration_curves import MONOTONE_FROM, calibrate, fit, labels_needed

ORACLE = json.loads((Path(__file__).parents[1] / "fixtures/trust/estimates_oracle.json").read_text(encoding="utf-8"))

scores = st.integers(100, 1000).map(lambda hundredths: hundredths / 100)
pairs_of_scores = st.lists(st.tuples(scores, scores), min_size=19, max_size=60)


@pytest.mark.parametrize("case", ORACLE["isotonic"], ids=lambda case: f"{len(case['pairs'])} pairs")
def test_monotone_regression_is_that_of_scikit_learn(case):
    """With ties, between the scores and beyond them."""
    knots = fit(map(tuple, case["pairs"]))
    assert [at(knots, query) for query in case["queries"]] == pytest.approx(case["values"], abs=1e-9)


def test_neighbours_that_fall_are_pooled():
    """4, 2 and 3 become their mean 3; 5 stays."""
    knots = fit([(1.0, 4.0), (2.0, 2.0), (3.0, 3.0), (4.0, 5.0)])
    assert knots == ((1.0, 3.0), (3.0, 3.0), (4.0, 5.0))
    assert at(knots, 2.0) == 3.0
    assert at(knots, 3.5) == 4.0
    assert (at(knots, 0.0), at(knots, 9.0)) == (3.0, 5.0)


@pytest.mark.slow
@given(pairs_of_scores)
def test_a_curve_never_falls_and_keeps_the_mean(pairs):
    """Both hold for every monotone regression by least squares."""
    knots = fit(pairs)
    levels = [level for _, level in knots]
    assert levels == sorted(levels)
    assert sum(at(knots, x) for x, _ in pairs) == pytest.approx(sum(y for _, y in pairs))


@pytest.mark.slow
@given(pairs_of_scores, scores)
def test_calibrated_scores_stay_on_the_scale_and_in_order(pairs, score):
    """A higher raw score never becomes a lower calibrated one, and nothing leaves 1 to 10."""
    curve = calibrate(pairs)
    made, above = calibrated(curve, score), calibrated(curve, min(10.0, score + 0.5))
    assert 1 <= made.low <= made.value <= made.high <= 10
    assert made.value <= above.value + 1e-9


@pytest.mark.slow
@given(pairs_of_scores, st.randoms())
def test_the_order_of_labels_is_irrelevant(pairs, draw):
    """The same labels in another order give the same curve."""
    shuffled = draw.sample(pairs, len(pairs))
    assert calibrate(pairs) == calibrate(shuffled)


def test_a_curve_bends_only_where_that_predicts_labels_better():
    """A line that people draw stays one with forty labels; a step becomes a curve."""
    draw = Random(3)
    scores = [draw.randrange(10, 100) / 10 for _ in range(60)]
    straight = calibrate([(x, 0.5 * x + 2) for x in scores])
    assert straight.method == "line" and straight.error < 1e-9
    assert calibrated(straight, 6.0).value == pytest.approx(5.0)
    step = [(x, 3.0 if x < 5 else 8.0) for x in scores]
    assert (calibrate(step).method, calibrate(step[: MONOTONE_FROM - 1]).method) == ("monotone", "line")


def test_the_less_a_judge_says_the_nearer_it_stays_to_peoples_mean():
    """Scores with noise of their own: the slope is the share of their variance that people's explains."""
    draw = Random(4)
    quality = [draw.gauss(6, 1) for _ in range(2000)]
    curve = calibrate([(q + draw.gauss(0, 1), q) for q in quality])
    assert calibrated(curve, 8.0).value == pytest.approx(7.0, abs=0.15)
    fallen = calibrate([(12 - q, q) for q in quality[:100]])
    assert calibrated(fallen, 4.0).value == pytest.approx(calibrated(fallen, 8.0).value)


def test_the_interval_is_the_ranked_error_on_unseen_labels():
    """19 labels at 95 %: rank ceil(20 * 0.95) = 19, the largest error; at 90 % it is the 18th."""
    pairs = [(5.0 + place / 10, 5.0 + place / 10 + error) for place, error in enumerate([0.0] * 17 + [1.0, 2.0])]
    widest, second = calibrate(pairs), calibrate(pairs, confidence=0.90)
    assert 1.5 < widest.reach < 2.1
    assert second.reach < widest.reach


def test_the_rank_counts_the_output_to_come():
    """20 labels at 95 %: rank ceil(21 * 0.95) = 20, the largest error, and not ceil(20 * 0.95) = 19."""
    pairs = [(5.0 + place / 10, 5.0 + place / 10 + error) for place, error in enumerate([0.0] * 19 + [3.0])]
    assert calibrate(pairs).reach > 2.5


@pytest.mark.parametrize(("confidence", "labels"), [(0.95, 19), (0.9, 9), (0.8, 4), (0.5, 1), (0.99, 99)])
def test_an_interval_needs_enough_labels(confidence, labels):
    """The rank ceil((n + 1) * confidence) must not exceed n."""
    assert labels_needed(confidence) == labels


def test_cross_validated_error_is_honest_about_noise():
    """Scores that say nothing about the labels: a curve fits the ones it saw, and the error on unseen ones shows it."""
    draw = Random(4)
    pairs = [(draw.uniform(3, 9), float(draw.randrange(3, 10))) for _ in range(60)]
    curve = calibrate(pairs)
    seen = sum(abs(at(curve.knots, x) - y) for x, y in pairs) / 60
    assert curve.error > seen
