"""Tool calls that were repeated needlessly. Pure.

A call is a repetition only when it looks at something or is a command, the same agent made it with the same arguments
in the same turn, nothing that could change its answer happened in between, and the answer was the same. Waiting,
polling and thinking are left alone. Calls that failed the same way are reported once, as the same failure, also when
the user confirmed them in between: nothing but a change, a passing fault or the wish to try again makes a call worth
repeating.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from evenhand.core.finding import Severity
from evenhand.findings.conduct.malformed_calls import rejection
from evenhand.findings.endings.effects import may_change
from evenhand.findings.facts.calls import ends_or_thinks, only_looks, reads_file, tries
from evenhand.findings.facts.requests import requests
from evenhand.findings.facts.shell import text_of
from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, ToolCall

REPEATED: Final = "repeated-call"
FAILED_AGAIN: Final = "repeated-failure"
FEWEST_FAILURES: Final = 3

_COMPACTED = re.compile(
    r"continued from a previous (?:conversation|session)|ran out of context"
    r"|\b(?:conversation|context|history|session)\b.{0,40}\b(?:compact|condens|summari[sz]|truncat)\w+"
    r"|\b(?:compact|condens|summari[sz]|truncat)\w+\b.{0,30}\b(?:conversation|context|history|session)\b",
    re.I,
)
_STEMS = ("compact", "condens", "summari", "truncat", "continued from", "out of context")
"""One of these is in every text that `_COMPACTED` matches."""
_FORGOTTEN = 200_000
"""Characters of results after which an earlier one may no longer be in the model's context."""
_START = 300
"""Characters of a call's key that show whether it waits."""
_LONG = 200
"""Characters from which on the text of a call is kept as a hash."""
_PASSING = re.compile(
    r"time[d-]? ?out|temporar\w+|rate.?limit|too many requests|try again later|unavailable|overloaded"
    r"|\b(?:429|502|503|504)\b"
    r"|connection (?:reset|refused|aborted|error)|locked|busy|network|(?:failed|unable|not able) to connect"
    r"|could(?: not|n['\u2019]t) connect|unreachable|not ready|starting up",
    re.I,
)
_AS_JSON = json.JSONEncoder(sort_keys=True, default=str).encode
_SLEEPS = re.compile(r"\b(?:sleep|wait)\b", re.I)
_MAY_DIFFER = re.compile(
    r"wait|sleep|poll|yield|status|output|progress|tail|watch|heartbeat|logs?\b|health"
    r"|\b(?:ps|kubectl get|squeue|qstat|nvidia-smi|gh run|jobs|ping)\b"
    r"|(?<![a-z])(?:next|prev(?:ious)?|random|sample|screenshot|snapshot)(?![a-z])",
    re.I,
)
"""At the start of a call that waits for something, or that shows something else each time."""
_READ_AGAIN = re.compile(
    r"\bread it (?:again|first)\b|has (?:not|n['\u2019]t) been read|modified since (?:it was )?(?:last )?read", re.I
)
"""A tool that edits only what was just read refuses, and asks for another reading."""


_SHORT: Final = 1000
"""Characters of a user's message, or of a result, that say such a thing; a longer one is a document."""
_GOING_ON = re.compile(
    r"\b(?:running|queued|in[_ -]?progress|processing|starting|waiting|building|pending|submitted|scheduled"
    r"|provisioning|not (?:yet )?(?:ready|finished))\b",
    re.I,
)
"""In a short result, that something is not finished yet, so that asking again is waiting."""
_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|multiple|many|a few|a couple of)"
_ASKED = re.compile(
    rf"\b{_NUMBER} times\b|\btwice\b|\bflak(?:y|iness)\b|\brepeatedly\b|\bin a loop\b|\bevery (?:\d+ )?(?:seconds?"
    rf"|minutes?)\b"
    r"|\bkeep (?:on )?(?:checking|trying|polling|retrying)\b|\b(?:poll|monitor)\b|\bwait (?:for|until|till)\b"
    r"|\b(?:check|try|retry|run|repeat)\b[^.?!\n]{0,60}\buntil\b"
    r"|\b(?:when|once|as soon as)\b(?:[^.?!\n]|\.(?=\w)){1,40}\b(?:up|there|done|ready|finished|complete[ds]?"
    r"|available|online)\b",
    re.I,
)
_TRY_AGAIN = re.compile(
    r"\b(?:re-?try|re-?run)\b|\b(?:try|run|do|test|check|attempt)\b[^.?!\n]{0,30}\b(?:again|once more|one more time)\b"
    r"|\bI(?:['\u2019]ve| have)?(?: \w+){0,2} (?:fixed|changed|restarted|updated|reset|installed|corrected|enabled"
    r"|granted"
    r"|started|unlocked|freed)\b",
    re.I,
)


@lru_cache(maxsize=1)
def asks_for_repetition(subject: Subject) -> bool:
    """Whether the user asks to do something several times, or to wait for something."""
    return any(len(text) <= _SHORT and _ASKED.search(text) for text in requests(subject))


def asks_to_retry(message: str) -> bool:
    """Whether a user's message asks for another try, or tells of a change that makes one worth it."""
    return len(message) <= _SHORT and _TRY_AGAIN.search(message) is not None


_LONGEST: Final = 5000
"""Characters of an error message; a longer text may only mention one."""

_OF_THE_MODEL = re.compile(
    r"\blitellm\b|\b(?:openai|anthropic|google\.genai|mistralai)\.\w*(?:Error|Exception)|\boverloaded(?:_error)?\b"
    r"|\bAPI Error: (?:4|5)\d\d\b|\bAPI Error\b.{0,80}\b(?:connection|timed? ?out|overload)"
    r"|\b(?:AgentGenerationError|error in generating model output|context_length_exceeded|maximum context length"
    r"|insufficient_quota|prompt is too long|rate_limit_error|model_not_found|content_policy_violation)\b",
    re.I,
)


def is_model_error(text: str) -> bool:
    """Whether an error message comes from the model's service rather than from a tool."""
    return len(text) <= _LONGEST and _OF_THE_MODEL.search(text) is not None


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
    return any(map(text.lower().__contains__, _STEMS)) and _COMPACTED.search(text) is not None


def _repeated(turn: list[Event]) -> Iterator[tuple[Event, int]]:
    """The calls of a turn that were made again for nothing, each with how often it was made."""
    keys = [_quick_key(event) for event in turn]
    again = {key for key, number in Counter(keys).items() if number > 1}
    if not again:
        return
    changes, read, refused = 0, 0, 0
    last_change: object = ""
    same: dict[tuple[object, int, int], list[tuple[Event, ToolCall]]] = {}
    for event, key in zip(turn, keys, strict=True):
        call = event.call
        if call is None or not call.name:
            continue
        read += len(call.result or "")
        refused += call.failed and _READ_AGAIN.search((call.result or "")[:_START]) is not None
        if key != last_change and _may_change(call):
            changes, last_change = changes + 1, key
        if key in again and call.result is not None:
            reading = reads_file(call.name) and not call.failed  # the same text again: nothing had changed
            when = (-1 if reading else changes, read // _FORGOTTEN + refused)
            if call.arguments is not None and _is_known(call) and not is_model_error(call.result):
                same.setdefault((key, *when), []).append((event, call))
    for calls in same.values():
        if len(calls) < 2 or any(_is_meant(event, call) for event, call in calls):
            continue
        times = sum(call.result == calls[0][1].result and not call.failed for _, call in calls)
        if times > 1:
            yield calls[-1][0], times


def _is_meant(event: Event, call: ToolCall) -> bool:
    """Whether making the call again has a reason."""
    result = call.result or ""
    tried_later = len(result) <= _START and _PASSING.search(result) is not None
    goes_on = len(result) <= _START and _GOING_ON.search(result) is not None
    return tried_later or goes_on or _MAY_DIFFER.search(_key_start(event)) is not None


def _is_known(call: ToolCall) -> bool:
    """Whether making a call again can be known to do nothing more: it only looks, or is a command."""
    return (only_looks(call) or text_of(call)[0] is not None) and not ends_or_thinks(call.name)


def _may_change(call: ToolCall) -> bool:
    """Whether a call may have changed what another one returns."""
    return not only_looks(call) and rejection(call) is None and not ends_or_thinks(call.name)


def _failures(subject: Subject) -> Iterator[tuple[Event, int]]:
    """The calls that failed three times or more in the same way, with nothing changed in between, and how often."""
    failed = Counter(_quick_key(event) for event in subject.calls if event.call and event.call.failed)
    if max(failed.values(), default=0) < FEWEST_FAILURES:
        return
    changes = 0
    same: dict[str | bytes, list[Event]] = {}
    for event in subject.events:
        call = event.call
        if call is None:
            changes += event.role == "user" and event.kind == "message" and asks_to_retry(event.text)
        elif not call.failed:
            changes += may_change(call)
        elif _SLEEPS.search(_key_start(event)):
            continue
        elif call.name and call.arguments is not None and call.result and not _passing(call.result):
            alike = f"{changes}\0{event.agent}\0{_key(event)}\0{call.result[:300]}"
            same.setdefault(_short(alike), []).append(event)
    for events in same.values():
        if tries(subject, events) >= FEWEST_FAILURES:
            yield events[-1], len(events)


def _passing(result: str) -> bool:
    """Whether an error may go away on its own, or is the model's own service's."""
    return is_model_error(result) or _PASSING.search(result[:2000]) is not None


def _key(event: Event) -> str:
    """A call with its arguments as text."""
    call = event.call
    return f"{call.name} {_AS_JSON(call.arguments)}" if call else ""


def _key_start(event: Event) -> str:
    """The first characters of a call's key. Of one argument that is a text, as of a shell, only they are written."""
    call = event.call
    if call is not None and type(call.arguments) is dict and len(call.arguments) == 1:
        ((name, value),) = call.arguments.items()
        if type(value) is str:
            return f"{call.name} {_AS_JSON({name: value[:_START]})}"[:_START]
    return _key(event)[:_START]


def _quick_key(event: Event) -> object:
    """What equal calls share. One argument that is a text, as of a shell, is not written as JSON."""
    call = event.call
    if call is not None and type(call.arguments) is dict and len(call.arguments) == 1:
        ((name, value),) = call.arguments.items()
        if type(value) is str:
            return call.name, name, value
    return _short(_key(event))


def _short(key: str) -> str | bytes:
    """A hash in place of a long key: together the texts of written files would fill the memory once more."""
    return key if len(key) < _LONG else blake2b(key.encode(errors="surrogatepass"), digest_size=20).digest()


def _quote(event: Event) -> str:
    """Words of the call that can be found in the transcript."""
    call = event.call
    arguments = call.arguments if call else ""
    texts = arguments.values() if isinstance(arguments, Mapping) else (arguments,)
    lines = [text.strip().splitlines()[0] for text in texts if isinstance(text, str) and text.strip()]
    return (lines[0] if lines else call.name if call else "")[:200]


def _finding(id: str, severity: Severity, message: str, event: Event) -> Finding:
    return Finding(id, "efficiency", severity, message, _quote(event), event.place)


@check(
    REPEATED,
    "efficiency",
    sees="Tool calls made again with the same arguments and the same answer, files read again unchanged.",
    severity="Minor up to five repetitions; major beyond that.",
    example="Read src/app.py, and later in the same turn Read src/app.py, with the same text both times",
    whole=True,
    points=True,
)
def repeated_calls(subject: Subject) -> Iterator[Finding]:
    """The three calls that were repeated most often."""
    repetitions = [again for turn in _turns(subject) for again in _repeated(turn)]
    if repetitions and asks_for_repetition(subject):
        return
    for event, times in sorted(repetitions, key=lambda again: -again[1])[:3]:
        often = "twice" if times == 2 else f"{times} times"
        message = f"The same `{_name(event)}` call was made {often} and returned the same result."
        yield _finding(REPEATED, "minor" if times < 7 else "major", message, event)


@check(
    FAILED_AGAIN,
    "efficiency",
    sees="The same tool call failing three times or more with the same error, and nothing changed in between.",
    severity="Major: a call that was refused is refused again.",
    example="Three calls of `book_reservation` with the same arguments, each `Error: payment amount does not add up`",
    whole=True,
    most=3,
    points=True,
)
def repeated_failures(subject: Subject) -> Iterator[Finding]:
    """The calls that failed most often."""
    failures = list(_failures(subject))
    if failures and asks_for_repetition(subject):
        return
    for event, times in sorted(failures, key=lambda again: -again[1]):
        message = f"The same `{_name(event)}` call failed {times} times with nothing changed in between."
        yield _finding(FAILED_AGAIN, "major", message, event)


def _name(event: Event) -> str:
    return event.call.name if event.call else ""


CHECKS = (repeated_calls, repeated_failures)
