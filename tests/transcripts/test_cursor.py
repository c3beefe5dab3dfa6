"""Cursor: agent transcripts, and what its command-line agent prints as stream-json."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, calls, json_values, needs_samples, one, rows


def test_a_transcript_is_told_in_order_and_results_answer_the_oldest_open_calls():
    """What Cursor put around the query is the system's; calls have no ids, and the last one no result."""
    transcript = one(FIXTURES / "cursor.jsonl")
    assert rows(transcript) == [
        ("message", "system", "<open_files>cart.py</open_files>"),
        ("message", "user", "Fix the cart."),
        ("reasoning", "assistant", "Look first."),
        ("message", "assistant", "Looking."),
        ("tool_call", "Read", "price = 1"),
        ("tool_call", "Shell", "FAILED 1 failed"),
        ("tool_call", "StrReplace", "None"),
        ("message", "assistant", "Fixed."),
        ("message", "user", "Thanks"),
        ("error", "system", "the turn ended: error: connection lost"),
    ]
    assert (transcript.task, transcript.output) == ("Fix the cart.", "Fixed.")
    assert transcript.started == "2026-03-02T09:00:00.000Z"
    assert transcript.unknown == {"starlight block": 1, "starlight": 1}


def test_a_printed_run_is_told_in_order_with_nothing_twice():
    """Pieces make one thought and one answer, and the whole that follows them adds nothing, nor does the last line."""
    run = one(FIXTURES / "cursor-stream.jsonl")
    assert rows(run) == [
        ("message", "user", "Fix the cart."),
        ("reasoning", "assistant", "Look first."),
        ("message", "assistant", "I will look."),
        ("tool_call", "read", "price = 1"),
        ("tool_call", "shell", "FAILED 1 failed\nwarned"),
        ("tool_call", "edit", "FAILED denied by the user"),
        ("tool_call", "github.list_issues", "None"),
        ("message", "assistant", "Fixed."),
    ]
    assert (run.output, run.id, run.models) == ("Fixed.", "cs-1", ("Auto",))
    assert run.usage == Usage(10 + 90 + 20, 5, 90)
    assert run.unknown == {"starlight": 1}


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "cursor-stream-json").glob("*")), ids=lambda path: path.name)
def test_a_captured_run_is_read_with_nothing_lost(path: Path):
    """Each message, call and result once; all pieces of a thought in one."""
    events = json_values(path)
    kinds = Counter(f"{event['type']} {event.get('subtype', '')}".strip() for event in events)
    run = one(path)
    messages = Counter(event.role for event in run.events if event.kind == "message")
    assert run.format == "cursor-stream"
    assert (messages["user"], messages["assistant"]) == (kinds["user"], kinds["assistant"])
    assert len(calls(run)) == kinds["tool_call started"] == kinds["tool_call completed"]
    assert all(call.result is not None and not call.failed for call in calls(run))
    thoughts = [event.text for event in run.events if event.kind == "reasoning"]
    assert thoughts == ["".join(event["text"] for event in events if event.get("subtype") == "delta")]
    answers = [event["message"]["content"][0]["text"] for event in events if event["type"] == "assistant"]
    assert run.output == answers[-1]
    assert not run.unknown and not run.problems


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "cursor-transcript").glob("*")), ids=lambda path: path.name)
def test_a_sample_transcript_is_read_with_nothing_lost(path: Path):
    """Each block is an event, or the result of one."""
    lines = json_values(path)
    blocks = [(line["role"], block) for line in lines if "role" in line for block in line["message"]["content"]]
    kinds = Counter(block["type"] for _, block in blocks)
    transcript = one(path)
    told = Counter(event.kind for event in transcript.events)
    assert transcript.format == "cursor"
    assert (told["message"], told["tool_call"], told["reasoning"]) == (
        kinds["text"],
        kinds["tool_use"],
        kinds["thinking"],
    )
    assert sum(call.result is not None for call in calls(transcript)) == kinds["tool_result"]
    assert transcript.task is not None and "<" not in transcript.task
    assert not transcript.unknown and not transcript.problems
