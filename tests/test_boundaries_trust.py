"""Agreement, pass rates, anchors and early stopping at their edges: worked out by hand or by scipy."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log, log1p

import pytest

from evenhand.core.documents.suite_results import result_document, result_from
from evenhand.core.history.pairs import EXACT_BELOW, fell, sign_flip
from evenhand.core.method.bounds import failures
from evenhand.core.suites.sequential import SPREADS, STAKES, no_evidence
from evenhand.core.text.evidence import MARKS, _separable
from evenhand.core.trust.anchor_drift import LEAST_ANCHORS, MARGIN, _p_value
from evenhand.core.trust.coefficients import HEADLINES, Coefficient, coefficients
from evenhand.core.trust.icc import FORMS, iccs
from evenhand.core.trust.meaning import sentence
from evenhand.core.trust.measure import Measure
from evenhand.core.trust.pass_rate import Counts, labels_for, refusal
from evenhand.core.trust.ratings import numbers
from evenhand.core.trust.resampling import Draws, _acceleration, interval
from evenhand.core.values.decision import CaseDifference
from evenhand.core.values.finding import Checked, Expected
from evenhand.errors import DocumentError
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
    assert [(measure.name, measure.reason) for measure in iccs(rated([1, 2, 3]))] == [
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


def test_a_share_of_pairs_has_clopper_and_pearsons_interval():
    """15 of 20 pairs are equal: scipy's exact interval of a share."""
    stats = pytest.importorskip("scipy.stats")
    measure = Measure("exact", ((1, 1),) * 15 + ((0, 1),) * 5, lambda totals: totals[0] / totals[1], 20, share=True)
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
    measure = Measure("other", vectors, lambda totals: totals[0] / totals[1], 60, share=True)
    made = interval(measure, 0.6, Draws(resamples=200))
    assert made.method != "binomial"


def test_acceleration_is_that_of_leaving_each_item_out():
    """A mean of 0, 0, 0 and 4: without each item it is 4/3 three times and 0; a = sum d^3 / (6 (sum d^2)^1.5)."""
    measure = Measure("mean", ((0, 1), (0, 1), (0, 1), (4, 1)), lambda totals: totals[0] / totals[1], 4)
    left = [4 / 3, 4 / 3, 4 / 3, 0]
    mean = sum(left) / 4  # 1
    cubes, squares = sum((mean - one) ** 3 for one in left), sum((mean - one) ** 2 for one in left)
    assert _acceleration(measure) == pytest.approx(cubes / (6 * squares**1.5))


# --- pass rates ------------------------------------------------------------------------------------------------------


def counts(passed=60, unlabelled=100, true_fails=18, fails=20, true_passes=18, passes=20) -> Counts:
    return Counts(
        passed=passed, unlabelled=unlabelled, true_fails=true_fails, fails=fails, true_passes=true_passes, passes=passes
    )


def test_ten_labels_of_a_kind_are_enough_and_nine_are_not():
    """On either side."""
    assert refusal(counts(true_fails=9, fails=10)) is None
    assert refusal(counts(true_fails=8, fails=9)).startswith("people passed 20 and failed 9 of the labelled items")
    assert refusal(counts(true_passes=8, passes=9)).startswith("people passed 9 and failed 20")


def test_a_judge_that_passes_good_and_bad_alike_is_refused():
    """Half of either is chance: 0.5 + 0.5 is not more than 1."""
    assert refusal(counts(true_fails=10, true_passes=10)).startswith(
        "the judge is no better than chance: it passes 50%"
    )


def test_a_judge_whose_verdicts_do_not_fit_its_errors_is_refused():
    """It failed nothing among 1,000, though it fails most of what people fail."""
    words = refusal(counts(passed=0, unlabelled=1000, true_passes=200, passes=200, true_fails=100, fails=200))
    assert "which does not fit its errors" in words
    words = refusal(counts(passed=1000, unlabelled=1000, true_passes=100, passes=200, true_fails=200, fails=200))
    assert "which does not fit its errors" in words


def test_the_fewest_labels_are_found_exactly():
    """One label fewer gives a wider interval than asked for."""
    many = counts(passed=600, unlabelled=1000)
    needed = labels_for(many, 0.1)
    assert needed is not None and 20 < needed <= 520
    assert labels_for(many, 1.0) == 20  # two times ten, the least there is
    assert labels_for(many, 0.0001) is None


# --- means and anchors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [EXACT_BELOW - 1, EXACT_BELOW])
def test_thirty_differences_are_tested_by_student_and_fewer_by_their_signs(n):
    """Of a fall, and of a judge's movement on anchors: in points, whatever the unit of the differences."""
    stats = pytest.importorskip("scipy.stats")
    values = [Fraction((place * 37) % 50 - 30) for place in range(n)]
    if n < EXACT_BELOW:
        assert (_p_value(values), fell(values)) == (sign_flip(values), sign_flip(values, one_sided=True))
        return
    floats = [float(value) for value in values]
    assert _p_value(values) == pytest.approx(stats.ttest_1samp(floats, 0).pvalue)
    assert fell(values) == pytest.approx(stats.ttest_1samp(floats, 0, alternative="less").pvalue)


def test_ten_anchors_are_too_few_to_tell():
    """Eleven are not."""
    assert _p_value([Fraction(50)] * (LEAST_ANCHORS - 1)) is None
    assert _p_value([Fraction(50)] * LEAST_ANCHORS) == 2 / 2**LEAST_ANCHORS
    assert MARGIN == 0.1


# --- stopping early --------------------------------------------------------------------------------------------------


def test_nothing_is_ruled_out_before_the_first_case():
    """Every mean difference is possible."""
    assert no_evidence("final score").interval(0.05) == (-inf, inf)


def test_the_evidence_of_one_case_is_the_mean_of_its_bets():
    """A point better with weight 2."""
    start = no_evidence("final score")
    evidence = start.after(CaseDifference("c", Fraction(100), Fraction(2)))
    assert (evidence.total, evidence.cross, evidence.squares) == (2.0, 4.0, 4.0)
    # The mixture against a mean of m: normal l with standard deviation s / unit, S = 2 (1 - m), V = (2 (1 - m))^2
    logs = []
    for spread in SPREADS:
        scale, total, squares = (spread / start.unit) ** 2, 2 * (1 - 0.25), (2 * (1 - 0.25)) ** 2
        logs.append(scale * total**2 / (2 * (1 + scale * squares)) - log1p(scale * squares) / 2)
    assert evidence._log_against(0.25) == pytest.approx(log(sum(map(exp, logs)) / len(logs)))
    doubled = start._replace(unit=2 * start.unit).after(CaseDifference("c", Fraction(200), Fraction(2)))
    assert doubled.bets == pytest.approx(evidence.bets)  # only the difference in units counts
    assert len(evidence.bets) == 2 * len(STAKES)


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
    with pytest.raises(DocumentError, match="an object of whole numbers in hundredths"):
        result_from({**document, "dimensions": {"safety": 7.5}})


def test_marks_stay_with_their_letter_up_to_a_thousand():
    """A piece of text that is normalised never ends before a combining mark, unless there are far too many."""
    text = "a" + "\u0301" * (MARKS + 1)
    assert not _separable(text, 0, 1)
    assert not _separable(text, 0, MARKS)
    assert _separable(text, 0, MARKS + 1)
    assert _separable("ab", 0, 1)
