"""What a run brought back from outside, and an agent that set out to look something up and never did. Pure.

A call brings something back when its result holds words that were not in the call. Calls that end a run, thinking and
plain computing bring nothing. Where one call brought something, nothing is said; nor where the output owns up to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from evenhand.core.late_pattern import late_pattern
from evenhand.core.model import Event, ToolCall
from evenhand.judges.checks.finding import Check, Finding
from evenhand.judges.checks.subject import Subject

ID: Final = "unmade-lookup"

_ENDS_OR_THINKS = late_pattern(
    r"final|submit|finish|^done|complete|answer|respond|reply|^end|think|plan|todo|handoff|transfer", re.I
)
_COMPUTES = late_pattern(r"python|interpreter|calculat|^code|exec(?:ute)?_?code|eval|repl|sandbox", re.I)
_FETCHES = late_pattern(
    r"https?://|\b(?:requests|urllib|httpx|aiohttp|subprocess|sqlite3|pandas|wikipedia)\b"
    r"|(?:search|visit|fetch|open|read|inspect|browse|query|load|download|lookup|agent|scrape|crawl|retrieve)"
    r"\w{0,40}\s{0,3}\(",
    re.I,
)
_LABELS = late_pattern(r"execution logs:|last output from code snippet:|stdout:|stderr:|output:|result:|none", re.I)
_FAILURE = late_pattern(r"(?i)\b(?:error|exception|traceback|failed|failure|not found|timed out|denied|forbidden)\b")
_WORD = late_pattern(r"[^\W_]{2,}")
_LONGEST = 20_000
"""Characters of a result that are compared with its call."""

_SOURCE = (
    r"(?:search[_ ]agent|search engine|web|internet|online|wikipedia|youtube|google|databases?|websites?|sites?"
    r"|web ?pages?|pages?|papers?|articles?|repository|release notes|commit history|change ?logs?|dictionary"
    r"|archives?|sources?|reports?|datasets?|records?|documentation|videos?|encyclop\w+|catalog\w*|registry|transcripts?)"
)
_SEEK = (
    r"(?:use|ask|call|query|consult|search|retrieve|look up|browse|visit|fetch|download|access|locate"
    r"|(?:identify|find) and (?:locate|access|retrieve))"
)
_ANNOUNCED = late_pattern(
    rf"^\W{{0,6}}(?:\d+[.)]\s*)?(?:{_SEEK}|(?:thought: )?I (?:will|need to|am going to|'ll)(?: now| first)? {_SEEK})\b"
    rf"[^.\n]{{0,120}}\b{_SOURCE}\b",
    re.I | re.M,
)
_CLAIMED = late_pattern(
    r"\bI(?:'ve| have)? (?:verified|confirmed|checked|searched|looked up|consulted|retrieved|read|reviewed)\b"
    rf"[^.\n]{{0,120}}\b{_SOURCE}\b|\bafter (?:a|an|my|some|the) (?:\w+ )?(?:search|lookup|review of)\b[^.\n]{{0,120}}",
    re.I,
)
_NEGATED = late_pattern(r"\b(?:not|no|never|cannot|without|unnecessary|if needed)\b|n't\b", re.I)
OWNED_UP: Final = late_pattern(
    r"\b(?:could not|couldn't|unable|was not able|did not|didn't|cannot|can't|not (?:verified|looked up)|unverified"
    r"|guess|from memory|my knowledge|estimate|assum\w+)\b",
    re.I,
)

"""Words by which an output says that its answer was not looked up."""


def arguments_text(arguments: object) -> str:
    """A call's arguments as one text."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, default=str, ensure_ascii=False)


def _new_words(asked: str, result: str) -> bool:
    """Whether a result, its labels and errors aside, holds words that did not stand in the call."""
    lines = (line for line in result[:_LONGEST].splitlines() if not _FAILURE.search(line))
    found = set(_WORD.findall(_LABELS.sub(" ", " ".join(lines)).lower()))
    fresh = found - set(_WORD.findall(asked.lower()))
    return len(fresh) * 10 > len(found)


def brought_back(call: ToolCall) -> str:
    """What a call brought from outside; empty when it brought nothing, or only computed."""
    if not call.result or not call.result.strip() or _ENDS_OR_THINKS.search(call.name):
        return ""
    asked = arguments_text(call.arguments)[:_LONGEST]
    if _COMPUTES.search(call.name) and not _FETCHES.search(asked):
        return ""
    return call.result if _new_words(asked, call.result) else ""


def unmade_lookup(subject: Subject) -> Iterator[Finding]:
    """A lookup that was announced or claimed in a run in which nothing was looked up."""
    calls = [event.call for event in subject.calls if event.call]
    if not calls or not all(call.result is not None for call in calls) or OWNED_UP.search(subject.output):
        return
    if any(map(brought_back, calls)):
        return
    for event in subject.events:
        found = _words_of_lookup(event, subject)
        if found:
            says = (
                "The agent speaks of looking this up, but no call brought anything back, so the answer is not backed."
            )
            yield Finding(ID, "correctness", -200, says, found, event.place)
            return


def _words_of_lookup(event: Event, subject: Subject) -> str:
    if event.role != "assistant" or event.kind not in ("message", "reasoning"):
        return ""
    for pattern in (_CLAIMED, _ANNOUNCED):
        for match in pattern.finditer(event.text[:_LONGEST]):
            if not _NEGATED.search(match[0]) and match[0].strip() not in subject.task:
                return match[0].strip()[:200]
    return ""


CHECKS: tuple[Check, ...] = (
    Check(
        id=ID,
        dimensions=("correctness",),
        sees="An agent that says it will look, or has looked, something up, in a run whose calls brought nothing.",
        effect="-2.00, once: a guess is given as if it had been found.",
        example="`I have verified this in the USGS database.` in a run whose only call is `final_answer`.",
        run=unmade_lookup,
    ),
)
