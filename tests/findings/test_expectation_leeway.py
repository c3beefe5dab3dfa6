"""Expectations with leeway: lists in any order, keys that do not count, alternatives, tolerance; and their schema."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from conftest import ROOT
from jsonschema import Draft202012Validator

import evenhand
from check_subjects import call
from evenhand.errors import InputError
from evenhand.findings.expectations.decisions import decide
from evenhand.findings.expectations.expectation import OPTIONS, RULES
from evenhand.findings.expectations.expectation_list import expectations_from
from evenhand.findings.expectations.expected_answers import Leeway, differs
from evenhand.work.submission import Event, Submission

SCHEMA = Draft202012Validator(
    json.loads((ROOT / "src/evenhand/schemas/expectations.v1.schema.json").read_text(encoding="utf-8"))
)


def submission(*events: Event) -> Submission:
    """A run with these calls."""
    return Submission(output="Done.", events=events)


BOOKED = call(
    "book",
    {"passengers": [{"name": "Ana", "dob": "1990-01-01"}, {"name": "Bo", "dob": "1991-01-01"}], "price": 300.4},
    "ok",
)
TWO = [{"name": "Bo", "dob": "1991-01-01"}, {"name": "Ana", "dob": "1990-01-01"}]


@pytest.mark.parametrize(
    ("arguments", "options", "result"),
    [
        ({"passengers": TWO, "price": 300.4}, {}, "unmet"),
        ({"passengers": TWO, "price": 300.4}, {"any_order": True}, "met"),
        ({"passengers": TWO, "price": 300.4}, {"any_order": ["passengers"]}, "met"),
        ({"passengers": TWO, "price": 300.4}, {"any_order": ["bags"]}, "unmet"),
        ({"passengers": TWO[:1] * 2, "price": 300.4}, {"any_order": True}, "unmet"),  # each is used once
        ({"passengers": TWO, "price": 300}, {"any_order": True, "tolerance": 0.4}, "met"),  # 0.4 apart
        ({"passengers": TWO, "price": 300}, {"any_order": True, "tolerance": 0.39}, "unmet"),
        ({"passengers": TWO}, {"any_order": True, "ignore": "price"}, "met"),  # an extra key that does not count
        ({"passengers": [{"name": "Ana"}, {"name": "Bo"}]}, {"ignore": ["price", "passengers.dob"]}, "met"),
        ({"passengers": {"one_of": [[], BOOKED.call.arguments["passengers"]]}, "price": 300.4}, {}, "met"),
        ({"passengers": {"one_of": [[], [1]]}, "price": 300.4}, {}, "unmet"),
    ],
)
def test_lists_keys_and_numbers_may_have_leeway(arguments, options, result):
    """What does not matter is said, and nothing else is passed over."""
    expected = [{"calls": {"exactly": [{"name": "book", "arguments": arguments}], **options}}]
    (found,) = decide(expectations_from(expected), submission(BOOKED))
    assert found.result == result, found.message


@pytest.mark.parametrize(("made", "result"), [("cancel", "met"), ("refund", "met"), ("upgrade", "unmet")])
def test_one_of_several_calls_will_do(made, result):
    """The one that was made is then no extra call."""
    expected = [{"calls": {"exactly": [{"one_of": ["cancel", {"name": "refund", "arguments": {"id": 1}}]}]}}]
    (found,) = decide(expectations_from(expected), submission(call(made, {"id": 1}, "ok")))
    assert found.result == result
    assert result == "met" or found.message == "cancel or refund was not called"


def test_an_items_place_is_given_up_for_one_that_fits_nowhere_else():
    """The first expected item fits both; the second fits only what the first would take."""
    expected = [{"one_of": [1, 2]}, 1]
    assert differs(expected, [1, 2], whole=True, leeway=Leeway(any_order=True)) == ""


def test_messages_show_values_as_json_and_no_words_of_python():
    """Numbers of a YAML file are exact decimals inside."""
    expected = [{"calls": {"made": {"name": "pay", "arguments": {"amount": Decimal(300), "ok": True, "note": None}}}}]
    (found,) = decide(expectations_from(expected), submission(call("pay", {"amount": 299, "ok": True}, "done")))
    assert found.message == "pay was called, but amount is 299, expected 300"
    for word in ("Decimal", "True", "None", "'"):
        assert word not in found.line


@pytest.mark.parametrize(
    "wrong",
    [
        {"calls": {"exactly": ["a"], "any_order": 3}},
        {"calls": {"exactly": ["a"], "ignore": [1]}},
        {"calls": {"exactly": [{"one_of": []}]}},
        {"calls": {"exactly": [{"one_of": ["a"], "name": "b"}]}},
        {"answer": {"number": 3, "tolerance": "many"}},
    ],
)
def test_a_mistake_is_refused_by_the_reader_and_by_the_schema(wrong):
    """Before anything is decided."""
    with pytest.raises(InputError):
        expectations_from([wrong])
    assert not SCHEMA.is_valid({"expect": [wrong]})


def test_the_schema_knows_every_rule_and_every_option():
    """One declaration in words for people, one in the schema."""
    parts = SCHEMA.schema["$defs"]
    names = {"answer": "AnswerRules", "calls": "CallRules", "limit": "LimitRules"}
    for about in RULES:
        shape = parts[names.get(about, f"{about.title()}Rules")]
        assert set(shape["properties"]) == {*RULES[about], *OPTIONS[about]}, about


def test_a_transcript_in_a_line_has_its_own_expectations(tmp_path):
    """Beside its messages, as beside an output."""
    lines = [
        {
            "messages": [{"role": "user", "content": "Capital?"}, {"role": "assistant", "content": said}],
            "expect": expect,
        }
        for said, expect in (("Paris", [{"answer": "Paris"}]), ("Rome", [{"answer": "Paris"}]), ("Oslo", None))
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(json.dumps({k: v for k, v in line.items() if v is not None}) for line in lines))
    cards = [evenhand.check(one) for one in evenhand.read_submissions(str(path))]
    assert [[found.result for found in card.checked.expectations] for card in cards] == [["met"], ["unmet"], []]
