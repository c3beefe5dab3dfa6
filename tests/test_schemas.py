"""The published JSON Schemas fit what is written, and refuse what is not a document."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT, judged, seven
from hypothesis import given
from jsonschema import Draft202012Validator
from test_laws import scorecards

import evenhand
from evenhand.judges.written import judgement_from


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((ROOT / "src" / "evenhand" / "schemas" / f"{name}.v1.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@given(scorecards())
def test_every_scorecard_fits_its_schema(made):
    """Scored, unscored, with and without an output."""
    validator("scorecard").validate(evenhand.document(made[0], audit=True))


def test_every_built_in_rubric_fits_its_schema():
    """As `rubric show --format json` prints it."""
    for name in ("default", "agent-run"):
        validator("rubric").validate(evenhand.document(evenhand.load_rubric(name)))


def test_a_ranking_fits_its_schema():
    """With equals, and with one that cannot be ranked."""
    unscored = judged(seven(8) | {"safety": {"unscored": "no answer"}}, id="u")
    ranking = evenhand.rank([judged(seven(8), id="a"), judged(seven(8), id="b"), unscored])
    validator("ranking").validate(evenhand.document(ranking))


def test_a_verification_fits_its_schema(evenhand_command):
    """As `verify --format json` prints it."""
    card = json.dumps(evenhand.document(judged(seven(8))))
    validator("verification").validate(json.loads(evenhand_command("verify", "-", "--format", "json", stdin=card).out))


GOOD = [
    {"scores": seven(8)},
    {"scores": seven("8.5")},
    {"skill": "s", "rubric": "r", "id": 7, "judge": {"name": "j", "model": "m"}, "scores": seven({"score": 7})},
    {"scores": seven({"unscored": "why"}), "red_flags": ["x", {"id": "y", "explanation": "z", "evidence": ["q"]}]},
    {"scores": seven({"score": 7, "evidence": [{"quote": "q", "verified": True, "line": 1, "offset": 0}]})},
]
BAD = [
    {},
    {"scores": seven(0)},
    {"scores": seven(11)},
    {"scores": seven(True)},
    {"scores": seven(None)},
    {"scores": {"safety": 8}},
    {"scores": seven(8), "red_flag": []},
    {"scores": seven({"score": 8, "reason": "x"})},
    {"scores": seven(8), "red_flags": "x"},
    {"scores": seven(8), "bonuses": [{"explanation": "no id"}]},
]


@pytest.mark.parametrize("document", GOOD)
def test_the_judgement_schema_accepts_what_is_read(document):
    """Schema and reader agree on what is right."""
    validator("judgement").validate(document)
    judgement_from(document)


@pytest.mark.parametrize("document", BAD)
def test_the_judgement_schema_refuses_what_is_refused(document):
    """Schema and reader agree on what is wrong."""
    assert not validator("judgement").is_valid(document)
    with pytest.raises(evenhand.JudgementError):
        judgement_from(document)


def test_the_example_judgement_fits(evenhand_command):
    """The file a newcomer sees first."""
    import yaml

    validator("judgement").validate(yaml.safe_load((ROOT / "examples" / "review.yaml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["judgement", "scorecard", "ranking", "rubric", "verification"])
def test_the_command_prints_each_schema(evenhand_command, name):
    """For editors and other tools."""
    assert json.loads(evenhand_command("schema", name).out)["$id"] == f"evenhand/{name}/v1"
