"""Two texts side by side: line by line, and in the lines that changed word by word. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

LONGEST: Final = 5_000
"""Characters of a text; longer ones are shown without marks."""

ALIKE: Final = 0.5
"""The share of words that two texts must have in common before single words are marked."""

MOST_LINES: Final = 2_000
"""Lines of a text; two texts of which one is longer are not compared."""

MOST_CHARACTERS: Final = 200_000

AROUND: Final = 2
"""Unchanged lines that are shown before and after a change."""

SAME: Final = "Both are evaluations of the same text."
TOO_LONG: Final = "The texts are too long to be compared here."

_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(NamedTuple):
    """Some words of a text."""

    text: str
    changed: bool


class LinePair(NamedTuple):
    """A line of each text, or of one of them only."""

    kind: Literal["same", "changed", "gone", "new"]
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    numbers: tuple[int | None, int | None]
    """From 1."""


class LineRun(NamedTuple):
    """Lines that are shown together, or folded because nothing changed in them."""

    pairs: tuple[LinePair, ...]
    folded: bool


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


def text_changes(before: str, after: str) -> list[LineRun] | None:
    """Both texts, with the lines that belong together side by side; None when they are too long to compare."""
    old, new = ([line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] for text in (before, after))
    if max(len(old), len(new)) > MOST_LINES or max(len(before), len(after)) > MOST_CHARACTERS:
        return None
    pairs: list[LinePair] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pairs += [_same(old[was], was, was - start + new_start) for was in range(start, end)]
        else:
            numbers = zip_longest(range(start, end), range(new_start, new_end))
            pairs += [_pair(old, new, was, now) for was, now in numbers]
    return _runs(pairs)


def changed_lines(before: str, after: str) -> list[tuple[str, str]] | None:
    """The lines that differ, each with - or +; None when the texts are too long to compare."""
    runs = text_changes(before, after)
    if runs is None:
        return None
    lines = []
    for pair in (pair for run in runs for pair in run.pairs if pair.kind != "same"):
        sides = (("-", pair.before), ("+", pair.after))
        lines += [(sign, "".join(piece.text for piece in pieces)) for sign, pieces in sides if pieces]
    return lines


def _same(line: str, was: int, now: int) -> LinePair:
    piece = (Piece(line, False),)
    return LinePair("same", piece, piece, (was + 1, now + 1))


def _pair(old: list[str], new: list[str], was: int | None, now: int | None) -> LinePair:
    if now is None:
        assert was is not None
        return LinePair("gone", (Piece(old[was], True),), (), (was + 1, None))
    if was is None:
        return LinePair("new", (), (Piece(new[now], True),), (None, now + 1))
    before, after = word_changes(old[was], new[now])
    return LinePair("changed", tuple(before), tuple(after), (was + 1, now + 1))


def _runs(pairs: list[LinePair]) -> list[LineRun]:
    """Unchanged lines far from any change are folded, if there are more than a few."""
    changed = [place for place, pair in enumerate(pairs) if pair.kind != "same"]
    near = {place + step for place in changed for step in range(-AROUND, AROUND + 1)}
    runs: list[tuple[bool, list[LinePair]]] = []
    for place, pair in enumerate(pairs):
        folded = place not in near
        if not runs or runs[-1][0] != folded:
            runs.append((folded, []))
        runs[-1][1].append(pair)
    return [LineRun(tuple(lines), folded and len(lines) > AROUND) for folded, lines in runs]
