"""Agreement, pass rates, anchors and early stopping at their edges: worked out by hand or by scipy."""

from __future__ import annotations

import json
from fractions import Fraction
from math import cbrt, sqrt
from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT
from jsonschema import Draft202012Validator

from evenhand.core.calibration import _short
from evenhand.core.finding import Checked, Expected
from evenhand.core.scoring import failures
from evenhand.decisions.sets.preference_document import positions
from evenhand.decisions.sets.preferences import strengths
from evenhand.decisions.values.preference import Flips, JudgePreference, PairReading, PairResult
from evenhand.decisions.values.suite_results import result_document, result_from
from evenhand.errors import DocumentError
from evenhand.stats.agreement.coefficients import HEADLINES, Coefficient, coefficients
from evenhand.stats.agreement.icc import FORMS, iccs
from evenhand.stats.agreement.kappa import not_paired
from evenhand.stats.agreement.label_scales import rule_from, scale_from
from evenhand.stats.agreement.meaning import sentence
from evenhand.stats.agreement.measure import Grid, Measure
from evenhand.stats.agreement.ranks import above_less_below, concordance, ties
from evenhand.stats.agreement.ratings import numbers
from evenhand.stats.agreement.resampling import Draws, acceleration_of, interval
from evenhand.stats.bradley_terry import PRIOR
from evenhand.stats.student import quantile
from evenhand.stats.trust.anchor_drift import LEAST_ANCHORS, MARGIN, _p_value
from evenhand.stats.trust.estimates import satterthwaite, skewed_interval
from evenhand.stats.trust.probe_effects import Effect, _above
from evenhand.work.quotes import MARKS, _separable
from suite_cases import result


def rated(*columns):
    """Ratings from a list of values for each rater."""
    rows = [[Fraction(value) for value in row] for row in zip(*columns, strict=True)]
    return numbers([f"r{place}" for place in range(len(columns))], rows)


def of_name(name: str) -> Coefficient:
    return Coefficient(name, 0.5, "", None, "not asked for", 20)


# --- coefficients ----------------------------------------------------------------------------------------------------


def test_one_rater_has_no_icc():
    """All six forms say so."""
    assert [(measure.name, measure.reason) for measure in iccs(Grid(rated([1, 2, 3])))] == [
        (name, "one rater only") for name in FORMS
    ]


def test_a_summary_has_the_headlines_alone():
    """Of numbers: not every coefficient there is."""
    ratings = rated([1, 2, 3, 4, 5], [1, 2, 3, 5, 5])
    assert {entry.name for entry in coefficients(ratings, brief=True)} <= set(HEADLINES["numbers"])
    assert len(coefficients(ratings, brief=True)) < len(coefficients(ratings))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.6669, "too little to rely on"),
        (0.667, "enough for tentative conclusions only"),
        (0.7999, "enough for tentative conclusions only"),
        (0.8, "above .800"),
        (-0.0001, "disagree more than chance"),
        (0.0, "too little to rely on"),
    ],
)
def test_krippendorffs_limits_belong_to_what_is_above_them(value, words):
    """At .667 conclusions are tentative, at .800 they are not."""
    assert words in sentence(of_name("alpha-interval"), value, None)


@pytest.mark.slow
def test_a_share_of_pairs_has_clopper_and_pearsons_interval():
    """15 of 20 pairs are equal: scipy's exact interval of a share."""
    stats = pytest.importorskip("scipy.stats")
    measure = of_vectors("exact", ((1, 1),) * 15 + ((0, 1),) * 5, share=True)
    made = interval(measure, 0.75, Draws(resamples=10))
    exact = stats.binomtest(15, 20).proportion_ci(0.95, method="exact")
    assert (made.low, made.high, made.method) == (
        pytest.approx(exact.low, abs=1e-9),
        pytest.approx(exact.high, abs=1e-9),
        "binomial",
    )


def test_several_pairs_an_item_are_resampled():
    """Three pairs of each item are not independent, so that no binomial interval fits."""
    vectors = tuple((hits, 3) for hits in (3, 3, 2, 1, 0) * 12)
    measure = of_vectors("other", vectors, share=True)
    made = interval(measure, 0.6, Draws(resamples=200))
    assert made.method != "binomial"


def test_a_resampled_interval_is_scipys_with_levels_widened_for_few_items():
    """BCa by SciPy at the confidence that Student's t with 29 degrees of freedom, times sqrt(30 / 29), stands for."""
    stats = pytest.importorskip("scipy.stats")
    values = [(place * place) % 31 for place in range(30)]  # skewed: no end is the mirror of the other
    measure = mean_of(*values)
    estimate = sum(values) / 30
    made = interval(measure, estimate, Draws(resamples=4000))
    reach = stats.t.ppf(0.975, 29) * (30 / 29) ** 0.5
    wider = 1 - 2 * stats.norm.sf(reach)
    drawn = stats.bootstrap(
        (values,), lambda x, axis: x.mean(axis), n_resamples=4000, confidence_level=wider, random_state=1
    )
    expected = drawn.confidence_interval
    assert (made.low, made.high) == (pytest.approx(expected.low, abs=0.25), pytest.approx(expected.high, abs=0.25))
    assert made.low < estimate < made.high
    assert (made.method, made.resamples) == ("bca", 4000)


def test_more_confidence_makes_a_wider_interval_at_both_ends():
    """99 % contains 95 %, and that contains 50 %."""
    vectors = tuple((place % 7, 1) for place in range(42))
    measure = of_vectors("mean", vectors)
    fifty, usual, sure = (interval(measure, 3.0, Draws(resamples=500), confidence=c) for c in (0.5, 0.95, 0.99))
    assert sure.low < usual.low < fifty.low < 3.0 < fifty.high < usual.high < sure.high


def test_acceleration_is_that_of_leaving_each_item_out():
    """A mean of 0, 0, 0 and 4: without each item it is 4/3 three times and 0; a = sum d^3 / (6 (sum d^2)^1.5)."""
    measure = mean_of(0, 0, 0, 4)
    left = [4 / 3, 4 / 3, 4 / 3, 0]
    mean = sum(left) / 4  # 1
    cubes, squares = sum((mean - one) ** 3 for one in left), sum((mean - one) ** 2 for one in left)
    assert acceleration_of(measure) == pytest.approx(cubes / (6 * squares**1.5))


def of_vectors(name: str, vectors, **more) -> Measure:
    """The first number by the second, each added up over items."""
    return Measure(name, np.array(vectors, float), lambda sums: sums[..., 0] / sums[..., 1], len(vectors), **more)


def mean_of(*numbers: int, **more) -> Measure:
    """The mean of one number an item."""
    return of_vectors(more.pop("name", "mean"), [(number, 1) for number in numbers], **more)


SKEWED = (1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 9, 12, 15, 20, 1, 2, 1, 3, 2, 1, 7, 30)


@pytest.mark.parametrize("scale", [1, 10**20])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_an_interval_is_efrons_at_levels_widened_for_few_items(scale, confidence):
    """Again in plain steps: bias, acceleration, Student's reach, quantiles between neighbours. In any unit."""
    measure, draws = mean_of(*(scale * number for number in SKEWED)), Draws(seed=5, resamples=500)
    n, estimate = len(SKEWED), sum(SKEWED) / len(SKEWED)
    made = interval(measure, estimate * scale, draws, confidence=confidence)
    values = sorted(row @ np.array(SKEWED) / n for rows in draws.of(np.arange(n)) for row in rows)
    normal = NormalDist()
    bias = normal.inv_cdf((sum(v < estimate for v in values) + sum(v == estimate for v in values) / 2) / 500)
    left = [(sum(SKEWED) - number) / (n - 1) for number in SKEWED]
    moments = [sum((estimate - value) ** power for value in left) for power in (2, 3)]
    acceleration = moments[1] / (6 * moments[0] ** 1.5)
    reach = quantile((1 - confidence) / 2, n - 1) * sqrt(n / (n - 1))
    expected = []
    for side in (-reach, reach):
        level = normal.cdf(bias + (bias + side) / (1 - acceleration * (bias + side)))
        place = level * 501 - 1
        below = int(place)
        expected.append(values[below] + (place - below) * (values[below + 1] - values[below]))
    assert (made.low / scale, made.high / scale) == pytest.approx(tuple(expected))
    assert (made.method, made.resamples, made.low < estimate * scale < made.high) == ("bca", 500, True)


def test_an_interval_is_one_of_95_percent_of_2000_resamples_by_default():
    """And always the same: the seed is 0."""
    measure, estimate = mean_of(*SKEWED), sum(SKEWED) / len(SKEWED)
    assert interval(measure, estimate, Draws()) == interval(measure, estimate, Draws(0, 2000), confidence=0.95)
    assert interval(measure, estimate, Draws()) != interval(measure, estimate, Draws(1))


@pytest.mark.parametrize(("name", "fewest"), [("mean", 20), ("ac2-linear", 60), ("upper-limit", 40), ("kappa", 20)])
def test_an_interval_needs_its_number_of_items(name, fewest):
    """One fewer is too few."""
    for items in (fewest - 1, fewest):
        measure = mean_of(*[place % 7 for place in range(items)], name=name)
        made = interval(measure, measure.estimate, Draws(resamples=50))
        said = f"an interval needs at least {fewest} items, and there are {items}"
        assert (made == said) == (items < fewest)


def test_why_there_is_no_interval():
    """Each reason by itself."""
    draws = Draws(resamples=100)
    assert interval(mean_of(*SKEWED, no_interval="not of this one"), 5.0, draws) == "not of this one"
    assert interval(mean_of(*[3] * 20), 3.0, draws).startswith("all items have the same values")
    assert interval(mean_of(*SKEWED), 1000.0, draws).startswith("almost all resamples lie on one side")
    constant = mean_of(*SKEWED)._replace(value=lambda sums: np.ones(sums.shape[:-1]))
    assert interval(constant, 1.0, draws).startswith("the same in every resample")


def test_a_measure_may_be_undefined_in_one_resample_of_twenty():
    """5 of 100 are left out; of 6, the interval would be one of other data."""
    for undefined, has_one in ((5, True), (6, False)):

        def value(sums, undefined=undefined):
            means = sums[..., 0] / sums[..., 1]
            return np.where(np.arange(len(means)) < undefined, np.nan, means)

        holes = mean_of(*SKEWED)._replace(value=value)
        made = interval(holes, sum(SKEWED) / len(SKEWED), Draws(resamples=100))
        assert (made == f"not defined in {undefined} of 100 resamples: too few items differ") is not has_one


@pytest.mark.parametrize(
    ("estimate", "low", "high"), [(0.0, 0.0, 1 - 0.025 ** (1 / 20)), (1.0, 0.025 ** (1 / 20), 1.0)]
)
def test_items_that_are_all_alike_count_once_each(estimate, low, high):
    """Twenty items of three pairs, all equal or all unequal: none of twenty is 0 to 1 - 0.025 ** (1 / 20)."""
    measure = of_vectors("exact", ((round(3 * estimate), 3),) * 20, share=True)
    made = interval(measure, estimate, Draws(resamples=10))
    assert (made.low, made.high, made.method, made.resamples) == (
        pytest.approx(low), pytest.approx(high), "binomial", 0,
    )  # fmt: skip


# --- means and anchors -----------------------------------------------------------------------------------------------


def test_ten_anchors_are_too_few_to_tell():
    """Eleven are not."""
    assert _p_value([Fraction(50)] * (LEAST_ANCHORS - 1)) is None
    assert _p_value([Fraction(50)] * LEAST_ANCHORS) == 2 / 2**LEAST_ANCHORS
    assert MARGIN == 0.1


# --- other rules -----------------------------------------------------------------------------------------------------


def test_only_unmet_expectations_of_the_severity_fail():
    """Met ones never do, whatever their severity."""
    made = [
        Expected("One", "met", "safety", "critical", "there"),
        Expected("Two", "unmet", "safety", "minor", "absent"),
        Expected("Three", "unmet", "safety", "major", "absent"),
        Expected("Four", "undecided", "safety", "critical", "unknown"),
    ]
    checked = Checked("checks", findings=(), expectations=tuple(made))
    assert failures(checked, "major") == ["major: Three: absent"]
    assert failures(checked) == ["minor: Two: absent", "major: Three: absent"]


def test_scores_of_dimensions_in_a_result_are_whole_hundredths():
    """Or missing; a fraction is refused."""
    document = result_document(result("c", "v", 1, 700, dimensions={"safety": 750, "adherence": None}))
    assert dict(result_from(document).dimensions) == {"safety": 750, "adherence": None}
    with pytest.raises(DocumentError, match=r"dimensions\.safety is 7\.5; it must be a whole number"):
        result_from({**document, "dimensions": {"safety": 7.5}})


def test_marks_stay_with_their_letter_up_to_a_thousand():
    """A piece of text that is normalised never ends before a combining mark, unless there are far too many."""
    text = "a" + "\u0301" * (MARKS + 1)
    assert not _separable(text, 0, 1)
    assert not _separable(text, 0, MARKS)
    assert _separable(text, 0, MARKS + 1)
    assert _separable("ab", 0, 1)


# --- ranks, pairs and effects ----------------------------------------------------------------------------------------


def test_concordance_and_ties_are_what_counting_all_pairs_gives():
    """Kendall's parts of every item, by trying all pairs; with ties on either side and on both."""
    first, second = [1, 2, 2, 3, 5, 5, 4], [2, 1, 3, 3, 5, 5, 2]
    signs = [
        sum(((x > y) - (x < y)) * ((u > v) - (u < v)) for y, v in zip(first, second, strict=True))
        for x, u in zip(first, second, strict=True)
    ]
    assert concordance(np.array(first), np.array(second)).tolist() == signs
    assert ties(np.array(first)).tolist() == [first.count(value) for value in first]
    amounts = [3, 1, 4, 1, 5, 9, 2]
    above = [
        sum(amount * ((other > value) - (other < value)) for other, amount in zip(first, amounts, strict=True))
        for value in first
    ]
    assert above_less_below(np.array(first), np.array(amounts)).tolist() == above


def test_twelve_raters_are_compared_in_pairs_and_thirteen_are_not():
    """Each with each would be 78 comparisons."""
    assert not_paired(rated(*[[1, 2, 3]] * 12)) == ""
    assert not_paired(rated(*[[1, 2, 3]] * 13)).startswith("there are more than 12 raters")


def test_forty_items_with_several_values_have_an_interval_and_thirty_nine_have_none():
    """Of coefficients that count equal values."""
    for items, has_one in ((39, False), (40, True)):
        vectors = tuple((place % 3, 3) for place in range(items))
        measure = of_vectors("kappa", vectors, several=True)
        made = interval(measure, measure.estimate, Draws(resamples=100))
        assert (made == "an interval needs at least 40 items, and there are 39") is not has_one


def test_systems_without_a_comparison_are_as_unsure_as_the_prior():
    """Information 2 p / 4 on either: covariance 2 / p, of the distance from the mean half of it, 1 / p."""
    rows = strengths(["a", "b"], [])
    assert [(row.system, row.value, row.error) for row in rows] == [
        ("a", 0.0, pytest.approx(sqrt(1 / PRIOR))),
        ("b", 0.0, pytest.approx(sqrt(1 / PRIOR))),
    ]


def test_position_bias_is_counted_for_each_judge():
    """One judge prefers what it is shown first, the other what comes second."""
    one = JudgePreference("one", "a", (PairReading("a", "first"), PairReading("b", "first"), PairReading("a", "tie")))
    two = JudgePreference("two", "b", (PairReading("a", "second"), PairReading("b", "first")))
    made = SimpleNamespace(
        judges=[{"name": "one"}, {"name": "two"}], results=[PairResult("i", "x", "y", "a", (one, two))]
    )
    assert list(positions(made)) == [("one", 2, 2, Flips()), ("two", 1, 2, Flips())]


def test_an_effect_is_tested_against_its_bound_by_student():
    """Mean 0.3 and deviation 0.5 of 25: t = (0.3 - 0.1) / 0.1 = 2 on 24 degrees."""
    stats = pytest.importorskip("scipy.stats")
    assert _above(Effect(25, 0.3, 0.1, 0.5, 0.5), 0.1) == pytest.approx(stats.t.sf(2.0, 24))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("icc-2-1", "25% of the variance of one rating comes"),
        ("icc-2-k", "25% of the variance of the mean of 3 raters"),
    ],
)
def test_an_icc_is_about_one_rating_or_their_mean(name, words):
    """Its last letter says which."""
    compared = SimpleNamespace(raters=["a", "b", "c"], judge=None, coefficient=lambda name: of_name(name))
    assert sentence(of_name(name), 0.25, compared).startswith(words)


# --- intervals -------------------------------------------------------------------------------------------------------


def test_degrees_of_freedom_fall_when_few_labels_make_up_the_variance():
    """Satterthwaite: 2 (sum s^2)^2 / (sum s^4 - (sum s^2)^2 / n)."""
    assert satterthwaite([1.0] * 7) == 7  # no scatter
    assert satterthwaite([1.0] * 9 + [3.0]) == 11  # 2 * 18^2 / (90 - 18^2 / 10) = 11.25
    assert satterthwaite([1.0, 0.0, 0.0, 0.0]) == 2  # 2 / (1 - 1/4) = 2.67


def test_a_skewed_mean_has_a_bent_interval():
    """bend = third / (6 error^3); q -> (cbrt(1 + 6 b (q - b)) - 1) / (2 b)."""
    error, third, reach = 0.5, 0.075, 2.0
    bend = 0.1  # 0.075 / (6 * 0.125)
    ends = [(cbrt(1 + 6 * bend * (quantile - bend)) - 1) / (2 * bend) for quantile in (-reach, reach)]
    assert skewed_interval(7.0, error, third, reach) == pytest.approx((7 - error * ends[1], 7 - error * ends[0]))
    assert skewed_interval(7.0, error, 0.0, reach) == (6.0, 8.0)


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_rule_without_a_value_is_refused():
    """A value that the rule does not list has no counterpart."""
    scale = scale_from("1-5")
    rule = rule_from("1=3", scale)
    assert rule.apply("1", scale) == "3"
    with pytest.raises(ValueError, match="the rule 1=3 has no value for 2"):
        rule.apply("2", scale)


def test_of_a_hash_the_beginning_is_shown_and_a_name_is_whole():
    """Forty characters are a hash."""
    assert [_short(None), _short("default"), _short("a" * 39), _short("b" * 40)] == [
        "none", "default", "a" * 39, "b" * 12,
    ]  # fmt: skip


def test_a_suite_with_one_variant_fits_its_schema_and_one_without_does_not():
    """A suite of one is run, and compared with a baseline."""
    schema = json.loads((ROOT / "src/evenhand/schemas/suite.v1.schema.json").read_text(encoding="utf-8"))
    suite = {"suite": "s", "cases": [{"prompt": "x"}], "variants": {"v": {"command": ["true"]}}}
    assert Draft202012Validator(schema).is_valid(suite)
    assert not Draft202012Validator(schema).is_valid({**suite, "variants": {}})


def test_a_coefficient_without_a_sentence_is_an_error():
    """It would otherwise be given the words of another one."""
    with pytest.raises(KeyError, match="scott-pi has no sentence"):
        sentence(of_name("scott-pi"), 0.5, None)
