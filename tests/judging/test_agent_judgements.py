"""An agent as the judge: what it is given to read, and what it must fix before its judgement counts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import make_rubric, seven

from evenhand import DIMENSIONS, InputError, Rubric, Submission
from evenhand.core.rubric import Criterion, Tree
from evenhand.judging.agent_judgement import assign, evaluate, instructions, judge_name

WORK = "The cache is never emptied.\nThe lock is held while the file is read.\nAll tests were run twice."
QUOTE = "The lock is held while the file is read."


def judgement(**scores: object) -> dict[str, object]:
    """A judgement that an agent may hand in: 6 everywhere, which needs no quotes, but for the scores given."""
    return {"scores": {name: scores.get(name, 6) for name in DIMENSIONS}}


def handed_in(document: object, output: str = WORK, **more: object):
    """The evaluation of an agent's judgement."""
    return evaluate(assign(Submission(output=output, **more), rubric=make_rubric()), document, "agent:claude")


def refused(document: object, output: str = WORK) -> list[tuple[tuple[object, ...], str]]:
    """What an agent has to fix: where, and what."""
    with pytest.raises(InputError) as error:
        handed_in(document, output)
    return [(problem.path, problem.message) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("claude", "agent:claude"),
        ("agent:claude", "agent:claude"),
        (" agent: claude ", "agent:claude"),
        (None, "agent:codex"),
        ("  ", "agent:codex"),
        ("agent:", "agent:codex"),
    ],
)
def test_an_agent_s_name_says_that_it_is_one(given, name):
    """Whatever it calls itself; without a name it is the host's."""
    assert judge_name(given, "codex") == name


def test_a_judgement_becomes_an_evaluation_under_the_agent_s_name():
    """With the task, the skill and the rubric of the work, not those that the agent writes."""
    document = judgement() | {"skill": "mine", "judge": "human:ana", "rubric": "writing", "output": "/etc/passwd"}
    done = handed_in(document, task="Review it.", skill="code-review")
    card = done.card
    assert (card.judge["name"], card.skill, card.rubric, card.task) == (
        "agent:claude",
        "code-review",
        "made",
        "Review it.",
    )
    assert (card.final, card.output, done.submission.output) == (Decimal("6.00"), None, WORK)


@pytest.mark.parametrize(("document", "skill"), [({"skill": "mine"}, "mine"), ({}, "unnamed")])
def test_a_skill_that_the_work_does_not_name_is_the_judgement_s(document, skill):
    """Or has no name."""
    assert handed_in(judgement() | document).card.skill == skill


@pytest.mark.parametrize(("score", "is_refused"), [(6.99, False), (7, True), (7.5, True)])
def test_a_score_from_7_needs_a_quote(score, is_refused):
    """As a model's does; without one it would count for nothing."""
    if not is_refused:
        assert handed_in(judgement(safety=score)).card.dimensions["safety"].score == Decimal("6.99")
        return
    assert refused(judgement(safety=score)) == [
        (
            ("scores", "safety"),
            f"safety: a score of {score} needs a quote from the work in evidence; without one, give a lower score, "
            "or unscored with the reason",
        )
    ]
    quoted = judgement(safety={"score": score, "evidence": [QUOTE]})
    assert handed_in(quoted).card.dimensions["safety"].evidence[0].verified


def test_a_dimension_without_a_score_needs_no_quote():
    """Only the reason."""
    card = handed_in(judgement(safety={"unscored": "Nothing in it is about safety."})).card
    assert card.dimensions["safety"].unscored == "Nothing in it is about safety."


def test_a_quote_that_is_not_in_the_work_is_refused_with_its_place():
    """The second of two, in a dimension whose score alone would need none."""
    document = judgement(safety={"score": 5, "evidence": [QUOTE, "The lock is never held at all."]})
    assert refused(document) == [
        (
            ("scores", "safety", "evidence", 1),
            'safety: the quote "The lock is never held at all." is not in the work as written; copy it character for '
            "character, or take it out",
        )
    ]


@pytest.mark.parametrize(("quote", "is_refused"), [("The lock is held whi", False), ("The lock is held wh", True)])
def test_a_quote_has_at_least_20_characters(quote, is_refused):
    """19 could be anywhere."""
    document = judgement(safety={"score": 8, "evidence": [quote]})
    if not is_refused:
        assert handed_in(document).card.dimensions["safety"].score == 8
    else:
        assert [message for _, message in refused(document)] == [
            f'safety: the quote "{quote}" proves nothing: it is shorter than 20 characters; quote more of the passage'
        ]


def test_a_long_quote_is_cut_in_the_message():
    """At 120 characters on one line; 120 are shown whole, of 121 the first 117 and three dots."""
    messages = [
        refused(judgement(safety={"score": 5, "evidence": [text]}))[0][1] for text in ("x" * 120, "x" * 121, "x  \n  y")
    ]
    assert [message.split('"')[1] for message in messages] == ["x" * 120, "x" * 117 + "...", "x y"]


@pytest.mark.parametrize(("field", "noun", "id"), [("red_flags", "red flag", "f1"), ("bonuses", "bonus", "b2")])
def test_a_red_flag_and_a_bonus_need_a_quote(field, noun, id):
    """One that is in the work; then it counts."""
    claim = {"id": id, "explanation": "See the second line."}
    assert refused(judgement() | {field: [claim]}) == [
        ((field,), f"{noun} {id}: needs a quote from the work in evidence; without one, leave it out")
    ]
    wrong = refused(judgement() | {field: [claim | {"evidence": ["Nobody wrote this passage here."]}]})
    assert [(path, message.partition(" is not in")[0]) for path, message in wrong] == [
        ((field, 0, "evidence", 0), f'{noun} {id}: the quote "Nobody wrote this passage here."')
    ]
    card = handed_in(judgement() | {field: [claim | {"evidence": [QUOTE]}]}).card
    assert [entry.id for entry in getattr(card, field)] == [id]


def test_a_flag_that_the_rubric_does_not_list_is_refused_together_with_everything_else():
    """All that has to be fixed comes at once, the agent's mistakes about the rubric first."""
    document = judgement(safety=9) | {"red_flags": [{"id": "f9", "explanation": "x", "evidence": [QUOTE]}]}
    paths = [path for path, _ in refused(document)]
    assert paths[-1] == ("scores", "safety")
    assert len(paths) == 2


def test_the_agent_reads_the_rules_the_rubric_the_task_and_the_work():
    """Fenced with a code that is different every time, and named in the rules."""
    submission = Submission(output=WORK, task="Review the change.")
    first, second = (assign(submission, rubric=make_rubric()) for _ in range(2))
    assert first.code != second.code and len(first.code) == 32
    text = instructions(first)
    assert text.startswith("Judge the work below against the rubric.")
    assert text.count(first.code) >= 3 and "{code}" not in text and second.code not in text
    assert text.index("criteria 9") < text.index("Review the change.") < text.index(QUOTE)
    assert "too long" not in text


@pytest.mark.slow
def test_work_that_is_too_long_is_shown_in_part_with_where_the_rest_is(tmp_path):
    """About 12,000 tokens of four characters; the agent may quote what it read in the file."""
    lines = [f"Line {number} of a long work that nobody reads to its end." for number in range(3000)]
    output = "\n".join(lines)
    assignment = assign(Submission(output=output, source="work.md"), rubric=make_rubric())
    text = instructions(assignment)
    assert " Read the rest in work.md before you judge.\n" in text
    assert 12_000 < len(text) < 4.5 * 12_000
    unseen = next(line for line in lines if line not in text)
    done = evaluate(assignment, judgement(safety={"score": 8, "evidence": [unseen]}), "agent:claude")
    assert done.card.dimensions["safety"].score == 8
    assert any(warning.startswith("the agent was shown only a part: ") for warning in done.card.warnings)
    nameless = instructions(assign(Submission(output=output), rubric=make_rubric()))
    assert "The work is too long to be shown whole: " in nameless and "Read the rest" not in nameless


def test_work_that_fits_is_not_reported_as_a_part():
    """No warning where there is nothing to warn about."""
    assert handed_in(judgement() | {"scores": seven(6)}).card.warnings == ()


CRITERIA = Tree(
    (
        Criterion("names-lock", "It names the lock.", Fraction(1)),
        Criterion("says-fix", "It says how to fix it.", Fraction(3), ("names-lock",), applies_when="a fix is due"),
        Criterion("no-secret", "No secret is shown.", Fraction(1), check="secret-exposed"),
    )
)


def by_criteria() -> Rubric:
    rubric = make_rubric()
    part = rubric.dimensions["correctness"]._replace(tree=CRITERIA)
    return rubric._replace(dimensions={**rubric.dimensions, "correctness": part})


def test_an_agent_is_shown_the_criteria_it_answers():
    """Those that a program decides are not among them; without criteria nothing is added."""
    text = instructions(assign(Submission(output=WORK), rubric=by_criteria()))
    assert "Correctness is scored by the criteria below, not by you" in text
    assert "- says-fix: It says how to fix it. (applies only when: a fix is due) (requires names-lock)" in text
    assert "no-secret" not in text
    assert "by the criteria below" not in instructions(assign(Submission(output=WORK), rubric=make_rubric()))


def test_answers_of_an_agent_give_the_score_and_need_quotes_or_reasons():
    """1 of 4 points, and a program's yes: 2/5 gives 1 + 9 x 2/5 = 4.60."""
    assignment = assign(Submission(output=WORK), rubric=by_criteria())
    answers = {"names-lock": {"answer": "yes", "evidence": [QUOTE]}, "says-fix": "no"}
    card = evaluate(assignment, judgement(correctness={"criteria": answers}), "agent:claude").card
    assert card.dimensions["correctness"].score == Decimal("4.60")
    for wrong, why in (
        ({"answer": "yes", "evidence": ["The lock was never there at all."]}, "is not in the work as written"),
        ("yes", "names-lock: yes needs a quote from the work in evidence, or a reason"),
    ):
        document = judgement(correctness={"criteria": {**answers, "names-lock": wrong}})
        with pytest.raises(InputError, match=why):
            evaluate(assignment, document, "agent:claude")
