"""A panel on a scorecard's document: it fits its schema, comes back whole, and no part of it can be changed unseen."""

from __future__ import annotations

import copy
import json
from decimal import Decimal

import pytest
from conftest import ROOT, make_rubric, seven
from hypothesis import given
from hypothesis import strategies as st
from test_laws import leaves, other

import evenhand
from evenhand.core.judgement import NOT_ASKED, Calls, Condensed, Discounted, Escalation
from evenhand.core.panel import consensus
from evenhand.core.receipt import canonical_judgement
from evenhand.core.scorecard import Scorecard
from evenhand.errors import DocumentError
from panels import card_of, model_judgement, panel_of, quote

RUBRIC = make_rubric()


def full_card() -> Scorecard:
    """A panel with everything at once: disputes, doubts, a failure, lost claims, an escalation, a cut transcript."""
    a = model_judgement(
        seven(8) | {"correctness": "7.6"},
        name="openai:small",
        red_flags=["f0", "f1"],
        bonuses=["b0"],
        distributions={"correctness": {700: 2, 800: 3}},
        calls=Calls(asked=8, repairs=1, input_tokens=9000, output_tokens=700, cost=Decimal("0.0123")),
        discounted=(
            Discounted("bonus", "b1", "openai:small", "unverified", "I think so.", (quote("no", False),)),
            Discounted("observation", "", "openai:small", "unlisted", "The tests are named after bugs.", (quote(),)),
        ),
    )
    b = model_judgement(
        seven(6) | {"efficiency": "no answer in time"},
        name="anthropic:medium",
        red_flags=["f0"],
        calls=Calls(stored=8),
        condensed=(Condensed("anthropic:medium", 12, 3, 40, "the events come to more than the window holds"),),
    )
    strong = model_judgement(
        {"correctness": 9, "efficiency": 7}, name="openai:large", abstained=NOT_ASKED, calls=Calls(asked=2)
    )
    why = {"correctness": "the judges differ by 1.60", "efficiency": "a judge gave no score"}
    return card_of(consensus([a, b, strong], escalation=Escalation("openai:large", why, 6)), RUBRIC)


def cards() -> list[Scorecard]:
    return [
        full_card(),
        card_of(model_judgement(8, distributions={"safety": {750: 1, 850: 1}}), RUBRIC),
        card_of(panel_of(8, "8.25", seven(5) | {"safety": "refused"}, quorum=2), RUBRIC),
        card_of(panel_of(seven("timed out"), seven("timed out")), RUBRIC),
    ]


def changed(document, path, value):
    """A copy with one value replaced."""
    made = copy.deepcopy(document)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


DOCUMENTS = [evenhand.document(card) for card in cards()]
LEAVES = [(place, path) for place, each in enumerate(DOCUMENTS) for path in leaves(each["panel"], ("panel",))]


@given(st.sampled_from(LEAVES))
@pytest.mark.slow
def test_changing_any_value_of_a_panel_is_noticed(chosen):
    """Whatever is changed, verify names the panel's field or refuses the document."""
    place, path = chosen
    value = DOCUMENTS[place]
    for key in path:
        value = value[key]
    try:
        found = evenhand.verify(changed(DOCUMENTS[place], path, other(value))).differences
    except DocumentError:
        return
    assert any(difference.field.startswith("panel") for difference in found), (path, found)


def forged(path, value):
    """A document changed with its checksums brought up to date, as somebody would who knows how they are made."""
    from evenhand.documents.restore import plain_numbers
    from evenhand.documents.scorecard import field_digests

    made = changed(evenhand.document(full_card()), path, value)
    made["receipt"]["fields"] = field_digests(plain_numbers(made))
    return {difference.field for difference in evenhand.verify(made).differences}


def test_what_asking_took_is_not_part_of_the_judgement():
    """The same replies from the store of replies give the same receipt, so nothing is stored twice."""
    one, two = (model_judgement(8, calls=calls) for calls in (Calls(asked=8), Calls(stored=8)))
    assert canonical_judgement(one) == canonical_judgement(two)
    assert canonical_judgement(one) != canonical_judgement(model_judgement(8, distributions={"safety": {800: 1}}))


def test_a_judgement_without_a_panel_is_hashed_as_ever():
    """A person's judgement has no panel in what is hashed."""
    text = canonical_judgement(model_judgement(8)._replace(panel=None))
    assert '"panel"' not in text
    assert [*json.loads(text)] == ["bonuses", "judge", "red_flags", "scores", "skill"]


def test_a_flag_that_a_check_may_raise_holds_against_its_own_rubric():
    """How a rubric lets a flag be detected is not on the scorecard, and does not differ from it."""
    rubric = evenhand.load_rubric("code-change")
    flag = next(flag.id for flag in rubric.red_flags if flag.detect)
    card = evenhand.score({"scores": seven(8), "red_flags": [flag]}, rubric=rubric)
    assert evenhand.verify(card, rubric=rubric).ok


def test_the_schema_file_knows_the_panel():
    """The published schema is the one the documents follow."""
    schema = json.loads((ROOT / "src/evenhand/schemas/scorecard.v1.schema.json").read_text(encoding="utf-8"))
    assert "panel" in schema["properties"] and "panel" not in schema["required"]
