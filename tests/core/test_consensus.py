"""Several judgements into one: medians, majorities, quorum, and what is told of each judge."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from conftest import seven
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.judgement import (
    NOT_ASKED,
    Calls,
    Claim,
    Condensed,
    Discounted,
    Escalation,
    Judgement,
    Opinion,
    Unscored,
)
from evenhand.core.panel import add_calls, consensus, median, panel_identity, pooled
from evenhand.core.rules import DIMENSIONS
from panels import claims, model_judgement, panel_of, quote

cents = st.integers(100, 1000).map(lambda hundredths: Decimal(hundredths).scaleb(-2))
panels = st.lists(cents, min_size=1, max_size=7)


def official(judgement: Judgement, dimension: str = "safety") -> Decimal | Unscored:
    return judgement.opinions[dimension].score


# --- the median and its laws ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (["8"], "8.00"),
        (["2", "8", "9"], "8.00"),
        (["7", "8"], "7.50"),
        (["7.33", "7.34"], "7.34"),  # 7.335, half up
        (["1", "7.01", "7.04", "10"], "7.03"),  # 7.025, half up
    ],
)
def test_the_official_score_is_the_median(scores, expected):
    """The middle one, or the mean of the middle two, half up."""
    assert median([Decimal(score) for score in scores]) == Decimal(expected)


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


def test_any_order_of_a_panel_gives_the_same_scores_and_claims():
    """Names may change places; numbers do not."""
    judges = [
        model_judgement(seven(7, 8, 9, 4, 5, 6, 7), name="a", red_flags=["f1", "f0"]),
        model_judgement(seven(6), name="b", red_flags=["f0"]),
        model_judgement(seven("8.25"), name="c", bonuses=["b0"]),
    ]
    seen = set()
    for order in permutations(judges):
        made = consensus(order)
        seen.add(
            (
                tuple(opinion.score for opinion in made.opinions.values()),
                frozenset(claim.id for claim in made.red_flags),
                frozenset(claim.id for claim in made.bonuses),
                tuple(made.judge.items()),
            )
        )
    assert len(seen) == 1


# --- quorum --------------------------------------------------------------------------------------


def test_the_same_reason_is_reported_once_and_a_long_one_is_cut():
    """A reader wants to know why, not the same error page three times."""
    long = "the server said " + "no " * 100
    made = panel_of(seven(long), seven(long), 8)
    reason = official(made).reason
    assert reason.startswith("1 of 3 judges scored it, 2 needed (a, b: the server said no no")
    assert len(reason) < 200


@pytest.mark.parametrize(("quorum", "scored"), [(None, True), (1, True), (2, True), (3, False)])
def test_a_quorum_of_its_own_replaces_more_than_half(quorum, scored):
    """Two of three scored safety."""
    made = panel_of(7, 9, seven(8) | {"safety": "refused"}, quorum=quorum)
    assert official(made) == Decimal("8.00") if scored else isinstance(official(made), Unscored)
    assert made.panel.quorum == quorum


def test_half_of_the_judges_is_not_more_than_half():
    """Of two, both are needed."""
    assert isinstance(official(panel_of(8, seven(8) | {"safety": "refused"})), Unscored)


def test_a_judge_asked_about_a_few_dimensions_counts_there_only():
    """The stronger judge is one of three in safety, and in the others there are two."""
    strong = model_judgement({"safety": 4}, name="strong", abstained=NOT_ASKED)
    made = consensus([model_judgement(7, name="a"), model_judgement(9, name="b"), strong])
    assert official(made) == Decimal("7.00")
    assert official(made, "adherence") == Decimal("8.00")
    assert made.panel.members[2].scores == {"safety": Decimal("4.00")}
    assert "strong" not in made.opinions["adherence"].justification


# --- claims --------------------------------------------------------------------------------------


def test_a_judge_that_did_not_answer_for_claims_has_no_vote():
    """With one of three abstaining, two of two is a majority, and one of two is none; it is noted."""
    made = consensus(
        [
            model_judgement(name="a", red_flags=["f0", "f1"]),
            model_judgement(name="b", red_flags=["f0"]),
            model_judgement(name="c", abstained="timed out"),
        ]
    )
    assert [claim.id for claim in made.red_flags] == ["f0"]
    assert made.warnings == ("c did not vote on red flags and bonuses: timed out",)


def test_one_answer_is_a_majority_of_one():
    """The other abstains; the stronger one was not asked."""
    made = consensus(
        [
            model_judgement(name="a", red_flags=["f0"]),
            model_judgement(name="b", abstained="refused"),
            model_judgement({"safety": 8}, name="c", abstained=NOT_ASKED),
        ]
    )
    assert [claim.id for claim in made.red_flags] == ["f0"]
    assert made.warnings == ("b did not vote on red flags and bonuses: refused",)


def test_what_each_judge_lost_before_is_carried_over():
    """Unverified and unlisted claims of each judge stay told."""
    lost = Discounted("red_flag", "made-up", "b", "unlisted", "I saw it")
    made = consensus([model_judgement(name="a"), model_judgement(name="b", discounted=(lost,))])
    assert made.panel.discounted == (lost,)


# --- what is told --------------------------------------------------------------------------------


def test_each_judge_speaks_behind_its_name_and_score():
    """One line each; quotes once, verified ones first."""
    lost = quote("not there", verified=False)
    made = consensus(
        [
            model_judgement(8, name="a", evidence=(lost, quote())),
            model_judgement(seven(7) | {"safety": "refused"}, name="b", evidence=(quote(), quote("Tests were run."))),
            model_judgement(9, name="c", evidence=()),
        ]
    )
    assert made.opinions["safety"].justification == (
        "a 8.00: What a says of safety.\nb no score: refused\nc 9.00: What c says of safety."
    )
    assert made.opinions["adherence"].evidence == (quote(), quote("Tests were run."), lost)


def test_two_judges_of_one_name_can_be_told_apart():
    """Also in what was discounted and condensed."""
    lost = Discounted("bonus", "b0", "m", "unverified")
    cut = Condensed("m", 3, 1, 9, "too long")
    made = consensus([model_judgement(8, name="m", discounted=(lost,), condensed=(cut,))] * 3)
    assert [member.judge["name"] for member in made.panel.members] == ["m", "m #2", "m #3"]
    assert [each.judge for each in made.panel.discounted] == ["m", "m #2", "m #3"]
    assert [each.judge for each in made.panel.condensed] == ["m", "m #2", "m #3"]


def test_the_identity_of_a_panel_names_its_judges_and_hashes_what_they_are():
    """Another prompt is another panel; another order is not."""
    a, b = {"name": "a", "prompt": "1"}, {"name": "b", "prompt": "1"}
    identity = panel_identity([b, a])
    assert {key: identity[key] for key in ("name", "judges", "quorum")} == {
        "name": "panel",
        "judges": "a + b",
        "quorum": "more than half",
    }
    assert panel_identity([a, b]) == identity
    assert panel_identity([a, b | {"prompt": "2"}])["identities"] != identity["identities"]
    assert panel_identity([a, b], quorum=2)["quorum"] == "2"
    stronger = panel_identity([a], escalate_to=b)
    assert (stronger["judges"], stronger["escalate_to"]) == ("a", "b")


def test_one_judge_alone_stays_what_it_is():
    """Identity, words and panel."""
    one = model_judgement(8)
    assert consensus([one]) is one


def test_a_stronger_judge_that_was_not_needed_is_reported():
    """One judge, and an escalation that asked nothing: the words stay its own, the identity is the panel's."""
    spared = Escalation(to="strong", asked={}, saved_calls=8)
    who = panel_identity([{"name": "a"}], escalate_to={"name": "strong"})
    made = consensus([model_judgement(8, name="a")], escalation=spared, identity=who)
    assert made.judge == who
    assert made.panel.escalation == spared
    assert made.opinions["safety"].justification == "What a says of safety."


def test_the_checks_can_sit_on_a_panel():
    """A judge without a panel of its own is a member made from what it said; an unquoted claim of it is not a vote."""
    checks = Judgement(
        opinions={name: Opinion(Decimal("6.00"), "Base 6.00.") for name in DIMENSIONS},
        judge={"name": "checks", "version": "1"},
        skill="review",
        red_flags=(*claims(["f0"]), Claim("f1", "no quote")),
    )
    made = consensus([model_judgement(8, name="a", red_flags=["f0"]), checks])
    assert official(made) == Decimal("7.00")
    assert [claim.id for claim in made.red_flags] == ["f0"]
    assert made.panel.members[1].judge["name"] == "checks"
    assert [(each.id, each.reason) for each in made.panel.discounted] == [("f1", "unverified")]


def test_warnings_are_reported_once():
    """Two judges saw the same text addressed to them."""
    said = [model_judgement(name=name, warnings=("injection-suspected: line 1",)) for name in "ab"]
    assert consensus(said).warnings == ("injection-suspected: line 1",)


def test_calls_add_up_and_an_unknown_price_is_unknown():
    """Unless the judge of unknown price made no call."""
    paid, free = Calls(asked=7, repairs=1, input_tokens=900, output_tokens=80, cost=Decimal("0.02")), Calls(stored=8)
    assert add_calls([paid, paid, free]) == Calls(14, 8, 2, 1800, 160, Decimal("0.04"))
    assert add_calls([paid, Calls(asked=1)]).cost is None
    assert add_calls([free]).cost == 0


# --- distributions -------------------------------------------------------------------------------


def test_a_pool_gives_each_judge_the_same_weight():
    """a: 7 and 8 at 1 to 2; b: certain of 8. Half of (1/3, 2/3) and half of (0, 1) is (1/6, 5/6)."""
    made = consensus(
        [
            model_judgement("7.67", name="a", distributions=seven({700: 1, 800: 2})),
            model_judgement(8, name="b"),
        ]
    )
    assert made.opinions["safety"].distribution == {700: 1, 800: 5}


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
