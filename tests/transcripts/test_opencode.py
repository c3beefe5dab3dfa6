"""opencode: exported sessions, and what `opencode run --format json` prints."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, calls, json_values, needs_samples, one, rows


def test_an_export_is_told_in_order():
    """What opencode wrote for the user, and a summary, are the system's; an exit code other than 0 is a failure."""
    session = one(FIXTURES / "opencode.json")
    assert rows(session) == [
        ("message", "user", "Fix the cart."),
        ("message", "system", "Called the Read tool."),
        ("message", "user", "[cart.py]"),
        ("reasoning", "assistant", "Look first."),
        ("tool_call", "read", "price = 1"),
        ("tool_call", "bash", "FAILED 1 failed"),
        ("tool_call", "edit", "FAILED oldString not found"),
        ("tool_call", "task", "None"),
        ("message", "system", "Summary: the cart was read."),
        ("error", "system", "The operation was aborted."),
        ("message", "assistant", "Fixed."),
    ]
    assert (session.task, session.output, session.id) == ("Fix the cart.", "Fixed.", "ses_1")


def test_the_tokens_of_a_message_count_once_though_its_last_step_repeats_them():
    """10 + 100 + 20 sent, 5 + 3 answered; then 1 and 1, and 7 and 2."""
    session = one(FIXTURES / "opencode.json")
    assert session.usage == Usage(130 + 1 + 7, 8 + 1 + 2, 100)
    assert session.models == ("claude-sonnet-4-5", "gpt-5")
    assert session.unknown == {"starlight part": 1}
    assert session.events[3].place.line == 13


def test_messages_without_their_session_are_read_too(tmp_path: Path):
    """As the server lists them: a list of messages."""
    messages = json.loads((FIXTURES / "opencode.json").read_text(encoding="utf-8"))["messages"]
    listed = tmp_path / "messages.json"
    listed.write_text(json.dumps(messages, indent=1), encoding="utf-8")
    assert rows(one(listed)) == rows(one(FIXTURES / "opencode.json"))


def test_a_printed_run_is_told_in_order_and_a_part_that_is_told_twice_is_one():
    """No task and no model are printed; the tokens of each step count."""
    run = one(FIXTURES / "opencode-run.jsonl")
    assert rows(run) == [
        ("reasoning", "assistant", "Look first."),
        ("tool_call", "bash", "cart.py"),
        ("tool_call", "read", "FAILED File not found"),
        ("message", "assistant", "There is cart.py."),
        ("error", "system", "overloaded"),
    ]
    assert (run.task, run.output, run.usage) == (None, "There is cart.py.", Usage(150, 15, 50))
    assert run.unknown == {"starlight": 1}


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "opencode-export").glob("*")), ids=lambda path: path.name)
def test_a_sample_export_is_read_with_nothing_lost(path: Path):
    """Every part with words, and the tokens of every message."""
    (document,) = json_values(path)
    parts = Counter(part["type"] for message in document["messages"] for part in message["parts"])
    tokens = [message["info"].get("tokens") or {} for message in document["messages"]]
    session = one(path)
    assert session.format == "opencode"
    assert sum(event.kind == "message" for event in session.events) == parts["text"]
    assert len(calls(session)) == parts["tool"]
    assert session.usage is not None
    assert session.usage.output == sum(count.get("output", 0) + count.get("reasoning", 0) for count in tokens)
    assert session.usage.cached == sum(count.get("cache", {}).get("read", 0) for count in tokens)
    assert not session.unknown and not session.problems


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "opencode-run-json").glob("*")), ids=lambda path: path.name)
def test_a_captured_run_is_read_with_nothing_lost(path: Path):
    """Every event that carries words, a call or tokens."""
    events = json_values(path)
    kinds = Counter(event["type"] for event in events)
    tokens = [event["part"]["tokens"] for event in events if event["type"] == "step_finish"]
    run = one(path)
    assert run.format == "opencode"
    assert (len(calls(run)), len(run.events)) == (kinds["tool_use"], kinds["tool_use"] + kinds["text"])
    assert run.usage is not None
    assert run.usage.input == sum(count["input"] + count["cache"]["read"] + count["cache"]["write"] for count in tokens)
    assert not run.unknown and not run.problems
