"""A short answer compared with what the tools returned: it is there, or the search failed and it is nowhere. Pure.

Only answers of a few words that hold something to look for are compared; a longer text puts things in its own words,
and a number may be worked out. So an answer found nowhere is a fault only after a search that says it failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.facts.brought_back import OWNED_UP, arguments_text, brought_back
from evenhand.checks.facts.short_answers import folded, holds, short_answer
from evenhand.checks.finding import Check, Finding
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import ToolCall

BACKED: Final = "backed-answer"
UNBACKED: Final = "unbacked-answer"

_NOT_FOUND = late_pattern(
    r"\b(?:unable to (?:locate|find|determine|access|retrieve|verify)"
    r"|(?:could not|couldn't) (?:be )?(?:locate|find|found|determine|access|retrieve|verif)\w*"
    r"|was not found|no results found|encountered an issue|did not (?:find|return))\b",
    re.I,
)


def backed_answer(subject: Subject) -> Iterator[Finding]:
    """Whether a short answer is in what was returned before the agent gave it."""
    answer = folded(short_answer(subject))
    if not answer or holds(subject.task, answer) or OWNED_UP.search(subject.output):
        return
    source = _source_of(subject, answer)
    if source:
        message = "A tool returned this answer before the agent gave it."
        yield Finding(BACKED, "correctness", None, message, _line(source.result or "", answer), source.result_place)
        return
    brought = [(event, text) for event in subject.calls if event.call and (text := brought_back(event.call))]
    last = next(((event, text) for event, text in reversed(brought) if not event.agent), None)
    match = _NOT_FOUND.search(last[1][:2000]) if last else None
    if last and match and not any(holds(text, answer) for _, text in brought):
        message = "The last search found nothing, and no tool result contains the answer."
        line = last[1][last[1].rfind("\n", 0, match.start()) + 1 :].partition("\n")[0].strip()
        place = (last[0].call.result_place if last[0].call else None) or last[0].place
        yield Finding(UNBACKED, "correctness", "major", message, line[:200], place)


def _source_of(subject: Subject, answer: str) -> ToolCall | None:
    """The call that brought the answer back; None when the agent named it first, or nothing did."""
    for event in subject.events:
        if event.call is None:
            if event.role == "assistant" and holds(event.text, answer):
                return None
        elif holds(arguments_text(event.call.arguments), answer):
            return None
        elif holds(brought_back(event.call), answer):
            return event.call._replace(result_place=event.call.result_place or event.place)
    return None


def _line(text: str, answer: str) -> str:
    return next((line.strip()[:200] for line in text.splitlines() if f" {answer} " in f" {folded(line)} "), "")


def _only(subject: Subject, id: str) -> Iterator[Finding]:
    return (finding for finding in backed_answer(subject) if finding.check == id)


CHECKS: tuple[Check, ...] = (
    Check(
        id=BACKED,
        dimensions=("correctness",),
        sees="An answer of a few words that a tool returned, word for word, before the agent gave it.",
        severity="Never a fault: it shows that the answer was found, not that it is right.",
        example="`FINAL ANSWER: 80GSFC21M0002`, and a page that was opened holds `award number 80GSFC21M0002`.",
        run=lambda subject: _only(subject, BACKED),
    ),
    Check(
        id=UNBACKED,
        dimensions=("correctness",),
        sees="An answer of a few words that is in no tool result, when the last search says that it found nothing.",
        severity="Major: the answer was guessed, and the output does not say so.",
        example="`FINAL ANSWER: 1325` after a last result `I was unable to locate the test details.`",
        run=lambda subject: _only(subject, UNBACKED),
        whole=True,
    ),
)
