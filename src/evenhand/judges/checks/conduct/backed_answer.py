"""A short answer beside what the tools brought back: it stands there, or the search failed and it stands nowhere. Pure.

Only answers of a few words that hold something to look for are compared; a longer text puts things in its own words,
and a number may be worked out. So an answer that stands nowhere is a fault only after a search that says it failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import ToolCall
from evenhand.judges.checks.facts.brought_back import OWNED_UP, arguments_text, brought_back
from evenhand.judges.checks.finding import Check, Finding
from evenhand.judges.checks.subject import Subject

BACKED: Final = "backed-answer"
UNBACKED: Final = "unbacked-answer"
LONGEST: Final = 8
"""Words of an answer that can be looked for as it stands."""

_LABEL = late_pattern(r"^\W*(?:(?:the )?(?:final )?answer(?: is)?|result)\s*[:=-]?\s*", re.I)
_NOT_FOUND = late_pattern(
    r"\b(?:unable to (?:locate|find|determine|access|retrieve|verify)"
    r"|(?:could not|couldn't) (?:be )?(?:locate|find|found|determine|access|retrieve|verif)\w*"
    r"|was not found|no results found|encountered an issue|did not (?:find|return))\b",
    re.I,
)


def _answer(subject: Subject) -> str:
    """The answer without its label; empty when it is long, or holds nothing distinctive."""
    text = _LABEL.sub("", subject.output.strip()).strip(" .*_`\"'")
    words = re.findall(r"[^\W_]+", text)
    enough = len(text) >= 4 and (len(words) > 1 or len(text) >= 5 or not text.isalpha())
    return text if 0 < len(words) <= LONGEST and "\n" not in text and enough else ""


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def backed_answer(subject: Subject) -> Iterator[Finding]:
    """Whether a short answer stands in what was brought back before the agent said it."""
    answer = _folded(_answer(subject))
    if not answer or _holds(subject.task, answer) or OWNED_UP.search(subject.output):
        return
    found = _found(subject, answer)
    if found:
        says = "The answer stands in what a tool brought back, before the agent said it."
        yield Finding(BACKED, "correctness", None, says, _line(found.result or "", answer), found.result_place)
        return
    brought = [(event, text) for event in subject.calls if event.call and (text := brought_back(event.call))]
    last = next(((event, text) for event, text in reversed(brought) if not event.agent), None)
    match = _NOT_FOUND.search(last[1][:2000]) if last else None
    if last and match and not any(_holds(text, answer) for _, text in brought):
        says = "The last search says that it found nothing, and the answer stands in nothing that was brought back."
        line = last[1][last[1].rfind("\n", 0, match.start()) + 1 :].partition("\n")[0].strip()
        place = (last[0].call.result_place if last[0].call else None) or last[0].place
        yield Finding(UNBACKED, "correctness", "major", says, line[:200], place)


def _holds(text: str, answer: str) -> bool:
    return f" {answer} " in f" {_folded(text)} "


def _found(subject: Subject, answer: str) -> ToolCall | None:
    """The call that brought the answer back; None when the agent named it first, or nothing did."""
    for event in subject.events:
        if event.call is None:
            if event.role == "assistant" and _holds(event.text, answer):
                return None
        elif _holds(arguments_text(event.call.arguments), answer):
            return None
        elif _holds(brought_back(event.call), answer):
            return event.call._replace(result_place=event.call.result_place or event.place)
    return None


def _line(text: str, answer: str) -> str:
    return next((line.strip()[:200] for line in text.splitlines() if f" {answer} " in f" {_folded(line)} "), "")


def _only(subject: Subject, id: str) -> Iterator[Finding]:
    return (finding for finding in backed_answer(subject) if finding.check == id)


CHECKS: tuple[Check, ...] = (
    Check(
        id=BACKED,
        dimensions=("correctness",),
        sees="An answer of a few words that stands, word for word, in what a tool brought before the agent said it.",
        severity="+0.75: the answer was found and not made up; whether it is the right one nobody has read.",
        example="`FINAL ANSWER: 80GSFC21M0002`, and a page that was opened holds `award number 80GSFC21M0002`.",
        run=lambda subject: _only(subject, BACKED),
    ),
    Check(
        id=UNBACKED,
        dimensions=("correctness",),
        sees="An answer of a few words that stands in no result, where the last search says that it found nothing.",
        severity="Major: it was not found, so it was made up or guessed, and the answer does not say so.",
        example="`FINAL ANSWER: 1325` after a last result `I was unable to locate the test details.`",
        run=lambda subject: _only(subject, UNBACKED),
    ),
)
