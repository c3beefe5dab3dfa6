"""The lines of a long Claude Code session that cannot change what the hook finds, so that they need not be parsed.

Found without parsing, in the turns before the last one: words and thoughts of the agent, calls that only look at files
together with their results, snapshots. Where a line is in doubt it stays. Inside a JSON string a quotation mark is
escaped, so that `"tool_use"` with its marks is never part of a text.

What is left out matters in two cases only, and then everything is read: see `needs_everything` in `last_turn`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

SHORTEST: Final = 256 * 1024
"""Bytes; a shorter session is read whole."""

_MARK = re.compile(
    rb'"(?:type": ?"(?:(?P<user>user)|(?P<agent>assistant)|(?P<text>text)|(?P<call>tool_use)|(?P<result>tool_result))"'
    rb'|(?P<words>text": ?"|agentId"|isMeta": ?true|isCompactSummary": ?true)'
    rb'|(?P<command>command"|cmd")'
    rb'|(?P<other>isSidechain": ?true|parent_tool_use_id": ?"|isApiErrorMessage"|progress"|tool_result"))'
)
"""What tells lines apart, in one pass over the file; the name of a group is the kind of the mark."""
_LOOK = re.compile(rb'"type": ?"tool_use", ?"id": ?"([^"\\]+)", ?"name": ?"(?:Read|Grep|Glob|LS|NotebookRead)"')
_SHOWS_RUN = (
    b"passed",
    b"passing",
    b"Passed",
    b"# pass",
    b"ailures",
    b"result: ok",
    b"\\nOK",
    b'"OK',
    b"\\nok",
    b'"ok',
)
"""Perhaps a log of tests that someone ran: such a result is read."""
_RESULT_ID = re.compile(rb'"tool_use_id": ?"([^"\\]+)"')
_SNAPSHOT: Final = b'{"type":"file-history-snapshot",'


def needless_lines(data: bytes) -> frozenset[int]:
    """The numbers, from 1, of lines that may be left out."""
    if len(data) < SHORTEST or not _is_text(data):
        return frozenset()
    lines = data.split(b"\n")
    marks = _marks(data, lines)
    before = next((n for n in reversed(range(len(lines))) if "user" in marks[n] and "result" not in marks[n]), 0)
    messages = (n for n in reversed(range(len(lines))) if _is_agents(marks[n]) and "text" in marks[n])
    spared = next(messages, -1)  # the output, should the last turn have none
    needless = set()
    calls: dict[bytes, int] = {}
    results: dict[bytes, int] = {}
    times: Counter[bytes] = Counter()
    for place, (line, kinds) in enumerate(zip(lines[:before], marks, strict=False)):
        if place == spared or "other" in kinds or not _is_complete(line):
            continue
        if line.startswith(_SNAPSHOT):
            needless.add(place)
        elif "result" in kinds:
            ids = _RESULT_ID.findall(line)
            times.update(set(ids))
            if len(ids) == 1 and "words" not in kinds and not any(word in line for word in _SHOWS_RUN):
                results[ids[0]] = place
        elif _is_agents(kinds):
            count = kinds.count("call")
            if not count:
                needless.add(place)
            elif count == 1 and (look := _LOOK.search(line)) and "command" not in kinds and b'"timestamp"' in line:
                times[look[1]] += 1
                calls[look[1]] = place
    pairs = [id for id in calls if id in results and times[id] == 2 and calls[id] < results[id]]
    for id in pairs[1:]:  # one stays: a session with calls is not one without
        needless |= {calls[id], results[id]}
    return frozenset(place + 1 for place in needless)


def all_but_last_turn(data: bytes) -> range:
    """The numbers, from 1, of the lines before the last prompt of the user; of all lines when no prompt is found."""
    end = len(data)
    while end > 0:
        start = data.rfind(b"\n", 0, end) + 1
        kinds = {mark.lastgroup for mark in _MARK.finditer(data, start, end)}
        if "user" in kinds and "result" not in kinds:
            return range(1, data.count(b"\n", 0, start) + 1)
        end = start - 1
    return range(1, data.count(b"\n") + 2)


def _marks(data: bytes, lines: Sequence[bytes]) -> list[list[str]]:
    """The kinds of marks on each line."""
    marks: list[list[str]] = []
    matches = _MARK.finditer(data)
    mark = next(matches, None)
    end = 0
    for line in lines:
        end += len(line) + 1
        kinds: list[str] = []
        while mark is not None and mark.start() < end:
            kinds.append(mark.lastgroup or "")
            mark = next(matches, None)
        marks.append(kinds)
    return marks


def _is_agents(kinds: Sequence[str]) -> bool:
    return "agent" in kinds and "result" not in kinds and "user" not in kinds


def _is_complete(line: bytes) -> bool:
    """Whether it looks undamaged; a damaged line must be seen by the reader."""
    return line.startswith(b"{") and line.rstrip(b"\r").endswith(b"}")


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
