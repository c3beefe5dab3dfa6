"""A field of the scorecard's document is declared once: written, read, checked and published from that."""

from __future__ import annotations

import json

import pytest

import evenhand
from evenhand.core.judgement import Judgement
from evenhand.core.scorecard import Scorecard
from evenhand.documents.scorecards import fields
from evenhand.documents.scorecards.restore import restore
from evenhand.documents.scorecards.scorecard import field_digests, scorecard_document, scorecard_json
from evenhand.documents.scorecards.verification import verify
from evenhand.errors import DocumentError

BY_NAME = fields.ORIGINS


@pytest.fixture
def card() -> Scorecard:
    quote = {"quote": "it can race", "justification": "named"}
    scores = {name: {"score": 8.25, "justification": "j", "evidence": [quote["quote"]]} for name in evenhand.DIMENSIONS}
    rubric = evenhand.load_rubric("code-review")
    judgement = {
        "skill": "code-review",
        "rubric": "code-review",
        "judge": "human:ana",
        "scores": scores | {"safety": {"unscored": "not asked"}},
        "red_flags": [{"id": rubric.red_flags[0].id, "explanation": "seen"}],
        "bonuses": [{"id": rubric.bonuses[0].id}],
    }
    return evenhand.score(
        judgement, output="So it can race.", task="Review it.", id="a", created="2026-01-01T00:00:00Z"
    )


def test_every_value_of_a_scorecard_is_declared_or_part_of_a_declared_field():
    """Nothing is left out of the document by accident; `agreement` is in the panel, and `checked` is several fields."""
    assert set(Scorecard._fields) - set(BY_NAME) == {"agreement", "checked"}


def test_a_field_of_the_judgement_has_its_name_there_too():
    """What is restored into the judgement is found there under the same name."""
    judged = {name for name, source in fields.ORIGINS.items() if source.origin == "judgement"}
    assert judged <= set(Judgement._fields)


FLAG = {"id": "a", "description": "", "explanation": "", "evidence": [], "deduction": 0.5}

VOUCHED_FOR_BY_CHECKSUM = "id skill created rubric judge pass_mark warnings task output rescored_from history".split()


@pytest.mark.parametrize("name", VOUCHED_FOR_BY_CHECKSUM)
def test_the_receipt_has_a_checksum_of_every_field_that_nothing_else_vouches_for(card, name):
    """A changed value is noticed, whichever it is."""
    full = card._replace(rescored_from="b", output="out.md")
    document = scorecard_document(full)
    assert name in document["receipt"]["fields"]
    assert document["receipt"]["fields"] == field_digests(document)
    document[name] = {"name": "changed"} if isinstance(document[name], dict) else "changed"
    assert field_digests(document)[name] != document["receipt"]["fields"][name]


def test_a_document_is_restored_to_the_scorecard_it_was_written_from(card):
    """Written, read, written again: the same bytes and the same value."""
    text = scorecard_json(card)
    again, _, _ = restore(json.loads(text))
    assert again == card
    assert scorecard_json(again) == text


def test_what_is_on_the_scorecard_alone_comes_back_as_it_was(card):
    """`rescored_from` and the warnings follow from nothing."""
    stated = card._replace(rescored_from="earlier", warnings=("one", "two"))
    again, _, _ = restore(scorecard_document(stated))
    assert (again.rescored_from, again.warnings) == ("earlier", ("one", "two"))


def test_an_optional_field_is_left_out_and_any_other_is_null(card):
    """`task` and `interval` may be missing; `final` and `history` never are."""
    document = scorecard_document(card._replace(task=None, interval=None))
    assert "task" not in document
    assert "interval" not in document
    assert (document["final"], document["history"]) == (None, None)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"id": 7}, "id is a number; it must be text"),
        ({"warnings": "none"}, "warnings is text; it must be a list"),
        ({"warnings": [1]}, "warnings.0 is a number; it must be text"),
        ({"pass_mark": True}, "pass_mark is true; it must be a number"),
        ({"judge": []}, "judge is a list; it must be an object"),
        ({"red_flags": [FLAG, FLAG]}, "red_flags must be a list without repeated ids"),
        ({"dimensions": {}}, "dimensions lacks correctness"),
        ({"receipt": None}, "receipt is null; it must be an object"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(card, change, problem):
    """The first that is wrong, with what would be right."""
    with pytest.raises(DocumentError, match=f"not a whole scorecard: {problem}"):
        restore(scorecard_document(card) | change)


@pytest.mark.parametrize("score", [0.99, 10.01])
def test_a_restored_score_is_on_the_scale(card, score):
    """1 and 10 are, what lies beyond is not."""
    document = scorecard_document(card)
    document["dimensions"]["correctness"]["score"] = score
    with pytest.raises(DocumentError, match=r"dimensions\.correctness\.score is .*; it must be a number from 1 to 10"):
        restore(document)


def test_a_dimension_without_a_score_needs_its_reason(card):
    """Without a number and a reason there is no verdict."""
    document = scorecard_document(card)
    del document["dimensions"]["safety"]["unscored"]
    with pytest.raises(DocumentError, match=r"dimensions\.safety\.unscored must be text"):
        restore(document)


@pytest.mark.parametrize("name", ["composite", "final", "label", "methodology", "passed", "deduction", "next_step"])
def test_a_computed_field_that_was_changed_is_found_by_computing_it_again(card, name):
    """It has no checksum, since it needs none."""
    document = scorecard_document(card)
    assert name not in document["receipt"]["fields"]
    document[name] = "changed"
    if name == "methodology":
        with pytest.raises(DocumentError):
            restore(document)
        return
    assert name in {difference.field for difference in verify(document).differences}
