"""Tool calls that were repeated needlessly. Pure.

A call is a repetition only when the same agent made it with the same arguments in the same turn, nothing that could
change its answer happened in between, and the answer was the same. Waiting and polling are left alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from evenhand.checks.conduct.malformed_calls import REFUSED
from evenhand.checks.facts.looking import in_words, only_looks, reads_file
from evenhand.checks.facts.model_errors import is_model_error
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.finding import Severity
from evenhand.core.values.submission import Event, ToolCall

_COMPACTED = late_pattern(
    r"continued from a previous (?:conversation|session)|ran out of context"
    r"|\b(?:conversation|context|history|session)\b.{0,40}\b(?:compact|condens|summari[sz]|truncat)\w+"
    r"|\b(?:compact|condens|summari[sz]|truncat)\w+\b.{0,30}\b(?:conversation|context|history|session)\b",
    re.I,
)
_STEMS = ("compact", "condens", "summari", "truncat", "continued from", "out of context")
"""One of these is in every text that `_COMPACTED` matches."""
_FORGOTTEN = 200_000
"""Characters of results after which an earlier one may no longer be in the model's context."""
_WRITES_FILE = late_pattern(r"(?:^|_)(?:edit|write|patch|replace|create|insert|update)(?:_|$)", re.I)
_WAITS = late_pattern(r"wait|sleep|poll|yield|status|output|progress|tail|watch|\bps\b|heartbeat|logs?\b", re.I)


class _Again(NamedTuple):
    """A call, and how often it was repeated needlessly."""

    event: Event
    times: int
    failing: bool


def _turns(subject: Subject) -> Iterator[list[Event]]:
    """The calls of each agent between two messages of the user, or until its context was compacted."""
    by_agent: dict[str, list[Event]] = {}
    for event in subject.events:
        if event.call is not None:
            by_agent.setdefault(event.agent, []).append(event)
        elif event.role == "user" and event.kind == "message" and not event.agent:
            yield from by_agent.values()
            by_agent = {}
        elif event.agent in by_agent and _compacted(event.text[:2000]):
            yield by_agent.pop(event.agent)
    yield from by_agent.values()


def _compacted(text: str) -> bool:
    """Whether a text says that the context was compacted. A few stems rule most texts out, many times as fast."""
    lower = text.lower()
    return any(stem in lower for stem in _STEMS) and _COMPACTED.search(text) is not None


def _repeated(turn: list[Event]) -> Iterator[_Again]:
    keys = [_key(event) for event in turn]
    again = {key for key, number in Counter(keys).items() if number > 1}
    if not again:
        return
    changes, last_change, read = 0, "", 0
    same: dict[tuple[str, int, int], list[tuple[Event, ToolCall]]] = {}
    for event, key in zip(turn, keys, strict=True):
        call = event.call
        if call is None or not call.name:
            continue
        read += len(call.result or "")
        if key != last_change and not only_looks(call) and not _rejected(call):
            changes, last_change = changes + 1, key
        if key in again and call.result is not None and not _WAITS.search(key[:300]):
            reading = reads_file(call.name) and not call.failed  # the same text again: nothing had changed
            when = (-1 if reading else changes, read // _FORGOTTEN)
            if not is_model_error(call.result) and not _may_differ(call):
                same.setdefault((key, *when), []).append((event, call))
    for calls in same.values():
        failing = all(call.failed for _, call in calls)
        times = len(calls) if failing else sum(call.result == calls[0][1].result for _, call in calls)
        if times > (2 if failing else 1):
            yield _Again(calls[-1][0], times - 1, failing)


def _may_differ(call: ToolCall) -> bool:
    """Whether a repetition may have done something new: the arguments are not recorded, or it wrote to a file."""
    writes = bool(_WRITES_FILE.search(in_words(call.name)))
    if not isinstance(call.arguments, Mapping):
        return call.arguments is None
    return writes and (not call.failed or len(call.arguments) < 2)


def _rejected(call: ToolCall) -> bool:
    """Whether a call was rejected for its form, and so changed nothing."""
    return call.failed and bool(REFUSED.search((call.result or "")[:3000]))


def _key(event: Event) -> str:
    call = event.call
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}" if call else ""


def _quote(event: Event) -> str:
    """Words of the call that can be found in the transcript."""
    call = event.call
    arguments = call.arguments if call else ""
    texts = arguments.values() if isinstance(arguments, Mapping) else (arguments,)
    lines = [text.strip().splitlines()[0] for text in texts if isinstance(text, str) and text.strip()]
    return (lines[0] if lines else call.name if call else "")[:200]


def _finding(again: _Again) -> Finding:
    name = again.event.call.name if again.event.call else ""
    if again.failing:
        severity: Severity = "major"
        message = f"The same `{name}` call failed {again.times + 1} times with nothing changed in between."
    else:
        severity = "minor" if again.times < 6 else "major"
        often = "twice" if again.times == 1 else f"{again.times + 1} times"
        message = f"The same `{name}` call was made {often} and returned the same result."
    return Finding("repeated-call", "efficiency", severity, message, _quote(again.event), again.event.place)


@check(
    "repeated-call",
    "efficiency",
    sees="Tool calls made again with the same arguments and answer, files read again unchanged, blind retries.",
    severity="Minor up to five repetitions; major beyond that, or when the same call fails three times.",
    example="Read src/app.py, and later in the same turn Read src/app.py, with the same text both times",
    whole=True,
)
def _repeated_calls(subject: Subject) -> Iterator[Finding]:
    repetitions = [again for turn in _turns(subject) for again in _repeated(turn)]
    repetitions.sort(key=lambda again: (not again.failing, -again.times))
    yield from islice(map(_finding, repetitions), 3)
    if len(subject.calls) > 1 and not repetitions:
        yield Finding(
            "repeated-call",
            "efficiency",
            None,
            f"Looked at {len(subject.calls)} tool calls: none was repeated needlessly.",
        )


CHECKS = (_repeated_calls,)
