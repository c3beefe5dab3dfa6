"""Gemini CLI: sessions as one document or a record a line, and what it prints as stream-json or json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, all_of, calls, counts, json_values, needs_samples, one, rows


def test_events_are_in_order_and_each_call_has_its_result():
    """Thoughts come before the words, calls after them; a call that waits for leave has no result."""
    assert rows(one(FIXTURES / "gemini.json")) == [
        ("message", "system", "Loaded GEMINI.md"),
        ("message", "user", "Why does @cart.py fail?\n\n--- cart.py ---\nprice = 1"),
        ("reasoning", "assistant", "Plan\nRun the tests first."),
        ("message", "assistant", "I will run the tests."),
        ("tool_call", "run_shell_command", "FAILED 1 failed"),
        ("tool_call", "read_file", "price = 1"),
        ("tool_call", "write_file", "None"),
        ("error", "system", "[API Error: quota]"),
        ("message", "assistant", "The price is missing."),
    ]


def test_answers_of_the_type_model_are_read_as_those_of_the_type_gemini(tmp_path: Path):
    """The same session with the other name of the speaker: the same events, models and tokens."""
    session = json.loads((FIXTURES / "gemini.json").read_text(encoding="utf-8"))
    for message in session["messages"]:
        message["type"] = "model" if message["type"] == "gemini" else message["type"]
    path = tmp_path / "session.json"
    path.write_text(json.dumps(session), encoding="utf-8")
    renamed, before = one(path), one(FIXTURES / "gemini.json")
    assert rows(renamed) == rows(before)
    assert (renamed.format, renamed.models, renamed.usage) == ("gemini", before.models, before.usage)


def test_the_task_is_what_the_user_typed_without_the_files_that_were_put_in():
    """`displayContent` holds what was typed; the output is the last answer, and thoughts count as output tokens."""
    session = one(FIXTURES / "gemini.json")
    assert (session.task, session.output) == ("Why does @cart.py fail?", "The price is missing.")
    assert session.models == ("gemini-2.5-pro", "gemini-2.5-flash")
    assert session.usage == Usage(100 + 200, (10 + 5) + 20, 40)
    assert session.id == "3f1d2c5a-7a51-4b0e-9d0c-8f5a2a6b1c01"
    assert (session.started, session.ended) == ("2026-03-02T09:00:00.000Z", "2026-03-02T09:02:00.000Z")
    assert session.unknown == {"starlight message": 1}


def test_a_message_that_is_written_again_is_one_message_with_one_call():
    """g1 stands on lines 4 to 6, with more each time; a rewritten history adds its summary, a rewind takes none."""
    session = one(FIXTURES / "gemini.jsonl")
    assert rows(session) == [
        ("message", "user", "List the files."),
        ("tool_call", "list_directory", "cart.py"),
        ("message", "assistant", "There is cart.py."),
        ("message", "system", "Summary: the folder was listed."),
        ("message", "user", "And tests?"),
        ("message", "assistant", "There are no tests."),
    ]
    assert session.usage == Usage(50 + 60, (5 + 2) + 6, 10)
    assert [event.place.line for event in session.events] == [2, 6, 7, 8, 10, 11]
    assert not session.unknown


def test_a_broken_line_of_a_session_is_a_problem_and_the_rest_is_read(tmp_path: Path):
    """The line that cannot be read is named; a record of no kind is counted."""
    lines = (FIXTURES / "gemini.jsonl").read_text(encoding="utf-8").splitlines()
    lines[2:3] = ['{"id": "x", ', "[]", '{"starlight": 1}']
    broken = tmp_path / "session.jsonl"
    broken.write_text("\n".join(lines) + "\n", encoding="utf-8")
    from evenhand.transcripts.formats.gemini import read
    from evenhand.transcripts.sources import open_source

    with open_source(str(broken)) as source:
        (session,) = read(source)
    assert [problem.line for problem in session.problems] == [3]  # type: ignore[union-attr]
    assert session.unknown == {"record that is not an object": 1, "record without a type": 1}  # type: ignore[union-attr]
    assert len(session.events) == 6  # type: ignore[union-attr]


def test_pieces_of_an_answer_are_put_together():
    """What stream-json prints: two pieces make one message, a result joins its call, the last event counts tokens."""
    run = one(FIXTURES / "gemini-stream.jsonl")
    assert rows(run) == [
        ("message", "user", "What is in cart.py?"),
        ("message", "assistant", "I will look."),
        ("tool_call", "read_file", "price = 1"),
        ("tool_call", "read_file", "FAILED File not found: none.py"),
        ("error", "system", "Maximum session turns exceeded"),
        ("message", "assistant", "A price of 1."),
    ]
    assert (run.id, run.output, run.models) == ("stream-1", "A price of 1.", ("gemini-2.5-pro",))
    assert run.usage == Usage(100, 130 - 100, 30)
    assert run.unknown == {"starlight": 1}


def test_an_answer_printed_as_one_document_is_read(tmp_path: Path):
    """`--output-format json` prints the answer and what each model used."""
    printed = tmp_path / "answer.json"
    tokens = {"prompt": 10, "candidates": 2, "total": 15, "cached": 4, "thoughts": 3, "tool": 0}
    stats = {"models": {"gemini-2.5-pro": {"api": {}, "tokens": tokens}}, "tools": {"totalCalls": 0}, "files": {}}
    printed.write_text(json.dumps({"session_id": "a", "response": "Four.", "stats": stats}, indent=2), encoding="utf-8")
    answer = one(printed)
    assert (answer.format, answer.output, answer.usage) == ("gemini-stream", "Four.", Usage(10, 5, 4))


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "gemini").glob("*")), ids=lambda path: path.name)
def test_a_sample_is_read_with_nothing_lost(path: Path):
    """Every message with words, thought and call of the raw JSON, counted plainly."""
    values = json_values(path)
    messages = {
        message["id"]: message
        for value in values
        for message in value.get("messages", [value] if "id" in value else [])
    }
    said = sum(bool(message["content"]) for message in messages.values())
    listed = [call for message in messages.values() for call in message.get("toolCalls", [])]
    thoughts = sum(len(message.get("thoughts") or ()) for message in messages.values())
    (session,) = all_of(path)
    assert session.format == "gemini"
    assert counts(session) == (said, len(listed), sum(call["status"] == "error" for call in listed), thoughts, 0)
    assert [call.id for call in calls(session)] == [call["id"] for call in listed]
    tokens = [message["tokens"] for message in messages.values() if message.get("tokens")]
    if tokens:
        assert session.usage is not None
        assert session.usage.input == sum(count["input"] + count["tool"] for count in tokens)
        assert sum(session.usage[:2]) == sum(count["total"] for count in tokens)
    assert not session.unknown and not session.problems
