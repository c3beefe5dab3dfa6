"""Cline and Roo Code: what a task showed, and what it sent."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, calls, json_values, needs_samples, one, rows


def test_a_task_as_shown_is_told_in_order():
    """A part that goes on is dropped, the output of a command is put together, and the result is told once."""
    task = one(FIXTURES / "cline.json")
    assert rows(task) == [
        ("message", "user", "Fix the cart."),
        ("reasoning", "assistant", "Look first."),
        ("message", "assistant", "I will look at the cart."),
        ("tool_call", "readFile", "None"),
        ("tool_call", "listFilesTopLevel", "cart.py\ntests"),
        ("tool_call", "execute_command", "1 failed\nin 0.1 s"),
        ("tool_call", "list_issues", "no issues"),
        ("error", "system", "diff error: cart.py"),
        ("message", "assistant", "Which discount?"),
        ("message", "user", "A"),
        ("error", "system", "the request ended: overloaded"),
        ("message", "assistant", "Fixed."),
    ]
    assert calls(task)[3].arguments == {
        "serverName": "github",
        "toolName": "list_issues",
        "arguments": {"state": "open"},
    }
    assert (task.task, task.output, task.models) == ("Fix the cart.", "Fixed.", ("claude-sonnet-4-5",))
    assert task.usage == Usage(10 + 20 + 100 + 3, 5 + 1, 100)
    assert task.unknown == {"say starlight": 1}


def test_a_task_as_printed_is_read_line_by_line(tmp_path: Path):
    """`cline --json` prints the same entries, some without a time."""
    lines = [
        {"type": "task_started", "taskId": "1"},
        {"type": "say", "say": "task", "text": "Say OK", "modelInfo": {"modelId": "m"}},
        {"type": "say", "say": "text", "text": "O", "partial": True},
        {"type": "say", "say": "completion_result", "text": "OK"},
    ]
    printed = tmp_path / "printed.jsonl"
    printed.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    task = one(printed)
    assert (task.format, task.task, task.output, dict(task.unknown)) == ("cline", "Say OK", "OK", {})


def test_a_task_as_sent_is_told_in_order_with_calls_written_as_xml():
    """Results are found behind their tool's name; what a file quotes is not a call; the completion is the output."""
    task = one(FIXTURES / "cline-history.json")
    surroundings = "<environment_details>\n{}\n</environment_details>"
    failure = "The tool execution failed with the following error:\n<error>\nread-only\n</error>"
    assert rows(task) == [
        ("message", "user", "Fix the cart."),
        ("message", "system", surroundings.format("# Open tabs\ncart.py")),
        ("reasoning", "assistant", "Look first."),
        ("message", "assistant", "I will look."),
        ("tool_call", "read_file", "price = 1"),
        ("message", "system", surroundings.format("# Cost\n$0.01")),
        ("tool_call", "write_to_file", f"FAILED {failure}"),
        ("tool_call", "execute_command", "FAILED 1 failed"),
        ("message", "user", "Try again"),
        ("tool_call", "attempt_completion", "None"),
    ]
    assert calls(task)[1].arguments == {
        "path": "doc.md",
        "content": "Call it with <path>cart.py</path>, then <read_file>.",
    }
    assert (task.task, task.output, task.usage) == ("Fix the cart.", "Fixed.", Usage(110, 5, 100))
    assert task.unknown == {"role starlight": 1}


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "cline").glob("*ui_messages.json")), ids=lambda path: path.name)
def test_a_sample_task_as_shown_is_read_with_nothing_lost(path: Path):
    """Entries with words, less those that the next one goes on from; and the tokens of every request."""
    (entries,) = json_values(path)
    said = [entry for entry in entries if entry["say"] in ("text", "user_feedback", "completion_result")]
    gone_on = sum(
        bool(entry.get("partial")) and later.get("text", "").startswith(entry["text"].rstrip("."))
        for entry, later in pairwise(entries)
    )
    requests = [json.loads(entry["text"]) for entry in entries if entry["say"] == "api_req_started"]
    task = one(path)
    assert task.format == "cline"
    assert sum(event.kind == "message" for event in task.events) == len(said) - gone_on
    assert task.usage is not None and task.usage.output == sum(request["tokensOut"] for request in requests)
    assert (task.task, task.output) == (entries[0]["text"], entries[-1]["text"])
    assert not task.unknown and not task.problems


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "cline").glob("*history.json")), ids=lambda path: path.name)
def test_a_sample_task_as_sent_is_read_with_nothing_lost(path: Path):
    """Every call with its result."""
    (messages,) = json_values(path)
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    task = one(path)
    assert task.format == "cline-history"
    used = [block for block in blocks if block["type"] == "tool_use"]
    assert [(call.id, call.name) for call in calls(task)] == [(block["id"], block["name"]) for block in used]
    assert all(call.result for call in calls(task))
    assert not task.unknown and not task.problems
