"""Whether an agent made the tool calls that a case expects. Pure.

A call that failed changed nothing and counts as not made. Which calls write is told by the case (`tools`), or else is
every call whose name does not say that it only reads, computes or talks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.core.values.submission import Event, ToolCall
from evenhand.judges.checks.facts.looking import only_looks
from evenhand.judges.expect.expectation import Expectation, Verdict
from evenhand.judges.expect.expected_answers import differs, shown

_TALKS: Final = re.compile(
    r"(?i)^(?:think|plan|calculat\w*|compute|convert|respond|reply|answer|final_answer|finish|done|todo\w*)$"
    r"|transfer_to_human|hand_?off|^calculate_|^compute_"
)
_ERROR: Final = re.compile(r"\s*(?:error\b|traceback\b|\{\"error\")", re.I)


def decide_calls(expectation: Expectation, events: Sequence[Event]) -> Verdict:
    """One expectation about the calls of a transcript."""
    if not events:
        return Verdict(None, "there is no transcript, so the calls are not known")
    made = [event for event in events if event.call is not None and _succeeded(event.call)]
    wanted = expectation.value if isinstance(expectation.value, list | tuple) else [expectation.value]
    whole = bool(expectation.options.get("exact", expectation.rule == "exactly"))
    match expectation.rule:
        case "made":
            missing = [call for call in wanted if _find(call, made, whole) is None]
            if missing:
                return Verdict(False, _not_made(missing[0], made, whole))
            return _shows(True, "the call was made", _find(wanted[0], made, whole))
        case "not_made":
            unwanted = next((event for call in wanted if (event := _find(call, made, whole))), None)
            return (
                Verdict(True, "the call was not made")
                if unwanted is None
                else _shows(False, "the call was made", unwanted)
            )
        case "in_order":
            return _in_order(wanted, made, whole)
        case _:
            return _exactly(wanted, made, expectation.options.get("tools"), whole)


def _in_order(wanted: Sequence[Any], made: Sequence[Event], whole: bool) -> Verdict:
    rest = list(made)
    for call in wanted:
        found = _find(call, rest, whole)
        if found is None:
            return Verdict(False, _not_made(call, rest, whole) + (" after the calls before it" if rest else ""))
        rest = rest[rest.index(found) + 1 :]
    return Verdict(True, "the calls were made in this order")


def _exactly(wanted: Sequence[Any], made: Sequence[Event], tools: Any, whole: bool) -> Verdict:
    names = {_name(call) for call in wanted}
    if tools is not None:
        names |= {tools} if isinstance(tools, str) else set(tools)
    writes = [
        event
        for event in made
        if event.call and (event.call.name in names or (tools is None and not _only_reads(event.call)))
    ]
    left = list(writes)
    for call in wanted:
        found = _find(call, left, whole)
        if found is None:
            return Verdict(False, _not_made(call, left, whole))
        left.remove(found)
    if left:
        assert left[0].call is not None
        return _shows(False, f"a further call was made: {left[0].call.name}({shown(left[0].call.arguments)})", left[0])
    count = len(writes)
    return Verdict(True, f"exactly {'this call was' if count == 1 else f'these {count} calls were'} made")


def _only_reads(call: ToolCall) -> bool:
    return bool(_TALKS.search(call.name)) or only_looks(call)


def _succeeded(call: ToolCall) -> bool:
    return not call.failed and not (call.result is not None and _ERROR.match(call.result))


def _find(wanted: Any, made: Sequence[Event], whole: bool) -> Event | None:
    return next((event for event in made if event.call and not _difference(wanted, event.call, whole)), None)


def _difference(wanted: Any, call: ToolCall, whole: bool) -> str:
    if call.name != _name(wanted):
        return f"the tool is {call.name}"
    if isinstance(wanted, str) or "arguments" not in wanted:
        return ""
    given = call.arguments if isinstance(call.arguments, Mapping) else {}
    return differs(wanted["arguments"], given, whole=whole)


def _not_made(wanted: Any, made: Sequence[Event], whole: bool) -> str:
    """That a call is missing, and what came closest to it."""
    name = _name(wanted)
    alike = [event.call for event in made if event.call and event.call.name == name]
    if not alike:
        return f"{name} was not called"
    return f"{name} was called, but {_difference(wanted, alike[-1], whole)}"


def _name(call: Any) -> str:
    return call if isinstance(call, str) else str(call["name"])


def _shows(met: bool, message: str, event: Event | None) -> Verdict:
    if event is None or event.call is None:
        return Verdict(met, message)
    return Verdict(met, message, event.call.name, place=event.place)
