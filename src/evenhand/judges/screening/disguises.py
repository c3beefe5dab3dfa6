"""Find and decode disguised passages. Pure, and linear in the text's length.

A model decodes HTML entities, percent encoding, escapes, reversed words, ROT13, spaced letters and mathematical
alphabets without being asked to. Each such passage is returned with its decoded text, to be searched for orders.
"""

from __future__ import annotations

import codecs
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import unquote

from evenhand.judges.screening.suspect_lines import Span, holds

_FEWEST: Final = 8
"""The fewest encoded letters for which a line is decoded."""
_LONGEST: Final = 20_000
"""The most characters decoded per line."""
_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2}))")
_FANCY = re.compile("[\u24b6-\u24e9\U0001d400-\U0001d7ff\U0001f130-\U0001f189]{3}")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .*|\u00b7-]{1,3}+){14,}+\w?")
_SHORT_LINES = re.compile(r"(?:^[^\n]{1,24}\n{1,2}){4,}+(?:^[^\n]{1,24}$)?", re.M)
_TWO_SHORT = re.compile(r"\n[^\n]{1,24}\n{1,2}[^\n]{1,24}\n")
_LONE_LETTERS: Final = tuple(f"{mark}{letter}{mark}" for mark in " .*|\u00b7-" for letter in "ei")
_KEY_WORDS: Final = ("score", "rubric", "grade", "judge", "answer", "give ")
_TURNED: Final = tuple(word[::-1] for word in _KEY_WORDS)
_ROT13: Final = tuple(codecs.encode(word, "rot13") for word in _KEY_WORDS)


def disguised(text: str) -> Iterator[tuple[Span, str]]:
    """The positions of disguised passages, with their decoded text."""
    lower = text.lower()
    if lower.count("&#") >= _FEWEST:
        yield from _lines(text, "&#", html.unescape)
    if lower.count("%") >= _FEWEST:
        yield from _lines(text, "%", unquote)
    if lower.count("\\u") + lower.count("\\x") >= _FEWEST:
        yield from _lines(text, "\\", lambda line: _ESCAPE.sub(_letter, line))
    if not text.isascii() and _FANCY.search(text):
        yield from _holding(
            text, lambda line: bool(_FANCY.search(line)), lambda line: unicodedata.normalize("NFKC", line)
        )
    if holds(lower, _ROT13):
        yield from _holding(text, _has(_ROT13), lambda line: codecs.encode(line, "rot13"))
    if holds(lower, _TURNED):
        yield from _holding(text, _has(_TURNED), lambda line: line[::-1])
    if holds(lower, _LONE_LETTERS):  # faster than the patterns
        for match in _SPACED.finditer(text):
            yield match.span(), _closed_up(match[0])
    if _TWO_SHORT.search(text):
        for match in _SHORT_LINES.finditer(text):
            yield match.span(), " ".join(match[0].split())


def _lines(text: str, mark: str, read: Callable[[str], str]) -> Iterator[tuple[Span, str]]:
    return _holding(text, lambda line: line.count(mark) >= _FEWEST, read)


def _holding(text: str, matches: Callable[[str], bool], read: Callable[[str], str]) -> Iterator[tuple[Span, str]]:
    start = 0
    for line in text.split("\n"):
        if matches(line):
            yield (start, start + len(line)), read(line[:_LONGEST])
        start += len(line) + 1


def _has(words: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda line: holds(line.lower(), words)


def _letter(match: re.Match[str]) -> str:
    number = int(match[1] or match[2], 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else match[0]


def _closed_up(text: str) -> str:
    """Join spaced letters into words: the most common gap is removed, any other separates two words."""
    gaps = re.findall(r"(?<=\w)\W+(?=\w)", text)
    usual = Counter(gaps).most_common(1)[0][0]
    return re.sub(r"(?<=\w)(\W+)(?=\w)", lambda gap: "" if gap[1] == usual else " ", text)
