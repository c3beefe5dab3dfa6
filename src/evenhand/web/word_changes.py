"""Which words of a text changed. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final, NamedTuple

LONGEST: Final = 5_000
"""Characters of a text; longer ones are shown without marks."""

ALIKE: Final = 0.5
"""The share of words that two texts must have in common before single words are marked."""

_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(NamedTuple):
    """Some words of a text."""

    text: str
    changed: bool


def word_changes(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces, those marked that the other one lacks; all of both if they have little in common."""
    if max(len(before), len(after)) > LONGEST:
        return [Piece(before, False)], [Piece(after, False)]
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [Piece(before, True)], [Piece(after, True)]
    sides: tuple[list[Piece], list[Piece]] = [], []
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        for side, words in zip(sides, (old[start:end], new[new_start:new_end]), strict=True):
            if words:
                side.append(Piece("".join(words), kind != "equal"))
    return sides
