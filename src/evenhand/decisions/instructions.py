"""The instructions of a skill, and which of them a reason is about. Pure.

A reason names an instruction by quoting it: words in quotation marks that stand in SKILL.md. Where no reason does, an
instruction may share most of its words with the reasons. That is a hint, and marked as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from evenhand.core.judgement import Evidence
from evenhand.decisions.what_to_change import Instruction
from evenhand.work.quotes import Quotable

LETTERS = 6
"""A stem is a word's first letters, so that "measured" and "measurement" are one; words that judges use of anything are
left out, and scripts without spaces give pairs of neighbouring characters."""

_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_COMMON = frozenset(
    """
    about above according across after again against all almost alone along already also although always among and
    another any anyone anything are around asked asks away back because been before being below best better between
    both but came can cannot clear clearly come comes could detail details did does doing done down due each either
    else enough even ever every everything example few find first for found from full further gave get gets give
    given gives goes going good had has have having help here how however instead instruction instructions into its
    itself just keep kept know known last least left less let like line lines little long made make makes making
    many may mean means might missing more most much must need needed needs neither never new next none nor not
    nothing now off often once one only other others otherwise our out output over own part parts perhaps place
    places point points put quite rather read reader readers really reason response result right rule said same say
    saying says see seen sentence set several shall should show shown shows since skill slightly some something
    stand stands state stated states still such take taken task tell tells than that the their them then there these
    they thing this those though through thus together too toward true two under until upon use used user users uses
    using very was way well were what when where whether which while who whole whose why will with within without
    word words work would wrong yet you your
    """.split()
)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that tell something."""
    found = set()
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.fullmatch(word):
            found |= {word[place : place + 2] for place in range(max(1, len(word) - 1))}
        elif len(word) > 2 and word not in _COMMON:
            found.add(word.removesuffix("s")[:LETTERS])
    return frozenset(found)


_QUOTED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|„([^„“”]+)[“”]|«([^«»]+)»|\u2018([^\u2018\u2019]{8,})\u2019|`([^`]+)`")
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)]|>|#+)?\s*")

FEWEST_WORDS = 2
"""A quotation of fewer words is a name, which stands in many instructions."""

SHARED = 2, 0.6
"""An instruction is a hint if it shares this many words, and they are this share of its own."""


class _Line(NamedTuple):
    number: int
    text: str
    stems: frozenset[str]


class Instructions:
    """The lines of a SKILL.md that tell what to do."""

    def __init__(self, text: str) -> None:
        front = _FRONT.match(text)
        first = front[0].count("\n") if front else 0
        self._text = Quotable(text)
        self._lines = [
            _Line(number, line, stems(line))
            for number, raw in enumerate(text.splitlines(), start=1)
            if number > first and not raw.startswith("#") and (line := _MARKER.sub("", raw).strip())
        ]

    def quoted_in(self, reason: str) -> Instruction | None:
        """The instruction that a reason quotes word for word."""
        for match in _QUOTED.finditer(reason):
            quote = next(group for group in match.groups() if group is not None).strip()
            if len(quote.split()) < FEWEST_WORDS:
                continue
            found = self._text.check(Evidence(quote))
            line = next((line for line in self._lines if line.number == found.line), None)
            if line is not None:
                return Instruction(line.number, line.text, "judge")
        return None

    def alike(self, reasons: Iterable[str]) -> Instruction | None:
        """The instruction that shares most of its words with some reasons, if one does."""
        said = frozenset[str]().union(*map(stems, reasons))
        least, part = SHARED
        shares = [(len(line.stems & said), line) for line in self._lines]
        hints = [(count / len(line.stems), line) for count, line in shares if count >= least]
        best = max(hints, key=lambda hint: (hint[0], -hint[1].number), default=None)
        return None if best is None or best[0] < part else Instruction(best[1].number, best[1].text, "words")
