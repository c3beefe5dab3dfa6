"""Lines and calls of a Claude Code session that are recorded twice, as after a compaction or when resumed."""

from __future__ import annotations

from typing import Any

from evenhand.transcripts.draft import text_in

_TELLING = ("type", "id", "tool_use_id", "text", "thinking")
"""The fields of a block that distinguish it from others."""


class Repeats:
    """What a session has recorded so far."""

    def __init__(self) -> None:
        self._known: set[tuple[str, tuple[str, ...]]] = set()

    def line(self, value: dict[str, Any]) -> bool:
        """Whether a line was written before, with the same id and the same message."""
        return self._again(text_in(value, "uuid"), _gist(value.get("message")))

    def call(self, block: Any, request: str) -> bool:
        """Whether a block is a call that was written before, by the same request."""
        is_call = isinstance(block, dict) and block.get("type") == "tool_use"
        return is_call and self._again(request, (text_in(block, "id"),))

    def _again(self, id: str, gist: tuple[str, ...]) -> bool:
        before = len(self._known)
        self._known.add((id, gist))
        return bool(id) and len(self._known) == before


def _gist(message: Any) -> tuple[str, ...]:
    """Enough of a message to distinguish it from another with the same id."""
    content = message.get("content") if isinstance(message, dict) else message
    blocks = content if isinstance(content, list) else [content]
    return tuple([_beginning(block) for block in blocks[:20]])


def _beginning(block: Any) -> str:
    if not isinstance(block, dict):
        return str(block)[:80]
    return "".join([text[:80] for key in _TELLING if isinstance(text := block.get(key), str)])
