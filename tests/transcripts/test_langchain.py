"""LangChain and LangGraph messages, dumped in any of their ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import calls, document, lines, only, real_files, samples, story

USED = {"input_tokens": 10, "output_tokens": 3, "input_token_details": {"cache_read": 4}}
PLAIN: list[dict[str, Any]] = [
    {"type": "system", "content": "Be brief.", "additional_kwargs": {}},
    {"type": "human", "content": "Weather?"},
    {
        "type": "ai",
        "content": [{"type": "text", "text": "Looking."}, {"type": "tool_use", "id": "c1", "name": "w", "input": {}}],
        "tool_calls": [{"id": "c1", "name": "w", "args": {"city": "Tokyo"}}],
        "id": "run-1",
        "usage_metadata": USED,
        "response_metadata": {"model_name": "m1"},
    },
    {"type": "tool", "content": "no such city", "tool_call_id": "c1", "status": "error"},
    {"type": "ai", "content": "I do not know.", "response_metadata": {}},
]
NAMES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def dumped(message: dict[str, Any]) -> dict[str, Any]:
    path = ["langchain", "schema", "messages", NAMES[message["type"]]]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": message}


def apart(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": message["type"], "data": {key: value for key, value in message.items() if key != "type"}}


@pytest.mark.parametrize("shape", ["dumped", "apart", "plain", "lines", "state"])
def test_messages_are_read_in_every_shape(shape: str, tmp_path: Path):
    """A call that the provider's blocks repeat counts once; the status of a tool's message says that it failed."""
    path = tmp_path / "x"
    if shape == "lines":
        lines(path, *map(dumped, PLAIN))
    elif shape == "state":
        document(path, {"values": {"messages": PLAIN}, "next": []})
    else:
        made = {"dumped": dumped, "apart": apart, "plain": dict}[shape]
        document(path, [made(message) for message in PLAIN])
    run = only(path)
    assert story(run) == [
        ("system", "Be brief."),
        ("user", "Weather?"),
        ("assistant", "Looking."),
        ("w", "no such city", "failed"),
        ("assistant", "I do not know."),
    ]
    assert (run.format, run.models, tuple(run.usage or ())) == ("messages", ("m1",), (10, 3, 4))


@real_files
@pytest.mark.parametrize("path", samples("langchain-langgraph", "langchain*"), ids=lambda path: path.name)
def test_real_messages(path: Path):
    """Every call once, answered by the message that names it, and the sum of the tokens."""
    run, raw = only(path), [message["kwargs"] for message in json.loads(path.read_bytes())]
    made = sum(len(message.get("tool_calls", ())) for message in raw)
    answered = sum(message["type"] == "tool" for message in raw)
    assert calls(run) == (made, answered, 0)
    used = [message["usage_metadata"] for message in raw if "usage_metadata" in message]
    assert run.usage is not None and run.usage.input == sum(usage["input_tokens"] for usage in used)
