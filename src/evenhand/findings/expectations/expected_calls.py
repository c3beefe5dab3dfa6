"""Whether an agent made the tool calls that a case expects. Pure.

A failed call changed nothing and counts as not made. The calls that write are those the case lists (`tools`), or else
every call whose name does not show that it only reads, computes or talks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from evenhand.core.finding import NO_TRANSCRIPT
from evenhand.findings.expectations.expectation import Expectation, Verdict
from evenhand.findings.expectations.expected_answers import Leeway, differs, leeway_of, shown
from evenhand.findings.facts.calls import only_looks
from evenhand.in_words import counted
from evenhand.work.submission import Event, ToolCall

_TALKS: Final = re.compile(
    r"(?i)^(?:think|plan|calculat\w*|compute|convert|respond|reply|answer|final_answer|finish|done|todo\w*)$"
    r"|transfer_to_human|hand_?off|^calculate_|^compute_"
)
_ERROR: Final = re.compile(r"\s*(?:error\b|traceback\b|\{\"error\")", re.I)


class How(NamedTuple):
    """How the arguments of a call are compared."""

    whole: bool
    """Whether extra arguments count as a difference."""
    leeway: Leeway


def decide_calls(expectation: Expectation, events: Sequence[Event]) -> Verdict:
    """One expectation about the calls of a transcript."""
    if not events:
        return Verdict(None, f"{NO_TRANSCRIPT}, so the calls are unknown")
    calls = [event for event in events if event.call is not None and _succeeded(event.call)]
    expected = expectation.value if isinstance(expectation.value, list | tuple) else [expectation.value]
    how = How(bool(expectation.options.get("exact", expectation.rule == "exactly")), leeway_of(expectation.options))
    match expectation.rule:
        case "made" if {"at_least", "at_most"} & expectation.options.keys():
            least, most = int(expectation.options.get("at_least", 1)), expectation.options.get("at_most")
            return _so_often(expected, calls, how, least, None if most is None else int(most))
        case "made":
            missing = [call for call in expected if _find(call, calls, how) is None]
            if missing:
                return Verdict(False, _not_made(missing[0], calls, how))
            return _shows(True, "the call was made", _find(expected[0], calls, how))
        case "not_made":
            unwanted = next((event for call in expected if (event := _find(call, calls, how))), None)
            return (
                Verdict(True, "the call was not made")
                if unwanted is None
                else _shows(False, "the call was made", unwanted)
            )
        case "in_order":
            return _in_order(expected, calls, how)
        case _:
            return _exactly(expected, calls, expectation.options.get("tools"), how)


def _so_often(expected: Sequence[Any], calls: Sequence[Event], how: How, least: int, most: int | None) -> Verdict:
    counts = []
    for call in expected:
        found = [event for event in calls if event.call and not _difference(call, event.call, how)]
        counts.append(f"{_name(call)} was called {counted(len(found), 'time')}")
        if len(found) < least:
            return Verdict(False, f"{counts[-1]}, and at least {least} are expected")
        if most is not None and len(found) > most:
            return _shows(False, f"{counts[-1]}, and at most {most} are expected", found[most])
    return Verdict(True, "; ".join(counts))


def _in_order(expected: Sequence[Any], calls: Sequence[Event], how: How) -> Verdict:
    rest = list(calls)
    for place, call in enumerate(expected):
        event = _find(call, rest, how)
        if event is None:
            return Verdict(False, _not_made(call, rest, how) + (" after the calls before it" if place else ""))
        rest = rest[rest.index(event) + 1 :]
    return Verdict(True, "the calls were made in this order")


def _exactly(expected: Sequence[Any], calls: Sequence[Event], tools: Any, how: How) -> Verdict:
    names = {name for call in expected for name in _tools_of(call)}
    if tools is not None:
        names |= {tools} if isinstance(tools, str) else set(tools)
    writes = [
        event
        for event in calls
        if event.call and (event.call.name in names or (tools is None and not _only_reads(event.call)))
    ]
    left = list(writes)
    for call in expected:
        match = _find(call, left, how)
        if match is None:
            return Verdict(False, _not_made(call, left, how))
        left.remove(match)
    if left:
        assert left[0].call is not None
        return _shows(False, f"an extra call was made: {left[0].call.name}({shown(left[0].call.arguments)})", left[0])
    count = len(writes)
    return Verdict(True, f"exactly {'this call was' if count == 1 else f'these {count} calls were'} made")


def _only_reads(call: ToolCall) -> bool:
    return bool(_TALKS.search(call.name)) or only_looks(call)


def _succeeded(call: ToolCall) -> bool:
    return not call.failed and not (call.result is not None and _ERROR.match(call.result))


def _find(expected: Any, calls: Sequence[Event], how: How) -> Event | None:
    return next((event for event in calls if event.call and not _difference(expected, event.call, how)), None)


def _difference(expected: Any, call: ToolCall, how: How) -> str:
    """What tells a call from the expected one, or from the nearest of several that would do."""
    if choices := _alternatives(expected):
        found = [_difference(choice, call, how) for choice in choices]
        return "" if "" in found else found[-1]
    if call.name != _name(expected):
        return f"the tool is {call.name}"
    if isinstance(expected, str):
        return ""
    if "matches" in expected and not re.search(expected["matches"], _as_json(call.arguments)):
        return f"its arguments do not match {expected['matches']}"
    if "arguments" not in expected:
        return ""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    return differs(expected["arguments"], arguments, whole=how.whole, leeway=how.leeway)


def _as_json(arguments: Any) -> str:
    """As JSON.stringify writes it, which other tools' patterns are about."""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=float)


def _not_made(expected: Any, calls: Sequence[Event], how: How) -> str:
    """The message for a missing call, with the closest call that was made."""
    name = _name(expected)
    alike = [event.call for event in calls if event.call and event.call.name in _tools_of(expected)]
    if not alike:
        return f"{name} was not called"
    return f"{name} was called, but {_difference(expected, alike[-1], how)}"


def _alternatives(call: Any) -> Sequence[Any]:
    """The calls of which one is expected; none where it is one call."""
    return () if isinstance(call, str) else call.get("one_of", ())


def _name(call: Any) -> str:
    if choices := _alternatives(call):
        return " or ".join(dict.fromkeys(map(_name, choices)))
    return call if isinstance(call, str) else str(call["name"])


def _tools_of(call: Any) -> set[str]:
    return {_name(choice) for choice in _alternatives(call) or (call,)}


def _shows(met: bool, message: str, event: Event | None) -> Verdict:
    if event is None or event.call is None:
        return Verdict(met, message)
    return Verdict(met, message, event.call.name, place=event.place)
