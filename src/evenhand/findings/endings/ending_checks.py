"""The checks that compare the answer with how things ended. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.core.finding import Ended, Place, Severity
from evenhand.findings.endings.answered import Said, said
from evenhand.findings.endings.endings_table import Ending, endings
from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Subject

CONTRADICTED: Final = "contradicted-claim"
UNMENTIONED: Final = "unmentioned-failure"
UNSUPPORTED: Final = "unsupported-claim"
UNCALLED: Final = "claim-without-calls"


@check(
    CONTRADICTED,
    "correctness",
    sees="A sentence of the answer that sounds as if something were done that failed, was refused, timed out or was "
    "held"
    " back, and a count that no result shows. The sentence and the event stand side by side.",
    severity="Critical: the reader believes in something that did not happen.",
    example="`All tests pass.`, and the last run ends with `1 failed, 11 passed`.",
    whole=True,
    most=5,
    points=True,
)
def contradicted_claim(subject: Subject) -> Iterator[Finding]:
    """Each claim that an event contradicts."""
    yield from _findings(subject, "contradicted", CONTRADICTED, "critical")


@check(
    UNMENTIONED,
    "completeness",
    sees="Something that ended badly and that the answer does not mention, though it sounds done.",
    severity="Minor, a note: the answer may be about something else.",
    example="`I renamed the helper.`, and the last run ends with `1 failed, 11 passed`.",
    whole=True,
    most=3,
)
def unmentioned_failure(subject: Subject) -> Iterator[Finding]:
    """Each failure that the answer leaves out."""
    yield from _findings(subject, "not mentioned", UNMENTIONED, "minor")


@check(
    UNSUPPORTED,
    "correctness",
    sees="A claim to have done something of a kind that no call in the transcript has to do with.",
    severity="Minor, a note: it may have been done where the transcript does not look.",
    example="`I sent the invitation.`, and the only calls are `search_contacts` and `get_calendar`.",
    whole=True,
    most=1,
)
def unsupported_claim(subject: Subject) -> Iterator[Finding]:
    """The first claim that nothing in the transcript bears out."""
    if subject.calls:
        yield from _findings(subject, "unsupported", UNSUPPORTED, "minor")


@check(
    UNCALLED,
    "correctness",
    sees="A claim to have done something in a run in which tools were offered and none was called.",
    severity="Critical: nothing happened at all.",
    example="`I cancelled the order.`, in a run whose log offers `cancel_order` and has no call.",
    whole=True,
    most=1,
    points=True,
)
def claim_without_calls(subject: Subject) -> Iterator[Finding]:
    """The first claim of a run that called nothing."""
    if not subject.calls and subject.submission.tools:
        yield from _findings(subject, "unsupported", UNCALLED, "critical")


MOST: Final = 200
"""Things of one transcript that are listed."""


def as_published(subject: Subject) -> tuple[Ended, ...]:
    """The table as a scorecard holds it: the last of the things, where there are many."""
    return tuple(
        Ended(ending.kind, ending.what, ending.outcome, ending.line, _place(ending), ending.open)
        for ending in endings(subject)[-MOST:]
    )


def _findings(subject: Subject, verdict: str, id: str, severity: Severity) -> Iterator[Finding]:
    dimension = "completeness" if id == UNMENTIONED else "correctness"
    for item in said(subject):
        if item.verdict != verdict:
            continue
        quote, place = (
            (item.words, None) if item.words else (item.ending.line if item.ending else "", _place(item.ending))
        )
        event, shown_at = "", None
        if item.ending is not None and item.words:
            event, shown_at = item.ending.line or item.ending.what, _place(item.ending)
        yield Finding(
            id,
            dimension,
            severity,
            _message(item, id),
            quote,
            place,
            item.offset if place is None else None,
            shown=event,
            shown_at=shown_at,
        )


def _message(item: Said, id: str) -> str:
    message = item.message.rstrip(".")
    if id == CONTRADICTED:
        return f"The transcript contradicts it: {message[:1].lower()}{message[1:]}."
    if id == UNMENTIONED:
        return f"The answer does not mention it: {message[:1].lower()}{message[1:]}."
    return "The output claims this was done, and the run called no tool at all." if id == UNCALLED else f"{message}."


def _place(ending: Ending | None) -> Place | None:
    if ending is None:
        return None
    call = ending.event.call
    return (call.result_place if call else None) or ending.event.place


CHECKS = (contradicted_claim, unmentioned_failure, unsupported_claim, claim_without_calls)
