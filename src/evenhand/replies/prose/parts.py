"""What a score applies to: the whole, one criterion, or one of several outputs."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from evenhand.replies.prose.guards import clause_of
from evenhand.replies.prose.labels import CRITERION, FINAL, OUTPUT, PART, Label
from evenhand.replies.prose.prose_lines import line_start

UNDER = "under "
"""Begins a name that was taken from a heading or the start of a line, not from the statement itself."""

_FOR_CRITERION = re.compile(
    r"[\s\])]*(?:for|in|on|in terms of|regarding|fur|pour|por|per|за)\s+(?:the )?(?P<name>\w+(?:-\w+)?)"
)
_TERMS_OF = re.compile(
    r"\b(?:in terms of|regarding|as for|with regard to|concerning|on|for)\s+(?:the |its )?(?P<name>\w+)[,: ]"
)
_OBJECT = re.compile(
    r"\b(?:rate|give|gave|score|award|for|its|the)\s+(?:the |its )?(?:\w+ ){0,2}?(?P<name>\w+)(?: of [\w' ]{0,40})?"
    r"(?: (?:as|at|is|an?|with|merits?|gets?|earns?|deserves?|receives?|scores?|:))*\s*[\[(\x02]*$"
)
_LAST_WORD = re.compile(r"(?P<name>\w+)\s*[(\[]?$")
_SEVERAL = re.compile(r"\b(?:both|each|respectively|they all|all (?:three|four|of them))\b|分别|両方|両者|둘 다|각각")
_LINE_CRITERION = re.compile(
    rf"[ \x01*•-]{{0,6}}(?:[0-9]{{1,2}}[.)] ?)?(?P<name>{CRITERION.pattern})[^:.\n]{{0,30}}[:(–—-]"
)
_LINE_OUTPUT = re.compile(rf"[ \x01*•-]{{0,6}}(?P<name>{OUTPUT.pattern})\s*[:(|.–—-]")


def phrased(label: Label, before: str, after: str) -> Label:
    """The label of a phrase, with the criterion or output its clause names."""
    if name := _criterion(before, after):
        label = label._replace(name=name, final=False)
    if match := OUTPUT.search(before) or _SEVERAL.search(before):
        label = label._replace(name=match[0], output=True)
    return label


def lined(label: Label, words: str, place: int) -> Label:
    """The label, named after the output or criterion its line begins with: `Candidate 1 - Score: 4`."""
    if label.name:
        return label
    line = line_start(words, place)
    if output := _LINE_OUTPUT.match(words, line):
        return label._replace(name=output["name"], output=True)
    if not label.final and (criterion := _LINE_CRITERION.match(words, line)):
        return label._replace(name=UNDER + criterion["name"])
    return label


def _criterion(before: str, after: str) -> str:
    """The criterion or part a phrase names: `8/10 for clarity`, `in terms of style, I give it a 7`, `the intro a 7`."""
    clause = clause_of(before)
    places = [_FOR_CRITERION.match(after), *_TERMS_OF.finditer(clause), _OBJECT.search(clause)]
    names = [match["name"] for match in places if match]
    last = _LAST_WORD.search(clause)
    return next(
        (name for name in names if CRITERION.fullmatch(name) or PART.fullmatch(name)),
        last["name"] if last and CRITERION.fullmatch(last["name"]) else "",
    )


class Heading(NamedTuple):
    """What the heading above a statement applies to."""

    name: str = ""
    output: str = ""
    final: bool = False


class Headings:
    """The short lines of a text that may be headings, and what they apply to."""

    _LINE = re.compile(r"^[ \x01*•-]{0,6}(?:[0-9]{1,2}[.)] ?)?(?P<title>[^\n]{1,60}?):?[ ]*$", re.MULTILINE)
    _HAS_SCORE = re.compile(r"[0-9]\s*/\s*[0-9]|:.*[0-9]")

    def __init__(self, words: str) -> None:
        self.places: list[int] = []
        self.titles: list[str] = []
        for match in self._LINE.finditer(words):
            title = match["title"]
            if len(title.split()) <= 6 and title[-1] not in ".!?,;。" and re.search(r"[^\W\d]", title):
                self.places.append(match.end())
                self.titles.append(title)

    def section(self, place: int) -> int:
        """How many headings are before a position."""
        return sum(not self._HAS_SCORE.search(title) for title in self.titles[: bisect_left(self.places, place)])

    def above(self, place: int) -> Heading:
        """The last heading before a position."""
        index = bisect_left(self.places, place)
        title = self.titles[index - 1] if index else ""
        if not title or self._HAS_SCORE.search(title):
            return Heading()
        if output := OUTPUT.search(title):
            return Heading(output=UNDER + output[0])
        if FINAL.search(title) and len(title.split()) <= 4:
            return Heading(final=True)
        criterion = CRITERION.search(title)
        return Heading(name=UNDER + criterion[0]) if criterion else Heading()
