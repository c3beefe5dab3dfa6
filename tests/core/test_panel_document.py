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
from evenhand.core.judgement import NOT_ASKED, Calls, Claim, Condensed, Discounted, Escalation, Evidence
from evenhand.core.panel import consensus
from evenhand.core.receipt import canonical_judgement, receipt_for, terms_of
from evenhand.core.scorecard import Scorecard
from evenhand.documents.scorecards.restore import restore
from evenhand.errors import DocumentError
from panels import OUTPUT, card_of, model_judgement, panel_of, quote
from test_schemas import validator

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


@pytest.mark.parametrize("place", range(4))
def test_a_panel_comes_back_whole_and_holds(place):
    """Document, JSON text, and the same scorecard again; verify finds nothing, with rubric and output at hand."""
    card = cards()[place]
    document = json.loads(json.dumps(evenhand.document(card), indent=1), parse_float=Decimal)
    validator("scorecard").validate(evenhand.document(card))
    again = restore(document)[0]
    assert (again.panel, again.agreement) == (card.panel, card.agreement)
    result = evenhand.verify(document, rubric=RUBRIC, output=OUTPUT)
    assert result.differences == ()
    assert any("each panel judge" in line for line in result.checked)


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
    from evenhand.documents.scorecards.restore import plain_numbers
    from evenhand.documents.scorecards.scorecard import field_digests

    made = changed(evenhand.document(full_card()), path, value)
    made["receipt"]["fields"] = field_digests(plain_numbers(made))
    return {difference.field for difference in evenhand.verify(made).differences}


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("panel", "members", 0, "scores", "safety"), 10, {"dimensions.safety.score", "panel.spread.safety"}),
        (("panel", "members", 1, "red_flags"), [], {"red_flags.f0"}),
        (("panel", "members", 1, "bonuses"), ["b0"], {"bonuses.b0"}),
        (("panel", "members", 0, "abstained"), "why not", {"receipt.judgement"}),
        (("panel", "members", 0, "distributions", "correctness", "7"), 1, {"panel.grade_probabilities.B"}),
        (("panel", "members", 0, "grade"), "A", {"panel.members.0.grade"}),
        (("panel", "quorum"), 3, {"dimensions.safety.score"}),
        (("panel", "spread", "safety"), 1, {"panel.spread.safety"}),
        (("panel", "disputed"), [], {"panel.disputed"}),
        (("panel", "decisive"), [], {"panel.decisive"}),
        (("panel", "grade_probabilities", "B"), 1, {"panel.grade_probabilities.B"}),
        (("dimensions", "safety", "score"), 9, {"dimensions.safety.score"}),
        (("panel", "deductions", "f1"), 2, {"panel.members.0.grade"}),
    ],
)
def test_what_follows_from_the_judges_is_computed_again(path, value, named):
    """Even with every checksum forged, what no longer follows is named."""
    assert named <= forged(path, value)


def test_a_flag_taken_off_the_scorecard_is_missed():
    """A majority raised it."""
    document = evenhand.document(full_card())
    document["red_flags"] = []
    found = {each.field: each.problem for each in evenhand.verify(document).differences}
    assert found["red_flags.f0"] == "is missing, but a majority of the judges raised it"


def test_a_panel_taken_away_or_put_in_is_noticed():
    """The receipt's hash of the judgement covers what each judge said."""
    with_panel = evenhand.document(cards()[1])
    without = {key: value for key, value in with_panel.items() if key != "panel"}
    assert {"receipt.judgement", "panel.members.0"} <= {each.field for each in evenhand.verify(without).differences}
    plain = evenhand.document(card_of(model_judgement(8)._replace(panel=None), RUBRIC))
    added = {each.field for each in evenhand.verify(plain | {"panel": with_panel["panel"]}).differences}
    assert {"receipt.judgement", "panel.members.0"} <= added


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("panel",), "x"),
        (("panel", "members"), []),
        (("panel", "members"), [{}]),
        (("panel", "members", 0, "judge"), {}),
        (("panel", "members", 0, "scores", "safety"), 11),
        (("panel", "members", 0, "scores", "safety"), True),
        (("panel", "members", 0, "scores", "beauty"), 7),
        (("panel", "members", 0, "distributions", "correctness"), {}),
        (("panel", "members", 0, "distributions", "correctness"), {"7": -1, "8": 3}),
        (("panel", "members", 0, "distributions", "correctness"), {"NaN": 1}),
        (("panel", "quorum"), "2"),
        (("panel", "deductions", "f1"), -2),
        (("panel", "calls", "cost"), "free"),
        (("panel", "discounted", 0, "reason"), "because"),
        (("panel", "discounted", 0, "evidence", 0, "verified"), "yes"),
    ],
)
def test_a_panel_that_was_never_written_so_is_refused_in_a_line(path, value):
    """No traceback, whatever stands there; and it never passes for whole."""
    document = changed(evenhand.document(full_card()), path, value)
    assert not evenhand.verify(document).ok
    with pytest.raises(DocumentError, match=r"panel[.\w]*:? (must|is|has|unknown|\"NaN\")"):
        restore(document)


def test_a_panel_that_is_null_is_missed():
    """It is as if it were not there, which the receipt tells."""
    document = changed(evenhand.document(full_card()), ("panel",), None)
    assert "panel.members.0" in {each.field for each in evenhand.verify(document).differences}


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


def test_the_second_implementation_in_the_documentation_follows_panels(tmp_path, monkeypatch):
    """The program on the page about receipts finds the same hashes and checksums for a panel."""
    page = (ROOT / "docs" / "reference" / "receipts.md").read_text(encoding="utf-8")
    program = page.split("```python\n")[-1].split("```")[0]
    (tmp_path / "scorecard.json").write_text(json.dumps(evenhand.document(full_card())), encoding="utf-8")
    (tmp_path / "rubric.json").write_text(json.dumps(evenhand.document(RUBRIC)), encoding="utf-8")
    (tmp_path / "review.md").write_text(OUTPUT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(program, "receipts.md", "exec"), names)
    assert names["panel"]["members"]


def test_another_amount_in_the_rubric_is_named_also_for_a_flag_that_did_not_count():
    """f1 was outvoted; its amount decides the grade of the judge that raised it."""
    dearer = make_rubric(amounts=["0.5", "1.5", "0.5"])
    found = {each.field for each in evenhand.verify(full_card(), rubric=dearer).differences}
    assert "red_flags.f1.deduction" in found


def test_the_receipt_of_a_panel_covers_its_members():
    """One judge's score changed and another's changed back: the medians stay, the receipt does not."""
    terms = terms_of(RUBRIC)
    hashes = {receipt_for(panel_of(7, 8, top), terms, None).judgement for top in (9, 10)}
    assert len(hashes) == 2


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence("boom", True, 3, 17),
        Evidence("boom", True, None, None, "run.jsonl"),
        Evidence("boom", False),
        Evidence("boom", None),
    ],
)
def test_a_claim_that_did_not_count_keeps_where_its_quote_is(evidence):
    """In the output, in a file of a transcript, nowhere, or not looked up."""
    lost = Discounted("observation", "", "model:one", "unlisted", "It failed once.", (evidence,))
    card = card_of(model_judgement(8, discounted=(lost,)), RUBRIC)
    document = json.loads(json.dumps(evenhand.document(card)), parse_float=Decimal)
    assert restore(document)[0].panel.discounted == (lost,)


def test_a_claim_without_words_is_reported_without_a_colon():
    """An explanation is optional."""
    bare = Claim("f0", "", (quote(),))
    made = consensus([model_judgement(name=name, red_flags=[bare]) for name in "ab"])
    assert made.red_flags[0].explanation == ""


def test_the_schema_file_knows_the_panel():
    """The published schema is the one the documents follow."""
    schema = json.loads((ROOT / "src/evenhand/schemas/scorecard.v1.schema.json").read_text(encoding="utf-8"))
    assert "panel" in schema["properties"] and "panel" not in schema["required"]
