"""Whether a transcript has its beginning: what is missing could be the very run that a claim is about."""

from __future__ import annotations

import io
import json
import re
from typing import Any

from evenhand.work.submission import Submission

_MARKS = (b'"logicalParentUuid"', b'"compact_boundary"', b'"isCompactSummary"', b'"compacted"')
_UUID = re.compile(rb'"uuid":\s*"([^"]+)"')
"""Found without parsing: a session has many long lines."""


def is_whole(data: bytes, submission: Submission) -> bool:
    """Whether nothing before the last turn is missing, as far as the file's bytes show."""
    if submission.problems or any(event.role == "tool" and event.kind == "message" for event in submission.events):
        return False  # damaged, or results of calls that are not in the file
    known: set[str] = set()
    first = True
    is_marked = any(mark in data for mark in _MARKS)
    for line in io.BytesIO(data):
        if not first and not is_marked:
            return True
        if not first and not any(mark in line for mark in _MARKS):
            known.update(match.decode(errors="replace") for match in _UUID.findall(line))
            continue
        entry = _object(line)
        if first and entry.get("type") in ("user", "assistant"):
            first = False
            if entry.get("parentUuid"):
                return False  # it continues another file
        elif entry.get("type") in ("session_meta", "response_item"):  # Codex
            if first and entry["type"] != "session_meta":
                return False
            first = False
        before = entry.get("logicalParentUuid")
        if isinstance(before, str) and before not in known:
            return False  # what was summarised is not in the file
        if isinstance(entry.get("uuid"), str):
            known.add(entry["uuid"])
    return True


def _object(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}  # the last line may still be being written
    return entry if isinstance(entry, dict) else {}
