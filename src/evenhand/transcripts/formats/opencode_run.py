"""opencode: what `opencode run --format json` prints, one event per line.

Follows anomalyco/opencode `packages/opencode/src/cli/cmd/run.ts` (`emit`). It shows what the agent did, but
neither the task nor the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Place, Submission
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.opencode_parts import error_text, take_part, usage_of
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment

FORMAT = "opencode-run"
TITLE = "opencode run --format json"
PLACE = 100

_WITH_A_PART = frozenset(("step_start", "step_finish", "text", "tool_use", "reasoning"))


def sniff(head: Head) -> bool:
    """An event with the id of its session, and a part or an error."""
    return any(_is_event(value) for value in head.objects)


def _is_event(value: dict[str, Any]) -> bool:
    if "sessionID" not in value or "timestamp" not in value:
        return False
    kind = text_in(value, "type")
    return (kind in _WITH_A_PART and isinstance(value.get("part"), dict)) or (kind == "error" and "error" in value)


def read(source: Source) -> Iterator[Submission | InputError]:
    """One run."""
    draft = Draft(source, FORMAT)
    seen: set[str] = set()
    id, understood = "", 0
    for value, place in source.json_lines():
        if not isinstance(value, dict):
            draft.count("line that is not an object")
            continue
        id = id or text_in(value, "sessionID")
        understood += _take(draft, value, place, seen)
    yield draft.finish_if_any(understood, id=id or None)


def _take(draft: Draft, value: dict[str, Any], place: Place, seen: set[str]) -> bool:
    """Process one event; returns whether it is understood."""
    kind, part, time = text_in(value, "type"), value.get("part"), moment(value.get("timestamp"))
    draft.saw_time(time)
    speaker = Speaker("assistant", place, "", "", time)
    if kind in _WITH_A_PART and isinstance(part, dict):
        if kind == "step_finish" and (usage := usage_of(part.get("tokens"))) is not None:
            draft.usage[text_in(part, "id") or place] = usage
            draft.saw_cost(part.get("cost"), text_in(part, "id") or place)
        if kind in ("text", "reasoning"):
            key = text_in(part, "id") or str(place)
            if key in seen:
                return True
            seen.add(key)
        take_part(draft, part, speaker)
    elif kind == "error":
        draft.error(error_text(value.get("error")), place, time=time)
    elif kind != "done":
        draft.count(kind or "line without a type")
        return False
    return True
