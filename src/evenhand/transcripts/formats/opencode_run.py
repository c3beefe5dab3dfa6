"""opencode: what `opencode run --format json` prints, one event per line.

Follows anomalyco/opencode `packages/opencode/src/cli/cmd/run.ts` (`emit`). It shows what the agent did, but
neither the task nor the model.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_lines
from evenhand.transcripts.draft import text_in
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.opencode_parts import error_text, take_part, take_usage
from evenhand.transcripts.times import moment

FORMAT = "opencode-run"
TITLE = "opencode run --format json"
PLACE = 100

_WITH_A_PART = frozenset(("step_start", "step_finish", "text", "tool_use", "reasoning"))


def is_ours(value: dict[str, Any]) -> bool:
    """An event with the id of its session, and a part or an error."""
    if "sessionID" not in value or "timestamp" not in value:
        return False
    kind = text_in(value, "type")
    return (kind in _WITH_A_PART and isinstance(value.get("part"), dict)) or (kind == "error" and "error" in value)


class _Printed(Reader):
    """The state of a run while its events are read."""

    format = FORMAT

    def take(self, value: dict[str, Any], place: Place) -> None:
        draft, kind, part, time = self.draft, text_in(value, "type"), value.get("part"), moment(value.get("timestamp"))
        draft.id = draft.id or text_in(value, "sessionID")
        draft.saw_time(time)
        draft.understood += 1
        if kind in _WITH_A_PART and isinstance(part, dict):
            if kind == "step_finish":
                take_usage(draft, part, place)
            key = text_in(part, "id") or str(place)
            if kind not in ("text", "reasoning") or key not in self.seen:
                self.seen.add(key)
                take_part(draft, part, Speaker("assistant", place, "", "", time))
        elif kind == "error":
            draft.error(error_text(value.get("error")), place, time=time)
        elif kind != "done":
            draft.understood -= 1
            draft.count(kind or "line without a type")


read = read_lines(_Printed)
