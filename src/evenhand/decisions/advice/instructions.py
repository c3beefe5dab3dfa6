"""The instructions of a skill, and which of them a reason is about. Pure.

A reason names an instruction by quoting it: words in quotation marks that stand in SKILL.md. Where no reason does, an
instruction may share most of its words with the reasons. That is a hint, and marked as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from evenhand.core.judgement import Evidence
from evenhand.decisions.advice.word_stems import stems
from evenhand.decisions.values.change import Instruction
from evenhand.work.quotes import Quotable

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
