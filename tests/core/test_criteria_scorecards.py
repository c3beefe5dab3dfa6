"""Scorecards of rubrics with criteria: written, explained, verified, restored, rescored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import evenhand
from evenhand.core.criteria import scored_by_criteria
from evenhand.core.judgement import Judgement, Opinion, Unscored, Verdict
from evenhand.core.panel import consensus
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Answer, Criterion, Group, Rubric, Tree
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.errors import JudgementError
from evenhand.judging.evaluated import Judged
from evenhand.judging.steps import Steps
from evenhand.rubrics.library import rubric_from
from evenhand.rubrics.resolved import resolve
from evenhand.work.submission import Submission

OUTPUT = "The retry was added in client.py. Ticket 41 is closed.\n"
TREE = Tree(
    (
        Criterion("ticket", "The answer names the ticket.", Fraction(2)),
        Criterion("invented", "It states a number that is not in the log.", Fraction(-1)),
        Group(
            "tests",
            "Tests",
            Fraction(2),
            (
                Criterion("tests-run", "The tests run.", Fraction(1)),
                Criterion("tests-pass", "The tests pass.", Fraction(3), ("tests-run",)),
            ),
        ),
    )
)
ANSWERS: dict[str, Any] = {
    "ticket": {"answer": "yes", "reason": "It does.", "evidence": ["Ticket 41"]},
    "invented": "no",
    "tests-run": "partly",
    "tests-pass": "no",
}
"""(2*1 + 2*((1*1/2 + 3*0) / 4) - 1*0) / 4 = 9/16; 1 + 9 * 9/16 = 6.0625, so 6.06."""


def rubric_with(tree: Tree | None, dimension: str = "correctness") -> Rubric:
    rubric = evenhand.load_rubric("default")
    criteria = rubric.dimensions[dimension]._replace(tree=tree)
    return rubric._replace(name="with-criteria", dimensions={**rubric.dimensions, dimension: criteria})


def judgement_of(answers: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"skill": "fix", "scores": {**dict.fromkeys(DIMENSIONS, 8), "correctness": {"criteria": answers}}, **more}


def scored(answers: Mapping[str, Any], tree: Tree = TREE, **more: Any) -> Scorecard:
    return evenhand.score(judgement_of(answers, **more), rubric=rubric_with(tree), store=None, output=OUTPUT)


def test_the_criteria_give_the_score():
    card = scored(ANSWERS)
    line = card.dimensions["correctness"]
    assert line.score == Decimal("6.06") and line.criteria is not None
    assert line.criteria.value is not None and line.criteria.value.low == Fraction(9, 16)
    assert card.composite == Decimal("7.52")  # 8 * 0.75 + 6.06 * 0.25 = 7.515


def test_nothing_that_applies_is_unscored_and_never_ten():
    tree = Tree((Criterion("invented", "It invents a number.", Fraction(-1)),))
    line = scored({"invented": "does not apply"}, tree).dimensions["correctness"]
    assert line.score is None and line.interval is None
    assert line.unscored == "none of its criteria applies"


def test_the_audit_shows_every_line():
    texts = [line.text for line in evenhand.audit(scored(ANSWERS)) if line.rule == "criteria"]
    assert texts == [
        "  ticket +2 x 1: yes",
        "  invented -1 x 0: no",
        "  tests weighs 2: 1/8",
        "    tests-run +1 x 1/2: partly",
        "    tests-pass +3 x 0: no",
        "correctness = 9/16; 1 + 9 x that = 6.06, halves up",
    ]


@pytest.mark.parametrize(
    ("correctness", "message"),
    [
        (8, "it has criteria, and their answers give its score"),
        ({"score": 8, "criteria": ANSWERS}, "both a score and criteria"),
        ({"criteria": {**ANSWERS, "tickt": "yes"}}, 'unknown criterion "tickt"; did you mean ticket?'),
        (
            {"criteria": {**ANSWERS, "ticket": "maybe"}},
            'one of yes, no, partly, does not apply, cannot tell, not "maybe"',
        ),
        ({"criteria": {"ticket": "yes"}}, "invented is not answered"),
        ({"criteria": []}, "criteria is a list"),
    ],
)
def test_a_written_judgement_answers_every_criterion(correctness: Any, message: str):
    judgement = judgement_of({})
    judgement["scores"]["correctness"] = correctness
    with pytest.raises(JudgementError, match=message.replace("?", r"\?")):
        evenhand.score(judgement, rubric=rubric_with(TREE), store=None)


BY_PROGRAM = Tree(
    (
        Criterion("retry", "A retry was added.", Fraction(1), expect={"answer": {"contains": "retry"}}),
        Criterion("cache", "A cache was added.", Fraction(2), expect={"answer": {"contains": "cache"}}),
    )
)


def test_a_written_judgement_need_not_answer_what_programs_decide():
    """1 of 3 points: 1 + 9 * 1/3. A score by hand is refused, and what no one read stays unscored."""
    judgement = judgement_of({})
    judgement["scores"]["correctness"] = {"unscored": "decided by programs"}
    rubric = rubric_with(BY_PROGRAM)
    card = evenhand.score(judgement, rubric=rubric, store=None, output=OUTPUT)
    assert card.dimensions["correctness"].score == Decimal("4.00")
    judgement["scores"]["correctness"] = 8
    with pytest.raises(JudgementError, match="programs decide all of them"):
        evenhand.score(judgement, rubric=rubric, store=None, output=OUTPUT)
    assert evenhand.check(OUTPUT, rubric=rubric).dimensions["correctness"].score is None


def test_answers_where_the_rubric_has_no_criteria_are_refused():
    with pytest.raises(JudgementError, match="unknown criterion"):
        evenhand.score(judgement_of(ANSWERS), rubric="default", store=None)


def test_yes_and_no_as_yaml_reads_them():
    card = scored({**ANSWERS, "ticket": True, "invented": False})
    assert card.dimensions["correctness"].score == Decimal("6.06")


def test_the_hash_of_a_rubric_covers_its_criteria_and_not_their_absence():
    plain, first = rubric_with(None), rubric_with(TREE)
    other = rubric_with(TREE._replace(partly=Fraction(1, 3)))
    assert len({terms_of(rubric).sha256 for rubric in (plain, first, other)}) == 3
    assert "criteria" not in evenhand.document(plain)["dimensions"]["correctness"]
    document = json.loads(json.dumps(evenhand.document(first)), parse_float=Decimal, parse_int=Decimal)
    assert rubric_from(document).dimensions["correctness"].tree == TREE


def judge_named(name: str, answers: Mapping[str, Answer], rubric: Rubric) -> Judgement:
    opinions = {dimension: Opinion(Decimal("8.00")) for dimension in DIMENSIONS}
    verdicts = {id: Verdict(answer) for id, answer in answers.items()}
    opinions["correctness"] = Opinion(Unscored(""), verdicts=verdicts)
    return scored_by_criteria(Judgement(opinions, {"name": name}, "fix"), terms_of(rubric).trees)


def panel_card(rubric: Rubric, *voices: Mapping[str, Answer]) -> Scorecard:
    judgements = [judge_named(f"j{n}", answers, rubric) for n, answers in enumerate(voices)]
    return Steps().evaluate(Judged(Submission(output=OUTPUT), consensus(judgements), resolve(rubric))).card


TWO = Tree((Criterion("a", "A holds.", Fraction(1)), Criterion("b", "B holds.", Fraction(1))))
