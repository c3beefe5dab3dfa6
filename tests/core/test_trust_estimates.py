"""Estimates of what people would say: against other packages, published values, and at every limit."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from evenhand.core.trust.estimates import (
    LEAST_LABELS,
    Sample,
    best_weight,
    chance_of_split,
    estimate_mean,
    labels_for,
    refusal,
)
from evenhand.core.trust.pass_rate import Counts, corrected_pass_rate
from evenhand.core.trust.pass_rate import labels_for as pass_labels_for
from evenhand.core.trust.pass_rate import refusal as pass_refusal
from evenhand.core.trust.unequal_chances import effective_labels, estimate_weighted, weighted_refusal

ORACLE = json.loads((Path(__file__).parents[1] / "fixtures/trust/estimates_oracle.json").read_text(encoding="utf-8"))


def sample_of(labels: int, rest: int, *, seed: int = 1, bias: float = 0.8, noise: float = 0.5) -> Sample:
    draw = Random(seed)
    quality = [draw.gauss(6, 1.5) for _ in range(labels + rest)]
    judged = [value + bias + draw.gauss(0, noise) for value in quality]
    return Sample(judged[:labels], [value + draw.gauss(0, 0.4) for value in quality[:labels]], judged[labels:])


@pytest.mark.parametrize("case", ORACLE["powered"], ids=lambda case: f"{len(case['labels'])} labels")
def test_the_mean_is_that_of_ppi_python(case):
    """The same estimate to the last digit; the interval a little wider, since it is Student's and not the normal."""
    made = estimate_mean(Sample(case["judged"], case["labels"], case["unlabelled"]))
    assert made.value == pytest.approx(case["value"], abs=1e-9)
    width = case["high"] - case["low"]
    assert width <= made.high - made.low <= 1.12 * width
    assert made.low == pytest.approx(case["low"], abs=0.08 * width)
    assert made.high == pytest.approx(case["high"], abs=0.08 * width)


def test_a_biased_judge_does_not_move_the_estimate():
    """Two points added to every judge score cancel: labels + weight * (unlabelled - labelled)."""
    plain, biased = sample_of(50, 500, bias=0.0), sample_of(50, 500, bias=2.0)
    assert estimate_mean(biased).value == pytest.approx(estimate_mean(plain).value)
    assert estimate_mean(biased).judge_alone == pytest.approx(estimate_mean(plain).judge_alone + 2.0)


def test_a_judge_of_no_use_is_not_relied_on():
    """Scores that are all the same, or that fall as people's rise, get the weight 0: the labels alone count."""
    labels = [5.0, 6.0, 7.0, 8.0] * 10
    for judged, unlabelled in (([7.0] * 40, [7.0] * 90), ([10 - value for value in labels], [4.0, 3.0, 2.0] * 30)):
        made = estimate_mean(Sample(judged, labels, unlabelled))
        assert made.weight == 0.0
        assert made.value == made.labels_alone[0] == 6.5


def test_with_every_item_labelled_the_labels_alone_count():
    """No unlabelled item: nothing to predict, and no division by zero."""
    sample = sample_of(50, 0)
    made = estimate_mean(sample)
    assert made.weight == best_weight(sample) == 0.0
    assert made.value == made.labels_alone[0]


def test_the_interval_is_longer_towards_the_long_tail():
    """A few very low labels: the truth may be further below the mean than above it."""
    labels = [9.0] * 36 + [2.0] * 4
    made = estimate_mean(Sample([8.0] * 40, labels, [8.0] * 40))
    assert made.value - made.low > made.high - made.value > 0


def test_the_fitted_weight_costs_a_degree_of_freedom():
    """Forty labels, half 5 and half 7, without skewness; the judge says nothing, so the weight is 0."""
    made = estimate_mean(Sample([7.0] * 40, [5.0, 7.0] * 20, [7.0] * 100))
    # sum of squares 40; over 38 it is 1.0526, over 40 labels 0.02632, error 0.16222; t(0.025, 38) = 2.02439
    assert made.high - made.value == pytest.approx(2.02439 * 0.16222, abs=1e-4)
    # the labels alone: 40 / 39 / 40 = 0.02564, error 0.16013; t(0.025, 39) = 2.02269
    assert made.labels_alone[2] - 6.0 == pytest.approx(2.02269 * 0.16013, abs=1e-4)


def test_labels_that_all_agree_leave_no_width():
    """Forty times 8: zero scatter is reported, not divided by."""
    made = estimate_mean(Sample([7.0] * 40, [8.0] * 40, [7.0] * 10))
    assert (made.low, made.value, made.high) == (8.0, 8.0, 8.0)


def test_too_few_labels_are_refused_with_the_number_needed():
    """59 are refused, 60 are not."""
    assert LEAST_LABELS == 60
    assert "59 labelled items are too few; an interval needs at least 60" in str(refusal(sample_of(59, 100)))
    assert refusal(sample_of(60, 100)) is None


def test_lopsided_scores_need_more_labels():
    """Four failures in 60: skewness 3.47, and 8 times its square is 96.6."""
    labels = [9.0] * 56 + [2.0] * 4
    # p = 1/15: (1 - 2p) / sqrt(p(1-p)) = 0.8667 / 0.2494 = 3.475; squared 12.07, times 8 is 96.6
    assert "it needs at least 97" in str(refusal(Sample([8.0] * 60, labels, [8.0] * 100)))


def test_labels_chosen_by_score_are_refused():
    """Only the items the judge scored worst were labelled: no random sample."""
    sample = sample_of(300, 0)
    everything = sorted(zip([*sample.judged], [*sample.labels], strict=True))
    chosen = Sample([judge for judge, _ in everything[:60]], [people for _, people in everything[:60]], sample.judged)
    assert "not a random sample" in str(refusal(chosen))


def test_the_chance_of_a_split_is_welchs_test():
    """Equal constant samples never differ, different ones always do, a single value says nothing."""
    assert chance_of_split([7.0, 7.0], [7.0, 7.0]) == 1.0
    assert chance_of_split([7.0, 7.0], [8.0, 8.0]) == 0.0
    assert chance_of_split([7.0], [8.0, 9.0]) == 1.0
    # t = (2 - 5) / sqrt(1/3 + 1/3) = -3.674 with 4 degrees of freedom
    assert chance_of_split([1, 2, 3], [4, 5, 6]) == pytest.approx(0.0213, abs=1e-4)


@pytest.mark.slow
def test_the_labels_needed_for_a_precision_give_that_precision():
    """As many labels as planned bring the interval to the wished width, and half as many do not."""
    planned = labels_for(sample_of(800, 2000), 0.2)
    assert planned is not None
    for number, enough in ((planned, True), (planned // 2, False)):
        widths = [
            made.high - made.low
            for made in (estimate_mean(sample_of(number, 2000 - number, seed=seed)) for seed in range(20))
        ]
        assert (sum(widths) / 20 <= 2 * 0.2 * 1.08) is enough
    assert labels_for(sample_of(60, 40), 0.001) is None


def test_a_plan_agrees_with_the_interval_it_starts_from():
    """Whatever the scatter of one sample: as wide as now takes about as many labels as now."""
    for seed in range(30):
        sample = sample_of(80, 900, seed=seed)
        made = estimate_mean(sample)
        assert labels_for(sample, (made.high - made.low) / 2) == pytest.approx(80, abs=3)


@pytest.mark.parametrize(
    ("p", "specificity", "sensitivity", "n", "m0", "m1", "confidence", "low", "high"),
    [
        (0.4, 0.7, 0.9, 1000, 200, 200, 0.95, 0.05635072484160894, 0.2627330257859588),
        (0.5, 0.8, 0.8, 500, 100, 100, 0.95, 0.3799746588561528, 0.6200253411438469),
        (0.62, 0.84, 0.92, 2000, 150, 350, 0.95, None, None),
        (0.9, 0.6, 0.99, 10000, 1000, 1000, 0.99, 0.8273348478706124, 0.8686713102464316),
        (0.0, 1.0, 1.0, 50, 10, 10, 0.95, 0.0, 0.09568563633822108),
        (1.0, 1.0, 1.0, 50, 10, 10, 0.95, 0.9043143636617791, 1.0),
    ],
)
def test_the_pass_rate_is_that_of_lee_et_al(p, specificity, sensitivity, n, m0, m1, confidence, low, high):
    """The first is the example the authors publish with their package (0.1667, 0.0564 to 0.2627)."""
    counts = Counts(round(p * n), n, round(specificity * m0), m0, round(sensitivity * m1), m1)
    made = corrected_pass_rate(counts, confidence=confidence)
    assert made.value == pytest.approx((p + specificity - 1) / (specificity + sensitivity - 1))
    if low is not None:
        assert (made.low, made.high) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("case", ORACLE["shares"], ids=lambda case: f"{case['passed']} of {case['n']}")
def test_without_errors_of_the_judge_the_interval_is_agresti_and_coulls(case):
    """A judge that was right on ten million labels leaves the uncertainty of a plain share."""
    many = 10**7
    made = corrected_pass_rate(Counts(case["passed"], case["n"], many, many, many, many))
    assert (made.low, made.high) == pytest.approx((case["low"], case["high"]), abs=1e-5)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (Counts(50, 100, 9, 9, 40, 50), "passed 50 and failed 9"),
        (Counts(50, 100, 30, 50, 4, 9), "passed 9 and failed 50"),
        (Counts(50, 100, 10, 50, 40, 50), "no better than chance: it passes 80% of what people pass and 80%"),
        (Counts(50, 100, 5, 50, 40, 50), "no better than chance"),
        (Counts(80, 1000, 90, 100, 95, 100), None),
        (Counts(0, 1000, 60, 100, 95, 100), "does not fit its errors"),
        (Counts(1000, 1000, 95, 100, 60, 100), "does not fit its errors"),
        (Counts(0, 0, 40, 50, 40, 50), "every item is labelled: the pass rate is 50 of 100"),
        (Counts(50, 100, 9, 10, 9, 10), None),
    ],
)
def test_a_pass_rate_that_would_not_hold_is_refused(counts, reason):
    """Too few of a kind, no better than chance, or labels that cannot come from these items."""
    assert reason in str(pass_refusal(counts)) if reason else pass_refusal(counts) is None


def test_the_labels_needed_for_a_pass_rate_give_that_precision():
    """Doubling the labels narrows the interval; the plan finds where plus or minus 10 points is reached."""
    counts = Counts(1200, 2000, 40, 50, 45, 50)
    planned = pass_labels_for(counts, 0.10)
    assert planned is not None
    for labels, enough in ((planned + 2, True), (planned * 2 // 3, False)):
        half = labels // 2
        made = corrected_pass_rate(Counts(1200, 2000, round(0.8 * half), half, round(0.9 * half), half))
        assert (made.high - made.low <= 0.205) is enough
    assert pass_labels_for(counts, 0.001) is None


def test_labels_with_unequal_chances_are_worth_fewer():
    """Weights 1 and 2: 3 squared over 1 + 4 is 1.8 of 2; equal chances are worth all of them (Kish)."""
    assert effective_labels([1.0, 0.5]) == pytest.approx(1.8)
    assert effective_labels([0.2] * 7) == pytest.approx(7)
    assert effective_labels([]) == 0


def test_each_label_counts_by_one_over_its_chance():
    """Half of the labels are 4 with chance 1/2, half are 8 with 1/4: (2 * 4 + 4 * 8) / 6; the judge knows nothing."""
    sample = Sample([5.0] * 80, [4.0, 8.0] * 40, [5.0] * 160)
    made = estimate_weighted(sample, [0.5, 0.25] * 40)
    assert made.value == pytest.approx(40 / 6)
    assert made.weight == 0
    assert made.labels_alone[0] == made.value
    assert made.judge_alone == 5


def test_only_the_proportions_of_chances_count():
    """People who labelled a third of what was drawn, in random order, had a third of each chance."""
    sample = sample_of(100, 300)
    chances = [0.2 + 0.1 * (n % 3) for n in range(100)]
    whole, third = (estimate_weighted(sample, [chance / part for chance in chances]) for part in (1, 3))
    assert whole[:3] == pytest.approx(third[:3])


def test_equal_chances_give_nearly_the_plain_estimate():
    """The same mean to a hundredth of its interval's width, which is within 5 %."""
    sample = sample_of(120, 400)
    plain, weighted = estimate_mean(sample), estimate_weighted(sample, [0.3] * 120)
    width = plain.high - plain.low
    assert weighted.value == pytest.approx(plain.value, abs=width / 50)
    assert weighted.high - weighted.low == pytest.approx(width, rel=0.05)


def test_what_unequal_chances_do_not_allow_is_refused():
    """Too few labels by their worth; a heavy tail; labels that do not fit their chances. 80 will do, 79 will not.

    Forty weights of 50 and forty of 1.11: 2044 squared over 100,049 is 41.8.
    """
    sample = sample_of(80, 300)
    assert weighted_refusal(sample, [0.2] * 80) is None
    assert "are worth 79" in weighted_refusal(sample_of(79, 300), [0.2] * 79)
    assert "are worth 41" in weighted_refusal(sample, [0.02 if n < 40 else 0.9 for n in range(80)])
    skewed = Sample([5.0, 6.0] * 50, [9.0] * 98 + [1.0] * 2, [5.0, 6.0] * 150)
    assert "lopsided" in weighted_refusal(skewed, [0.5, 0.2] * 50)
    kind = sample_of(100, 300)
    unlike = kind._replace(unlabelled=[score + 2 for score in kind.unlabelled])
    assert "do not fit their chances" in weighted_refusal(unlike, [0.2, 0.4] * 50)
