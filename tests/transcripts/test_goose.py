"""Goose: rows of its database, and the files of earlier versions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, all_of, calls, json_values, needs_samples, one, rows


def test_the_rows_of_a_database_are_told_by_session():
    """Rows of two sessions stand among one another; a result is what the model got, not what the user was shown."""
    first, second = all_of(FIXTURES / "goose.jsonl")
    assert rows(first) == [
        ("message", "user", "Fix the cart."),
        ("reasoning", "assistant", "Look first."),
        ("message", "assistant", "Looking."),
        ("tool_call", "shell", "FAILED 1 failed"),
        ("tool_call", "", "FAILED arguments are not JSON"),
        ("message", "system", "Summary of the talk."),
        ("message", "assistant", "Fixed."),
    ]
    assert (first.id, first.task, first.output) == ("g1", "Fix the cart.", "Fixed.")
    assert (second.id, second.task, second.output) == ("g2", "Another task.", "Done too.")
    assert (first.unknown, second.unknown) == ({"starlight block": 1}, {})
    assert (first.source or "").endswith("goose.jsonl:1") and (second.source or "").endswith("goose.jsonl:4")


def test_a_file_of_an_earlier_version_counts_the_tokens_of_its_header():
    """A header, then a message a line; results are a plain list there."""
    session = one(FIXTURES / "goose-first.jsonl")
    assert rows(session) == [
        ("message", "user", "Fix the cart."),
        ("tool_call", "developer__shell", "cart.py"),
        ("message", "assistant", "Fixed."),
    ]
    assert session.usage == Usage(100, 20, 0)


def test_an_exported_session_is_read(tmp_path: Path):
    """The header holds the messages, and names the model."""
    header, *messages = json_values(FIXTURES / "goose-first.jsonl")
    exported = tmp_path / "session.json"
    facts = {"id": "20260302_1", "model_config": {"model_name": "gpt-5"}, "conversation": messages}
    exported.write_text(json.dumps({**header, **facts}, indent=1), encoding="utf-8")
    session = one(exported)
    assert rows(session) == rows(one(FIXTURES / "goose-first.jsonl"))
    assert (session.id, session.models) == ("20260302_1", ("gpt-5",))


def test_what_a_run_prints_is_read_with_its_calls(tmp_path: Path):
    """As one object, or an event a line, in which the parts of one message follow one another."""
    _, *messages = json_values(FIXTURES / "goose-first.jsonl")
    messages = [{**message, "id": f"m{number}"} for number, message in enumerate(messages)]
    last = messages[-1]
    parts = [{**last, "content": [{"type": "text", "text": text}]} for text in ("Fix", "ed", ".")]
    events = [{"type": "message", "message": message} for message in (*messages[:-1], *parts)]
    events.insert(1, {"type": "notification", "extension_id": "developer", "log": {}})
    printed, streamed = tmp_path / "run.json", tmp_path / "run.jsonl"
    printed.write_text(json.dumps({"messages": messages, "metadata": {"status": "completed"}}), encoding="utf-8")
    streamed.write_text(
        "\n".join(map(json.dumps, [*events, {"type": "complete", "total_tokens": 9}])), encoding="utf-8"
    )
    assert rows(one(printed)) == rows(one(streamed)) == rows(one(FIXTURES / "goose-first.jsonl"))
    assert one(streamed).output == "Fixed." and not one(streamed).unknown


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "goose").glob("*")), ids=lambda path: path.name)
def test_a_sample_is_read_with_nothing_lost(path: Path):
    """Every block of every row is an event, or the result of one."""
    contents = [json.loads(row["content_json"]) for row in json_values(path)]
    kinds = Counter(block["type"] for content in contents for block in content)
    session = one(path)
    assert session.format == "goose"
    assert sum(event.kind == "message" for event in session.events) == kinds["text"]
    assert len(calls(session)) == kinds["toolRequest"] == kinds["toolResponse"]
    assert all(call.result is not None and not call.failed for call in calls(session))
    assert (session.task, session.output) == (contents[0][0]["text"], contents[-1][-1]["text"])
    assert not session.unknown and not session.problems
