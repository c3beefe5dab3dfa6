"""Constants that code presents as found, and that nothing in the transcript contains. Pure.

Only a value with a comment beside it that claims a source ("as found in the report") counts, and only when neither the
task nor a user, a system message or a tool result up to then has it. A comment that says it is assumed is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evenhand.checks.facts.short_answers import folded
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import Event

ID: Final = "invented-fact"

_SOURCE = (
    r"(?:search(?: results?)?|sources?|web ?(?:site|page)s?|pages?|articles?|papers?|reports?|database|data|documents?"
    r"|wikipedia|records?|table|video|transcript|literature|statistics|study|studies|census|archive)"
)
_CLAIMS = late_pattern(
    r"\b(?:found|retrieved|extracted|obtained|taken|looked up|sourced|reported|listed|stated)\b"
    rf"[^.#\n]{{0,20}}\b(?:in|from|on|by|via|at)\b[^.#\n]{{0,50}}\b{_SOURCE}\b"
    rf"|\baccording to [^.#\n]{{0,50}}\b{_SOURCE}\b",
    re.I,
)
_HEDGED = late_pattern(
    r"\b(?:assum\w+|suppos\w+|hypothe\w+|example|placeholder|guess\w*|estimat\w+|mock|dummy|sample|approx\w*|about"
    r"|if|todo|should|will|would|to be|need\w*|replace|simulat\w+|task|question|prompt|user)\b|~",
    re.I,
)
_CONSTANT = late_pattern(
    r"^[ \t]*\w+[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*(?P<value>-?\d[\d_]*(?:\.\d+)?|\"[^\"\n{}]{4,80}\"|'[^'\n{}]{4,80}')"
    r"[ \t]*(?:#|//)[ \t]*(?P<comment>[^\n]+)$",
    re.M,
)
_LONGEST: Final = 20_000
"""Characters of one call that are read."""


@check(
    ID,
    "correctness",
    sees="A constant in code with a comment that names a source, while no result, user or task has the value.",
    severity="Major, three at most: what is computed from it is made up.",
    example="`total = 484  # as found in a reliable source` in a run in which no result contains 484.",
    whole=True,
    most=3,
)
def invented_fact(subject: Subject) -> Iterator[Finding]:
    """The constants of the calls that claim a source and have none."""
    seen: set[str] = set()
    for number, event in enumerate(subject.events):
        for match in _constants(event):
            value, comment = match["value"].strip("\"'"), match["comment"]
            if value in seen or not _CLAIMS.search(comment) or _HEDGED.search(comment) or not _distinctive(value):
                continue
            if _known(subject, value, number):
                continue
            seen.add(value)
            message = f"The code presents {value} as found, but nothing in the transcript up to then contains it."
            yield Finding(ID, "correctness", "major", message, match[0].strip()[:200], event.place)


def _constants(event: Event) -> Iterator[re.Match[str]]:
    if event.call is None:
        return
    arguments = event.call.arguments
    texts = arguments.values() if isinstance(arguments, Mapping) else (arguments,)
    for text in texts:
        if isinstance(text, str) and "=" in text and ("#" in text or "//" in text):
            yield from _CONSTANT.finditer(text[:_LONGEST])


def _distinctive(value: str) -> bool:
    """Whether a value is unlikely to be written another way: not 7, 10 or 100."""
    digits = re.sub(r"\D", "", value)
    return len(digits.rstrip("0")) > 1 if re.fullmatch(r"-?[\d_.]+", value) else len(value) >= 4


def _known(subject: Subject, value: str, number: int) -> bool:
    """Whether anything but the agent's own words had it before."""
    wanted = folded(value.replace("_", ""))
    texts = [subject.task]
    for event in subject.events[:number]:
        texts.append(event.call.result or "" if event.call else event.text if event.role != "assistant" else "")
    return any(wanted in folded(text.replace(",", "").replace("_", "")) for text in texts)


CHECKS = (invented_fact,)
