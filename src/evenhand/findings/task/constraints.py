"""How long the task says that the whole answer may be, in words or characters, and how long it is. Pure.

Only a plain sentence about the whole answer counts: "at most 150 words", "no more than 280 characters", "between 100
and 200 words". One about a part ("each section"), or about what a program returns, is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from evenhand.findings.facts.files_written import files_written
from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Subject, outside_quotes

_UNIT: Final = r"(?P<unit>words?|characters?|chars)\b(?! (?:per|each|in (?:each|every|total length)))"
_NUMBER: Final = r"\d{1,3}(?:,\d{3})+|\d{1,6}"
_BETWEEN: Final = re.compile(
    rf"\b(?:between\s+)?(?P<low>{_NUMBER})\s*(?:-|\u2013|to|and)\s*(?P<high>{_NUMBER})\s+{_UNIT}", re.I
)
_MOST: Final = re.compile(
    rf"\b(?:at most|no more than|not more than|up to|max(?:imum)?(?: of)?|under|below|fewer than|less than"
    rf"|within|(?:do|should|must) not exceed|not exceeding|limit(?:ed)? (?:\w+ "
    rf"){{0,3}}to)\s+(?P<high>{_NUMBER})\s+{_UNIT}"
    rf"|\b(?P<high2>{_NUMBER})\s+(?P<unit2>words?|characters?) (?:or (?:less|fewer)|at most|max(?:imum)?)\b",
    re.I,
)
_LEAST: Final = re.compile(
    rf"\b(?:at least|no (?:fewer|less) than|min(?:imum)?(?: of)?|more than|over)\s+(?P<low>{_NUMBER})\s+{_UNIT}", re.I
)
_OF_A_PART: Final = re.compile(
    r"\b(?:each|every|per|sections?|paragraphs?|sentences?|titles?|subject|headings?|bullets?|items?|lines?"
    r"|abstract|function|method|program|script|api|fields?|inputs?|users?|columns?|password|strings?|name"
    r"|example|first|last|opening|closing|intro\w*|conclusion|caption)\b",
    re.I,
)
_SPACELESS: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]")


class Limit(NamedTuple):
    """How long the whole answer should be."""

    low: int
    high: int
    unit: str
    words: str
    """The words of the task that say so."""


def limits(task: str) -> Iterator[Limit]:
    """The limits that a task states on the length of the whole answer."""
    for sentence in re.split(r"(?<=[.!?;])\s+|\n", task):
        if not re.search("words?|char", sentence, re.I) or _OF_A_PART.search(sentence):
            continue
        if match := _BETWEEN.search(sentence):
            yield Limit(_number(match["low"]), _number(match["high"]), match["unit"], match[0])
        elif match := _MOST.search(sentence):
            yield Limit(0, _number(match["high"] or match["high2"]), match["unit"] or match["unit2"], match[0])
        elif match := _LEAST.search(sentence):
            yield Limit(_number(match["low"]), 10**9, match["unit"], match[0])


def _number(text: str) -> int:
    return int(text.replace(",", ""))


@check(
    "constraint-broken",
    "adherence",
    sees="A number of words or characters that the task sets for the whole answer, and that the output does not keep.",
    severity="Major, a note: words can be counted in more than one way.",
    example='Task: "Answer in at most 50 words." Output: 143 words',
    whole=True,
    most=2,
)
def _broken(subject: Subject) -> Iterator[Finding]:
    later = [event for event in subject.events if event.role == "user" and event.kind == "message" and not event.agent]
    if len(later) > 1 or not subject.task or not subject.output.strip() or files_written(subject):
        return  # the task may have changed on the way, or the answer is in the files
    if len(_SPACELESS.findall(subject.output)) * 5 > len(subject.output):
        return
    task = "\n".join(token.content for token in outside_quotes(subject.task_tokens))
    for limit in limits(task):
        counts = _counts(subject, limit.unit)
        if max(counts) < limit.low or min(counts) > limit.high:  # broken in whatever way one counts
            low, high = min(counts), max(counts)
            has = f"{low}" if low == high else f"{low} to {high}, depending on how one counts"
            yield Finding(
                "constraint-broken", "adherence", "major", f"The task says “{limit.words}”; the output has {has}."
            )


def _counts(subject: Subject, unit: str) -> tuple[int, ...]:
    if unit.lower().startswith("char"):
        return len(subject.output.strip()), len(re.sub(r"\s", "", subject.output))
    return len(subject.output.split()), len(re.findall(r"\w+", subject.output)), len(subject.words)


CHECKS = (_broken,)
