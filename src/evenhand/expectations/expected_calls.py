"""Whether an agent made the tool calls that a case expects. Pure.

A failed call changed nothing and counts as not made. The calls that write are those the case lists (`tools`), or else
every call whose name does not show that it only reads, computes or talks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.checks.facts.looking import only_looks
from evenhand.core.values.finding import NO_TRANSCRIPT
from evenhand.core.values.submission import Event, ToolCall
from evenhand.expectations.expectation import Expectation, Verdict
from evenhand.expectations.expected_answers import differs, shown

_TALKS: Final = re.compile(
    r"(?i)^(?:think|plan|calculat\w*|compute|convert|respond|reply|answer|final_answer|finish|done|todo\w*)$"
    r"|transfer_to_human|hand_?off|^calculate_|^compute_"
)
_ERROR: Final = re.compile(r"\s*(?:error\b|traceback\b|\{\"error\")", re.I)


def decide_calls(expectation: Expectation, events: Sequence[Event]) -> Verdict:
    """One expectation about the calls of a transcript."""
    if not events:
        return Verdict(None, f"{NO_TRANSCRIPT}, so the calls are unknown")
    calls = [event for event in events if event.call is not None and _succeeded(event.call)]
    expected = expectation.value if isinstance(expectation.value, list | tuple) else [expectation.value]
    whole = bool(expectation.options.get("exact", expectation.rule == "exactly"))
    match expectation.rule:
        case "made":
            missing = [call for call in expected if _find(call, calls, whole) is None]
            if missing:
                return Verdict(False, _not_made(missing[0], calls, whole))
            return _shows(True, "the call was made", _find(expected[0], calls, whole))
        case "not_made":
            unwanted = next((event for call in expected if (event := _find(call, calls, whole))), None)
            return (
                Verdict(True, "the call was not made")
                if unwanted is None
                else _shows(False, "the call was made", unwanted)
            )
        case "in_order":
            return _in_order(expected, calls, whole)
        case _:
            return _exactly(expected, calls, expectation.options.get("tools"), whole)


def _in_order(expected: Sequence[Any], calls: Sequence[Event], whole: bool) -> Verdict:
    rest = list(calls)
    for call in expected:
        event = _find(call, rest, whole)
        if event is None:
            return Verdict(False, _not_made(call, rest, whole) + (" after the calls before it" if rest else ""))
        rest = rest[rest.index(event) + 1 :]
    return Verdict(True, "the calls were made in this order")


def _exactly(expected: Sequence[Any], calls: Sequence[Event], tools: Any, whole: bool) -> Verdict:
    names = {_name(call) for call in expected}
    if tools is not None:
        names |= {tools} if isinstance(tools, str) else set(tools)
    writes = [
        event
        for event in calls
        if event.call and (event.call.name in names or (tools is None and not _only_reads(event.call)))
    ]
    left = list(writes)
    for call in expected:
        match = _find(call, left, whole)
        if match is None:
            return Verdict(False, _not_made(call, left, whole))
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


def _find(expected: Any, calls: Sequence[Event], whole: bool) -> Event | None:
    return next((event for event in calls if event.call and not _difference(expected, event.call, whole)), None)


def _difference(expected: Any, call: ToolCall, whole: bool) -> str:
    if call.name != _name(expected):
        return f"the tool is {call.name}"
    if isinstance(expected, str) or "arguments" not in expected:
        return ""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    return differs(expected["arguments"], arguments, whole=whole)


def _not_made(expected: Any, calls: Sequence[Event], whole: bool) -> str:
    """The message for a missing call, with the closest call that was made."""
    name = _name(expected)
    alike = [event.call for event in calls if event.call and event.call.name == name]
    if not alike:
        return f"{name} was not called"
    return f"{name} was called, but {_difference(expected, alike[-1], whole)}"


def _name(call: Any) -> str:
    return call if isinstance(call, str) else str(call["name"])


def _shows(met: bool, message: str, event: Event | None) -> Verdict:
    if event is None or event.call is None:
        return Verdict(met, message)
    return Verdict(met, message, event.call.name, place=event.place)
