"""Qwen Code: sessions of Google's parts, a record a line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, calls, json_values, needs_samples, one, rows


def test_a_session_is_told_in_order():
    """Commands and notifications are the system's words; a sub-agent's are its own; telemetry tells errors alone."""
    session = one(FIXTURES / "qwen.jsonl")
    assert rows(session) == [
        ("message", "system", "/model"),
        ("message", "user", "Fix the cart. <hook>be kind</hook>"),
        ("reasoning", "assistant", "Read it first."),
        ("message", "assistant", "Reading."),
        ("tool_call", "read_file", "price = 1"),
        ("tool_call", "shell", "FAILED exited with status 1"),
        ("error", "system", "429 quota"),
        ("message", "system", "A background task ended."),
        ("message", "assistant", "Found two callers."),
        ("message", "assistant", "Fixed."),
    ]
    assert [event.agent for event in session.events if event.agent] == ["explore-7f3c"]


def test_the_task_is_what_was_typed_and_a_record_that_stands_twice_counts_once():
    """q9 is there twice; thoughts that are part of the answer's count are not added: 120 - 100, 2 and 5."""
    session = one(FIXTURES / "qwen.jsonl")
    assert (session.task, session.output, session.id) == ("Fix the cart.", "Fixed.", "qs")
    assert session.usage == Usage(100 + 10 + 200, 20 + 2 + 5, 30)
    assert session.models == ("qwen3-coder-plus", "qwen3-coder-flash")
    assert session.unknown == {"starlight": 1, "starlight part": 1}


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "qwen").glob("*")), ids=lambda path: path.name)
def test_a_sample_is_read_with_nothing_lost(path: Path):
    """Every call, result and failure of the raw JSON; messages of the user that a program wrote are the system's."""
    counted: Counter[str] = Counter()
    tokens = 0
    for record in json_values(path):
        parts = record.get("message", {}).get("parts", [])
        spoken = any(("text" in part and not part.get("thought")) or "inlineData" in part for part in parts)
        written = record.get("subtype") in ("notification", "cron")
        counted[f"{'system' if written else record['type']} messages"] += spoken and record["type"] == "user"
        for part in parts:
            counted["calls"] += "functionCall" in part
            counted["thoughts"] += bool(part.get("thought"))
            counted["failed"] += "error" in part.get("functionResponse", {}).get("response", {})
            counted["results"] += "functionResponse" in part
        tokens += record.get("usageMetadata", {}).get("candidatesTokenCount", 0)
    session = one(path)
    messages = Counter(event.role for event in session.events if event.kind == "message")
    assert session.format == "qwen"
    assert (messages["user"], messages["system"]) == (counted["user messages"], counted["system messages"])
    assert len(calls(session)) == counted["calls"] == counted["results"]
    assert all(call.result is not None for call in calls(session))
    assert sum(call.failed for call in calls(session)) == counted["failed"]
    assert sum(event.kind == "reasoning" for event in session.events) == counted["thoughts"]
    assert session.usage is not None and session.usage.output == tokens
