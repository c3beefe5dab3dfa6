"""Explains a file of unknown format: what it is, which format comes closest, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_text import walk
from evenhand.transcripts.sources import Source

_INSTEAD = "name its format with `format` FORMAT, or judge the file itself with `format` text"
_NOTHING = {"": "is empty", "[]": "is an empty JSON list", "{}": "is an empty JSON object", "null": "is JSON null"}
_SHOWN_KEYS = 5


def refuse_unknown(source: Source, marks: Mapping[str, tuple[str, ...]]) -> None:
    """Raise an InputError unless the file is text. `marks` are the typical keys of each format."""
    head = source.head
    reason = _no_text(head) or _nothing(head) or (_json(head, source, marks) if head.is_json else "")
    if reason:
        raise InputError([*source.take_problems(), Problem(reason, source.name)])


def _no_text(head: Head) -> str:
    if head.is_utf16:
        return "is UTF-16 text; save it as UTF-8"
    if head.is_archive:
        return "is a zip archive, but not an Inspect log; name the files in it"
    return "is a binary file, not a transcript and not text" if head.is_binary else ""


def _nothing(head: Head) -> str:
    """What a file without content is."""
    if len(head.data) > 1000:
        return "" if head.data.strip() else f"{_NOTHING['']}; there is nothing to judge"
    kind = _NOTHING.get("".join(head.text.split()))
    return f"{kind}; there is nothing to judge" if kind else ""


def _json(head: Head, source: Source, marks: Mapping[str, tuple[str, ...]]) -> str:
    """Why JSON is not a transcript: it is damaged, or of an unknown kind."""
    if not head.is_lines and head.is_whole and (damage := _damage(head.text)):
        return damage
    keys = _keys(head.values)
    about = "is JSON in no known format"
    if not head.is_whole:
        about = f"is JSON in no known format as far as {limits.DOCUMENT // limits.MIB} MiB into it"
    ranked = sorted(marks, key=lambda name: -len(keys.keys() & set(marks[name])) / len(marks[name]))
    if not ranked or not keys.keys() & set(marks[ranked[0]]):
        listed = f" (its keys: {_quoted(list(keys)[:_SHOWN_KEYS])})" if keys else ""
        return f"{about}, and close to none{listed}; {_INSTEAD}"
    closest = ranked[0]
    missing = [key for key in marks[closest] if key not in keys]
    lacks = f"it has no {_quoted(missing)}" if missing else f"its {_quoted(marks[closest])} are not where they belong"
    return f"{about}; the closest is {closest}, but {lacks}; {_INSTEAD}"


def _damage(text: str) -> str:
    start = len(text) - len(text.lstrip())
    walked = walk(text, start, lambda path: len(path) < 2)
    if walked.fault is None:
        return ""
    line = text.count("\n", 0, walked.end) + 1
    return f"is JSON that could not be read beyond line {line}, and no format was recognised before it: {walked.fault}"


def _keys(values: list[Any]) -> dict[str, None]:
    """The keys of objects down to the third level, in order."""
    keys: dict[str, None] = {}
    level = list(values)
    for _ in range(6):
        below: list[Any] = []
        for value in level[:200]:
            if isinstance(value, dict):
                keys.update(dict.fromkeys(map(str, value)))
                below += value.values()
            elif isinstance(value, list):
                below += value[:20]
        level = below
    return keys


def _quoted(keys: Any) -> str:
    return ", ".join(f'"{key[:40]}"' for key in keys)
