"""Parts of documents by themselves: readings under influence, lifted findings, judges' cards, fields and their text."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from conftest import judged, seven

from evenhand.core.audit import audit
from evenhand.core.finding import Bound, Checked, Expected, Finding, Lifted, Place
from evenhand.core.judgement import Influence, Member, Panel, Reading, Unscored
from evenhand.documents import kinds
from evenhand.documents.judge_card import card_document, card_from
from evenhand.documents.kinds import Field
from evenhand.documents.scorecards.differences import Difference
from evenhand.documents.scorecards.panel import contradictions, panel_from
from evenhand.documents.scorecards.rare_fields import (
    bounds_json,
    checked_from,
    expected_from,
    findings_from,
    findings_json,
    lifted_from,
    records_json,
)
from evenhand.documents.scorecards.scorecard import scorecard_document
from evenhand.documents.scorecards.verification import Verification, verification_document
from evenhand.errors import DocumentError
from evenhand.files.codec import document as document_of
from evenhand.files.codec import read
from evenhand.stats.trust.judge_card import JudgeCard, Noise, ProbeChange, ScaleUse
from evenhand.stats.trust.probe_effects import Effect, Probe, ProbeResult
from every_case import every_case

# --- readings of a work that may address its judge -------------------------------------------------------------------

FIRST = Reading("first", {"correctness": Decimal("7.25"), "safety": Unscored("refused")})
MASKED = Reading("masked", {"correctness": Decimal(5), "safety": Decimal(6)})
INFLUENCE = Influence("judge", 2, (FIRST, MASKED), "masked", "because")


def test_readings_are_the_same_when_read_back():
    """Scores as numbers, reasons beside them."""
    document = json.loads(json.dumps(document_of(INFLUENCE)))
    assert document == {
        "judge": "judge",
        "passages": 2,
        "readings": [
            {"variant": "first", "scores": {"correctness": 7.25, "safety": None}, "unscored": {"safety": "refused"}},
            {"variant": "masked", "scores": {"correctness": 5, "safety": 6}, "unscored": {}},
        ],
        "counts": "masked",
        "why": "because",
    }
    assert read(Influence, document) == INFLUENCE
    assert read(Influence, document | {"counts": None}) == INFLUENCE._replace(counts=None)


@pytest.mark.parametrize(
    "change",
    [
        {"counts": "upward"},
        {"passages": 0},
        {"passages": True},
        {"passages": "2"},
        {"judge": None},
        {"why": 1},
        {"readings": [{"variant": "sideways", "scores": {}, "unscored": {}}]},
        {"readings": [{"variant": "masked", "scores": {"charm": 7}, "unscored": {}}]},
        {"readings": [{"variant": "masked", "scores": {"safety": "7"}, "unscored": {}}]},
        {"readings": [{"variant": "masked", "scores": {"safety": True}, "unscored": {}}]},
        {"readings": [{"variant": "masked", "scores": {"safety": None}, "unscored": {}}]},
        {"readings": [{"variant": "masked", "scores": {"safety": None}, "unscored": {"safety": 1}}]},
        {"readings": [{"variant": "masked", "scores": {}}]},
    ],
)
def test_readings_that_were_not_written_here_are_refused(change: dict[str, Any]):
    """Each field by itself."""
    panel = document_of(Panel((Member({"name": "judge"}, {}),), None))
    assert panel_from(panel | {"influence": [document_of(INFLUENCE)]}).influence == (INFLUENCE,)
    with pytest.raises(DocumentError, match=r"not a whole scorecard: panel\.influence\.0"):
        panel_from(panel | {"influence": [document_of(INFLUENCE) | change]})


def test_one_passage_is_enough():
    """None is not."""
    assert read(Influence, document_of(INFLUENCE._replace(passages=1))).passages == 1


@pytest.mark.parametrize(
    ("counts", "safety", "contradicted"),
    [
        ("masked", Decimal(6), []),
        ("masked", Decimal(7), ["masked counts, which gives judge another safety"]),
        ("masked", Unscored("why"), ["masked counts, which gives judge another safety"]),
        ("first", Unscored("another reason"), ["first counts, which gives judge another correctness"]),
        (None, Unscored("why"), ["no reading counts, which gives judge another correctness"]),
    ],
)
def test_a_judge_has_the_scores_of_the_reading_that_counts(counts, safety, contradicted):
    """Without one, none; the words of a reason do not matter."""
    members = [
        Member({"name": "other"}, {"safety": Decimal(1)}),
        Member({"name": "judge"}, {"correctness": Decimal(5), "safety": safety}),
    ]
    panel = Panel(
        tuple(members), None, influence=(INFLUENCE._replace(judge="nobody"), INFLUENCE._replace(counts=counts))
    )
    assert list(contradictions(panel)) == [("panel.influence.1", words) for words in contradicted]


# --- findings, verifications, audits ---------------------------------------------------------------------------------


def test_lifted_findings_are_the_same_when_read_back():
    """Or the field that is missing is named."""
    lifted = (Lifted("f1", "ana", "wrong"), Lifted("f2", "bo", "waived"))
    document = json.loads(records_json(lifted))
    assert document[0] == {"finding": "f1", "by": "ana", "reason": "wrong"}
    assert lifted_from(document, "lifted") == lifted
    del document[1]["by"]
    with pytest.raises(DocumentError, match=r"lifted\.1\.by is missing"):
        lifted_from(document, "lifted")
    with pytest.raises(DocumentError, match=r"lifted\.0 is .*; it must be an object"):
        lifted_from(["f1"], "lifted")
    with pytest.raises(DocumentError, match=r"lifted is .*; it must be a list"):
        lifted_from({}, "lifted")


def test_a_verification_as_json():
    """In order only without a difference."""
    result = Verification("x", (), ("all",), ("the output",))
    assert verification_document(result) == {
        "schema": "evenhand/verification/v1",
        "id": "x",
        "ok": True,
        "differences": [],
        "checked": ["all"],
        "unchecked": ["the output"],
    }
    differing = result._replace(differences=(Difference(field="final", problem="changed"),))
    document = verification_document(differing)
    assert (document["ok"], document["differences"][0]["field"]) == (False, "final")


def test_a_scorecard_is_explained_only_on_request():
    """Every line with its rule, in the order of the arithmetic."""
    card = judged(seven(7), flags=1, bonuses=1)
    assert "audit" not in scorecard_document(card)
    lines = scorecard_document(card, audit=True)["audit"]
    assert [line["rule"] for line in lines] == [line.rule for line in audit(card)]
    assert [line.rule for line in audit(card)] == ["R1"] * 8 + ["R2", "R8", "R9", "R10", "R8", "R9", "R10", "R3"]


def test_an_audit_of_an_open_dimension_gives_both_ends():
    """Safety weighs 0.10: 6.30 + 0.10 to 6.30 + 1.00, and two grades."""
    texts = [line.text for line in audit(judged(seven(7) | {"safety": {"unscored": "no answer"}}))]
    assert texts[5] == "safety is unscored: anything from 1 to 10"
    assert texts[7] == "sum of the products = 6.4 to 7.3"
    assert texts[8] == "composite = 6.40 to 7.30, rounded once, halves up"
    assert texts[-2] == "final = 6.40 to 7.30, not above 10.00"
    assert texts[-1] == "grade = C to B-: no single grade"


# --- judges' cards ---------------------------------------------------------------------------------------------------

EFFECT = Effect(9, 0.12345678, 0.01, 0.3, 0.25)
UP = Probe("padding", "same", "base", "padded", None, "longer is better", "shorter is better")
SAFE = Probe("spoilt", "down", "base", "spoilt", "safety", "up", "down")
CARD = JudgeCard(
    "id", "2026-01-01T00:00:00Z", {"name": "judge", "prompt": "p"}, ("model-1",), "quick", "m", 60, 62, Decimal("0.5"),
    (
        ProbeResult(UP, EFFECT, None, {"a": 0.5, "b": None}, "not-shown", False, 0.25, 1),
        ProbeResult(SAFE, None, EFFECT, {"a": -2.0}, "shown", True, None, 3),
    ),
    {"family": "unknown"}, Noise(4, 0.25, 0.5, 1, 0.125), ScaleUse({"8": 3}, Decimal("8.5"), Decimal("7.5"), 2),
)  # fmt: skip


def test_a_card_has_every_field_when_read_back():
    """Numbers to four places."""
    document = json.loads(json.dumps(card_document(CARD)))
    again = card_from(document)
    rounded = EFFECT._replace(mean=0.1235)
    assert again.results[0] == CARD.results[0]._replace(final=rounded)
    assert again.results[1] == CARD.results[1]._replace(dimension=rounded)
    assert again._replace(results=CARD.results) == CARD
    assert document["probes"][1]["dimension"]["name"] == "safety"
    assert document["probes"][0]["variants"] == ["base", "padded"]
    assert (document["since"], document["changes"]) == (None, [])


def test_a_card_without_noise_cost_and_scores_is_read_back_as_well():
    """Nothing stands in for what is not there."""
    bare = CARD._replace(noise=None, cost=None, scale=ScaleUse({}, None, None, 0), results=())
    assert card_from(card_document(bare)) == bare


def test_a_card_tells_what_changed_since_the_one_before():
    """Which it was, and each effect with its probability."""
    before = CARD._replace(id="old", created="2025", served=("model-0",))
    changes = (ProbeChange("padding", EFFECT, 0.0123456789), ProbeChange("spoilt", EFFECT, 0.9))
    document = card_document(CARD, before, changes)
    assert document["since"] == {"id": "old", "created": "2025", "served": ["model-0"]}
    assert [(row["probe"], row["p_value"], row["shown"], row["mean"]) for row in document["changes"]] == [
        ("padding", 0.012346, True, 0.1235),
        ("spoilt", 0.9, False, 0.1235),
    ]


# --- fields ----------------------------------------------------------------------------------------------------------


@every_case(
    ("kind", "value", "result"),
    [
        (kinds.WEIGHT, 0.25, Decimal("0.25")),
        (kinds.WEIGHT, False, "a number"),
        (kinds.WEIGHT, "0.25", "a number"),
        (kinds.AMOUNT, 1.5, Decimal("1.50")),
        (kinds.SCORE_OR_NULL, None, None),
        (kinds.SCORE_OR_NULL, 1, Decimal("1.00")),
        (kinds.SCORE_OR_NULL, 10, Decimal("10.00")),
        (kinds.SCORE_OR_NULL, 0.99, "a number from 1 to 10"),
        (kinds.SCORE_OR_NULL, 10.01, "a number from 1 to 10"),
        (kinds.TEXTS, ["a"], ("a",)),
        (kinds.TEXTS, ["a", 1], "a list of texts"),
        (kinds.TEXTS, "a", "a list of texts"),
        (kinds.NAMES, {"name": "x"}, {"name": "x"}),
        (kinds.NAMES, [], "an object"),
    ],
)
def test_a_value_is_read_or_refused_with_what_would_be_right(kind, value, result):
    """At the path it stands at."""
    if isinstance(result, str):
        with pytest.raises(DocumentError) as refused:
            kind.read(value, "a.b")
        assert str(refused.value) == f"not a whole scorecard: a.b must be {result}"
        assert refused.value.problems[0].path == ("a", "b")
    else:
        assert kind.read(value, "a.b") == result
        assert str(kind.read(value, "a.b")) == str(result)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "a list of objects with an id"),
        ([1], "a list of objects with an id"),
        ([{"name": "a"}], "a list of objects with an id"),
        ([{"id": 1}], "a list of objects with an id"),
        ([{"id": "a"}, {"id": "a"}], "a list without repeated ids"),
    ],
)
def test_rows_have_different_ids(value, problem):
    """Each row is an object with an id of its own."""
    with pytest.raises(DocumentError, match=f"flags must be {problem}"):
        kinds.rows(value, "flags")
    assert kinds.rows([{"id": "a"}, {"id": "b"}], "flags") == [{"id": "a"}, {"id": "b"}]


@pytest.mark.parametrize(
    ("options", "checksummed"),
    [
        ({}, False),
        ({"on_request": True}, True),
        *(({"origin": origin}, True) for origin in ("scorecard", "judgement", "checks", "rubric")),
        *(({"origin": origin}, False) for origin in ("parts", "receipt", "computed")),
    ],
)
def test_a_checksum_is_kept_of_what_nothing_else_vouches_for(options, checksummed):
    """Parts have their own, and what is computed needs none."""
    assert Field("x", kinds.TEXT, **options).checksummed is checksummed


# --- findings and expectations ---------------------------------------------------------------------------------------

FINDINGS = (
    Finding("a", "safety", "major", "Why.", "quote", None, 5, 2, True, True, "flag"),
    Finding("b", "safety", None, "Fine."),
    Finding("c", "adherence", "minor", "Why.", "quote", Place("run.jsonl", 7), verified=False),
    Finding("d", "adherence", "critical", "Why.", place=Place("run.md", None)),
)
EXPECTATIONS = (
    Expected("Adds.", "met", "safety", "major", "found", "quote", None, 5),
    Expected("Tests.", "unmet", "safety", "minor", "none", place=Place("run.jsonl", 7)),
    Expected("Fast.", "undecided", "efficiency", "critical", "unknown"),
)


def test_findings_and_expectations_are_the_same_when_read_back():
    """Each field; a place in a transcript instead of a line of the output."""
    written = json.loads(findings_json(FINDINGS))
    stated = {"check": "a", "dimension": "safety", "severity": "major", "message": "Why.", "precise": True}
    stated |= {"red_flag": "flag", "quote": "quote", "verified": True, "line": 2, "offset": 5}
    assert {name: written[0][name] for name in stated} == stated
    assert findings_from(written, "findings") == FINDINGS
    expected = json.loads(records_json(EXPECTATIONS))
    assert expected[1] == {
        "expectation": "Tests.", "result": "unmet", "dimension": "safety", "severity": "minor", "message": "none",
        "source": "run.jsonl", "source_line": 7,
    }  # fmt: skip
    assert (expected[0]["quote"], expected[0]["offset"], "line" in expected[0]) == ("quote", 5, False)
    assert expected_from(expected, "expectations") == EXPECTATIONS


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("check", 1), ("message", None), ("quote", 1), ("red_flag", 1), ("dimension", "charm"), ("severity", "bad"),
        ("precise", "yes"), ("precise", 1), ("precise", None),
    ],
)  # fmt: skip
def test_a_finding_that_was_not_written_here_is_refused(field, wrong):
    """Each field by itself, and each that is missing."""
    row = json.loads(findings_json(FINDINGS[:1]))[0]
    with pytest.raises(DocumentError, match=rf"findings\.0\.{field}( is .*; it|:|) (must be|unknown)"):
        findings_from([row | {field: wrong}], "findings")
    if field not in ("quote", "red_flag"):
        del row[field]
        with pytest.raises(DocumentError, match=rf"findings\.0\.{field} is missing"):
            findings_from([row], "findings")


@pytest.mark.parametrize(("field", "wrong"), [("result", "maybe"), ("dimension", "charm"), ("severity", None)])
def test_an_expectation_that_was_not_written_here_is_refused(field, wrong):
    """Each field by itself, and each that is missing."""
    row = json.loads(records_json(EXPECTATIONS[:1]))[0]
    with pytest.raises(DocumentError, match=rf"expectations\.0\.{field}( is .*; it must be|: unknown| must be)"):
        expected_from([row | {field: wrong}], "expectations")
    del row[field]
    with pytest.raises(DocumentError, match=rf"expectations\.0\.{field} is missing"):
        expected_from([row], "expectations")


def test_what_programs_contributed_is_read_from_its_fields():
    """Nothing when no checks ran; what is missing is empty."""
    values = {"checks": "hash", "findings": FINDINGS, "coverage": ("a",), "expectations": EXPECTATIONS, "lifted": None}
    values["endings"] = None
    assert checked_from(values, {"safety": Decimal(8)}) == Checked(
        "hash", FINDINGS, ("a",), EXPECTATIONS, (), {"safety": Decimal(8)}
    )
    assert checked_from(values | {"checks": None}, {}) is None
    bounds = {"safety": Bound(Decimal("6.5"), ("a", "b"))}
    assert json.loads(bounds_json(bounds)) == {"safety": {"at_most": 6.5, "checks": ["a", "b"]}}


def test_checks_that_found_nothing_are_listed_as_such_and_expectations_only_where_there_are_some():
    """An empty list of findings says that checks ran; without checks there is none."""
    card = judged(seven(7))
    document = scorecard_document(card._replace(checked=Checked("hash")))
    assert (document["checks"], document["findings"], document["coverage"]) == ("hash", [], [])
    assert not {"expectations", "lifted"} & set(document)
    full = scorecard_document(
        card._replace(checked=Checked("hash", expectations=EXPECTATIONS, lifted=(Lifted("f", "a", "r"),)))
    )
    assert (len(full["expectations"]), full["lifted"]) == (3, [{"by": "a", "finding": "f", "reason": "r"}])
    assert not {"checks", "findings", "expectations"} & {
        name for name, value in scorecard_document(card).items() if value
    }
