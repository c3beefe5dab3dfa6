"""The chunks of a UI message stream of the Vercel AI SDK, assembled: text, reasoning and tools by their ids."""

from __future__ import annotations

from typing import Any

from evenhand.core.values.submission import Place
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.json_text import maybe_json
from evenhand.transcripts.shapes.content_blocks import result_text

CHUNKS = frozenset(
    "start start-step finish-step finish abort error text-start text-delta text-end reasoning-start reasoning-delta "
    "reasoning-end tool-input-start tool-input-delta tool-input-available tool-input-error tool-output-available "
    "tool-output-error tool-output-denied tool-approval-request source-url source-document file "
    "message-metadata".split()
)


class Stream:
    """The state of a stream while its chunks are read."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._texts: dict[tuple[str, str], tuple[list[str], Place]] = {}
        self._inputs: dict[str, tuple[str, list[str], Place]] = {}

    def take(self, chunk: dict[str, Any], place: Place) -> bool:
        """One chunk; False when it is of no known type."""
        kind = text_in(chunk, "type")
        if kind not in CHUNKS and not kind.startswith("data-"):
            return False
        what, _, how = kind.rpartition("-")
        if what in ("text", "reasoning"):
            self._spoken(what, how, chunk, place)
        elif kind.startswith("tool-input"):
            self._called(kind, chunk, place)
        elif kind.startswith("tool-output"):
            self._answered(kind, chunk, place)
        elif kind in ("error", "abort"):
            self._draft.error(text_in(chunk, "errorText") or kind, place)
        return True

    def _spoken(self, what: str, how: str, chunk: dict[str, Any], place: Place) -> None:
        key = (what, text_in(chunk, "id"))
        pieces, _ = self._texts.setdefault(key, ([], place))
        if how == "delta":
            pieces.append(text_in(chunk, "delta"))
        elif how == "end":
            self._close(key)

    def _close(self, key: tuple[str, str]) -> None:
        pieces, begun = self._texts.pop(key)
        text = "".join(pieces)
        if key[0] == "text":
            self._draft.message("assistant", text, begun)
        else:
            self._draft.reasoning(text, begun)

    def _called(self, kind: str, chunk: dict[str, Any], place: Place) -> None:
        id = text_in(chunk, "toolCallId")
        name, pieces, begun = self._inputs.get(id, (text_in(chunk, "toolName"), [], place))
        if kind == "tool-input-delta":
            pieces.append(text_in(chunk, "inputTextDelta"))
        elif kind in ("tool-input-available", "tool-input-error") and id not in self._draft.calls:
            index = self._draft.call(name or text_in(chunk, "toolName"), chunk.get("input"), begun, id)
            if kind == "tool-input-error":
                self._draft.answer(index, text_in(chunk, "errorText"), place, True)
        self._inputs[id] = (name, pieces, begun)

    def _answered(self, kind: str, chunk: dict[str, Any], place: Place) -> None:
        id = text_in(chunk, "toolCallId")
        if chunk.get("preliminary") is True:
            return
        self._begin(id)
        failed = kind != "tool-output-available"
        text = text_in(chunk, "errorText") or kind if failed else result_text(chunk.get("output"))
        if id in self._draft.calls:
            self._draft.result(id, text, place, failed)
        else:
            self._draft.message("tool", text, place)

    def _begin(self, id: str) -> None:
        """A call whose input only came in pieces."""
        if id in self._inputs and id not in self._draft.calls:
            name, pieces, begun = self._inputs[id]
            self._draft.call(name, maybe_json("".join(pieces)), begun, id)

    def end(self) -> None:
        """Keep what was started but never finished."""
        for key in list(self._texts):
            self._close(key)
        for id in list(self._inputs):
            self._begin(id)
