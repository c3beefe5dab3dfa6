"""A text cut into sentences, each with its position. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from evenhand.findings.subject import Subject
from evenhand.lazy_pattern import late_pattern

_LINES = re.compile(r"(?<=[.!?])\s+|\n+|\Z")
_STOPS = re.compile(r"(?<=[。\uff01\uff1f])\s*|\Z")


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, without surrounding blanks, each with the position it starts at. A line ends one too."""
    return _cut(text, _LINES)


def _cut(text: str, ends: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    start = 0
    for gap in ends.finditer(text):
        sentence = text[start : gap.start()]
        if words := sentence.strip():
            yield start + len(sentence) - len(sentence.lstrip()), words
        start = gap.end()


_QUOTED = late_pattern(
    r"\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]|「[^」\n]+」|(?<!\w)['\u2018][^'\u2019\n]{8,}['\u2019](?!\w)"
)


def is_json(subject: Subject) -> bool:
    """Whether the output is JSON, to judge by its first character."""
    return subject.output.lstrip()[:1] in ("{", "[")


@lru_cache(maxsize=1)
def _quotations(subject: Subject) -> tuple[Sequence[int], Sequence[int]]:
    """Where in the prose words in quotation marks begin, and where they end; they may be longer than a sentence.

    What is quoted in JSON is what the output says.
    """
    spans = [] if is_json(subject) else [quote.span() for quote in _QUOTED.finditer(subject.prose)]
    return [start for start, _ in spans], [end for _, end in spans]


def is_quoted(subject: Subject, position: int) -> bool:
    """Whether a position of the prose is within quotation marks."""
    starts, ends = _quotations(subject)
    number = bisect_left(starts, position) - 1
    return number >= 0 and position < ends[number]


def without_quotations(subject: Subject, position: int, sentence: str) -> str:
    """A sentence with blanks in place of what it quotes."""
    starts, ends = _quotations(subject)
    for number in range(bisect_right(ends, position), bisect_left(starts, position + len(sentence))):
        first, last = max(starts[number] - position, 0), min(ends[number] - position, len(sentence))
        sentence = sentence[:first] + " " * (last - first) + sentence[last:]
    return sentence


@lru_cache(maxsize=1)
def sentences_of(subject: Subject) -> tuple[tuple[int, str], ...]:
    """The sentences of the prose, which several checks go through; the end of a line ends one."""
    return tuple(sentences(subject.prose))


@lru_cache(maxsize=1)
def sentences_in_any_script(subject: Subject) -> tuple[tuple[int, str], ...]:
    """The same sentences, also ended by the full stops of Chinese and Japanese."""
    if subject.prose.isascii():
        return sentences_of(subject)
    return tuple(
        (position + start, part)
        for position, sentence in sentences_of(subject)
        for start, part in _cut(sentence, _STOPS)
    )
