"""Copilot CLI: the events of a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.transcripts.formats.copilot import Tokens
from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, calls, needs_samples, one, rows


def save(path: Path, *events: tuple[str, dict[str, Any]]) -> Path:
    lines = [
        json.dumps({"type": kind, "data": data, "id": str(at), "timestamp": f"2026-03-02T09:00:{at:02}Z"})
        for at, (kind, data) in enumerate(events)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_session_is_told_in_order_with_its_sub_agent():
    """A call that is asked for, started and completed is one; a thought that is told twice is one; pieces are not."""
    session = one(FIXTURES / "copilot.jsonl")
    assert rows(session) == [
        ("message", "system", "You are Copilot."),
        ("message", "user", "Fix the cart.\n[cart.py]"),
        ("reasoning", "assistant", "Look first."),
        ("message", "assistant", "I will look."),
        ("tool_call", "view", "price = 1"),
        ("tool_call", "task", "Two callers."),
        ("message", "assistant", "Two callers."),
        ("tool_call", "grep", "FAILED grep is missing"),
        ("error", "system", "rate limited"),
        ("message", "assistant", "Fixed."),
    ]
    assert [event.text or event.call.name for event in session.events if event.agent == "explore"] == [  # type: ignore[union-attr]
        "Two callers.",
        "grep",
    ]
    assert calls(session)[1].arguments == {"prompt": "find callers"}


def test_the_task_the_tokens_and_what_is_unknown():
    """The task is what was typed; without a count by request, the models' totals at the end count."""
    session = one(FIXTURES / "copilot.jsonl")
    assert (session.task, session.output, session.id) == ("Fix the cart.", "Fixed.", "cp-1")
    assert session.usage == Usage(300 + 40, 30 + 4, 100)
    assert session.models == ("gpt-5-mini", "claude-haiku-4.5")
    assert session.unknown == {"session.starlight": 1}


def test_tokens_by_request_count_once_and_not_again_at_the_end(tmp_path: Path):
    """Two requests of 10 and 20; the end, which counts 30, adds nothing."""
    end = {"modelMetrics": {"m": {"usage": {"inputTokens": 30, "outputTokens": 3, "cacheReadTokens": 0}}}}
    path = save(
        tmp_path / "events.jsonl",
        ("user.message", {"content": "Hi"}),
        ("assistant.usage", {"model": "m", "inputTokens": 10, "outputTokens": 1, "apiCallId": "a"}),
        ("assistant.usage", {"model": "m", "inputTokens": 10, "outputTokens": 1, "apiCallId": "a"}),
        ("assistant.usage", {"model": "m", "inputTokens": 20, "outputTokens": 2, "apiCallId": "b"}),
        ("session.shutdown", end),
    )
    assert one(path).usage == Usage(30, 3, 0)


@pytest.mark.parametrize(("second", "total"), [(50, 50), (20, 50)])
def test_a_second_end_counts_all_or_begins_anew(tmp_path: Path, second: int, total: int):
    """30 and then 50 is 50 in all; 30 and then 20 is a new count, 50 together."""
    ends = [
        ("session.shutdown", {"modelMetrics": {"m": {"usage": {"inputTokens": count, "outputTokens": 1}}}})
        for count in (30, second)
    ]
    usage = one(save(tmp_path / "events.jsonl", ("user.message", {"content": "Hi"}), *ends)).usage
    assert usage is not None and usage.input == total


def test_an_answer_of_which_only_pieces_came_is_kept(tmp_path: Path):
    """A session that broke off while the model spoke; and what a skill wrote for the user is the system's."""
    path = save(
        tmp_path / "events.jsonl",
        ("user.message", {"content": "Hi"}),
        ("user.message", {"content": "skill text", "source": "skill-pdf"}),
        ("assistant.message_delta", {"messageId": "m", "deltaContent": "Hel"}),
        ("assistant.message_delta", {"messageId": "m", "deltaContent": "lo"}),
        ("abort", {"reason": "user initiated"}),
    )
    assert rows(one(path)) == [
        ("message", "user", "Hi"),
        ("message", "system", "skill text"),
        ("error", "system", "the turn was aborted: user initiated"),
        ("message", "assistant", "Hello"),
    ]


def test_answers_after_a_change_of_the_model_are_the_new_ones(tmp_path: Path):
    """A message names its model rarely: until then the one that was selected at the start, or changed to, wrote it."""
    path = save(
        tmp_path / "events.jsonl",
        ("session.start", {"sessionId": "s", "version": 1, "selectedModel": "gpt-5-mini"}),
        ("user.message", {"content": "Fix the cart."}),
        ("assistant.message", {"messageId": "a", "content": "I looked."}),
        ("session.model_change", {"previousModel": "gpt-5-mini", "newModel": "claude-haiku-4.5"}),
        ("assistant.message", {"messageId": "b", "content": "Fixed."}),
    )
    answers = [(event.text, event.model) for event in one(path).events if event.role == "assistant"]
    assert answers == [("I looked.", "gpt-5-mini"), ("Fixed.", "claude-haiku-4.5")]


def raw_events(path: Path) -> list[dict[str, Any]]:
    """Events that stand one behind another, on a line each or on many."""
    text, at, events = path.read_text(encoding="utf-8"), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = json.JSONDecoder().raw_decode(text, at)
        events.append(value)
    return events


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "copilot").glob("*")), ids=lambda path: path.name)
def test_a_sample_is_read_with_nothing_lost(path: Path):
    """Messages with words, calls by their ids, and failures, against the raw events."""
    events = raw_events(path)
    session = one(path)
    said = [
        event["type"]
        for event in events
        if event["type"] in ("user.message", "assistant.message", "system.message", "system.notification")
        and event["data"]["content"].strip()
    ]
    skills = sum(event["type"] == "skill.invoked" for event in events)
    assert session.format == "copilot"
    assert sum(event.kind == "message" for event in session.events) == len(said) + skills
    asked = {
        request["toolCallId"] for event in events for request in event["data"].get("toolRequests") or () if request
    }
    started = {event["data"]["toolCallId"] for event in events if event["type"].startswith("tool.execution")}
    assert {call.id for call in calls(session)} == asked | started
    failed = sum(event["data"].get("success") is False for event in events if event["type"].startswith("tool."))
    assert sum(call.failed for call in calls(session)) == failed
    assert not session.unknown and not session.problems


def test_a_model_that_joins_without_tokens_does_not_restart_the_count():
    """The second total includes the first: 6 and 0 tokens, not 5 + 6."""
    tokens = Tokens()
    for totals in ({"a": 5}, {"a": 6, "b": 0}):
        metrics = {model: {"usage": {"inputTokens": count}} for model, count in totals.items()}
        tokens.session({"modelMetrics": metrics})
    assert sum(usage.input for usage in tokens.counted().values()) == 6
