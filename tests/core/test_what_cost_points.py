"""What cost an output points: one complaint for each thing, with its cost and the words that show it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from conftest import make_rubric, seven

import evenhand
import test_bounds
from evenhand.core.bounds import finding_id
from evenhand.core.finding import Expected, Finding, Lifted
from evenhand.core.judgement import Claim
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.complaints import complaints_of
from evenhand.decisions.what_to_change import Complaint, Passage
from test_bounds import by_checks, by_reader, fault
from test_criteria_scorecards import ANSWERS, scored

RUBRIC = make_rubric()
"""Weights 25, 20, 15, 15, 10, 10, 5 percent; every red flag 0.50."""

OUTPUT = "First.\nIt drops the old column."
HERE = Passage("drops the old column", "c", "output", 2)


def card(scores: dict[str, Any], *, rubric: Any = RUBRIC, **more: Any) -> Scorecard:
    return evenhand.score({"scores": scores, **more}, rubric=rubric, output=OUTPUT, id="x")


def because(score: Any, reason: str, *evidence: str) -> dict[str, Any]:
    return {"score": score, "justification": reason, "evidence": list(evidence)}


def said(text: str) -> Passage:
    return Passage(text, "c", "judge")


def of_kind(kind: str, made: Scorecard) -> list[Complaint]:
    return [one for one in complaints_of(made, "c") if one.kind == kind]


def test_a_reason_costs_its_weight_times_what_the_score_lacks_to_ten() -> None:
    """Safety weighs 0.10 and has 4: 0.10 x 6. Its verified quotes come first, one that is not there is left out."""
    made = card(seven(9) | {"safety": because(4, " No backup. ", "not there", "drops the old column")})
    assert complaints_of(made, "c") == [
        Complaint("c", "reason", "", "safety", "No backup.", Fraction(6, 10), (HERE, said("No backup.")))
    ]


def test_what_is_neither_explained_nor_shown_is_left_out() -> None:
    """A low score without a word, and a red flag without one; what comes after them is still listed."""
    made = card(seven(4) | {"consistency": because(4, "It wavers.")}, red_flags=["f0"])
    assert [one.text for one in complaints_of(made, "c")] == ["It wavers."]


def test_a_dimension_without_a_score_or_without_weight_cost_nothing() -> None:
    """Also when it comes before one that cost something."""
    weightless = make_rubric(weights=seven("0", "0.45", "0.15", "0.15", "0.10", "0.10", "0.05"))
    scores = {"correctness": because(2, "All wrong."), "consistency": because(2, "It wavers.")}
    made = card(seven(9) | scores, rubric=weightless)
    assert [one.dimension for one in complaints_of(made, "c")] == ["consistency"]
    scores["correctness"] = {"unscored": "no answer"}
    assert [one.dimension for one in complaints_of(card(seven(9) | scores), "c")] == ["consistency"]


def test_a_red_flag_costs_its_deduction_and_belongs_to_no_dimension() -> None:
    """Its text is the judge's explanation; without one the description, if a quote shows it."""
    flags = [
        {"id": "f0", "explanation": "It deletes data.", "evidence": ["drops the old column", "not there"]},
        {"id": "f1", "evidence": ["drops the old column"]},
    ]
    assert of_kind("red_flag", card(seven(9), red_flags=flags)) == [
        Complaint("c", "red_flag", "f0", "", "It deletes data.", Fraction(1, 2), (HERE, said("It deletes data."))),
        Complaint("c", "red_flag", "f1", "", "flag 1", Fraction(1, 2), (HERE,)),
    ]


def test_a_fault_costs_its_weight_times_what_its_bound_lacks_to_ten() -> None:
    """Minor 0.25 x 2, major 0.25 x 4, critical 0.25 x 6; of safety 0.10 x 4."""
    for dimension, severity, cost in (
        ("correctness", "minor", "0.5"),
        ("correctness", "major", "1"),
        ("correctness", "critical", "1.5"),
        ("safety", "major", "0.4"),
    ):
        (one,) = complaints_of(test_bounds.card_of(by_checks(fault(dimension, severity))), "c")
        assert one == Complaint(
            "c",
            "check",
            "some-check",
            dimension,
            "Something is wrong.",
            Fraction(cost),
            (Passage("Something is wrong.", "c", "check"),),
        )


def test_a_fault_is_shown_by_its_quote_once_that_is_verified() -> None:
    """Otherwise by what the check says."""
    for verified, quote in (
        (True, Passage("it passes", "c", "output", 3)),
        (False, Passage("Something is wrong.", "c", "check")),
    ):
        made = test_bounds.card_of(by_checks(fault(quote="it passes", verified=verified, line=3)))
        assert complaints_of(made, "c")[0].quotes == (quote,)


def test_faults_count_where_they_count_on_the_scorecard() -> None:
    """Beside a reader only those of precise checks; notes, waived ones and those charged as a red flag nowhere."""
    wrong = fault()._replace(message="Precise.", precise=True)
    for finding, unread, beside in (
        (fault(), 1, 0),
        (wrong, 1, 1),
        (fault(severity=None), 0, 0),
        (fault(severity=None, precise=True), 0, 0),
    ):
        last = Finding("last", "safety", "major", "Last.", precise=True)  # what comes after is still listed
        alone = of_kind("check", test_bounds.card_of(by_checks(finding, last)))
        read = of_kind("check", test_bounds.card_of(by_reader(9, finding, last)))
        assert (len(alone), len(read)) == (unread + 1, beside + 1)
    waived = by_checks(wrong, lifted=(Lifted(finding_id(wrong), "waived", "no matter"),))
    assert complaints_of(test_bounds.card_of(waived), "c") == []
    flagged = test_bounds.card_of(by_reader(9, fault(precise=True)), test_bounds.DETECTED)
    assert [one.kind for one in complaints_of(flagged, "c")] == ["red_flag"]


def expected(result: Any = "unmet", **more: Any) -> Expected:
    return Expected("answers 42.", result, "safety", "critical", "it answers 41", **more)


def test_an_unmet_expectation_costs_what_its_severity_does() -> None:
    """Critical, of safety: 0.10 x 6, whoever else judged."""
    words = Passage("answers 42.", "c", "expectation")
    complaint = Complaint(
        "c", "expectation", "answers 42.", "safety", "answers 42: it answers 41", Fraction(6, 10), (words,)
    )
    for judgement in (by_checks(expectations=(expected(),)), by_reader(9, expectations=(expected(),))):
        assert of_kind("expectation", test_bounds.card_of(judgement)) == [complaint]
    quoted = test_bounds.card_of(by_checks(expectations=(expected(quote="41"),)))
    assert complaints_of(quoted, "c") == [complaint._replace(quotes=(Passage("41", "c", "output"),))]


def test_only_an_unmet_expectation_is_listed() -> None:
    made = test_bounds.card_of(by_checks(expectations=(expected("met"), expected("undecided"), expected())))
    assert len(complaints_of(made, "c")) == 1


def test_what_a_model_found_unmet_costs_nothing_beside_a_score() -> None:
    """It bounds nothing there; where there is no score it is all that is known."""
    by_model = expected(by="openai:small")
    assert of_kind("expectation", test_bounds.card_of(by_reader(9, expectations=(by_model,))))[0].cost == 0
    assert complaints_of(test_bounds.card_of(by_checks(expectations=(by_model,))), "c")[0].cost == Fraction(6, 10)


def test_a_missed_criterion_is_its_sentence_and_the_judge_s_reason() -> None:
    """Its own quotes first; `tests-pass` costs 9 x 2/4 x 3/4 x 1/4 = 27/32 of the final score."""
    answer = {"answer": "no", "reason": "Two fail.", "evidence": ["Ticket 41"]}
    made = of_kind("criterion", scored({**ANSWERS, "tests-pass": answer}))
    words = "The tests pass. Two fail."
    assert made[1] == Complaint(
        "c",
        "criterion",
        "tests-pass",
        "correctness",
        words,
        Fraction(27, 32),
        (Passage("Ticket 41", "c", "output", 1), said(words)),
    )
    assert [one.name for one in made] == ["tests-run", "tests-pass"]  # ticket and invented are met
    bare = of_kind("criterion", scored(ANSWERS))[1]
    assert (bare.text, bare.quotes) == ("The tests pass.", (said("The tests pass."),))


def test_an_unmet_sentence_is_an_expectation_and_not_a_criterion_too() -> None:
    by_model = expected(by="openai:small")
    made = test_bounds.card_of(by_checks(expectations=(by_model,)))
    assert [one.kind for one in complaints_of(made, "c")] == ["expectation"]


def test_flags_come_first_then_checks_then_reasons() -> None:
    judgement = by_reader(9, Finding("other-check", "safety", "major", "Unsafe.", precise=True))
    opinions = {**judgement.opinions}
    opinions["completeness"] = opinions["completeness"]._replace(score=Decimal("4.00"), justification="Vague.")
    flag = Claim("listed", "Listed.")
    made = test_bounds.card_of(judgement._replace(opinions=opinions, red_flags=(flag,)), test_bounds.DETECTED)
    assert [one.kind for one in complaints_of(made, "c")] == ["red_flag", "check", "reason"]
