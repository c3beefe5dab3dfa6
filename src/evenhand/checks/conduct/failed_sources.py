"""Sources that an output cites although every attempt to fetch them failed. Pure.

A source counts as failed only when calls named its very address, all of them failed, and no other result mentions it:
a page that a search listed, or that the user named, may be cited. An output that admits the failure is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.facts.actions.shell import request_text
from evenhand.checks.facts.brought_back import OWNED_UP, arguments_text
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import Event

ID: Final = "failed-source"

_ADDRESS = late_pattern(r"https?://[^\s<>\"'`)\]}|]+")
_FAILED = late_pattern(
    r"\s*(?:\W*(?:error|failed|failure|http error|request failed|fetch failed|access denied|forbidden|not found"
    r"|timed out)\b"
    r"|(?:http(?:/\d\.\d)? ?)?(?:status(?: code)?:? ?)?(?:40[0134]|429|5\d\d)\b)",
    re.I,
)
_ADMITTED = late_pattern(
    r"\b(?:fail\w*|unavailable|inaccessible|not (?:accessible|available|reachable)|40[34])\b", re.I
)


@check(
    ID,
    "correctness",
    sees="A cited web address that calls tried to fetch, all in vain, and that no other result mentions.",
    severity="Major, three at most: nobody in the run has seen what the source says.",
    example="`Source: https://example.org/report` after a fetch of that page that returned `HTTP 404`.",
    whole=True,
    most=3,
)
def failed_source(subject: Subject) -> Iterator[Finding]:
    """The addresses that are cited and could not be fetched."""
    if not subject.calls or "://" not in subject.output:
        return
    if OWNED_UP.search(subject.output) or _ADMITTED.search(subject.output):
        return
    wanted = request_text(subject)
    fetched = _fetched(subject)
    seen: set[str] = set()
    for match in _ADDRESS.finditer(subject.output):
        address = match[0].rstrip(".,;:!?*_")
        key = _key(address)
        if key in seen or key in wanted:
            continue
        seen.add(key)
        tried = fetched.get(key, [])
        # Another result that has the address may have returned its content.
        others = [event.call.result or "" for event in subject.calls if event.call and event not in tried]
        if tried and all(map(_did_fail, tried)) and not any(key in result.lower() for result in others):
            message = "The output cites this source, but every attempt to fetch it failed."
            yield Finding(ID, "correctness", "major", message, address[:200], offset=match.start())


def _key(address: str) -> str:
    """What two ways of writing one address have in common."""
    return re.sub(r"^https?://(?:www\.)?|[#?].*$|/+$", "", address.lower()).rstrip("/")


def _fetched(subject: Subject) -> dict[str, list[Event]]:
    """The calls that name each address."""
    fetched: dict[str, list[Event]] = {}
    for event in subject.calls:
        arguments = arguments_text(event.call.arguments) if event.call else ""
        for key in {_key(address.rstrip(".,;:!?*_")) for address in _ADDRESS.findall(arguments)}:
            fetched.setdefault(key, []).append(event)
    return fetched


def _did_fail(event: Event) -> bool:
    call = event.call
    return call is not None and call.result is not None and (call.failed or _FAILED.match(call.result) is not None)


CHECKS = (failed_source,)
