"""The check `data-does-not-parse`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from check_subjects import in_place
from evenhand.findings.code.structured_data import CHECKS
from evenhand.findings.finding import Finding
from evenhand.findings.subject import Subject
from evenhand.work.submission import Submission

(CHECK,) = CHECKS


def fence(language: str, code: str) -> str:
    return f"The configuration:\n\n```{language}\n{code}\n```\n\nThat is all.\n"


def seen(output: str, task: str | None = None) -> list[Finding]:
    findings = list(CHECK.run(Subject(Submission(output=output, task=task))))
    assert all(in_place(finding, output) for finding in findings if finding.severity)
    return findings


BROKEN = {
    "a comma too many in JSON": ("json", '{"name": "a", "tags": ["x",]}'),
    "single quotes in JSON": ("json", "{'name': 'a'}"),
    "JSON with a missing comma": ("json", '{\n  "a": 1\n  "b": 2\n}'),
    "a comma too many in annotated JSON, and a bracket": ("jsonc", '{\n  // the id\n  "a": [1, 2\n}'),
    "one broken line of many": ("jsonl", '{"a": 1}\n{"a": 2\n{"a": 3}'),
    "YAML with a tab": ("yaml", "server:\n\tport: 80"),
    "YAML with a colon too many": ("yml", "title: Notes: a summary\nbody: x"),
    "TOML without quotes": ("toml", "[package]\nname = evenhand"),
    "an element that is not closed": ("xml", "<a>\n  <b>text\n</a>"),
    "a name with a comma in CSV": ("csv", "name,age\nSmith, John,25\nDoe,30"),
}

SOUND = {
    "JSON": ("json", '{"name": "a", "tags": ["x"]}'),
    "two values in one block": ("json", '{"a": 1}\n{"a": 2}'),
    "a part of an object": ("json", '"scripts": {\n  "test": "jest"\n},'),
    "JSON with comments under its own name": ("jsonc", '{\n  // the id\n  "a": 1,\n}'),
    "JSON Lines": ("jsonl", '{"a": 1}\n\n{"a": 2}\n'),
    "YAML with tags of its own": ("yaml", "Bucket: !Ref Name\nsteps: [a, b]"),
    "several documents": ("yaml", "a: 1\n---\nb: 2"),
    "a workflow": ("yaml", "on: push\nenv:\n  TOKEN: ${{ secrets.TOKEN }}"),
    "TOML": ("toml", '[package]\nname = "evenhand"'),
    "XML with a prefix": ("xml", '<?xml version="1.0"?>\n<x:a><x:b/></x:a>'),
    "elements side by side": ("xml", "<a/>\n<b/>"),
    "CSV with quotes": ("csv", 'name,age\n"Smith, John",25'),
    "CSV with a short row": ("csv", "name,age,town\nDoe,30"),
}

LEFT_ALONE = {
    "an elision in JSON": ("json", '{"a": 1, ...}'),
    "an elision in a list": ("json", "[1, 2, …]"),
    "notes in JSON": ("json", '{\n  "a": 1, // the id\n  "b": 2\n}'),
    "a shape": ("json", '{"name": string, "age": number}'),
    "a choice": ("json", '{"kind": "a" | "b"}'),
    "a place to fill in": ("json", '{"token": <your-token>}'),
    "a request before its body": ("json", 'POST /users\n{"a": 1}'),
    "a chart": ("yaml", "{{- if .Values.on }}\nport: {{ .Values.port }}\n{{- end }}"),
    "a diff": ("yaml", "-port: [80\n+port: 81"),
    "a document type": ("xml", "<!DOCTYPE html>\n<p>one<br>two</p>"),
    "an entity": ("xml", "<p>a&nbsp;b</p>"),
    "JSON of another dialect": ("json5", "{a: 1}"),
    "no language": ("", "{'a': 1}"),
}


@pytest.mark.parametrize(("language", "code"), BROKEN.values(), ids=BROKEN)
def test_broken_data_is_a_clear_fault(language, code):
    """The fault is major and the sentence says where."""
    (finding,) = seen(fence(language, code))
    assert (finding.dimension, finding.severity) == ("correctness", "major")
    assert "does not parse" in finding.message
    assert finding.quote


@pytest.mark.parametrize(("language", "code"), SOUND.values(), ids=SOUND)
def test_sound_data_is_in_order(language, code):
    """It is looked at, and moves nothing."""
    assert not seen(fence(language, code))


@pytest.mark.parametrize(("language", "code"), LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_shortened_or_annotated_on_purpose_is_left_alone(language, code):
    """No word, neither of blame nor of praise."""
    assert not seen(fence(language, code))


def test_the_sentence_names_the_line_and_the_reason():
    """The reader finds the fault without counting."""
    (finding,) = seen(fence("json", '{\n  "a": 1\n  "b": 2\n}'))
    assert finding.message == "This JSON does not parse: expecting ',' delimiter on line 6."
    assert finding.quote == '"b": 2'


def test_an_output_asked_for_as_json_is_read_as_a_whole():
    """Without a fence it is data all the same, when the task says so."""
    (finding,) = seen('{"a": 1, "b": [1, 2,]}', task="Answer with JSON only.")
    assert finding.severity == "major"
    assert not seen("{curly words} and more {curly words}", task="Write a line.")


def test_a_block_the_output_breaks_off_in_is_left_to_another_check():
    """One fault is reported once."""
    assert not seen('The list:\n\n```json\n{"a": [1, 2')


def test_one_habit_is_reported_three_times_at_most():
    """Five broken blocks cost as much as three."""
    assert [finding.severity for finding in seen(fence("json", "{'a': 1}") * 5)] == ["major"] * 3


def test_data_nested_very_deep_does_no_harm():
    """Neither a crash nor an accusation."""
    assert not seen(fence("json", "[" * 90_000 + "]" * 90_000))
