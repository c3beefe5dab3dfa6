"""Pi and OpenClaw: sessions, an entry a line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, calls, json_values, needs_samples, one, rows


def test_a_session_is_told_in_order():
    """What extensions put in, the user's own commands and summaries are the system's; a failed request is an error."""
    session = one(FIXTURES / "pi.jsonl")
    assert rows(session) == [
        ("message", "system", "The time is nine."),
        ("message", "user", "Fix the cart.\n[image]"),
        ("reasoning", "assistant", "Look first."),
        ("message", "assistant", "Looking."),
        ("tool_call", "read", "price = 1"),
        ("tool_call", "bash", "FAILED 1 failed"),
        ("message", "system", "$ git status\nclean"),
        ("message", "system", "The cart was read."),
        ("error", "system", "overloaded"),
        ("message", "assistant", "Fixed."),
    ]
    assert (session.id, session.output, session.models) == ("pi-1", "Fixed.", ("claude-opus-4-5", "gpt-5"))
    assert session.usage == Usage(10 + 100 + 20 + 7, 5 + 2, 100)
    assert session.unknown == {"starlight": 1, "starlight block": 1}


def test_what_pi_prints_as_json_is_read_once(tmp_path: Path):
    """`pi --mode json` tells a message when it starts, grows and ends, and lists all of them when the agent ends."""
    message = {"role": "assistant", "content": [{"type": "text", "text": "Four."}], "model": "m", "timestamp": 1}
    asked = {"role": "user", "content": "Two and two?", "timestamp": 1}
    lines = [
        {"type": "session", "version": 3, "id": "p", "timestamp": "2026-03-02T09:00:00.000Z", "cwd": "/"},
        {"type": "agent_start"},
        {"type": "message_start", "message": asked},
        {"type": "message_end", "message": asked},
        {"type": "message_update", "message": message, "assistantMessageEvent": {"type": "text_delta"}},
        {"type": "message_end", "message": message},
        {"type": "turn_end", "message": message, "toolResults": []},
        {"type": "agent_end", "messages": [asked, message]},
    ]
    printed = tmp_path / "printed.jsonl"
    printed.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run = one(printed)
    assert (run.format, rows(run)) == (
        "pi",
        [("message", "user", "Two and two?"), ("message", "assistant", "Four.")],
    )


@needs_samples
@pytest.mark.parametrize(
    "path",
    [path for name in ("pi", "openclaw") for path in sorted((SAMPLES / name).glob("*"))],
    ids=lambda path: path.name,
)
def test_a_sample_is_read_with_nothing_lost(path: Path):
    """Messages with words, calls with their results, failed requests and tokens, against the raw entries."""
    entries = json_values(path)
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    counted: Counter[str] = Counter()
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        spoken = any(block["type"] == "text" and block["text"] for block in blocks)
        counted[message["role"]] += spoken or message["role"] == "toolResult"
        counted["calls"] += sum(block["type"] == "toolCall" for block in blocks)
        counted["errors"] += message.get("stopReason") == "error"
        counted["output"] += message.get("usage", {}).get("output", 0)
    session = one(path)
    roles = Counter(event.role for event in session.events if event.kind == "message")
    assert session.format == "pi"
    assert (roles["user"], roles["assistant"]) == (counted["user"], counted["assistant"])
    summaries = sum(entry["type"] in ("compaction", "branch_summary", "custom_message") for entry in entries)
    assert roles["system"] == summaries
    assert len(calls(session)) == counted["calls"] == counted["toolResult"]
    assert sum(event.kind == "error" for event in session.events) == counted["errors"]
    assert (session.usage.output if session.usage else 0) == counted["output"]
    assert not session.unknown and not session.problems
