"""What a regular expression lets through, found in its parts and by trying it. Pure.

Where a part is not understood the answers are the cautious ones: a pattern can fail, can match, can hold a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re import _constants, _parser  # type: ignore[attr-defined]  # the parts of a pattern; the old names are deprecated
from typing import Any, Final, NamedTuple

ANY_ANSWERS: Final = (
    "", "Done.", "x", "42", "No", "yes", "   ", "\n", "???", "- first\n- second", '{"key": [1, true, null]}',
    "A longer answer.\nIt has two lines and the numbers 7, 8.5 and -1.", "Ünïcode 漢字 🙂", "<p>A page</p>",
    "```python\nprint(1)\n```",
)  # fmt: skip
"""Outputs that differ in every respect that patterns look at."""

_BEGIN: Final = (_constants.AT_BEGINNING, _constants.AT_BEGINNING_STRING)
_END: Final = (_constants.AT_END, _constants.AT_END_STRING)
_REPEATS: Final = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_CATEGORIES: Final = {
    _constants.CATEGORY_DIGIT: r"\d",
    _constants.CATEGORY_NOT_DIGIT: r"\D",
    _constants.CATEGORY_SPACE: r"\s",
    _constants.CATEGORY_NOT_SPACE: r"\S",
    _constants.CATEGORY_WORD: r"\w",
    _constants.CATEGORY_NOT_WORD: r"\W",
}
_SOME_CHARACTERS: Final = "".join(map(chr, range(0x250))) + "漢🙂"


class _Walked(NamedTuple):
    """How far a sequence of parts has got."""

    dead: bool
    """Whether nothing can match it."""
    begun: bool
    """Whether it has matched a character for certain."""
    ended: Any
    """The kind of end that it has passed for certain; None when it has passed none."""


def always_matches(pattern: str) -> bool:
    """Whether every plausible output has a match: all that were tried, and what the pattern rules out is absurd."""
    if any(re.search(pattern, text) is None for text in ANY_ANSWERS):
        return False
    ruled_out = [text for body in _negative_bodies(_parser.parse(pattern)) for text in _examples(body)]
    return not any(is_plausible(text) and re.search(pattern, text) is None for text in ruled_out)


def is_plausible(text: str) -> bool:
    """Whether an output may have such a text: nobody writes a letter four times in a row."""
    return re.search(r"(\w)\1{3}", text) is None


def never_matches(pattern: str) -> bool:
    """Whether no text can have a match."""
    parsed = _parser.parse(pattern)
    if parsed.state.flags & re.MULTILINE or _inner_flag(pattern, "m"):
        return False
    return _walk(parsed, _Walked(False, False, None)).dead


def is_whole(pattern: str) -> bool:
    """Whether a match is all of the output, but for white space at its ends."""
    parsed = _parser.parse(pattern)
    if len(parsed) < 2 or parsed.state.flags & re.MULTILINE or _inner_flag(pattern, "m"):
        return False
    first, last = parsed[0], parsed[-1]
    return (first[0], last[0]) == (_constants.AT, _constants.AT) and first[1] in _BEGIN and last[1] in _END


def can_hold(pattern: str, text: str) -> bool:
    """Whether a match can have every character of a text."""
    parsed = _parser.parse(pattern)
    fold = bool(parsed.state.flags & re.IGNORECASE) or _inner_flag(pattern, "i")
    atoms = list(_atoms(parsed))
    if any(atom[0] is _constants.GROUPREF_EXISTS for atom in atoms):
        return True
    return all(any(_accepts(atom, char, fold) for atom in atoms) for char in text if not char.isspace())


def needed_texts(pattern: str) -> list[str]:
    """Runs of literal characters that every match has."""
    parsed = _parser.parse(pattern)
    if parsed.state.flags & re.IGNORECASE or _inner_flag(pattern, "i"):
        return []
    runs = [""]
    for kind, value in _in_sequence(parsed):
        if kind is _constants.LITERAL:
            runs[-1] += chr(value)
        elif kind is not _constants.AT:
            runs.append("")
    return [run for run in runs if run]


def _inner_flag(pattern: str, flag: str) -> bool:
    return re.search(rf"\(\?[a-z]*{flag}[a-z]*[-:)]", pattern) is not None


def _in_sequence(parts: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """The parts that follow each other, with those of groups in their place."""
    for kind, value in parts:
        if kind is _constants.SUBPATTERN:
            yield from _in_sequence(value[3])
        else:
            yield kind, value


def _walk(parts: Iterable[Any], walked: _Walked) -> _Walked:
    for kind, value in _in_sequence(parts):
        walked = _step(kind, value, walked)
        if walked.dead:
            return walked
    return walked


def _step(kind: Any, value: Any, walked: _Walked) -> _Walked:
    if kind is _constants.AT:
        if value in _BEGIN and walked.begun:
            return walked._replace(dead=True)
        return walked._replace(ended=value) if value in _END else walked
    if kind is _constants.BRANCH:
        ways = [way for body in value[1] if not (way := _walk(body, walked)).dead]
        if not ways:
            return walked._replace(dead=True)
        return _Walked(False, all(way.begun for way in ways), ways[0].ended if all(w.ended for w in ways) else None)
    if kind in _REPEATS:
        return _walk(value[2], walked) if value[0] > 0 else walked
    if kind is _constants.ASSERT_NOT:
        return walked._replace(dead=walked.dead or not value[1])
    if kind in (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY):
        after_end = walked.ended is _constants.AT_END_STRING or (
            walked.ended is not None and not _accepts((kind, value), "\n", False)
        )
        empty = kind is _constants.IN and not any(_accepts((kind, value), char, True) for char in _SOME_CHARACTERS)
        return walked._replace(dead=after_end or empty, begun=True)
    return walked


def _atoms(parts: Iterable[Any]) -> Iterator[Any]:
    """Everything in a pattern that matches a character, wherever it is."""
    for kind, value in _in_sequence(parts):
        if kind is _constants.BRANCH:
            for body in value[1]:
                yield from _atoms(body)
        elif kind in _REPEATS:
            yield from _atoms(value[2])
        elif kind is _constants.ATOMIC_GROUP:
            yield from _atoms(value)
        elif kind not in (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT):
            yield kind, value


def _accepts(atom: Any, char: str, fold: bool) -> bool:
    kind, value = atom
    if kind is _constants.ANY:
        return True
    if fold and len(char) == 1:
        return any(_accepts(atom, form, False) for form in {char, char.lower(), char.upper()} if len(form) == 1)
    if kind is _constants.LITERAL:
        return chr(value) == char
    if kind is _constants.NOT_LITERAL:
        return chr(value) != char
    if kind is not _constants.IN:
        return False
    negated = any(item[0] is _constants.NEGATE for item in value)
    return negated != any(_in_class(item, char) for item in value)


def _in_class(item: Any, char: str) -> bool:
    kind, value = item
    if kind is _constants.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    if kind is _constants.CATEGORY:
        return re.fullmatch(_CATEGORIES.get(value, r"[\s\S]"), char) is not None
    return kind is _constants.LITERAL and chr(value) == char


def _negative_bodies(parts: Iterable[Any]) -> Iterator[Any]:
    """What follows in `(?!...)` and `(?<!...)`."""
    for kind, value in _in_sequence(parts):
        if kind is _constants.ASSERT_NOT:
            yield value[1]
        elif kind is _constants.BRANCH:
            for body in value[1]:
                yield from _negative_bodies(body)
        elif kind in _REPEATS:
            yield from _negative_bodies(value[2])


def _examples(parts: Iterable[Any]) -> list[str]:
    """A few texts that match a sequence of parts: one for each alternative of its first branch."""
    texts = [""]
    for kind, value in _in_sequence(parts):
        if kind is _constants.BRANCH:
            ends = [text for body in value[1] for text in _examples(body)][:20]
            texts = [text + end for text in texts for end in ends][:20]
        elif kind in _REPEATS:
            (end, *_) = _examples(value[2])
            texts = [text + end * min(value[0], 50) for text in texts]
        elif kind in (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY):
            char = next((char for char in "a0 A-." + _SOME_CHARACTERS if _accepts((kind, value), char, False)), "")
            texts = [text + char for text in texts]
    return texts
