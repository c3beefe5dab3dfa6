"""Scorecards of rubrics with criteria: written, explained, verified, restored, rescored."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import evenhand
from evenhand.core.criteria import scored_by_criteria
from evenhand.core.finding import Checked, Finding
from evenhand.core.judgement import NOT_ASKED, Judgement, Member, Opinion, Panel, Unscored, Verdict
from evenhand.core.panel import consensus
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Answer, Criterion, Group, Rubric, Tree
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import bounded
from evenhand.documents.criteria import scored_criteria_from
from evenhand.documents.scorecards.restore import restore
from evenhand.documents.scorecards.scorecard import scorecard_document
from evenhand.errors import DocumentError, JudgementError
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


def test_the_document_shows_verdicts_and_fractions():
    document = scorecard_document(scored(ANSWERS))["dimensions"]["correctness"]["criteria"]
    assert document["value"] == "9/16"
    ticket, invented, tests = document["criteria"]
    assert ticket["verdict"] == "yes" and ticket["evidence"][0]["verified"] is True
    assert invented == {"id": "invented", "sentence": TREE.children[1][1], "points": -1, "verdict": "no"}
    assert tests["value"] == "1/8" and [leaf["verdict"] for leaf in tests["criteria"]] == ["partly", "no"]


def test_what_was_not_asked_says_which_prerequisite_failed():
    answers = {"ticket": "yes", "invented": "no", "tests-run": "no"}  # tests-pass need not be answered
    document = scorecard_document(scored(answers))["dimensions"]["correctness"]["criteria"]
    assert document["criteria"][2]["criteria"][1] | {} == {
        "id": "tests-pass",
        "sentence": "The tests pass.",
        "points": 3,
        "requires": ["tests-run"],
        "verdict": "no",
        "by": "prerequisite",
        "reason": "not asked: it requires tests-run",
    }


def test_what_cannot_be_decided_gives_an_interval():
    """ticket in [0, 1]: (2*t + 1/4) / 4 is 1/16 to 9/16, so 1.5625 to 6.0625: 1.56 to 6.06."""
    card = scored({**ANSWERS, "ticket": "cannot tell"})
    line = card.dimensions["correctness"]
    assert line.score is None and line.interval == (Decimal("1.56"), Decimal("6.06"))
    assert line.unscored == "1 of 4 criteria cannot be told: ticket"
    document = scorecard_document(card)
    assert document["dimensions"]["correctness"]["interval"] == {"low": 1.56, "high": 6.06}
    assert document["dimensions"]["correctness"]["criteria"]["value"] == {"low": "1/16", "high": "9/16"}
    assert card.interval is not None  # 6 + 1.56 * 0.25 = 6.39 and 6 + 6.06 * 0.25 = 7.515
    assert (card.interval.low, card.interval.high) == (Decimal("6.39"), Decimal("7.52"))
    assert any(line.text == "correctness is unscored: anything from 1.56 to 6.06" for line in evenhand.audit(card))


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


@pytest.mark.parametrize("answers", [ANSWERS, {**ANSWERS, "ticket": "cannot tell"}, {**ANSWERS, "tests-run": "no"}])
def test_a_scorecard_verifies_and_is_restored(answers: dict[str, Any]):
    document = scorecard_document(scored(answers), audit=True)
    result = evenhand.verify(document, rubric=rubric_with(TREE), output=OUTPUT)
    assert result.differences == ()
    assert any("criterion" in line for line in result.checked)
    assert scorecard_document(restore(document)[0], audit=True) == document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("criteria", 0, "verdict"), "no"),
        (("criteria", 0, "points"), 3),
        (("criteria", 2, "weight"), 1),
        (("criteria", 2, "criteria", 0, "verdict"), "yes"),
        (("criteria", 2, "criteria", 1, "requires"), []),
        (("criteria", 0, "sentence"), "Another sentence."),
        (("value",), "1/2"),
    ],
)
def test_a_changed_criterion_is_found(path: tuple[Any, ...], value: Any):
    document = copy.deepcopy(scorecard_document(scored(ANSWERS)))
    place = document["dimensions"]["correctness"]["criteria"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert not evenhand.verify(document).ok


@pytest.mark.parametrize(("low", "high"), [(5.5, 5.5), (5.5, 5.49), (0.5, 3), ("a", 3)])
def test_an_interval_has_two_different_scores_the_lower_one_first(low: Any, high: Any):
    whole = scorecard_document(scored(ANSWERS))
    line = whole["dimensions"]["correctness"] | {"score": None, "unscored": "cannot tell"}
    for value in ({"low": low, "high": high}, {"low": 5.5}, [1, 2]):
        changed = {**whole["dimensions"], "correctness": line | {"interval": value}}
        with pytest.raises(DocumentError, match="two different scores, the lower one first"):
            restore({**whole, "dimensions": changed})


def test_criteria_in_a_scorecard_are_some_and_none_has_the_id_of_another():
    line = json.loads(json.dumps(scorecard_document(scored(ANSWERS))["dimensions"]["correctness"]["criteria"]))
    tree, verdicts = scored_criteria_from(line, "x")
    assert tree == TREE and verdicts["ticket"].answer == "yes"
    for criteria in ([*line["criteria"], line["criteria"][0]], []):
        with pytest.raises(DocumentError, match="the criteria of a dimension as they were written"):
            scored_criteria_from({**line, "criteria": criteria}, "x")


def test_a_score_that_its_criteria_do_not_give_is_found():
    """Also when every checksum was made anew: the arithmetic does not come out."""
    card = scored(ANSWERS)
    lines = {**card.dimensions, "correctness": card.dimensions["correctness"]._replace(score=Decimal("9.00"))}
    document = scorecard_document(card._replace(dimensions=lines))
    fields = [difference.field for difference in evenhand.verify(document).differences]
    assert "dimensions.correctness.score" in fields


def test_a_quote_that_is_not_there_is_not_verified():
    answers = {**ANSWERS, "ticket": {"answer": "yes", "evidence": ["Ticket 42"]}}
    document = scorecard_document(scored(answers))["dimensions"]["correctness"]["criteria"]
    assert document["criteria"][0]["evidence"] == [{"quote": "Ticket 42", "verified": False}]


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


def test_a_panel_has_the_median_of_its_judges_scores_and_shows_the_votes():
    """Both yes 10, one of two 5.50, none 1: the median is 5.50, though most say no to b and yes to a."""
    card = panel_card(rubric_with(TWO), {"a": "yes", "b": "yes"}, {"a": "yes", "b": "no"}, {"a": "no", "b": "no"})
    line = card.dimensions["correctness"]
    assert line.score == Decimal("5.50") and line.criteria is not None and line.criteria.value is None
    assert line.criteria.verdicts["a"].votes == {"yes": 2, "no": 1}
    assert line.criteria.verdicts["b"].answer == "no"
    document = scorecard_document(card, audit=True)
    assert document["panel"]["members"][1]["verdicts"] == {"a": "yes", "b": "no"}
    assert evenhand.verify(document, rubric=rubric_with(TWO)).differences == ()


def test_the_audit_of_a_panel_shows_every_line_of_every_judge():
    card = panel_card(rubric_with(TWO), {"a": "yes", "b": "yes"}, {"a": "no", "b": "cannot tell"})
    assert [line.text for line in evenhand.audit(card) if line.rule == "criteria"] == [
        "correctness by j0:",
        "  a +1 x 1: yes",
        "  b +1 x 1: yes",
        "correctness = 1; 1 + 9 x that = 10.00, halves up",
        "correctness by j1:",
        "  a +1 x 0: no",
        "  b +1 x 0 to 1: cannot tell",
        "correctness = 0 to 1/2; 1 + 9 x that = 1.00 to 5.50, halves up",
        "correctness: the median of the judges' scores, of low and of high ends by themselves",
    ]


def test_a_panel_that_cannot_tell_has_the_medians_of_both_ends():
    """Low ends 5.50, 1, 5.50, high ends 10, 5.50, 5.50: 5.50 to 5.50 is a score; with 10 to 10 it is an interval."""
    unsure: list[dict[str, Answer]] = [{"a": "yes", "b": "cannot tell"}, {"a": "no", "b": "cannot tell"}]
    card = panel_card(rubric_with(TWO), *unsure, {"a": "yes", "b": "no"})
    assert card.dimensions["correctness"].score == Decimal("5.50")
    card = panel_card(rubric_with(TWO), *unsure, {"a": "yes", "b": "yes"})
    assert card.dimensions["correctness"].interval == (Decimal("5.50"), Decimal("10.00"))
    document = scorecard_document(card)
    assert document["panel"]["members"][0]["intervals"] == {"correctness": [5.5, 10]}
    assert evenhand.verify(document).differences == ()


def test_a_members_score_that_its_verdicts_do_not_give_is_found():
    card = panel_card(rubric_with(TWO), {"a": "yes", "b": "yes"}, {"a": "yes", "b": "no"}, {"a": "no", "b": "no"})
    assert card.panel is not None
    first = card.panel.members[0]._replace(verdicts={"a": "no", "b": "no"})
    changed = card._replace(panel=card.panel._replace(members=(first, *card.panel.members[1:])))
    fields = [difference.field for difference in evenhand.verify(scorecard_document(changed)).differences]
    assert "panel.members.0.scores.correctness" in fields


def test_a_judge_asked_about_one_dimension_is_not_held_to_prerequisites_in_another():
    """A stronger judge, asked about correctness alone, answers b, whose prerequisite is a criterion of completeness."""
    both = rubric_with(Tree((Criterion("b", "B holds.", Fraction(1), ("c",)),)))
    part = both.dimensions["completeness"]._replace(tree=Tree((Criterion("c", "C holds.", Fraction(1)),)))
    rubric = both._replace(dimensions={**both.dimensions, "completeness": part})
    opinions = {name: Opinion(Decimal("8.00")) for name in DIMENSIONS}
    opinions["correctness"] = Opinion(Unscored(""), verdicts={"b": Verdict("yes")})
    opinions["completeness"] = Opinion(Unscored(""), verdicts={"c": Verdict("yes")})
    first = scored_by_criteria(Judgement(opinions, {"name": "j0"}, "fix"), terms_of(rubric).trees)
    alone = {"correctness": Opinion(Decimal("10.00"), verdicts={"b": Verdict("yes")})}
    member = Member({"name": "j1"}, {"correctness": Decimal("10.00")}, {}, (), (), NOT_ASKED, verdicts={"b": "yes"})
    stronger = Judgement(alone, {"name": "j1"}, "fix", panel=Panel((member,), None))
    judged = Judged(Submission(output=OUTPUT), consensus([first, stronger]), resolve(rubric))
    card = Steps().evaluate(judged).card
    assert card.dimensions["correctness"].score == Decimal("10.00")
    assert evenhand.verify(scorecard_document(card)).differences == ()


def test_rescored_under_other_points():
    """ticket worth 6: (6*1 + 2*1/8) / 8 = 25/32; 1 + 9 * 25/32 = 8.03125."""
    ticket = TREE.children[0]
    assert isinstance(ticket, Criterion)
    tree = TREE._replace(children=(ticket._replace(points=Fraction(6)), *TREE.children[1:]))
    card = evenhand.rescore(scorecard_document(scored(ANSWERS)), rubric=rubric_with(tree))
    assert card.dimensions["correctness"].score == Decimal("8.03")
    assert evenhand.verify(scorecard_document(card)).differences == ()


def test_rescored_below_its_cap_a_score_is_no_longer_capped():
    """a worth 3 of 4 gives 7.75, which a fault caps at 6; worth 1 of 2 it gives 5.50, and nothing is cut."""
    heavy = rubric_with(Tree((Criterion("a", "A holds.", Fraction(3)), TWO.children[1])))
    fault = Finding("some-check", "correctness", "major", "Something is wrong.", precise=True)
    judgement = judge_named("agent:me", {"a": "yes", "b": "no"}, heavy)._replace(checked=Checked("hash", (fault,)))
    capped = bounded(judgement, terms_of(heavy))
    card = Steps().evaluate(Judged(Submission(output=OUTPUT), capped, resolve(heavy))).card
    assert card.checked is not None and card.checked.uncapped == {"correctness": Decimal("7.75")}
    assert card.dimensions["correctness"].score == Decimal("6.00")
    again = evenhand.rescore(scorecard_document(card), rubric=rubric_with(TWO))
    assert again.checked is not None and again.checked.uncapped == {}
    assert again.dimensions["correctness"].score == Decimal("5.50")
    assert evenhand.verify(scorecard_document(again)).differences == ()


def test_rescored_without_the_criteria_it_was_judged_by_there_is_no_score():
    card = evenhand.rescore(scorecard_document(scored(ANSWERS)), rubric="default")
    assert card.dimensions["correctness"].unscored == "it was judged by criteria that the rubric no longer has"


def test_rescored_with_criteria_that_no_one_answered_there_is_no_score():
    judgement = {"skill": "fix", "scores": dict.fromkeys(DIMENSIONS, 8)}
    before = evenhand.score(judgement, rubric="default", store=None)
    card = evenhand.rescore(scorecard_document(before), rubric=rubric_with(TREE))
    assert card.dimensions["correctness"].score is None
    assert "none was answered" in str(card.dimensions["correctness"].unscored)


def test_a_panel_rescored_under_other_points():
    """a worth 3: 10, 7.75 and 1 are the judges' scores now."""
    card = panel_card(rubric_with(TWO), {"a": "yes", "b": "yes"}, {"a": "yes", "b": "no"}, {"a": "no", "b": "no"})
    tree = Tree((Criterion("a", "A holds.", Fraction(3)), TWO.children[1]))
    after = evenhand.rescore(scorecard_document(card), rubric=rubric_with(tree))
    assert after.dimensions["correctness"].score == Decimal("7.75")
    assert evenhand.verify(scorecard_document(after)).differences == ()
