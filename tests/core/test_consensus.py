"""Several judgements into one: medians, majorities, quorum, and what is told of each judge."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import seven
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.judgement import (
    Judgement,
    Unscored,
)
from evenhand.core.panel import consensus, median, pooled
from panels import model_judgement

cents = st.integers(100, 1000).map(lambda hundredths: Decimal(hundredths).scaleb(-2))
panels = st.lists(cents, min_size=1, max_size=7)


def official(judgement: Judgement, dimension: str = "safety") -> Decimal | Unscored:
    return judgement.opinions[dimension].score


# --- the median and its laws ---------------------------------------------------------------------


@given(panels, st.randoms())
def test_the_order_of_the_judges_is_irrelevant(scores, shuffler):
    """Any permutation has the same median."""
    shuffled = list(scores)
    shuffler.shuffle(shuffled)
    assert median(shuffled) == median(scores)


@given(panels)
def test_the_median_lies_between_the_lowest_and_the_highest(scores):
    """No rounding carries it beyond them."""
    assert min(scores) <= median(scores) <= max(scores)


@given(cents, cents, cents, cents)
def test_one_outlier_among_three_cannot_move_it_beyond_its_neighbour(one, two, third, outlier):
    """Whatever one judge says, the official score stays between the other two."""
    assert min(one, two) <= median([one, two, outlier]) <= max(one, two)
    assert median([one, two, third]) in (one, two, third)


@given(panels, st.data())
@pytest.mark.slow
def test_a_higher_score_of_one_judge_never_lowers_the_median(scores, data):
    """Monotone in every judge."""
    place = data.draw(st.integers(0, len(scores) - 1))
    raised = [*scores[:place], data.draw(cents.filter(lambda score: score >= scores[place])), *scores[place + 1 :]]
    assert median(raised) >= median(scores)


@given(st.lists(cents, min_size=7, max_size=7), st.integers(2, 5), st.booleans())
def test_a_panel_of_identical_judges_is_that_judge(scores, judges, claimed):
    """Scores, claims and distributions are those of the one."""
    said = {"red_flags": ["f0"] if claimed else [], "bonuses": ["b1"] if claimed else []}
    spread = {"safety": {700: 1, 800: 3}}
    one = model_judgement(seven(*scores), distributions=spread, **said)
    many = consensus([one] * judges)
    assert {name: opinion.score for name, opinion in many.opinions.items()} == {
        name: opinion.score for name, opinion in one.opinions.items()
    }
    assert [claim.id for claim in (*many.red_flags, *many.bonuses)] == [*said["red_flags"], *said["bonuses"]]
    assert many.opinions["safety"].distribution == spread["safety"]
    assert [opinion.evidence for opinion in many.opinions.values()] == [
        opinion.evidence for opinion in one.opinions.values()
    ]


# --- quorum --------------------------------------------------------------------------------------


# --- claims --------------------------------------------------------------------------------------


# --- what is told --------------------------------------------------------------------------------


# --- distributions -------------------------------------------------------------------------------


distributions = st.dictionaries(st.integers(100, 1000), st.integers(1, 50), min_size=1, max_size=4)


@given(st.lists(distributions, min_size=1, max_size=4))
@pytest.mark.slow
def test_a_pool_is_the_mean_of_its_distributions(known):
    """Exactly, part by part."""
    members = [model_judgement(8, distributions={"safety": each}).panel.members[0] for each in known]
    made = pooled(members, "safety")
    total = sum(made.values())
    for place in {place for each in known for place in each}:
        expected = sum(Fraction(each.get(place, 0), sum(each.values())) for each in known) / len(known)
        assert Fraction(made.get(place, 0), total) == expected
