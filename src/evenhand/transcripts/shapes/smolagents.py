"""Calls and results that smolagents writes into messages as text, when no span has them."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

from evenhand.transcripts.draft import text_in
from evenhand.transcripts.json_text import maybe_json, parse
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.work.submission import Event, ToolCall

_CALLING = re.compile(r"Calling tools:\s*(\[.*\])\s*", re.DOTALL)
_CALLED = re.compile(r"Call id: (\S+)\n(Observation|Error):\n?")


def calls_written_out(text: str, speaker: Speaker) -> list[Event] | None:
    """The calls or result in a message; None for an ordinary message."""
    if (calling := _CALLING.fullmatch(text)) is not None:
        calls = []
        for call in _python_list(calling[1]):
            inner = call.get("function") if isinstance(call, dict) else None
            if not isinstance(inner, dict):
                return None
            arguments = maybe_json(inner.get("arguments"))
            calls.append(_event(ToolCall(text_in(inner, "name"), arguments, text_in(call, "id")), speaker))
        return calls or None
    if (called := _CALLED.match(text)) is not None:
        return [
            _event(ToolCall("", None, called[1], text[called.end() :], called[2] == "Error", speaker.place), speaker)
        ]
    return None


def _python_list(text: str) -> list[Any]:
    """A printed Python list as plain JSON values; empty when it is not one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in someone else's text
            value = parse(json.dumps(ast.literal_eval(text), default=str))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return []
    return value if isinstance(value, list) else []


def _event(call: ToolCall, speaker: Speaker) -> Event:
    return Event("tool_call", "assistant", "", speaker.place, call, speaker.agent, speaker.model, speaker.time)
