"""Passages that are not written language, whatever they are: codes nobody has listed. Pure, linear.

Nothing is decoded here. A judge may read a code that no detector knows, so these passages are among the first to be
tried where an order is searched for. They raise no alarm: data, hashes and program text look the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Span = tuple[int, int]

_UNBROKEN: Final = re.compile(r"\S{40,}")
"""Base58, compressed text, calls without a space; long addresses too."""
_SIGNS: Final = re.compile(r"(?:[^\w\s\x00-\x7f]{1,30}[\s,.:;]{0,2}){8,}")
"""Letters as symbols, such as Braille."""
_FEW: Final = 12
"""Different signs in a run of short groups that cannot be words: figures, or two letters as in Bacon's cipher."""
_MORE: Final = 6
"""So many more in a long line; any language has more letters than that."""
_LINE_WORDS: Final = 10
"""Words of a line from which on the most common ones must be among them."""
_WORDS: Final = re.compile(r"[^\W\d_]+")
_COMMON: Final = frozenset(
    "the a an of to and in is it for that was as with on at by be are this from not or have has you i we they he she "
    "can will if but all so do what which when there one your its also than then into use used".split()
)
_SHARE: Final = 10
"""Ordinary English has a common word in every four; a line with fewer than one in ten is something else."""


def unreadable(text: str) -> Iterator[Span]:
    """The places of passages that are not written language; in an English text also lines that are not English."""
    yield from (match.span() for match in _UNBROKEN.finditer(text))
    yield from signs(text)
    yield from (span for span, line in _lines(text) if _is_groups(line))
    if _is_english(text):
        yield from (span for span, line in _lines(text) if _is_foreign(line))


def signs(text: str) -> Iterator[Span]:
    """The places of letters written as symbols."""
    yield from (match.span() for match in _SIGNS.finditer(text))


def initials(text: str) -> Iterator[tuple[Span, str]]:
    """Blocks of many lines, each with the first letters of its lines: an order may be written down the margin."""
    start = 0
    for block in text.split("\n\n"):
        lines = [line.strip() for line in block.split("\n")]
        if len(lines) >= _LINE_WORDS:
            yield (start, start + len(block)), "".join(line[:1] for line in lines)
        start += len(block) + 2


def _lines(text: str) -> Iterator[tuple[Span, str]]:
    start = 0
    for line in text.split("\n"):
        yield (start, start + len(line)), line
        start += len(line) + 1


def _is_groups(line: str) -> bool:
    """Whether a line is short groups of few different signs."""
    groups = line.replace(",", " ").split()
    if len(groups) < _LINE_WORDS:
        return False
    short = [group for group in groups if len(group) <= 8]
    return 4 * len(short) >= 3 * len(groups) and len(set("".join(short))) <= _FEW + min(len(short) // 10, _MORE)


def _is_english(text: str) -> bool:
    words = _WORDS.findall(text[:20_000].lower())
    return len(words) >= _LINE_WORDS and _SHARE * sum(word in _COMMON for word in words) >= len(words)


def _is_foreign(line: str) -> bool:
    words = _WORDS.findall(line.lower())
    return len(words) >= _LINE_WORDS and _SHARE * sum(word in _COMMON for word in words) < len(words)
