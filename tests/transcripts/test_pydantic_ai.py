"""Pydantic AI messages: requests and responses with their parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transcript_samples import document, lines, only, story


def request(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "request", "parts": list(parts), "instructions": "Be brief.", "run_id": "r1"}


def response(*parts: dict[str, Any]) -> dict[str, Any]:
    used = {"input_tokens": 10, "output_tokens": 3, "cache_read_tokens": 2}
    return {
        "kind": "response",
        "parts": list(parts),
        "usage": used,
        "model_name": "m1",
        "timestamp": "2026-01-01T10:00:00Z",
    }


def call(id: str, name: str, args: Any) -> dict[str, Any]:
    return {"part_kind": "tool-call", "tool_name": name, "args": args, "tool_call_id": id}


MESSAGES = [
    request(
        {"part_kind": "system-prompt", "content": "You are."},
        {"part_kind": "user-prompt", "content": ["Weather?", {"kind": "image-url", "url": "x"}]},
    ),
    response(
        {"part_kind": "thinking", "content": "Hm."},
        call("c1", "weather", '{"city": "Tokyo"}'),
        call("c2", "weather", {"town": 1}),
    ),
    request(
        {"part_kind": "tool-return", "tool_name": "weather", "content": {"sky": "rain"}, "tool_call_id": "c1"},
        {"part_kind": "retry-prompt", "tool_name": "weather", "content": "no town", "tool_call_id": "c2"},
    ),
    {"event_kind": "part_start", "index": 0},
    response({"part_kind": "text", "content": "It rains."}),
]


@pytest.mark.parametrize("shape", ["list", "lines", "holder"])
def test_messages_are_read(shape: str, tmp_path: Path):
    """A retry with a tool's name is its failed result, instructions count once, and tokens are twice 10, 3 and 2."""
    path = tmp_path / "x"
    if shape == "lines":
        lines(path, *MESSAGES)
    else:
        document(path, MESSAGES if shape == "list" else {"messages": MESSAGES})
    run = only(path)
    assert story(run) == [
        ("system", "Be brief."),
        ("system", "You are."),
        ("user", "Weather?\n[image-url]"),
        ("reasoning", "Hm."),
        ("weather", '{"sky": "rain"}'),
        ("weather", "no town", "failed"),
        ("assistant", "It rains."),
    ]
    assert (run.format, run.id, run.output, run.unknown) == ("pydantic-ai", "r1", "It rains.", {})
    assert (run.models, tuple(run.usage or ())) == (("m1",), (20, 6, 4))


def test_an_answer_given_by_a_tool_is_the_output(tmp_path: Path):
    """As structured outputs are returned."""
    run = only(document(tmp_path / "x", [*MESSAGES, response(call("c3", "final_result", '{"sky": "rain"}'))]))
    assert run.output == '{"sky": "rain"}'
