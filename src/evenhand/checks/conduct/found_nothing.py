"""A definite answer right after the agent itself said that it found nothing. Pure.

Only a short answer counts, one that is in no tool result and not in the task, given without a word of doubt, when
nothing was looked up between the admission and the answer. An answer that reports the failure is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.facts.brought_back import OWNED_UP, brought_back
from evenhand.checks.facts.short_answers import folded, holds, short_answer
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import Event

ID: Final = "answer-after-nothing"

_NOTHING = late_pattern(
    r"\b(?:I|we) (?:could not|couldn't|was unable to|were unable to|was not able to|did not|didn't|have not|haven't"
    r"|cannot|can't) (?:\w+ )?(?:find|found|locate|located|retrieve|retrieved|determine|access|obtain)\b"
    r"|\b(?:search|searches|query|lookup|tool)(?: results?)? (?:did not|didn't) (?:return|yield|provide|find)\b"
    r"|\bno (?:relevant |useful |matching )?(?:results?|information|data|records?) (?:was|were|could be) found\b"
    r"|\bfound (?:nothing|no (?:relevant |useful |matching )?(?:results?|information|data|records?))\b",
    re.I,
)
_NO_ANSWER = late_pattern(r"\b(?:none|nothing|unknown|n/?a|no|not|undetermined|unavailable|zero|0)\b|n't\b|\?", re.I)
_LONGEST: Final = 20_000


@check(
    ID,
    "correctness",
    sees="A short, definite answer that no tool returned, right after the agent says that it found nothing.",
    severity="Major: the answer was guessed, and the output does not say so.",
    example="`I could not find the paper.` and then `FINAL ANSWER: 3.1.3.1`.",
    whole=True,
)
def answer_after_nothing(subject: Subject) -> Iterator[Finding]:
    """The admission, when a definite answer follows it."""
    answer = folded(short_answer(subject))
    if not answer or not subject.calls or _NO_ANSWER.search(answer) or OWNED_UP.search(subject.output):
        return
    if holds(subject.task, answer) or any(holds(text, answer) for text in _returned(subject)):
        return
    admission = _admission(subject)
    if admission is not None:
        event, line = admission
        message = "The agent says that it found nothing, and then gives a definite answer that no tool returned."
        yield Finding(ID, "correctness", "major", message, line, event.place)


def _returned(subject: Subject) -> Iterator[str]:
    return (brought_back(event.call) for event in subject.calls if event.call)


def _admission(subject: Subject) -> tuple[Event, str] | None:
    """The last thing the main agent said before its answer, when it says that nothing was found."""
    for event in reversed(subject.events):
        if event.agent or event.text.strip() == subject.output.strip():
            continue
        if event.call is not None:
            if brought_back(event.call):
                return None
        elif event.role == "user":
            return None
        elif event.role == "assistant" and event.text.strip():
            match = _NOTHING.search(event.text[:_LONGEST])
            if match is None:
                return None
            start = event.text.rfind("\n", 0, match.start()) + 1
            return event, event.text[max(start, match.start() - 100) :].partition("\n")[0].strip()[:200]
    return None


CHECKS = (answer_after_nothing,)
