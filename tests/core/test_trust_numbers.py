"""Calibration, estimates, scales, probes, anchors: every number again in plain steps, every limit at its boundary."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil, sqrt
from random import Random
from statistics import fmean, linear_regression

import numpy as np
import pytest
from conftest import judged, seven
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.core.calibration import at, calibrate_card, calibrated, exactly_calibrated, in_range, misfit, shortcoming
from evenhand.core.curve import Calibration, Curve, UseVerdict
from evenhand.core.numbers import is_number
from evenhand.stats.agreement.agreed import FieldAgreement, among, judge_and_people
from evenhand.stats.agreement.coefficients import Coefficient, coefficients
from evenhand.stats.agreement.interval import Interval
from evenhand.stats.agreement.label_scales import (
    GRADE_SCALE,
    PASS_SCALE,
    TEN_SCALE,
    Rule,
    Scale,
    default_scale,
    on_scale,
    rule_from,
    scale_from,
)
from evenhand.stats.agreement.meaning import meaning, sentence, title
from evenhand.stats.agreement.ratings import against_each, numbers
from evenhand.stats.agreement.resampling import Draws
from evenhand.stats.calibration_curves import calibrate, labels_needed, line
from evenhand.stats.isotonic import fit
from evenhand.stats.student import one_sided, quantile
from evenhand.stats.trust.anchor_drift import FIELDS, Movement, movements
from evenhand.stats.trust.estimates import (
    Design,
    Sample,
    effective_labels,
    estimate_mean,
    labels_for,
    labels_for_shape,
    left_out,
    refusal,
    satterthwaite,
    skewed_interval,
    skewness,
    weighed,
)
from evenhand.stats.trust.pass_rate import estimate_pass_rate
from evenhand.stats.trust.probe_effects import (
    Changes,
    Effect,
    Probe,
    _accusation,
    _noticed,
    _verdict,
    _weights,
    effect_of,
    holm,
    judge_probes,
)
from every_case import every_case

# --- curves ----------------------------------------------------------------------------------------------------------

PAIRS = [(float(3 + place % 6), 2.0 + (place * 7 % 11) / 2) for place in range(30)]


@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_a_curve_has_the_numbers_of_its_labels(confidence):
    """Bias, errors before and after, and the error of the rank that counts the output to come."""
    curve = calibrate(PAIRS, confidence=confidence)
    ordered = sorted(PAIRS)
    errors = []
    for fold in range(10):
        held = line([pair for place, pair in enumerate(ordered) if place % 10 != fold])
        errors += [abs(y - min(10.0, max(1.0, at(held, x)))) for x, y in ordered[fold::10]]
    assert (curve.method, curve.labels, curve.confidence) == ("line", 30, confidence)
    assert (curve.low, curve.high) == (3.0, 8.0)
    assert curve.bias == pytest.approx(fmean(x - y for x, y in PAIRS))
    assert curve.raw_error == pytest.approx(fmean(abs(x - y) for x, y in PAIRS))
    assert curve.error == pytest.approx(fmean(errors))
    assert curve.reach == pytest.approx(sorted(errors)[ceil(31 * confidence - 1e-9) - 1])
    slope = max(0.0, linear_regression(*zip(*PAIRS, strict=True)).slope)
    level = fmean(y for _, y in PAIRS) - slope * fmean(x for x, _ in PAIRS)
    assert curve.knots == ((1.0, pytest.approx(level + slope)), (10.0, pytest.approx(level + 10 * slope)))


@pytest.mark.parametrize(("confidence", "labels"), [(0.95, 19), (0.9, 9), (0.8, 4), (0.5, 1)])
def test_the_fewest_labels_for_an_interval(confidence, labels):
    """c / (1 - c)."""
    assert labels_needed(confidence) == labels
    assert labels_needed() == 19


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (3.0, (3.0, 2.0, 4.0)),
        (4.0, (3.0, 2.0, 4.0)),
        (5.0, (4.5, 3.5, 5.5)),
        (6.0, (6.0, 5.0, 7.0)),
        (8.0, (9.5, 8.5, 10.0)),
    ],
)
def test_a_calibrated_score_stays_on_the_scale(score, expected):
    """From (4, 3) over (6, 6) to (8, 9.5): level beyond the ends, reach 1 on either side."""
    curve = Curve("monotone", ((4.0, 3.0), (6.0, 6.0), (8.0, 9.5)), 4.0, 8.0, 40, 0.0, 0.0, 0.0, 1.0, 0.95, 1.5)
    assert calibrated(curve, score) == pytest.approx(expected)
    assert [float(part) for part in exactly_calibrated(curve, Decimal(str(score)))] == pytest.approx(list(expected))
    low = curve._replace(knots=((4.0, 0.5), (8.0, 1.5)))
    assert calibrated(low, 4.0) == (1.0, 1.0, 2.0)
    assert exactly_calibrated(low, Decimal(4)) == (1, 1, 2)
    assert [in_range(curve, end) for end in (2.99, 3.0, 9.0, 9.01)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("pairs", "knots"),
    [
        ([(1.0, 2.0)], ((1.0, 2.0),)),
        ([(1.0, 3.0), (2.0, 1.0)], ((1.0, 2.0), (2.0, 2.0))),
        ([(1.0, 3.0), (1.0, 5.0), (2.0, 1.0)], ((1.0, 3.0), (2.0, 3.0))),  # 3, 5 and 1: ties count by number
        ([(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)], ((1.0, 1.0), (2.0, 2.0), (3.0, 3.0))),
        ([(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (4.0, 5.0)], ((1.0, 2.0), (3.0, 2.0), (4.0, 5.0))),  # 2 bends nothing
        ([(3.0, 9.0), (1.0, 1.0), (2.0, 4.0), (4.0, 8.0)], ((1.0, 1.0), (2.0, 4.0), (3.0, 8.5), (4.0, 8.5))),
    ],
)
def test_a_monotone_curve_pools_neighbours_that_fall(pairs, knots):
    """To their mean; knots that lie on a level line are left out."""
    assert fit(pairs) == knots
    for x, y in knots:
        assert at(fit(pairs), x) == pytest.approx(y)


# --- a calibration and a scorecard -----------------------------------------------------------------------------------

CURVE = Curve("shift", ((1.0, 0.0), (10.0, 9.0)), 5.0, 8.0, 44, 1.0, 1.0, 0.5, 0.5, 0.9, 1.5)
CARD = judged(seven(7), judge="model:a")
FITTING = Calibration(
    {"name": "model:a"}, "made", CARD.receipt.rubric, "2026", ("human:ana",), {"final": CURVE, "safety": CURVE},
    {"adherence": "no one labelled it"}, "ab" * 32,
)  # fmt: skip


def test_a_scorecard_has_what_people_would_give_beside_its_scores():
    """One less everywhere; what has no curve keeps its reason."""
    made = calibrate_card(FITTING, CARD)
    assert (made.sha256, made.confidence, made.labels) == ("ab" * 32, Decimal("0.9"), 44)
    assert dict(made.scores) == {
        name: (Decimal("6.00"), Decimal("5.50"), Decimal("6.50")) for name in ("final", "safety")
    }
    assert dict(made.left_out) == {"adherence": "no one labelled it"}
    assert calibrate_card(FITTING._replace(curves={"safety": CURVE}), CARD).labels == 0


def test_what_cannot_be_calibrated_is_left_out_with_the_reason():
    """No score, or one too far from the labelled ones."""
    open_card = judged(seven(7) | {"safety": {"unscored": "no answer"}}, judge="model:a")
    assert calibrate_card(FITTING, open_card).left_out["safety"] == "it has no score"
    far = calibrate_card(FITTING, judged(seven(7) | {"safety": 3}, judge="model:a"))
    assert far.left_out["safety"] == "3.00 is outside the range of the labelled outputs, 5.00 to 8.00"
    assert "safety" not in far.scores


def test_why_a_scorecard_has_no_calibrated_final_score():
    """By the one it was judged with, or by the one given."""
    assert shortcoming(CARD) == "its judge is not calibrated"
    fit = FITTING._replace(uses=(UseVerdict("gate", "yes", 0.5, 0.3, 0.7, 80, "it does"),))
    assert shortcoming(CARD, fit) is None
    assert shortcoming(CARD._replace(calibration=calibrate_card(fit, CARD))) is None
    unknown = "it is not shown yet that its judge can be used to gate at the pass mark"
    for uses, reason in (
        ((), f"{unknown}: the calibration does not say; make it again"),
        ((UseVerdict("gate", "not-shown", 0.3, 0.0, 0.6, 30, "so it is", 40),), f"{unknown}: so it is; about 40 more"),
        (
            (UseVerdict("gate", "no", 0.0, -0.1, 0.1, 30, "no"),),
            "its judge cannot be used to gate at the pass mark: no",
        ),
    ):
        assert str(shortcoming(CARD, FITTING._replace(uses=uses))).startswith(reason)
        assert shortcoming(CARD._replace(calibration=calibrate_card(FITTING._replace(uses=uses), CARD))) is not None
    other = FITTING._replace(judge={"name": "model:b"})
    assert shortcoming(CARD, other) == (
        "the calibration does not fit: it was made for another judge (name model:b, now model:a)"
    )
    without = FITTING._replace(curves={"safety": CURVE})
    assert shortcoming(CARD, without) == "not calibrated: it has no final score"
    assert shortcoming(CARD, without._replace(left_out={"final": "too few"})) == "not calibrated: too few"


@pytest.mark.parametrize(
    ("made_for", "judge", "rubric", "reason"),
    [
        ({"name": "a"}, {"name": "a"}, None, None),
        ({"name": "a"}, {"name": "a"}, "r" * 64, None),
        ({"name": "a"}, {"name": "b"}, None, "another judge (name a, now b)"),
        ({"name": "a", "x": "1"}, {"name": "a"}, None, "another judge (x 1, now none)"),
        ({"name": "a"}, {"name": "b", "x": "1"}, None, "another judge (name a, now b, x none, now 1)"),
        ({"name": "a", "prompt": "p"}, {"name": "b", "prompt": "q"}, None, "another judge (name a, now b)"),
        (
            {"name": "a", "prompt": "p" * 64},
            {"name": "a", "prompt": "q" * 64},
            None,
            f"prompt ({'p' * 12}, now {'q' * 12})",
        ),
        ({"name": "a"}, {"name": "a"}, "s" * 64, f"another rubric (made {'r' * 12}, now {'s' * 12})"),
    ],
)
def test_a_calibration_fits_one_judge_prompt_and_rubric(made_for, judge, rubric, reason):
    """The judge is looked at first, then its prompt, then the rubric."""
    said = misfit(FITTING._replace(judge=made_for, rubric_sha256="r" * 64), judge, rubric)
    assert (said or "").endswith(reason or "")
    assert (said is None) == (reason is None)


# --- scales ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        (" Grades ", GRADE_SCALE),
        ("PASS", PASS_SCALE),
        ("numbers", Scale("numbers")),
        ("categories", Scale("categories")),
        ("1-10", TEN_SCALE),
        ("1.50 to 2.50", Scale("1.5-2.5", Decimal("1.50"), Decimal("2.50"))),
        ("-2..2", Scale("-2-2", Decimal(-2), Decimal(2))),
        (" low < high ", Scale("low<high", words=("low", "high"))),
        ("cat | dog", Scale("cat|dog", words=("cat", "dog"), ordered=False)),
    ],
)
def test_a_scale_as_a_person_writes_it(text, scale):
    """Spaces and capitals do not matter to names."""
    assert scale_from(text) == scale


@pytest.mark.parametrize("text", ["3-3", "3-2", "a<<b", "a|", "a<a", "1-", "few"])
def test_rejects_what_is_not_a_scale(text):
    """Equal ends, an empty or repeated category."""
    with pytest.raises(ValueError, match=r"not a scale|empty or repeated category"):
        scale_from(text)


def test_fields_of_evaluations_have_their_scales():
    """Others have none."""
    assert default_scale("safety") is default_scale("final") is TEN_SCALE
    assert (default_scale("grade"), default_scale("pass")) == (GRADE_SCALE, PASS_SCALE)
    assert default_scale("charm") is None


@pytest.mark.parametrize(
    ("text", "scale", "stored"),
    [
        ("YES", PASS_SCALE, "pass"),
        ("0.0", PASS_SCALE, "fail"),
        ("2", PASS_SCALE, None),
        ("B-", GRADE_SCALE, "B-"),
        ("b-", GRADE_SCALE, None),
        ("Low", Scale("low<high", words=("low", "high")), "low"),
        ("very  low", Scale("very low<high", words=("very low", "high")), "very low"),
        ("LOW", Scale("low<Low", words=("low", "Low")), None),
        ("Low", Scale("low<Low", words=("low", "Low")), "Low"),
        ("Any thing", Scale("categories"), "Any thing"),
        ("7.50", Scale("numbers"), "7.5"),
        ("-70", Scale("numbers"), "-70"),
        ("1", TEN_SCALE, "1"),
        ("10.00", TEN_SCALE, "10"),
        ("0.99", TEN_SCALE, None),
        ("10.01", TEN_SCALE, None),
        ("ten", TEN_SCALE, None),
    ],
)
def test_a_value_is_stored_as_its_scale_has_it_or_refused(text, scale, stored):
    """Both ends belong to a range; a word in other capitals counts where it can be only one, and never of a grade."""
    if stored is None:
        with pytest.raises(ValueError, match=r"."):
            on_scale(text, scale)
    else:
        assert on_scale(text, scale) == stored


def test_a_rule_is_linear_or_a_list_of_pairs():
    """1 and 10 are allowed, what lies beyond is not; a rule needs a range."""
    five = scale_from("1-5")
    assert rule_from(" Linear ", five) == Rule("linear")
    assert rule_from("1=1, 2.50=10", five) == Rule("1=1,2.5=10", {"1": "1", "2.5": "10"})
    for wrong in ("1=0.99", "1=10.01", "1", "1=", "=1", "1=2,,", "1=2,1=3"):
        with pytest.raises(ValueError, match=r"rule|two values"):
            rule_from(wrong, five)
    with pytest.raises(ValueError, match="is not a rule; valid"):
        rule_from("linear", GRADE_SCALE)
    assert [is_number(text) for text in ("1", "-1.5", "a", "")] == [True, True, False, False]


# --- estimates -------------------------------------------------------------------------------------------------------

draw = Random(4)
JUDGED = [draw.gauss(6, 1.5) for _ in range(80)]
LABELS = [score - 0.5 + draw.gauss(0, 1) for score in JUDGED]
REST = [draw.gauss(6, 1.5) for _ in range(120)]
SAMPLE = Sample(JUDGED, LABELS, REST)
CHANCES = [0.2 + 0.6 * (place % 5) / 4 for place in range(80)]


def line_of(xs: list[float], ys: list[float], weights: list[float]) -> tuple[float, float, float]:
    """The weighted means and the slope of the weighted line."""
    total = sum(weights)
    x, y = (sum(w * value for w, value in zip(weights, values, strict=True)) / total for values in (xs, ys))
    spread = sum(w * (value - x) ** 2 for w, value in zip(weights, xs, strict=True))
    return x, y, sum(w * (a - x) * (b - y) for w, a, b in zip(weights, xs, ys, strict=True)) / spread


@pytest.mark.parametrize("chances", [[1.0] * 80, CHANCES], ids=["equal chances", "different chances"])
def test_an_estimate_again_with_each_label_left_out_and_the_line_fitted_anew(chances):
    """The mean, the slope, and both intervals, by leaving out: share = number it stands for * error / all."""
    weights = [1 / chance for chance in chances]
    stands_for = [200 * weight / sum(weights) for weight in weights]
    errors = []
    for place in range(80):
        xs, ys, ws = ([*v[:place], *v[place + 1 :]] for v in (JUDGED, LABELS, weights))
        x, y, slope = line_of(xs, ys, ws)
        errors.append(LABELS[place] - y - slope * (JUDGED[place] - x))
    x, y, slope = line_of(JUDGED, LABELS, weights)
    everyone = [*JUDGED, *REST]
    made = estimate_mean(SAMPLE, Design(chances))
    assert made.slope == pytest.approx(slope)
    assert made.value == pytest.approx(y + slope * (fmean(everyone) - x))
    own = [number * error / 200 for number, error in zip(stands_for, errors, strict=True)]
    left = [1 - 1 / max(number, 1) for number in stands_for]
    beyond = [share + slope * (score - fmean(everyone)) / 200 for share, score in zip(own, JUDGED, strict=True)]
    beyond += [slope * (score - fmean(everyone)) / 200 for score in REST]
    worth = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    assert effective_labels(chances) == pytest.approx(worth)
    freedom = int(worth) - 2 if chances[0] == 1 else min(int(worth) - 2, satterthwaite(beyond[:80]))
    for ends, squares, cubes in (
        (
            (made.low, made.high),
            sum(share**2 * part for share, part in zip(own, left, strict=True)),
            sum(share**3 * part * (2 * part - 1) for share, part in zip(own, left, strict=True)),
        ),
        (made.beyond, sum(share**2 for share in beyond), sum(share**3 for share in beyond)),
    ):
        assert ends == pytest.approx(skewed_interval(made.value, sqrt(squares), cubes, quantile(0.025, freedom)))
    assert made.labels_alone[0] == pytest.approx(y)
    assert (made.labels, made.unlabelled, made.judge_alone) == (80, 120, pytest.approx(fmean(everyone)))
    assert made.labels_alone[1] < made.low < made.value < made.high < made.labels_alone[2]


def test_the_labels_needed_are_those_that_trying_every_number_finds():
    """From 30 up to all there are; the scatter stays as it is."""
    arrays = [np.array(values) for values in (JUDGED, LABELS, [1.0] * 80)]
    scatter = fmean(float(far) ** 2 for far in left_out(arrays[0], arrays[1], arrays[2], estimate_mean(SAMPLE).slope))

    def reach(count: int) -> float:
        return quantile(0.025, count - 2) * sqrt(scatter / count * (1 - count / 200))

    reaches = {count: reach(count) for count in range(30, 201)}
    for wanted in (1.0, 0.3, 0.27, 0.25, *(reaches[count] * (1 + 1e-9) for count in (30, 31, 75, 100, 150, 199, 200))):
        assert labels_for(SAMPLE, wanted) == next(count for count in reaches if reaches[count] <= wanted)
    assert labels_for(SAMPLE, 0.2) > labels_for(SAMPLE, 0.2, confidence=0.9)
    assert labels_for(Sample(JUDGED[:20], LABELS[:20], REST[:9]), 9.0) is None, "29 items in all"
    assert labels_for(Sample(JUDGED[:20], LABELS[:20], REST[:10]), 9.0) == 30


@pytest.mark.parametrize(
    ("n", "said"), [(29, "29 labelled items are too few; an interval needs at least 30"), (30, None)]
)
def test_an_estimate_needs_thirty_labels(n, said):
    """One fewer is too few."""
    labels = [5.0, 6.0] * 30
    assert refusal(Sample(labels[:n], labels[:n], labels)) == said


def test_an_estimate_is_refused_by_the_skewness_and_by_a_split():
    """One 1 among 59 tens: skewness squared is about 57, so that 8 times as many labels are needed."""
    lopsided = [1.0, *[10.0] * 59]
    squared = skewness(lopsided) ** 2
    said = refusal(Sample([5.5] * 60, lopsided, [5.5] * 60))
    assert said is not None and said.endswith(f"it needs at least {ceil(8 * squared)}")
    even = [5.0, 6.0] * 30
    split = refusal(Sample(even, even, [value + 1 for value in even]))
    assert split is not None and "(5.50 against 6.50, chance " in split


def test_labels_with_chances_must_be_worth_eighty():
    """Where they differ, if ever so little; no labels are worth nothing."""
    even = [5.0, 6.0] * 41
    chances = [0.5, 0.5, 0.5001, 0.5001] * 20 + [0.5, 0.5]
    assert refusal(Sample(even, even, even), Design(chances)) is None
    said = refusal(Sample(even[:80], even[:80], even), Design(chances[:80]))
    assert said is not None and "are worth 79 drawn with equal chances; an interval needs at least 80" in said
    assert effective_labels([]) == 0.0


def test_labels_that_do_not_fit_their_chances_are_refused():
    """The judge scores the labelled ones higher than all, by far; or a few carry nearly all of the scatter."""
    even, chances = [5.0, 6.0] * 50, [0.5, 0.50001] * 50
    said = refusal(Sample([value + 2 for value in even], even, [*even] * 2), Design(chances))
    assert said is not None and "the judge scores the labelled ones 7.50 and all 6.17" in said
    lopsided = [1.0, *[10.0] * 99]
    said = refusal(Sample(even, lopsided, even), Design(chances))
    assert said is not None and "the weighted scores are lopsided: with labels worth 99" in said


VERDICTS = Sample(
    [float(place % 4 != 0) for place in range(100)],
    [float(place % 5 != 0) for place in range(100)],
    [float(place % 3 != 0) for place in range(90)],
)
CHANCES_OF_ALL = [0.5 if place % 2 else 0.25 for place in range(100)]


def test_a_pass_rate_with_chances_has_the_judges_errors_by_one_over_them():
    """Sensitivity and specificity: of what people pass, and of what they fail. The share that people passed is weighted
    as well."""
    made = estimate_pass_rate(VERDICTS, Design(CHANCES_OF_ALL))
    mean = estimate_mean(VERDICTS, Design(CHANCES_OF_ALL))
    assert (made.confidence, made.judge_alone, made.labels_alone[0]) == (0.95, mean.judge_alone, mean.labels_alone[0])
    for verdict, share in ((1.0, made.sensitivity), (0.0, made.specificity)):
        rows = [
            (1 / c, j) for j, p, c in zip(VERDICTS.judged, VERDICTS.labels, CHANCES_OF_ALL, strict=True) if p == verdict
        ]
        assert share == pytest.approx(sum(w for w, j in rows if j == verdict) / sum(w for w, _ in rows))
    assert estimate_pass_rate(VERDICTS, Design(CHANCES_OF_ALL), confidence=0.5).low > made.low


def test_a_rate_stays_between_nothing_and_everything():
    """However far an interval would reach."""
    nearly = [float(place < 90) for place in range(100)]
    made = estimate_pass_rate(Sample(nearly, nearly, [1.0] * 400), Design([0.5] * 100), confidence=0.9999)
    assert 0 <= made.low <= made.value <= made.high <= 1


# --- probes and anchors ----------------------------------------------------------------------------------------------


def effect(mean: float, reach: float, n: int = 10) -> Effect:
    return Effect(n, mean, mean - reach, mean + reach, 1.0)


def probe(expectation: str, dimension: str | None = None) -> Probe:
    return Probe("p", expectation, "a", "b", dimension)


@every_case(
    ("expectation", "made", "accusation", "praise", "verdict"),
    [
        ("same", None, 0.0, None, ("too-few", False)),
        ("same", effect(2, 1, n=4), 0.0, None, ("too-few", False)),
        ("same", effect(2, 1, n=5), 0.0, None, ("shown", True)),
        ("repeat", effect(2, 1), None, None, ("described", False)),
        ("same", effect(0.25, 0.2), 0.05, None, ("shown", True)),
        ("same", effect(0.24, 0.2), 0.05, None, ("not-shown", False)),
        ("same", effect(-0.25, 0.2), 0.05, None, ("shown", True)),
        ("same", effect(0.25, 0.2), 0.06, None, ("not-shown", False)),
        ("same", effect(0.25, 0.25), 0.05, None, ("not-shown", False)),
        ("not-up", effect(0.5, 0.2), None, None, ("not-shown", False)),
        ("same", effect(0.0, 1.0), 0.5, None, ("not-shown", False)),
        ("same", effect(0.1, 1.0), 0.5, None, ("too-few", False)),
        ("same", effect(-0.1, 1.0), 0.5, None, ("too-few", False)),
        ("down", effect(-1.0, 0.5), 0.05, 0.05, ("shown", False)),
        ("down", effect(-1.0, 0.5), 0.05, 0.06, ("unnoticed", True)),
        ("down", effect(-1.0, 0.5), 0.06, None, ("not-shown", False)),
        ("down", effect(0.0, 0.5), 0.05, 0.5, ("unnoticed", True)),
        ("down", effect(0.0, 2.0), 0.06, 0.5, ("too-few", False)),
    ],
)
def test_a_verdict_at_its_boundaries(expectation, made, accusation, praise, verdict):
    """Five outputs, a quarter of a point, a level of 0.05, an interval that reaches beyond a point."""
    assert _verdict(probe(expectation), made, accusation, praise) == verdict


@pytest.mark.parametrize("mean", [-1.0, 0.25, 0.5])
def test_what_is_tested_depends_on_what_is_expected(mean):
    """Higher, either way, or lowered by less than a point."""
    made = effect(mean, 1)
    up = one_sided(mean / (1 / sqrt(10)), 9)
    assert _accusation(probe("not-up"), made) == pytest.approx(up)
    assert _accusation(probe("same"), made) == pytest.approx(2 * min(up, 1 - up))
    assert _accusation(probe("down"), made) == pytest.approx(one_sided((mean + 1) / (1 / sqrt(10)), 9))
    assert _accusation(probe("repeat"), made) is None
    assert _accusation(probe("same"), effect(mean, 1, n=4)) is None


def test_a_spoilt_dimension_decides_and_the_final_score_is_described_beside_it():
    """Only where a score must fall; elsewhere the final score decides."""
    final, dimension = dict.fromkeys("abcdef", -0.1), dict.fromkeys("abcde", -3.0) | {"f": None}
    spoilt, padded = judge_probes(
        [Changes(probe("down", "safety"), final, dimension), Changes(probe("not-up", "safety"), final, dimension)]
    )
    assert (spoilt.deciding, spoilt.missing, dict(spoilt.changes)) == (effect_of([-3.0] * 5), 1, dimension)
    assert (spoilt.final, spoilt.dimension) == (effect_of([-0.1] * 6), effect_of([-3.0] * 5))
    assert (padded.deciding, padded.missing, dict(padded.changes)) == (effect_of([-0.1] * 6), 0, final)
    assert (padded.final, padded.dimension) == (effect_of([-0.1] * 6), effect_of([-3.0] * 5))
    assert (spoilt.verdict, padded.verdict) == ("shown", "not-shown")


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=6))
@settings(max_examples=40)
def test_holm_rejects_what_stepping_down_rejects(p_values):
    """At any level: the smallest at level / m, the next at level / (m - 1), until one is not rejected."""
    known = [p for p in p_values if p is not None]
    adjusted = holm(p_values)
    for level in (0.01, 0.05, 0.2):
        rejected = 0
        while rejected < len(known) and sorted(known)[rejected] * (len(known) - rejected) <= level:
            rejected += 1
        assert sum(p is not None and p <= level for p in adjusted) == rejected
    assert [p is None for p in adjusted] == [p is None for p in p_values]


def test_holm_tests_a_hypothesis_of_half_the_weight_at_half_the_level():
    """0.02 / 1 comes first: 1.5 x 0.02; then 0.04 / 0.5 with 0.5 left. The other way round 0.04 / 0.5 = 0.08 comes
    first: 1.5 x 0.08, and 0.1 / 1 x 1 is smaller, so it is raised to that."""
    assert holm([0.02, 0.04], [1.0, 0.5]) == pytest.approx([0.03, 0.04])
    assert holm([0.1, 0.04], [1.0, 0.5]) == pytest.approx([0.12, 0.12])
    assert holm([0.9, None, 0.8], [1.0, 1.0, 1.0]) == [1.0, None, 1.0]


def test_what_must_be_noticed_and_what_must_not_move_a_judge_have_half_of_the_level_each():
    """One of three that must not move cannot be tested: two share their half."""
    probes = [probe("down"), probe("same"), probe("not-up"), probe("same")]
    assert _weights(probes, [0.1, 0.2, None, 0.3]) == [1.0, 0.5, 0.5, 0.5]
    assert _weights(probes, [None, 0.2, None, None]) == [1.0, 1.0, 1.0, 1.0]


def test_an_effect_is_the_mean_with_student_s_interval():
    """1 to 4: deviation sqrt(5 / 3) = 1.29099; t(0.025, 3) = 3.18245, times 1.29099 / 2 is 2.05427. Equal changes
    have a deviation of 0.05; t(0.025, 1) = 12.7062, times 0.05 / sqrt(2) is 0.44923."""
    assert effect_of([1, 2, 3, 4]) == pytest.approx((4, 2.5, 0.44573, 4.55427, 1.29099), abs=1e-5)
    assert effect_of([1, 1]) == pytest.approx((2, 1.0, 0.55077, 1.44923, 0.05), abs=1e-5)
    assert effect_of([1]) is None


def test_a_lower_score_is_praised_where_a_probe_should_lower_it():
    """One-sided, from five outputs on."""
    made = effect(-1.0, 1)
    lower = one_sided(1 / (1 / sqrt(10)), 9)
    for expectation in ("down", "noticed"):
        assert _noticed(probe(expectation), made) == pytest.approx(lower)
        assert _noticed(probe(expectation), effect(-1.0, 1, n=5)) is not None
        assert _noticed(probe(expectation), effect(-1.0, 1, n=4)) is None
        assert _noticed(probe(expectation), None) is None
    for expectation in ("same", "not-up", "repeat"):
        assert _noticed(probe(expectation), made) is None
    assert _accusation(probe("noticed"), made) is None
    assert _accusation(probe("same"), effect(1, 1, n=5)) is not None
    assert _accusation(probe("same"), None) is None


def test_without_a_dimension_concerned_the_final_score_decides():
    """It fell by 3 in all six outputs."""
    (spoilt,) = judge_probes([Changes(probe("down"), dict.fromkeys("abcdef", -3.0), {})])
    assert (spoilt.deciding, spoilt.verdict) == (effect_of([-3.0] * 6), "shown")


def test_what_may_go_unnoticed_is_shown_or_not_and_never_held_against_a_judge():
    """It is decided by the dimension concerned, which fell by 3; then by one that did not move."""
    final = dict.fromkeys("abcdef", 0.0)
    fell, stayed = judge_probes(
        [Changes(probe("noticed", "safety"), final, dict.fromkeys("abcdef", move)) for move in (-3.0, 0.0)]
    )
    assert (fell.verdict, fell.against, fell.p_value) == ("shown", False, None)
    assert (stayed.verdict, stayed.against, stayed.p_value) == ("not-shown", False, None)
    assert fell.deciding == effect_of([-3.0] * 6)


def scores_of(values: list[int | None], field: str = "final"):
    return {f"a{place}": {field: value} for place, value in enumerate(values)}


def test_anchors_move_by_their_mean_now_minus_then():
    """Twelve anchors, each a tenth up, and two that have a score only once: 8 * 2 / 2 ** 12 = 0.0039."""
    then = scores_of([700] * 12 + [None, 700]) | {"gone": {"final": 100}}
    now = scores_of([710] * 12 + [700, None]) | {"new": {"final": 900}}
    made = movements(then, now)
    assert [movement.field for movement in made] == list(FIELDS)
    final, *others = made
    reach = effect_of([0.1] * 12)
    assert final == Movement("final", 12, 2, pytest.approx(0.1), reach.low, reach.high, pytest.approx(2 / 2**12), True)
    assert others[0] == Movement(FIELDS[1], 0, 14, None, None, None, None, False)
    back = movements(now, then)[0]
    assert (back.mean, back.alarm) == (pytest.approx(-0.1), True)


@pytest.mark.parametrize(
    ("moved", "alarm"),
    [([10] * 12, True), ([9] + [10] * 11, False), ([-10] * 12, True), ([10] * 7, False), ([100, -100] * 6, False)],
)
def test_an_alarm_needs_a_tenth_on_average_and_a_chance_of_one_in_a_hundred(moved, alarm):
    """Exactly a tenth is enough; a hundredth less in one of twelve is not."""
    then, now = scores_of([700] * len(moved)), scores_of([700 + move for move in moved])
    assert movements(then, now)[0].alarm is alarm


# --- alpha of many different values ----------------------------------------------------------------------------------


def naive_alpha(rows: list[list[int | None]], level: str) -> float:
    """Krippendorff's alpha by its definition: all pairs of values within items against all pairs at all."""
    items = [[value for value in row if value is not None] for row in rows]
    items = [values for values in items if len(values) > 1]
    everything = sorted(value for values in items for value in values)

    @cache
    def far(one: int, other: int) -> float:
        if level == "interval":
            return (one - other) ** 2
        if level == "ratio":
            return ((one - other) / (one + other)) ** 2
        low, high = sorted((one, other))
        between = sum(low <= value <= high for value in everything)
        return (between - (everything.count(low) + everything.count(high)) / 2) ** 2 if low != high else 0.0

    within = sum(sum(far(x, y) for x in values for y in values) / (len(values) - 1) for values in items)
    overall = sum(far(x, y) for x in everything for y in everything) / (len(everything) - 1)
    return 1 - within / overall


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
@pytest.mark.parametrize("points", [30, 45])
def test_alpha_is_its_definition_for_few_and_for_many_values(level, points):
    """With missing values and three raters; beyond forty different ones there is a value and no interval."""
    drawn = Random(points)
    rows: list[list[int | None]] = []
    for place in range(60):
        level_of_item = 1 + place * points // 60
        rows.append([max(1, level_of_item + drawn.randint(-4, 4)) for _ in range(3)])
        if place % 4 == 0:
            rows[-1][place % 3] = None
        if place % 7 == 0:
            rows[-1][(place + 1) % 3] = None
    different = len({value for row in rows for value in row if value is not None})
    made = numbers("abc", [[None if value is None else Fraction(value) for value in row] for row in rows])
    (found,) = [entry for entry in coefficients(made, Draws(resamples=30)) if entry.name == f"alpha-{level}"]
    assert found.value == pytest.approx(naive_alpha(rows, level), abs=1e-6)
    counted = different > 40 and level != "interval"
    assert found.no_interval.startswith("there are more than 40 different values") is counted
    assert found.items == sum(len([value for value in row if value is not None]) > 1 for row in rows)


def test_a_judge_is_compared_with_each_person_who_rated_what_it_rated():
    """A pair for each; items without the judge's value, or without a person's, are left out, and counted anew."""
    rows = [[5, 6, 7], [None, 6, 6], [4, None, 4], [3, None, None], [2, 1, None]]
    made = numbers(["judge", "a", "b"], [[None if value is None else Fraction(value) for value in row] for row in rows])  # type: ignore[attr-defined]
    pairs = against_each(made, 0)
    assert pairs.rows == ((5, 6), (5, 7), (4, 4), (2, 1))
    assert (pairs.items, pairs.raters) == ((0, 0, 1, 2), ("judge", "each person"))
    two = numbers(["a", "judge"], [[Fraction(1), Fraction(2)], [None, Fraction(3)], [Fraction(4), None]])
    assert (against_each(two, 1).rows, against_each(two, 1).raters) == (((2, 1),), ("judge", "a"))
    assert (against_each(two, 0).rows, against_each(two, 0).raters) == (((1, 2),), ("a", "judge"))


@pytest.mark.parametrize(
    ("judged_scores", "labels"),
    [
        ([1.0] * 8 + [9.0, 10.0] * 46, [1.0] * 8 + [10.0, 9.0] * 46),  # the correction takes it away
        ([1.0] * 4 + [5.0, 8.0] * 48, [6.5] * 4 + [5.0, 8.0] * 48),  # the correction brings it in
    ],
)
def test_weighted_scores_need_labels_for_the_worse_of_two_skewnesses(judged_scores, labels):
    """Of the labels alone, and after correction by the judge: 5 labels for each unit of its square."""
    rest = [5.0 + place % 4 for place in range(200)]
    x, y, slope = line_of(judged_scores, labels, [1.0] * 100)
    spread = sum((score - x) ** 2 for score in judged_scores)
    errors = [
        (label - y - slope * (score - x)) / (1 - 1 / 100 - (score - x) ** 2 / spread)
        for score, label in zip(judged_scores, labels, strict=True)
    ]
    before, after = skewness(labels) ** 2, skewness(errors) ** 2
    assert abs(before - after) > 1
    sample, design = Sample(judged_scores, labels, rest), Design([0.5, 0.5 + 1e-9] * 50)
    assert labels_for_shape(weighed(sample, design), design) == ceil(5 * max(before, after))


# --- what coefficients mean ------------------------------------------------------------------------------------------


def agreed(judge: str | None = None, raters: tuple[str, ...] = ("ana", "bo"), known: tuple[Coefficient, ...] = ()):
    return FieldAgreement("raters", "final", "1-10", judge, raters, 20, 40, known, None, ())


def coefficient(name: str, value: float | None = 0.5, ends: tuple[float, float] | None = None) -> Coefficient:
    made = None if ends is None else Interval(*ends, "bca", 100)
    return Coefficient(name, value, "" if value is not None else "one rater only", made, "" if made else "too few", 20)


@every_case(
    ("name", "value", "ends", "said"),
    [
        ("bias", 0.004, None, "ana and bo give the same on average."),
        ("bias", 0.006, None, "ana gives 0.01 points more than bo on average."),
        ("bias", -0.5, None, "ana gives 0.50 points less than bo on average."),
        ("bias", 0.5, (0.1, 0.9), "ana gives 0.50 points more than bo on average."),
        (
            "bias",
            0.5,
            (-0.1, 0.9),
            ("ana gives 0.50 points more than bo on average; the interval includes 0, so no bias is shown."),
        ),
        (
            "bias",
            0.5,
            (0.0, 0.9),
            ("ana gives 0.50 points more than bo on average; the interval includes 0, so no bias is shown."),
        ),
        ("lower-limit", -1.5, None, "About 97.5% of the differences lie above -1.50 points."),
        ("upper-limit", 1.5, None, "About 97.5% of the differences lie below +1.50 points."),
        ("kendall", 0.25, None, "Two items are ordered alike 25% more often than not, ties aside."),
        ("kendall", -0.25, None, "Two items are ordered the other way round 25% more often than not, ties aside."),
        (
            "spearman",
            0.5,
            None,
            ("The orders in which they put the items correlate at 0.50 (1 is the same order, 0 is no relation)."),
        ),
        ("exact", 0.5, None, "50% of the pairs of values are equal."),
        ("adjacent", 0.5, None, "50% of the pairs of values are at most one step apart."),
        ("kappa", 0.5, None, "They reach 50% of the agreement that is possible beyond chance."),
        ("kappa", 0.0, None, "They agree no more than chance would make them."),
        (
            "kappa-linear",
            0.5,
            None,
            ("They reach 50% of the agreement that is possible beyond chance, with part credit for near values."),
        ),
        (
            "ac2-quadratic",
            0.5,
            None,
            (
                "By Gwet's idea of chance, which skewed counts do not distort, they reach 50% of the "
                "agreement that is possible beyond chance, with much credit for near values."
            ),
        ),
        (
            "icc-2-1",
            0.5,
            None,
            (
                "50% of the variance of one rating comes from the items themselves (a rater who gives "
                "more throughout disagrees)."
            ),
        ),
        (
            "icc-3-k",
            -0.5,
            None,
            (
                "0% of the variance of the mean of 2 raters comes from the items themselves (a rater who "
                "gives more throughout does not disagree)."
            ),
        ),
        ("alpha-ordinal", -0.1, None, "They disagree more than chance would make them (values have an order)."),
        (
            "alpha-ratio",
            0.8,
            (0.79, 0.9),
            (
                "80% of the disagreement that chance would bring is avoided (ratios of values count); "
                "above .800, which Krippendorff asks for, but its interval reaches below."
            ),
        ),
        (
            "alpha-nominal",
            0.8,
            (0.8, 0.9),
            (
                "80% of the disagreement that chance would bring is avoided (values are equal or not); "
                "above .800, which Krippendorff asks for."
            ),
        ),
    ],
)
def test_what_a_coefficient_means(name, value, ends, said):
    """In one sentence; without an interval, why there is none."""
    made = coefficient(name, value, ends)
    assert sentence(made, value, agreed()) == said
    assert meaning(made, agreed()) == (said if ends else f"{said} No interval: too few.")


def test_a_judge_is_named_before_people_and_a_missing_value_with_its_reason():
    """One step of categories is one point of numbers; raters who differ from item to item have a mean of ratings."""
    assert sentence(coefficient("bias"), 0.5, agreed("judge")).startswith("judge gives 0.50 points more than people")
    assert meaning(coefficient("kappa", None), agreed()) == "Not computed: one rater only."
    numeric = agreed(known=(coefficient("alpha-interval"),))
    assert "at most one point apart" in sentence(coefficient("adjacent"), 0.5, numeric)
    alone = agreed(known=(coefficient("icc-2-k", None),))
    assert "of the mean of an item's ratings comes" in sentence(coefficient("icc-1-k"), 0.5, alone)
    three = agreed(raters=("a", "b", "c"))
    assert "of the mean of 3 raters comes" in sentence(coefficient("icc-1-k"), 0.5, three)
    assert "of the mean of 2 raters comes" in sentence(coefficient("icc-1-k"), 0.5, three._replace(judge="j"))
    assert title(coefficient("icc-2-1")) == "ICC(2,1)"


def test_raters_compared_on_a_field():
    """Items with two values, how many values these have, and for two raters the mean and difference of each pair."""
    rows = [[Fraction(5), Fraction(6)], [Fraction(7), None], [Fraction(4), Fraction(4)], [None, None]]
    made = among("people", "final", "1-10", numbers(["ana", "bo"], rows), Draws(resamples=10))
    assert (made.between, made.field, made.scale, made.judge, made.raters) == (
        "people",
        "final",
        "1-10",
        None,
        ("ana", "bo"),
    )
    assert (made.items, made.values, made.differences) == (2, 4, ((5.5, -1.0), (4.0, 0.0)))
    assert made.confusion is not None
    assert made.confusion.counts[0][0] == 1
    judge = judge_and_people(
        "final", "1-10", numbers(["j", "ana", "bo"], [[*row, Fraction(3)] for row in rows]), Draws(resamples=10)
    )
    assert (judge.judge, judge.raters, judge.between) == ("j", ("ana", "bo"), "judge and people")
    assert (judge.items, judge.values) == (3, 10)
    lonely = numbers(["j", "ana", "bo"], [[Fraction(5), Fraction(5), None], [None, None, Fraction(3)]])
    assert judge_and_people("final", "1-10", lonely, Draws(resamples=10)).raters == ("ana",)
    assert {
        one.name for one in among("people", "f", "s", numbers("ab", rows), Draws(resamples=10), brief=True).coefficients
    } < {one.name for one in made.coefficients}


@pytest.mark.parametrize("missing", [0, 1])
def test_bias_and_limits_are_of_the_pairs_that_both_rated(missing):
    """1, 2 and 3 more: 2 on average, deviation 1; what only one of them rated is left out."""
    rows: list[list[Fraction | None]] = [[Fraction(5 + more), Fraction(5)] for more in (1, 2, 3)]
    rows.append([Fraction(9), Fraction(1)])
    rows[-1][missing] = None
    values = {entry.name: entry.value for entry in coefficients(numbers("ab", rows))}
    assert values["bias"] == 2
    assert (values["lower-limit"], values["upper-limit"]) == (
        pytest.approx(2 - 1.96, abs=1e-4),
        pytest.approx(2 + 1.96, abs=1e-4),
    )
    flipped = {entry.name: entry.value for entry in coefficients(numbers("ab", [row[::-1] for row in rows]))}
    assert flipped["bias"] == -2
