"""Vercel AI SDK: UI messages, model messages, and the chunks of a stream."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from transcript_samples import calls, document, lines, only, real_files, samples, story

TOLD = [
    ("user", "Weather?"),
    ("reasoning", "Hm."),
    ("weather", "rain"),
    ("save", "disk full", "failed"),
    ("assistant", "It rains."),
]
UI = [
    {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Weather?"}]},
    {
        "id": "2",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "Hm."},
            {
                "type": "tool-weather",
                "toolCallId": "c1",
                "state": "output-available",
                "input": {"city": "Tokyo"},
                "output": "rain",
            },
            {
                "type": "dynamic-tool",
                "toolName": "save",
                "toolCallId": "c2",
                "state": "output-error",
                "input": {},
                "errorText": "disk full",
            },
            {"type": "data-note", "data": 1},
            {"type": "text", "text": "It rains."},
        ],
    },
]
OLD = [
    {"id": "1", "role": "user", "content": "Weather?"},
    {
        "id": "2",
        "role": "assistant",
        "content": "It rains.",
        "toolInvocations": [
            {"state": "result", "toolCallId": "c1", "toolName": "weather", "args": {}, "result": "rain"}
        ],
    },
]
MODEL = [
    {"role": "user", "content": "Weather?"},
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "Hm."},
            {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": {"city": "Tokyo"}},
            {"type": "tool-call", "toolCallId": "c2", "toolName": "save", "input": {}},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "c2",
                "toolName": "save",
                "output": {"type": "error-text", "value": "disk full"},
            },
            {
                "type": "tool-result",
                "toolCallId": "c1",
                "toolName": "weather",
                "output": {"type": "text", "value": "rain"},
            },
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "It rains."}]},
]
CHUNKS = [
    {"type": "start"},
    {"type": "reasoning-start", "id": "r"},
    {"type": "reasoning-delta", "id": "r", "delta": "H"},
    {"type": "reasoning-delta", "id": "r", "delta": "m."},
    {"type": "reasoning-end", "id": "r"},
    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "weather"},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '{"city": '},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '"Tokyo"}'},
    {"type": "tool-output-available", "toolCallId": "c1", "output": "rain"},
    {"type": "tool-input-available", "toolCallId": "c2", "toolName": "save", "input": {}},
    {"type": "tool-output-error", "toolCallId": "c2", "errorText": "disk full"},
    {"type": "text-start", "id": "t"},
    {"type": "text-delta", "id": "t", "delta": "It "},
    {"type": "text-delta", "id": "t", "delta": "rains."},
    {"type": "finish"},
]


def test_ui_messages_are_read(tmp_path: Path):
    """A part of a tool has the call and the result; a list, or an object that holds it."""
    run = only(document(tmp_path / "x", UI))
    held = only(document(tmp_path / "y", {"id": "chat-1", "messages": UI}))
    assert story(run) == story(held) == TOLD
    assert (run.format, run.task, run.output, held.id) == ("vercel-ai", "Weather?", "It rains.", "chat-1")


def test_messages_of_version_4_are_read(tmp_path: Path):
    """Calls stand beside the content."""
    assert sorted(story(only(document(tmp_path / "x", OLD)))) == sorted([TOLD[0], TOLD[2], TOLD[4]])


def test_model_messages_are_read(tmp_path: Path):
    """Results come in a message of their own."""
    assert story(only(document(tmp_path / "x", MODEL))) == TOLD


@pytest.mark.parametrize("as_lines", [False, True])
def test_the_chunks_of_a_stream_are_put_together(as_lines: bool, tmp_path: Path):
    """An input that was told in pieces is joined; a text without its end is kept."""
    run = only(lines(tmp_path / "x", *CHUNKS) if as_lines else document(tmp_path / "x", CHUNKS))
    assert story(run) == TOLD[1:]
    first = next(event.call for event in run.events if event.call is not None)
    assert first.arguments == {"city": "Tokyo"}


@real_files
@pytest.mark.parametrize("path", samples("vercel-ai-sdk"), ids=lambda path: path.name)
def test_real_streams(path: Path):
    """A call for every begun input, an answer for every output, and the joined text as the output."""
    run, raw = only(path), json.loads(path.read_bytes())
    kinds = Counter(chunk["type"] for chunk in raw)
    assert calls(run) == (kinds["tool-input-start"], kinds["tool-output-available"], 0)
    assert run.output == "".join(chunk["delta"] for chunk in raw if chunk["type"] == "text-delta")
