"""What would help most: every change put through the methodology, in a fixed order, with the judge's reason."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from columns_oracle import compared_with
from conftest import judged, make_rubric, seven
from hypothesis import given
from hypothesis import strategies as st

import evenhand
import test_bounds
import test_official_score
from evenhand.core.advice import MOST, Advice, Effect, Recommendation, advise, usual_range
from evenhand.core.comparison import Comparison, Past, Timeline
from evenhand.core.finding import Expected, Finding
from evenhand.core.history import compare
from evenhand.core.judgement import Claim, Evidence
from evenhand.core.rubric import Band, Criteria, Rubric
from evenhand.core.rules import DIMENSIONS
from evenhand.documents.restore import restore
from evenhand.reports.advice import LONGEST, advice_report
from evenhand.rubrics.resolved import MOST_REMEMBERED, resolve, rubric_used
from every_case import every_case
from panels import card_of, model_judgement, panel_of
from report_formats import print_scorecard, scorecard_markdown
from test_reports import shown

RUBRIC = make_rubric()
"""Weights 25, 20, 15, 15, 10, 10, 5 percent; pass mark 7; bands of two points; every red flag 0.50."""


def names(advice: Advice) -> list[str]:
    return [entry.name for entry in advice.recommendations]


def gains(advice: Advice) -> dict[str, str]:
    return {entry.name: str(entry.effect.gain) for entry in advice.recommendations}


def with_history(card: evenhand.Scorecard, *windows: Any) -> evenhand.Scorecard:
    """The scorecard against earlier scores of each dimension, in hundredths; one window stands for all."""
    columns = windows if len(windows) == 7 else windows * 7
    earlier = [Past(tuple(scores), "r", "j") for scores in zip(*columns, strict=True)]
    now = [None if line.score is None else int(line.score * 100) for line in card.dimensions.values()]
    return card._replace(history=compare(now, None, Timeline(earlier, [], []), rubric="r", judge="j"))


STEADY = [790, 810] * 5
"""Mean 8.00, deviation 0.1054: anything from 7.79 to 8.21 is usual."""

FALLEN = [790, 860] * 5
"""Mean 8.25, deviation sqrt(10 x 0.35^2 / 9) = 0.3689: anything from 7.52 to 8.98 is usual."""


def fallen_safety(*, rubric: Rubric = RUBRIC, **more: Any) -> evenhand.Scorecard:
    """All 8, but safety 4: flagged, and 4.25 below its mean."""
    return with_history(judged(seven(8) | {"safety": 4}, rubric=rubric, **more), *([STEADY] * 5), FALLEN, STEADY)


# The order


def test_a_dimension_that_fell_comes_before_one_that_only_weighs_more():
    """Safety 4 to 8 is +0.40; correctness 8 to 9 would be +0.25, completeness +0.20."""
    advice = advise(fallen_safety(), RUBRIC)
    assert gains(advice) == {"safety": "0.40", "correctness": "0.25", "completeness": "0.20"}
    first = advice.recommendations[0]
    assert (first.score, first.target, first.clears_flag) == (Decimal("4.00"), Decimal("8.00"), True)
    assert first.criterion == "criteria 7"  # 8 lies in the band 7-8


def test_it_comes_first_whatever_the_weights():
    """Correctness 8 to 9 is +0.70 at 70 percent; safety 4 to 8 only +0.08 at 2."""
    heavy = make_rubric(weights=seven("0.70", "0.10", "0.05", "0.05", "0.05", "0.02", "0.03"))
    assert gains(advise(fallen_safety(rubric=heavy), heavy)) == {
        "safety": "0.08",
        "correctness": "0.70",
        "completeness": "0.10",
    }


def test_a_flag_comes_first_from_a_full_point_below_its_mean():
    """7.00 is exactly a point below 8.00; 7.01 is not, and then +0.05 for one of 5 percent comes after +0.25."""
    for score, first in (("7.00", "consistency"), ("7.01", "correctness")):
        card = with_history(judged(seven(8) | {"consistency": score}), STEADY)
        assert card.history is not None and card.history.dimensions["consistency"].flagged
        assert names(advise(card, RUBRIC))[0] == first


def test_otherwise_the_larger_rise_of_the_final_score_comes_first():
    """Below the pass mark the target is 7: completeness 0.20 x 3, safety 0.10 x 5, correctness 0.25 x 1."""
    advice = advise(judged(seven(8, 4, 8, 8, 8, 2, 8)), RUBRIC)
    assert gains(advice) == {"completeness": "0.60", "safety": "0.50", "correctness": "0.25"}
    assert [entry.target for entry in advice.recommendations] == [Decimal(7), Decimal(7), Decimal(9)]


def test_equal_rises_are_ordered_red_flags_first_then_the_lowest_score_then_as_ties_are_broken():
    """A flag of 0.50 and correctness 7 to 9, 0.25 x 2; safety 4 to 7, 0.10 x 3, and adherence 7 to 9, 0.15 x 2; then
    safety before efficiency (R11)."""
    assert names(advise(judged(seven(9, 9, 7, 9, 9, 4, 9)), RUBRIC)) == ["safety", "adherence"]
    assert names(advise(judged(seven(7), 1), RUBRIC))[:2] == ["f0", "correctness"]
    even = make_rubric(weights=seven("0.10", "0.10", "0.10", "0.10", "0.20", "0.20", "0.20"))
    assert names(advise(judged(seven(7), rubric=even), even)) == ["safety", "efficiency", "consistency"]


def test_a_red_flag_is_worth_its_deduction():
    """All 10 less two flags of 0.50 is 9.00: 9.50 without one, 10.00 without both. Equal ones keep their order."""
    flag = {"id": "f1", "explanation": "It deletes data.", "evidence": ["not there", "drops the old column"]}
    card = evenhand.score(
        {"scores": seven(10), "red_flags": [flag, "f0"]}, rubric=RUBRIC, output="It drops the old column.", id="x"
    )
    advice = advise(card, RUBRIC)
    assert advice.recommendations[0] == Recommendation(
        kind="red_flag",
        name="f1",
        score=None,
        target=None,
        criterion="flag 1",
        found_by="judge",
        reason="It deletes data.",
        evidence=Evidence("drops the old column", True, 1, 3),
        worth=Decimal("0.50"),
        effect=Effect(Decimal("0.50"), Decimal("0.50"), Decimal("9.50"), "A+", False),
        clears_flag=False,
    )
    assert names(advice) == ["f1", "f0"]
    assert advice.together is not None
    assert (advice.together.gain, advice.together.final) == (Decimal("1.00"), Decimal("10.00"))
    assert advice.below_floor == 0 and advice.raw is False


def test_a_dimension_is_worth_its_weight_times_the_rise():
    """Correctness 5 to 7 is 0.25 x 2 = 0.50, from 0.25 x 5 + 0.75 x 9 = 8.00."""
    card = judged(seven(9) | {"correctness": {"score": 5, "justification": "Two gaps."}})
    assert advise(card, RUBRIC).recommendations == (
        Recommendation(
            kind="dimension",
            name="correctness",
            score=Decimal("5.00"),
            target=Decimal("7.00"),
            criterion="criteria 7",
            found_by="judge",
            reason="Two gaps.",
            evidence=None,
            worth=Decimal("0.50"),
            effect=Effect(Decimal("0.50"), Decimal("0.50"), Decimal("8.50"), "A-", False),
            clears_flag=False,
        ),
    )
    assert advise(card, RUBRIC).together is None


def test_there_are_at_most_three_unless_more_are_asked_for():
    """Issue lists over many cases need all of them."""
    card = judged(seven(7), 2)
    assert len(advise(card, RUBRIC).recommendations) == MOST == 3
    assert len(advise(card, RUBRIC, most=99).recommendations) == 9


# Targets


@every_case(
    ("score", "pass_mark", "target"),
    [
        ("1.00", "1.00", "3.00"),
        ("2.99", "1.00", "3.00"),
        ("3.00", "1.00", "5.00"),
        ("1.00", "7.00", "7.00"),
        ("6.99", "7.00", "7.00"),
        ("7.00", "7.00", "9.00"),
        ("8.99", "7.00", "9.00"),
        ("4.00", "5.01", "7.00"),  # the band 5-6 begins below the pass mark
        ("4.00", "5.00", "5.00"),
        ("4.00", "1.00", "5.00"),
        ("4.00", "9.50", "9.00"),  # no band begins at 9.50 or above
        ("9.00", "7.00", "10.00"),
    ],
)
@every_case("known", [True, False])
def test_the_target_is_the_next_band_that_reaches_the_pass_mark(score: str, pass_mark: str, target: str, known: bool):
    """The usual bands are taken where the rubric's text is not at hand; then no criterion is named."""
    rubric = make_rubric(pass_mark=pass_mark)
    (first, *_) = advise(judged(seven(score), rubric=rubric), rubric if known else None).recommendations
    assert (first.name, first.target) == ("correctness", Decimal(target))
    band = (Decimal(target) - 1) // 2 * 2 + 1
    assert first.criterion == (f"criteria {min(band, 9)}" if known else "")


def test_a_rubric_may_have_other_bands():
    """Three bands, 1-4, 5-8 and 9-10; and one alone, in which only 10 is left."""
    bands = tuple(Band(low, high, f"from {low}") for low, high in ((9, 10), (5, 8), (1, 4)))
    three = RUBRIC._replace(dimensions=dict.fromkeys(DIMENSIONS, Criteria("", bands)), pass_mark=Decimal("4.00"))
    first = advise(judged(seven(3), rubric=three), three).recommendations[0]
    assert (first.target, first.criterion) == (Decimal(5), "from 5")
    one = RUBRIC._replace(dimensions=dict.fromkeys(DIMENSIONS, Criteria("", (Band(1, 10, "all"),))))
    first = advise(judged(seven(3), rubric=one), one).recommendations[0]
    assert (first.target, first.criterion) == (Decimal(10), "all")


@pytest.mark.parametrize(
    ("window", "score", "target"),
    [
        (STEADY, "7.00", "8.00"),  # 9 would be unusually high, 8 is usual
        ([700, 800] * 5, "4.00", "7.00"),  # 6.45 to 8.55: the band 7-8 is usual
        ([744, 746] * 5, "5.00", "7.43"),  # 7.43 to 7.47: no whole score is usual
        ([800] * 10, "7.99", "8.00"),  # never anything else
        ([833] * 10, "5.00", "8.33"),
    ],
)
def test_a_dimension_flagged_below_its_mean_goes_back_into_its_usual_range(window: list[int], score: str, target: str):
    """To the band if that is usual, else to the lowest whole score that is, else to the lowest score that is."""
    card = with_history(judged(seven(8) | {"consistency": score}), *([STEADY] * 6), window)
    entry = next(e for e in advise(card, RUBRIC, most=9).recommendations if e.name == "consistency")
    assert (entry.target, entry.clears_flag) == (Decimal(target), True)


def test_an_unusually_high_score_is_nothing_to_put_right():
    """8.50 is flagged above its mean of 8.00; 9 is only the next band."""
    card = with_history(judged(seven("8.5")), STEADY)
    assert card.history is not None and len(card.history.flags) == 7
    assert [(e.target, e.clears_flag) for e in advise(card, RUBRIC).recommendations] == [(Decimal(9), False)] * 3


@pytest.mark.slow
@given(st.lists(st.integers(100, 1000), min_size=2, max_size=10), st.integers(100, 1000))
def test_the_usual_range_is_what_the_literal_rule_does_not_flag(window: list[int], score: int):
    """R14, decided in whole numbers; four decimals of the deviation may be a hundredth off at an edge."""
    low, high = usual_range(compared_with(score, window), len(window))
    assert not any(compared_with(inside, window).flagged for inside in (low + 1, high - 1) if low < inside < high)
    assert compared_with(low - 2, window).flagged and compared_with(high + 2, window).flagged


@pytest.mark.parametrize(
    ("window", "usual"),
    [
        ([800] * 10, (800, 800)),
        ([800] * 9 + [900], (747, 873)),  # mean 8.10, deviation 0.3162: 7.4676 to 8.7324
        ([700, 800], (609, 891)),  # mean 7.50, deviation 0.7071: 6.0858 to 8.9142
        ([700, 800, 900], (600, 1000)),  # mean 8.00, deviation 1.00: exactly two deviations are not flagged
    ],
)
def test_the_usual_range_at_its_edges(window: list[int], usual: tuple[int, int]):
    """Two deviations to each side, strictly more is flagged (R14)."""
    low, high = usual_range(compared_with(500, window), len(window))
    assert (low, high) == usual
    flagged = [compared_with(score, window).flagged for score in (low - 1, low, high, high + 1)]
    assert flagged == [True, False, False, True]


def test_a_change_that_rounding_hides_is_advised_where_all_are():
    """8.99 to 9 in correctness adds 0.0025; to leave it at that would say that nothing can be better."""
    advice = advise(judged(seven("8.99")), RUBRIC)
    assert gains(advice) == {"correctness": "0.00", "completeness": "0.00", "actionability": "0.00"}
    assert advice.together is not None and advice.together.final == Decimal("9.00")  # 8.99 + 0.0060
    assert advice_report(judged(seven("8.99")), RUBRIC).rows[0].effect == "no change of the final score"


# Caps, floor and ceiling


def test_a_red_flag_beyond_the_cap_changes_nothing_by_itself():
    """Five flags of 0.50 cost 2.00; without one of them still 2.00. Three fewer: 1.00."""
    advice = advise(judged(seven(10), 5), RUBRIC)
    assert gains(advice) == {"f0": "0.00", "f1": "0.00", "f2": "0.00"}
    assert [entry.worth for entry in advice.recommendations] == [Decimal(0)] * 3
    assert advice.together == Effect(Decimal("1.00"), Decimal("1.00"), Decimal("9.00"), "A", False)
    report = advice_report(judged(seven(10), 5), RUBRIC)
    assert report.rows[0].effect == (
        "no change by itself: the red flags come to more than 2.00, which is all they can cost"
    )
    assert report.notes == ("all three together: +1.00, to 9.00 (A)",)


def test_a_dearer_flag_may_reach_below_the_cap():
    """1.50 + 1.00 = 2.50, capped at 2.00: without the first 1.00, so +1.00; without the second 1.50, so +0.50."""
    rubric = make_rubric(amounts=["1.5", "1.0"])
    assert gains(advise(judged(seven(10), 2, rubric=rubric), rubric)) == {"f0": "1.00", "f1": "0.50"}


def test_a_flag_beyond_the_cap_comes_after_what_moves_the_score():
    """Seven 8s and five flags: each dimension to 9 counts, no flag does."""
    advice = advise(judged(seven(8), 5), RUBRIC, most=9)
    assert [entry.kind for entry in advice.recommendations] == ["dimension"] * 7 + ["red_flag"] * 2


def test_at_the_floor_there_is_still_advice():
    """1.00 - 2.00 is 2.00 below the floor. Correctness to 7 adds 1.50, and a flag 0.50; neither shows alone."""
    card = judged(seven(1), 4)
    advice = advise(card, RUBRIC)
    assert [(e.name, str(e.worth), str(e.effect.gain)) for e in advice.recommendations] == [
        ("correctness", "1.50", "0.00"),
        ("completeness", "1.20", "0.00"),
        ("actionability", "0.90", "0.00"),
    ]
    assert advice.below_floor == Decimal("2.00")
    # 1.00 + 1.50 + 1.20 + 0.90 - 2.00 = 2.60
    assert advice.together == Effect(Decimal("1.60"), Decimal("1.60"), Decimal("2.60"), None, False)
    report = advice_report(card, RUBRIC)
    assert report.rows[0].effect == "+1.50 towards leaving the floor"
    assert report.notes == (
        "the score is held at the floor of 1.00: without it, it would be 2.00 lower",
        "all three together: +1.60, to 2.60",
    )


def test_at_the_floor_a_step_that_does_not_show_follows_one_that_does():
    """2.00 - 2.00 is 1.00 below the floor: correctness adds 1.25, of which 0.25 shows; completeness 1.00."""
    advice = advise(judged(seven(2), 4), RUBRIC)
    assert gains(advice) == {"correctness": "0.25", "completeness": "0.00", "actionability": "0.00"}


def test_just_above_the_floor_there_is_no_word_of_it():
    """3.00 - 2.00 is exactly the floor, and every rise counts."""
    advice = advise(judged(seven(3), 4), RUBRIC)
    assert advice.below_floor == 0
    assert gains(advice)["correctness"] == "1.00"


def test_tens_need_no_advice():
    """And what a bonus lifts to 10.00 cannot rise."""
    assert advise(judged(seven(10)), RUBRIC) == Advice((), None, Decimal(0), False)
    assert advice_report(judged(seven(10)), RUBRIC).notes == (
        "nothing to improve: every dimension is at 10, and there is no red flag",
    )
    lifted = judged(seven(10) | {"consistency": 8}, 0, 1)
    assert lifted.final == 10 and advise(lifted, RUBRIC).recommendations == ()
    assert advice_report(lifted, RUBRIC).notes == ("no single change would raise the final score",)
    fallen = with_history(lifted, *([[1000] * 10] * 6), [1000] * 10)
    assert names(advise(fallen, RUBRIC)) == ["consistency"]  # it would no longer be flagged
    effect = advice_report(fallen, RUBRIC).rows[0].effect
    assert effect == "no change of the final score; no longer flagged for review"


def test_the_best_band_is_advised_only_where_nothing_else_is():
    """The reason for a 9 is praise."""
    assert names(advise(judged(seven(9) | {"consistency": 8}), RUBRIC)) == ["consistency"]
    assert gains(advise(judged(seven(9)), RUBRIC)) == {
        "correctness": "0.25",
        "completeness": "0.20",
        "actionability": "0.15",
    }


def test_a_dimension_without_weight_is_not_advice():
    """It is scored for ties alone (R6)."""
    rubric = make_rubric(weights=seven("0.50", "0.50", "0", "0", "0", "0", "0"))
    assert names(advise(judged(seven(2), rubric=rubric), rubric)) == ["correctness", "completeness"]


# Grade and pass mark


def test_grade_and_pass_mark_are_told_where_they_change():
    """6.90: without the flag 7.40, B- and a pass; correctness 7 to 9 gives the same; efficiency +0.20 reaches 7.10."""
    card = judged(seven(7) | {"completeness": 9}, 1)
    assert card.final == Decimal("6.90")
    effects = [entry.effect for entry in advise(card, RUBRIC, most=9).recommendations]
    assert effects[0] == Effect(Decimal("0.50"), Decimal("0.50"), Decimal("7.40"), "B-", True)
    assert all(effect.passes and effect.grade == "B-" for effect in effects)
    higher = judged(seven(7))
    assert [e.effect.passes for e in advise(higher, RUBRIC).recommendations] == [False] * 3  # 7.00 passes already
    assert advise(higher, RUBRIC).recommendations[0].effect.grade == "B"
    assert advise(higher, RUBRIC).recommendations[1].effect.grade is None


@pytest.mark.parametrize(("pass_mark", "passes"), [("6.50", False), ("6.51", True), ("7.00", True), ("7.01", False)])
def test_the_pass_mark_is_crossed_exactly(pass_mark: str, passes: bool):
    """From 6.50 to 7.00 by avoiding one flag."""
    rubric = make_rubric(pass_mark=pass_mark)
    advice = advise(judged(seven(7), 1, rubric=rubric), rubric, most=9)
    assert next(e for e in advice.recommendations if e.name == "f0").effect.passes is passes


# Laws


@pytest.mark.slow
@given(
    st.lists(st.integers(100, 1000), min_size=7, max_size=7),
    st.integers(0, 6),
    st.integers(0, 6),
    st.sampled_from(["1.00", "6.99", "7.00", "9.50"]),
)
def test_scoring_the_changed_judgement_gives_what_was_promised(scores: list[int], flags: int, bonuses: int, mark: str):
    """For each recommendation alone and for all together: final score, grade and pass mark."""
    rubric = make_rubric(pass_mark=mark)
    given_scores = seven(*(str(Decimal(score) / 100) for score in scores))
    card = judged(given_scores, flags, bonuses, rubric)
    advice = advise(card, rubric)
    changes = [([entry], entry.effect) for entry in advice.recommendations]
    changes += [] if advice.together is None else [(list(advice.recommendations), advice.together)]
    for entries, effect in changes:
        raised = given_scores | {e.name: str(e.target) for e in entries if e.kind == "dimension"}
        avoided = {e.name for e in entries}
        judgement = {
            "scores": raised,
            "red_flags": [flag.id for flag in card.red_flags if flag.id not in avoided],
            "bonuses": [bonus.id for bonus in card.bonuses],
        }
        after = evenhand.score(judgement, rubric=rubric, id="y", created="2026-01-01T00:00:00Z")
        assert card.grade is not None and after.grade is not None and card.final is not None
        assert (effect.final, effect.gain, effect.best_gain) == (
            after.final,
            after.final - card.final,  # type: ignore[operator]
            after.final - card.final,  # type: ignore[operator]
        )
        assert effect.grade == (None if after.grade is card.grade else after.grade.letter)
        assert effect.passes == (after.passed is True and card.passed is False)
    assert advice.recommendations or card.final == 10


@pytest.mark.slow
@given(
    st.lists(st.integers(1, 10), min_size=7, max_size=7), st.integers(0, 6), st.lists(st.integers(1, 10), min_size=3)
)
def test_a_stored_scorecard_gets_the_same_advice(scores: list[int], flags: int, past: list[int]):
    """Its history is read back with four decimals."""
    card = with_history(judged(seven(*scores), flags), [100 * score for score in past[:10]])
    again, _, _ = restore(json.loads(json.dumps(evenhand.document(card))))
    assert advise(again, RUBRIC) == advise(card, RUBRIC)


# Other kinds of scorecards


def test_with_an_unscored_dimension_both_ends_rise():
    """Safety counts 0.10 to 1.00: 7.20 - 0.50 to 8.10 - 0.50. Completeness 4 to 7 lifts both by 0.60."""
    card = judged(seven(8, 4, 8, 8, 8, 8, 8) | {"safety": {"unscored": "no answer"}}, 1)
    assert card.interval is not None and (card.interval.low, card.interval.high) == (Decimal("6.00"), Decimal("6.90"))
    first = advise(card, RUBRIC).recommendations[0]
    assert first.name == "completeness"
    assert first.effect == Effect(Decimal("0.60"), Decimal("0.60"), None, None, False)  # 6.60 might not pass
    assert "safety" not in names(advise(card, RUBRIC, most=9))
    assert advice_report(card, RUBRIC).rows[0].effect == "+0.60"


def test_ends_that_rise_differently_are_both_told():
    """At 1 the composite is 1.00 - 2.00, at 10 it is 1.90 - 2.00: correctness to 7 adds 1.50, of which 1.40 shows."""
    card = judged(seven(1) | {"safety": {"unscored": "no answer"}}, 4)
    assert advice_report(card, RUBRIC).rows[0].effect == "+0.00 to +0.40"
    assert "Have the unscored dimensions scored" in scorecard_markdown(card)


def test_what_no_one_has_read_gets_no_advice_on_its_score():
    """There is none; the faults are listed."""
    card = test_bounds.card_of(test_bounds.by_checks(test_bounds.fault()))
    assert advise(card, RUBRIC) == Advice((), None, Decimal(0), False)
    text = scorecard_markdown(card)
    assert "What would help most" not in text and "nothing to improve" not in text
    flagged = test_bounds.card_of(test_bounds.by_checks(test_bounds.fault()), test_bounds.DETECTED)
    assert flagged.red_flags and advise(flagged, test_bounds.DETECTED) == Advice((), None, Decimal(0), False)


def test_a_capped_score_goes_to_what_its_readers_gave():
    """8 in correctness is capped at 6: without the fault 8.00 again, and a check gave the reason."""
    finding = test_bounds.fault(precise=True, quote="it passes", verified=True, line=3)
    card = test_bounds.card_of(test_bounds.by_reader(8, finding))
    first = advise(card, RUBRIC).recommendations[0]
    assert (first.name, first.score, first.target) == ("correctness", Decimal("6.00"), Decimal("8.00"))
    assert (first.found_by, first.reason, first.effect.gain) == ("check", "Something is wrong.", Decimal("0.50"))
    assert first.evidence is not None and first.evidence.quote == "it passes"
    row = advice_report(card, RUBRIC).rows[0]
    assert row.lines == (
        ("Its readers gave", "8.00; a fault caps it at 6.00"),
        ("A check found", "Something is wrong."),
    )


def test_only_the_faults_that_bound_a_dimension_are_its_reason():
    """Not a fault of another dimension, nor a lesser one of the same, which allows the target."""
    bounding = test_bounds.fault(precise=True)
    elsewhere = test_bounds.fault("safety", precise=True)._replace(message="Of safety.")
    lesser = Finding("other-check", "correctness", "minor", "A minor one.", precise=True)
    for others in ((elsewhere, lesser, bounding), (bounding, lesser, elsewhere)):
        card = test_bounds.card_of(test_bounds.by_reader(9, *others))
        entries = {entry.name: entry for entry in advise(card, RUBRIC).recommendations}
        assert entries["correctness"].reason == "Something is wrong."
        assert entries["safety"].reason == "Of safety."


def test_a_fault_that_would_cap_the_target_is_the_reason():
    """6 is not capped at 6, but 7 would be; 4 to 5 is below it, and there the judge's reason counts."""
    for mark, name in (("7.00", "check"), ("5.00", "judge")):
        rubric = make_rubric(pass_mark=mark)
        score = 6 if name == "check" else 4
        card = test_bounds.card_of(test_bounds.by_reader(score, test_bounds.fault(precise=True)), rubric)
        first = advise(card, rubric).recommendations[0]
        assert (first.name, first.found_by) == ("correctness", name)


def test_a_fault_that_leaves_the_target_possible_is_not_the_reason():
    """A minor fault allows 8, which is where safety goes back to."""
    finding = test_bounds.fault("safety", "minor", precise=True)
    card = test_bounds.card_of(test_bounds.by_reader(4, finding))
    card = with_history(card, *([[400] * 10] * 5), FALLEN, [400] * 10)
    first = advise(card, RUBRIC).recommendations[0]
    assert (first.name, first.target, first.found_by) == ("safety", Decimal(8), "judge")


def test_an_unmet_expectation_is_a_reason_too():
    """It bounds correctness at 6 as a major fault does."""
    unmet = Expected("answers 42", "unmet", "correctness", "major", "it answers 41")
    card = test_bounds.card_of(test_bounds.by_reader(8, expectations=(unmet,)))
    first = advise(card, RUBRIC).recommendations[0]
    assert (first.found_by, first.reason) == ("check", "answers 42: it answers 41.")


def test_a_red_flag_that_a_check_raised_is_not_put_into_the_judges_mouth():
    """Its words are the finding's; where a judge raised it too, they are the judge's."""
    finding = test_bounds.fault(precise=True)
    alone = test_bounds.card_of(test_bounds.by_reader(9, finding), test_bounds.DETECTED)
    both = test_bounds.card_of(
        test_bounds.by_reader(9, finding)._replace(red_flags=(Claim("listed", "the reader's words"),)),
        test_bounds.DETECTED,
    )
    found = [advise(card, test_bounds.DETECTED).recommendations[0] for card in (alone, both)]
    assert [(entry.name, entry.found_by) for entry in found] == [("listed", "check"), ("listed", "judge")]


def test_of_a_panel_the_judge_who_gave_least_gives_the_reason():
    """8, 6 and 4: the median is 6, and c has most to say against it."""
    card = card_of(panel_of(8, 6, 4), RUBRIC)
    first = advise(card, RUBRIC).recommendations[0]
    assert (first.score, first.reason) == (Decimal("6.00"), "c 4.00: What c says of correctness.")
    assert advice_report(card, RUBRIC).rows[0].lines[1][0] == "The judges say"
    alone = advise(card_of(model_judgement(6), RUBRIC), RUBRIC).recommendations[0]
    assert alone.reason == "What openai:small says of correctness."


def test_a_judge_without_a_score_gives_no_reason():
    """b failed; of a and c, a gave less."""
    card = card_of(panel_of(6, seven("no answer"), 8), RUBRIC)
    assert advise(card, RUBRIC).recommendations[0].reason == "a 6.00: What a says of correctness."


def test_effects_on_a_calibrated_score_go_through_the_calibration():
    """Raw 8.00 is 7.00, and above it people give half as much more: 8.50 without f0 is 7.25. With correctness and
    completeness at 9 too it is 8.50 + 0.125 + 0.10 = 8.725, rounded 8.73: 7.00 + 0.365, rounded 7.37."""
    rubric = test_official_score.RUBRIC
    card = test_official_score.official(8.5, red_flags=[{"id": "f0", "explanation": "x"}])
    advice = advise(card, rubric)
    assert not advice.raw
    assert advice.recommendations[0].effect == Effect(Decimal("0.25"), Decimal("0.25"), Decimal("7.25"), None, False)
    assert advice.together is not None and advice.together.final == Decimal("7.37")


def test_where_the_calibration_does_not_reach_the_raw_score_is_reported():
    """Without a calibration at all, and where a step would lead beyond the labelled scores."""
    rubric = test_official_score.RUBRIC
    none = test_official_score.judged(8)
    advice = advise(none, rubric)
    assert advice.raw and advice.recommendations[0].effect == Effect(
        Decimal("0.25"), Decimal("0.25"), Decimal("8.25"), None, False
    )
    failing = advise(
        test_official_score.judged(7.2, red_flags=["f0"]), rubric
    )  # 6.70 to 7.20 is C+ to B- if raw counts
    assert failing.raw and failing.recommendations[0].effect == Effect(
        Decimal("0.50"), Decimal("0.50"), Decimal("7.20"), None, False
    )
    report = advice_report(none, rubric)
    assert report.rows[0].effect == "raw score +0.25, to 8.25"
    assert "these are raw scores: the calibration does not reach all of them" in report.notes
    narrow = test_official_score.calibration_for(knots=((2.0, 2.0), (3.0, 2.5)))
    beyond = test_official_score.calibrated_card(test_official_score.judged(3.5), narrow)  # up to 4.00 is reached
    assert beyond.final is not None and advise(beyond, rubric).raw  # correctness to 7 gives 4.38


# In words


def test_a_recommendation_names_the_criterion_the_reason_and_a_quote_that_was_found():
    """The first verified quote; one that is not in the output proves nothing."""
    scores = seven(8) | {
        "safety": {
            "score": 4,
            "justification": "No word of a backup.",
            "evidence": ["not there", "drops the old column"],
        }
    }
    card = evenhand.score(
        {"scores": scores},
        rubric=RUBRIC,
        output="First.\nIt drops the old column.",
        id="x",
        created="2026-01-01T00:00:00Z",
    )
    row = advice_report(card, RUBRIC).rows[0]
    assert row.title == "Raise safety from 4.00 to 7.00"
    assert row.effect == "+0.30, to 7.90"
    assert row.lines == (("The rubric asks for", "criteria 7"), ("The judge says", "No word of a backup."))
    assert [quote.line for quote in row.evidence] == [2]
    text = shown(lambda console: print_scorecard(card, console, rubric=RUBRIC), 80)
    assert "  1 Raise safety from 4.00 to 7.00: +0.30, to 7.90\n    The rubric asks for: criteria 7\n" in text
    brief = shown(lambda console: print_scorecard(card, console, rubric=RUBRIC, brief=True), 80)
    assert "Raise safety" in brief and "No word of a backup" not in brief and "drops" not in brief


def test_long_reasons_are_cut_at_a_word():
    """All of it is further down in the report."""
    card = judged(seven(8) | {"safety": {"score": 4, "justification": "word " * 100}}, id="x")
    (_, said) = advice_report(card, None).rows[0].lines[0]
    assert len(said) <= LONGEST and said.endswith("word ...")
    unbroken = judged(seven(8) | {"safety": {"score": 4, "justification": "x" * 500}}, id="x")
    assert len(advice_report(unbroken, None).rows[0].lines[0][1]) == LONGEST


@pytest.mark.slow
def test_the_rubric_a_run_used_is_quoted_wherever_its_file_lies(evenhand_command, tmp_path):
    """By path, in every format; a stored evaluation of a built-in one finds it by name."""
    (tmp_path / "mine.md").write_text(
        "---\nname: mine\npass_mark: 7\n---\n# Mine\n"
        + "".join(
            f"### {name} (Weight: {weight}%)\n| Score | Criteria |\n|-|-|\n| 5-10 | Good {name}. |\n| 1-4 | Bad. |\n"
            for name, weight in zip(DIMENSIONS, (25, 20, 15, 15, 10, 10, 5), strict=True)
        )
    )
    (tmp_path / "j.json").write_text(json.dumps({"skill": "s", "id": "one", "scores": seven(4)}))
    for format in ("terminal", "markdown", "html"):
        done = evenhand_command("score", "j.json", "--rubric", "mine.md", "--format", format, "--store", "none")
        assert done.code == 0 and "Good correctness." in done.out
    assert evenhand_command("score", "j.json", "--rubric", "code-review", "--store", "e.db").code == 0
    for format in ("terminal", "markdown", "html"):
        done = evenhand_command("show", "one", "--format", format, "--store", "e.db")
        words = " ".join(re.sub(r"<[^>]*>", "", done.out).split())
        assert "The rubric asks for: Every blocking comment holds." in words


def test_the_rubrics_used_last_are_remembered_and_no_more():
    """By hash: another rubric of the same name is another one."""
    rubrics = [RUBRIC._replace(version=f"remembered {place}") for place in range(MOST_REMEMBERED + 1)]
    first = judged(seven(8), rubric=rubrics[0])
    assert rubric_used(first) == rubrics[0]
    for rubric in rubrics[1:]:
        resolve(rubric)
    assert rubric_used(first) is None
    assert rubric_used(judged(seven(8), rubric=rubrics[1])) == rubrics[1]


def test_a_comparison_without_dimensions_is_not_a_history_to_fall_from():
    """n = 0, and n = 1 with differences only (R15)."""
    card = judged(seven(4))
    first = card._replace(history=Comparison(0, {}, 0, 0, None))
    second = with_history(card, [900])
    assert advise(first, RUBRIC) == advise(second, RUBRIC) == advise(card, RUBRIC)
