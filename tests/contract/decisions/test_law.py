"""A verdict can be read off the interval beside it, whatever the table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, skew, t

from evenhand import ProposedClusters, ResultsTable, Row, decide

TENTHS = st.integers(10, 100).map(lambda tenths: Fraction(tenths, 10))


@st.composite
def rows(draw: st.DrawFn, variants: Sequence[str] = ("a", "b")) -> list[Row]:
    """Runs with ties, skew, clusters, repeats, lost and unscored ones, and cases that one side lacks."""
    cases = draw(st.integers(1, 40))
    spread = draw(st.sampled_from((0, 1, 5, 40)))
    shift = draw(st.integers(-20, 20))
    spoiled = draw(st.sampled_from((0, 0, 1, 4)))
    clustered = draw(st.booleans())
    made = []
    numbers = draw(st.randoms(use_true_random=False))
    for case in range(cases):
        for place, variant in enumerate(variants):
            if numbers.random() < 0.02:
                continue
            cluster = f"d{case // 3}" if clustered else ""
            for repeat in range(1, 1 + numbers.choice((1, 1, 3))):
                row = Row(f"c{case:02}", variant, repeat, cluster=cluster)
                tenths = 55 + place * shift + numbers.randint(-spread, spread)
                fate = numbers.random() * 20
                if fate < spoiled / 2:
                    row = Row(row.case, variant, repeat, lost="failed: exit code 1", finished=False, cluster=cluster)
                elif fate < spoiled:
                    known = {"low": Fraction(5), "high": Fraction(6)} if numbers.random() < 0.5 else {}
                    row = Row(row.case, variant, repeat, unscored="no reply", cluster=cluster, **known)
                else:
                    value = Fraction(min(100, max(10, tenths)), 10)
                    row = Row(row.case, variant, repeat, value, cluster=cluster)
                made.append(row)
    return made


@given(rows(), st.sampled_from((0.0, 0.2, 0.5, 2.0)))
def test_the_verdict_is_the_place_of_zero_in_the_interval(made: list[Row], margin: float):
    """Better above zero, worse below; no difference within the margin, or where 20 were compared and too few differ."""
    for contrast in decide(ResultsTable(made, ("a", "b")), margin=margin).contrasts:
        low, high = contrast.low, contrast.high
        assert (contrast.verdict == "better") == (low is not None and low > 0)
        assert (contrast.verdict == "worse") == (high is not None and high < 0)
        if low is not None and high is not None and low <= 0 <= high and not contrast.doubt:
            assert (contrast.verdict == "no difference shown") == (-margin <= low and high <= margin)
        if contrast.verdict == "no difference shown" and low is None:
            assert contrast.units >= 20 and contrast.units - contrast.equal < contrast.needed
        if contrast.estimate is not None and low is not None and high is not None:
            assert low <= contrast.estimate <= high
        assert contrast.better + contrast.worse + contrast.equal + contrast.open == contrast.units <= contrast.cases


@given(rows(("a", "b", "c")))
def test_every_pair_has_an_equal_part_of_the_error_rate(made: list[Row]):
    """Three pairs of three variants: 0.05 / 3 each. Against a named reference two: 0.05 / 2."""
    everyone = decide(ResultsTable(made, ("a", "b", "c")))
    assert [(one.variant, one.reference) for one in everyone.contrasts] == [("b", "a"), ("c", "a"), ("c", "b")]
    assert {round(one.level, 9) for one in everyone.contrasts} == {round(0.05 / 3, 9)}
    assert {one.needed for one in everyone.contrasts} == {7}
    against = decide(ResultsTable(made, ("a", "b", "c"), reference="b"))
    assert [(one.variant, one.reference, one.level) for one in against.contrasts] == [
        ("a", "b", 0.025),
        ("c", "b", 0.025),
    ]


@given(rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_cases_change_nothing(made: list[Row], numbers: Random):
    """A permutation of the rows gives the same decision."""
    shuffled = numbers.sample(made, len(made))
    assert decide(ResultsTable(shuffled, ("a", "b"))) == decide(ResultsTable(made, ("a", "b")))


@given(rows())
def test_the_mirrored_table_has_the_mirrored_decision(made: list[Row]):
    """B against A is A against B with its sign turned."""
    forth = decide(ResultsTable(made, ("a", "b"))).contrasts[0]
    back = decide(ResultsTable(made, ("b", "a"))).contrasts[0]
    mirrored = {"better": "worse", "worse": "better"}
    assert back.verdict == mirrored.get(forth.verdict, forth.verdict)
    for there, here in ((back.estimate, forth.estimate), (back.low, forth.high), (back.high, forth.low)):
        assert there == here == None or there == -here + 0.0  # noqa: E711 (both are None, or they are opposite numbers)


@given(rows())
def test_a_variant_against_itself_is_never_better_nor_worse(made: list[Row]):
    """The same runs under two names: every case is equal, unless a score is missing."""
    twice = [row for row in made if row.variant == "a"]
    copies = [
        Row(row.case, "copy", row.repeat, row.value, row.lost, row.unscored, row.low, row.high, row.cluster)
        for row in twice
    ]
    for contrast in decide(ResultsTable([*twice, *copies], ("a", "copy"))).contrasts:
        assert contrast.verdict in ("no difference shown", "undecided")
        assert not contrast.better and not contrast.worse


@given(rows())
def test_a_missing_score_is_never_worth_more_than_knowing_it(made: list[Row]):
    """Whatever the scores of unscored runs turn out to be, what was concluded without them holds."""
    concluded = decide(ResultsTable(made, ("a", "b"))).contrasts[0].verdict
    if concluded not in ("better", "worse"):
        return
    for end in (0, 1):
        told = []
        for row in made:
            if row.unscored:
                low = Fraction(1) if row.low is None else Fraction(row.low)
                high = Fraction(10) if row.high is None else Fraction(row.high)
                is_low = (row.variant == "a") == bool(end)
                row = Row(row.case, row.variant, row.repeat, low if is_low else high, cluster=row.cluster)
            told.append(row)
        contrast = decide(ResultsTable(told, ("a", "b"))).contrasts[0]
        # With every score known the mean may be claimed, which weighs the same differences in another way.
        assert contrast.verdict == concluded or contrast.claim == "mean"


@given(st.lists(st.integers(-90, 90), min_size=1, max_size=80))
def test_estimate_and_interval_are_those_of_the_stated_method(tenths: list[int]):
    """By SciPy: the sign test over what differs and its order statistics, or Student's t over all."""
    contrast = decide(table_of(tenths)).contrasts[0]
    values = sorted(value / 10 for value in tenths)
    differing = [value for value in values if value]
    n, size = len(values), len(differing)
    mean = sum(values) / n
    is_mean = n >= 30 and len({*values}) > 1 and abs(skew(values)) <= 0.1 * n**0.5
    assert contrast.claim == ("mean" if is_mean else "typical")
    if not differing:
        assert contrast.estimate is None
        return
    median = (differing[(size - 1) // 2] + differing[size // 2]) / 2
    if is_mean:
        deviation = (sum((value - mean) ** 2 for value in values) / (n - 1)) ** 0.5
        ends = t.interval(0.95, n - 1, mean, deviation / n**0.5)
    else:
        inside = [place for place in range(size // 2 + 1) if place and binomtest(place - 1, size).pvalue <= 0.05]
        ends = (differing[inside[-1] - 1], differing[-inside[-1]]) if inside else None
    if ends is not None and mean * median < 0:
        ends = (min(ends[0], mean, median), max(ends[1], mean, median))
    ends = None if ends is None else [max(-9.0, ends[0]), min(9.0, ends[1])]
    assert abs(contrast.estimate - (mean if is_mean else median)) < 1e-5
    assert (ends is None) == (contrast.low is None)
    if ends is not None:
        assert abs(ends[0] - contrast.low) < 1e-5
        assert abs(ends[1] - contrast.high) < 1e-5


def table_of(tenths: Sequence[int]) -> ResultsTable:
    """A difference of so many tenths for each case, on a scale without ends."""
    made = []
    for case, value in enumerate(tenths):
        made += [Row(f"c{case:03}", "a", value=Fraction(0)), Row(f"c{case:03}", "b", value=Fraction(value, 10))]
    return ResultsTable(made, ("a", "b"))


@given(rows())
def test_the_sentence_says_verdict_estimate_interval_and_denominator(made: list[Row]):
    """Whoever reads only the sentence knows what the numbers say."""
    decision = decide(ResultsTable(made, ("a", "b")))
    contrast = decision.contrasts[0]
    said = contrast.says
    assert (contrast.verdict if contrast.verdict not in ("better", "worse") else f"is {contrast.verdict} than") in said
    if contrast.low is not None and contrast.high is not None:
        low, high = re.search(r"\(([-+][\d.]+) to ([-+][\d.]+)\)", said).groups()
        assert (float(low) > 0) == (contrast.low > 0) and (float(high) < 0) == (contrast.high < 0)
    if contrast.units and contrast.claim == "mean":
        assert f"over {contrast.units} {contrast.unit}" in said
    if contrast.open:
        assert f"{contrast.open} " in said and "could not be scored" in said
    if contrast.lost or contrast.reference_lost:
        assert "as the worst" in said


def test_twenty_better_by_two_and_five_worse_by_nine_are_undecided():
    """Most cases and the mean point in opposite directions: (20 x 2 - 5 x 9) / 25 = -0.20, the median is +2.00."""
    contrast = decide(table_of([20] * 20 + [-90] * 5)).contrasts[0]
    assert (contrast.verdict, contrast.estimate, contrast.low, contrast.high) == ("undecided", 2.0, -0.2, 2.0)
    assert "opposite directions" in contrast.says


def test_the_fewest_cases_that_decide():
    """2 / 2^6 = 0.031 for one contrast; 7 for two or three, 8 for six, 10 for fifteen."""
    needed = {}
    for variants in (2, 3, 4, 6):
        names = [f"v{number}" for number in range(variants)]
        pairs = len([*combinations(names, 2)])
        for cases in range(5, 12):
            made = [Row(f"c{case}", name, value=number) for case in range(cases) for number, name in enumerate(names)]
            verdicts = Counter(one.verdict for one in decide(ResultsTable(made, tuple(names))).contrasts)
            if verdicts["better"] == pairs:
                needed[pairs] = cases
                break
    assert needed == {1: 6, 3: 7, 6: 8, 15: 10}


def test_a_rare_loss_that_the_cases_cannot_show_is_named():
    """1 / (1 - 0.05^(1/24)) = 8.5: a loss in fewer than 1 of 8 cases stays out of 24 in 5 of 100 samples or more."""
    said = decide(table_of([10] * 20 + [-5] * 4)).contrasts[0].says
    assert said == (
        "b is better than a: in 20 of 24 cases, typically by +1.00 (+1.00 to +1.00); "
        "losses rarer than 1 in 8 cases may not show"
    )


def test_ties_are_named_and_are_in_neither_estimate_nor_interval():
    """Eight of forty differ."""
    said = decide(table_of([3] * 8 + [0] * 32)).contrasts[0].says
    assert said.startswith("b is better than a: in 8 of the 8 cases that differ, 32 equal, typically by +0.30 there (")


def test_cases_that_seem_to_belong_together_are_decided_both_ways():
    """25 of 30 cases are better, and so are 5 of their 6 documents. The cases alone decide; the documents do not."""
    made = table_of([10] * 25 + [-10] * 5)
    documents = {f"c{case:03}": f"d{case // 5}" for case in range(30)}
    proposed = (ProposedClusters("document", documents, "declare it with: cluster: document"),)
    assert decide(made).contrasts[0].verdict == "better"
    contrast = decide(ResultsTable(made.rows, ("a", "b"), proposed=proposed)).contrasts[0]
    assert (contrast.verdict, contrast.low, contrast.high) == ("undecided", -1.0, 1.0)
    assert "share document" in contrast.says and "cluster: document" in contrast.says
