"""Estimates of what people would say: against other packages, published values, and at every limit."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from evenhand.stats.clusters import LEAST_CLUSTERS, cluster_folds, clustered, too_few_clusters
from evenhand.stats.trust.estimates import (
    LEAST_LABELS,
    NOT_RANDOM,
    Design,
    Sample,
    chance_of_split,
    effective_labels,
    equal_chances,
    estimate_mean,
    labels_for,
    refusal,
)
from evenhand.stats.trust.pass_rate import estimate_pass_rate, pass_refusal, wilson
from evenhand.stats.trust.pass_rate import labels_for as pass_labels_for

ORACLE = json.loads((Path(__file__).parents[1] / "fixtures/trust/estimates_oracle.json").read_text(encoding="utf-8"))


def sample_of(labels: int, rest: int, *, seed: int = 1, bias: float = 0.8, noise: float = 0.5) -> Sample:
    draw = Random(seed)
    quality = [draw.gauss(6, 1.5) for _ in range(labels + rest)]
    judged = [value + bias + draw.gauss(0, noise) for value in quality]
    return Sample(judged[:labels], [value + draw.gauss(0, 0.4) for value in quality[:labels]], judged[labels:])


@pytest.mark.parametrize("case", ORACLE["powered"], ids=lambda case: f"{len(case['labels'])} labels")
def test_the_mean_is_that_of_ppi_python(case):
    """Its weight divides by the scatter of all the judge's scores, ours by that of the labelled ones: the estimates are
    within a tenth of the interval. Ours, beyond these outputs, is a little wider: Student's, each label left out."""
    made = estimate_mean(Sample(case["judged"], case["labels"], case["unlabelled"]))
    (low, high), width = made.beyond, case["high"] - case["low"]
    assert made.value == pytest.approx(case["value"], abs=0.1 * width)
    assert 0.97 * width <= high - low <= 1.15 * width
    assert made.low >= low and made.high <= high


def test_a_biased_judge_does_not_move_the_estimate():
    """Two points added to every judge score cancel: labels + weight * (unlabelled - labelled)."""
    plain, biased = sample_of(50, 500, bias=0.0), sample_of(50, 500, bias=2.0)
    assert estimate_mean(biased).value == pytest.approx(estimate_mean(plain).value)
    assert estimate_mean(biased).judge_alone == pytest.approx(estimate_mean(plain).judge_alone + 2.0)


def test_a_judge_of_no_use_is_not_relied_on():
    """Scores that are all the same, or that people's do not follow: the labels alone count."""
    labels = [5.0, 6.0, 7.0, 8.0] * 10
    for judged, unlabelled in (([7.0] * 40, [7.0] * 90), ([5.0, 6.0, 6.0, 5.0] * 10, [5.0, 6.0] * 45)):
        made = estimate_mean(Sample(judged, labels, unlabelled))
        assert made.slope == 0.0
        assert made.value == made.labels_alone[0] == 6.5


def test_the_judges_scale_and_direction_make_no_difference():
    """In percent, or the worst the most: the same estimate, and the slope brings it to the labels' scale."""
    plain = sample_of(50, 500)
    made = estimate_mean(plain)
    for turn, slope in ((lambda score: 10 * score + 3, made.slope / 10), (lambda score: 11 - score, -made.slope)):
        turned = Sample([*map(turn, plain.judged)], plain.labels, [*map(turn, plain.unlabelled)])
        other = estimate_mean(turned)
        assert (other.value, other.low, other.high) == pytest.approx((made.value, made.low, made.high))
        assert other.slope == pytest.approx(slope)


def test_with_every_item_labelled_their_mean_is_known_and_that_of_others_is_not():
    """Of these outputs there is nothing left to estimate; beyond them the interval is that of their labels."""
    made = estimate_mean(sample_of(50, 0))
    assert made.low == made.value == made.high == pytest.approx(made.labels_alone[0])
    assert made.beyond[0] < made.value - 0.2 < made.value + 0.2 < made.beyond[1]


def test_the_interval_is_longer_towards_the_long_tail():
    """A few very low labels: the truth may be further below the mean than above it."""
    labels = [9.0] * 36 + [2.0] * 4
    made = estimate_mean(Sample([8.0] * 40, labels, [8.0] * 360))
    assert made.value - made.low > made.high - made.value > 0


def test_labels_that_all_agree_leave_no_width():
    """Forty times 8: zero scatter is reported, not divided by."""
    made = estimate_mean(Sample([7.0] * 40, [8.0] * 40, [7.0] * 10))
    assert (made.low, made.value, made.high) == (8.0, 8.0, 8.0)


def test_too_few_labels_are_refused_with_the_number_needed():
    """29 are refused, 30 are not."""
    assert LEAST_LABELS == 30
    assert "29 labelled items are too few; an interval needs at least 30" in str(refusal(sample_of(29, 100)))
    assert refusal(sample_of(30, 100)) is None


def test_with_few_labels_the_judges_scores_tell_whether_rare_failures_hide():
    """One failure in ten by the judge's scores: skewness squared (1 - 0.2)^2 / 0.09 = 7.1, times 8 is 57.

    Forty labels that show none are refused all the same; from sixty on the labels speak for themselves.
    """
    scores = [9.0] * 9 + [2.0]
    labels = [8.0, 9.0]
    few = Sample(scores * 4, labels * 20, scores * 10)
    assert "it needs at least 57" in str(refusal(few))
    assert refusal(Sample(scores * 6, labels * 30, scores * 10)) is None


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


def test_random_labels_are_refused_as_seldom_as_stated_also_where_passes_are_rare():
    """3 % pass: a normal approximation refuses one random sample in five. Chosen ones are refused."""
    draw = Random(2)
    assert chance_of_split([7.0, 7.0], [7.0, 7.0]) == 1.0
    for values in ([1.0] * 12 + [0.0] * 388, [round(draw.gauss(7, 1.5), 1) for _ in range(400)]):
        refused = 0
        for _ in range(200):
            draw.shuffle(values)
            refused += chance_of_split(values[:60], values[60:]) < NOT_RANDOM
        assert refused <= 2
        values.sort()
        assert chance_of_split(values[-60:], values[:-60]) < NOT_RANDOM


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
    assert labels_for(sample_of(60, 40), 0.001) == 100, "these outputs, all of them"
    assert labels_for(sample_of(60, 40), 0.001, beyond=True) is None


def test_a_plan_agrees_with_the_interval_it_starts_from():
    """Whatever the scatter of one sample: as wide as now takes about as many labels as now."""
    for seed in range(30):
        sample = sample_of(80, 900, seed=seed)
        made = estimate_mean(sample)
        assert labels_for(sample, (made.high - made.low) / 2) == pytest.approx(80, abs=3)


def verdicts(both: int, judge: int, people: int, neither: int, passed: int, failed: int) -> Sample:
    """So many labelled items that both pass, only the judge, only people, neither; and unlabelled ones by the judge."""
    judged = [1.0] * (both + judge) + [0.0] * (people + neither)
    labels = [1.0] * both + [0.0] * judge + [1.0] * people + [0.0] * neither
    return Sample(judged, labels, [1.0] * passed + [0.0] * failed)


def rate_of(sample: Sample):
    return estimate_pass_rate(sample, equal_chances(sample))


def test_a_pass_rate_without_a_judge_is_wilsons():
    """18 of 30, with Student's quantile for 28 degrees, 2.5 % longer: t = 1.025 * 2.04841 = 2.09962, t^2/n = 0.146947.

    centre (0.6 + 0.073473) / 1.146947 = 0.587188; half 2.09962 * sqrt(0.008 + 0.0012246) / 1.146947 = 0.175820
    """
    constant = Sample([1.0] * 30, [1.0] * 18 + [0.0] * 12, [1.0] * 300)
    made = rate_of(constant)
    assert (made.slope, made.value) == (0.0, 0.6)
    assert made.beyond == pytest.approx((0.587188 - 0.175820, 0.587188 + 0.175820), abs=1e-5)
    assert made.labels_alone == (0.6, made.low, made.high)
    assert wilson(0.5, 100, 1.959964) == pytest.approx((0.403832, 0.596168), abs=1e-6)  # the textbook value


def test_a_good_judge_narrows_a_pass_rate_and_a_coin_does_not_widen_it():
    """55 of 60 verdicts agree; the judge passes 180 of 300 more. A judge that tosses a coin costs nothing."""
    good = rate_of(verdicts(33, 2, 3, 22, 180, 120))
    alone = good.labels_alone[2] - good.labels_alone[1]
    assert good.high - good.low < 0.8 * alone
    assert good.slope > 0.5
    coin = rate_of(verdicts(15, 15, 15, 15, 150, 150))
    assert coin.slope == pytest.approx(0, abs=0.01)
    assert coin.high - coin.low <= coin.labels_alone[2] - coin.labels_alone[1] + 1e-9


def test_judge_and_labels_stand_beside_a_pass_rate():
    """The judge passes 35 of 60 labelled and 180 of 300 others; of 36 that people pass it passes 33."""
    made = rate_of(verdicts(33, 2, 3, 22, 180, 120))
    assert made.judge_alone == pytest.approx(215 / 360)
    assert made.sensitivity == pytest.approx(33 / 36)
    assert made.specificity == pytest.approx(22 / 24)
    assert made.labels_alone[0] == pytest.approx(36 / 60)


def test_an_interval_of_a_pass_rate_stays_on_the_scale():
    """All thirty passed: up to 100 %, and not down to 100 %."""
    made = rate_of(verdicts(30, 0, 0, 0, 300, 0))
    assert made.value == made.high == 1.0
    assert 0.8 < made.low < 0.95
    assert made.specificity is None


def test_a_pass_rate_that_would_not_hold_is_refused():
    """29 labels; labels of which the judge passes all, though it passes nothing else."""
    few = verdicts(10, 4, 5, 10, 50, 50)
    assert "29 labelled items are too few; an interval needs at least 30" in str(pass_refusal(few, equal_chances(few)))
    enough = verdicts(11, 4, 5, 10, 50, 50)
    assert pass_refusal(enough, equal_chances(enough)) is None
    other = verdicts(30, 30, 0, 0, 10, 290)
    assert "draw the items to label at random" in str(pass_refusal(other, equal_chances(other)))


@pytest.mark.slow
@pytest.mark.parametrize("precision", [0.05, 0.08])
def test_the_labels_needed_for_a_pass_rate_give_that_precision(precision):
    """A new sample with as many labels as planned has the wished width on average; three quarters of them do not."""
    draw = Random(5)

    def sample(labels: int, total: int) -> Sample:
        good = [draw.random() < 0.7 for _ in range(total)]
        judge = [float(draw.random() < (0.9 if passes else 0.2)) for passes in good]
        return Sample(judge[:labels], [float(passes) for passes in good[:labels]], judge[labels:])

    known = sample(400, 1500)
    planned = pass_labels_for(known, equal_chances(known), precision)
    assert planned is not None
    for number, enough in ((planned, True), (planned * 3 // 4, False)):
        widths = [made.high - made.low for made in (rate_of(sample(number, 1500)) for _ in range(20))]
        assert (sum(widths) / 20 <= 2 * precision * 1.05) is enough


def test_labels_are_planned_for_these_outputs():
    """All 360 labelled leave nothing open; 1 point takes most of them."""
    sample = verdicts(33, 2, 3, 22, 180, 120)
    assert 300 < pass_labels_for(sample, equal_chances(sample), 0.01) < 360
    assert 60 < pass_labels_for(sample, equal_chances(sample), 0.06) <= 360
    assert pass_labels_for(sample, equal_chances(sample), 0.5) == LEAST_LABELS


# --- clusters


def test_items_of_a_cluster_count_once_for_the_interval():
    """Twenty cases, each five times the same: as wide as twenty labels, not a hundred."""
    draw = Random(3)
    people = [draw.gauss(6, 1.5) for _ in range(20)]
    judge = [value + draw.gauss(0, 1) for value in people]
    rest = [draw.gauss(6, 1.8) for _ in range(200)]
    repeated = Sample(judge * 5, people * 5, rest)
    clusters = [*range(20)] * 5 + [*range(100, 300)]
    alone = estimate_mean(repeated, equal_chances(repeated))
    together = estimate_mean(repeated, equal_chances(repeated, clusters))
    assert together.value == pytest.approx(alone.value, abs=0.5)
    assert together.clusters == 20
    widths = [made.labels_alone[2] - made.labels_alone[1] for made in (alone, together)]
    assert 2.0 < widths[1] / widths[0] < 3.0  # sqrt(5) = 2.24, and Student's quantile for 18 instead of 98


def test_labels_of_too_few_clusters_are_refused():
    """Eleven are too few, twelve are enough; a hundred labels or not."""
    assert LEAST_CLUSTERS == 12
    sample = sample_of(100, 100)
    for count in (11, 12):
        clusters = [n % count for n in range(200)]
        words = [refuse(sample, equal_chances(sample, clusters)) for refuse in (refusal, pass_refusal)]
        assert all("100 labelled items come from 11 clusters" in str(word) for word in words) is (count == 11)
    assert too_few_clusters(["a"] * 30, 2) == (
        "the 30 labelled items come from 1 cluster (cases or tasks), and items of one cluster are alike; an interval "
        "needs labels from at least 2"
    )


def test_a_cluster_for_each_item_changes_nothing():
    """Clusters of one are independent items."""
    sample = sample_of(60, 100)
    assert not clustered(range(160))
    assert estimate_mean(sample, equal_chances(sample, range(160))) == estimate_mean(sample, equal_chances(sample))


def test_clusters_are_added_up_and_left_out_whole():
    """In order of appearance; no cluster is in two folds, and folds are filled evenly."""
    assert cluster_folds("aaabbc", 2) == [0, 0, 0, 1, 1, 1]
    assert cluster_folds("ab", 10) == [0, 1]


def test_equal_verdicts_of_few_clusters_are_worth_as_many_labels_as_clusters():
    """Sixty passes from fifteen cases: nothing shows how alike the runs of a case are, so each case counts once."""
    sample = Sample([1.0] * 60, [1.0] * 60, [1.0] * 60)
    made = estimate_pass_rate(sample, equal_chances(sample, [n % 15 for n in range(120)]))
    assert made.beyond[0] == pytest.approx(
        1 / (1 + (1.025 * 2.160369) ** 2 / 15), abs=1e-4
    )  # 15 of 15, t for 13 degrees


def test_labels_with_unequal_chances_are_worth_fewer():
    """Weights 1 and 2: 3 squared over 1 + 4 is 1.8 of 2; equal chances are worth all of them (Kish)."""
    assert effective_labels([1.0, 0.5]) == pytest.approx(1.8)
    assert effective_labels([0.2] * 7) == pytest.approx(7)
    assert effective_labels([]) == 0


def test_each_label_counts_by_one_over_its_chance():
    """Half of the labels are 4 with chance 1/2, half are 8 with 1/4: (2 * 4 + 4 * 8) / 6; the judge knows nothing."""
    sample = Sample([5.0] * 80, [4.0, 8.0] * 40, [5.0] * 160)
    made = estimate_mean(sample, Design([0.5, 0.25] * 40))
    assert made.value == pytest.approx(40 / 6)
    assert made.slope == 0
    assert made.labels_alone[0] == made.value
    assert made.judge_alone == 5


def test_only_the_proportions_of_chances_count():
    """People who labelled a third of what was drawn, in random order, had a third of each chance."""
    sample = sample_of(100, 300)
    chances = [0.2 + 0.1 * (n % 3) for n in range(100)]
    whole, third = (estimate_mean(sample, Design([chance / part for chance in chances])) for part in (1, 3))
    assert whole[:3] == pytest.approx(third[:3])


def test_what_unequal_chances_do_not_allow_is_refused():
    """Too few labels by their worth; a heavy tail; labels that do not fit their chances. 80 will do, 79 will not.

    Forty weights of 50 and forty of 1.11: 2044 squared over 100,049 is 41.8.
    """
    sample, even = sample_of(80, 300), [0.2 + 0.0001 * (n % 2) for n in range(81)]
    assert refusal(sample_of(81, 300), Design(even)) is None
    assert "are worth 79" in refusal(sample, Design(even[:80]))
    assert "are worth 41" in refusal(sample, Design([0.02 if n < 40 else 0.9 for n in range(80)]))
    skewed = Sample([5.0, 6.0] * 50, [9.0] * 98 + [1.0] * 2, [5.0, 6.0] * 150)
    assert "lopsided" in refusal(skewed, Design([0.5, 0.2] * 50))
    kind = sample_of(100, 300)
    unlike = kind._replace(unlabelled=[score + 2 for score in kind.unlabelled])
    assert "do not fit their chances" in refusal(unlike, Design([0.2, 0.4] * 50))
