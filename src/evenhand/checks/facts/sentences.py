"""A text cut into sentences, each with its position. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from evenhand.checks.subject import Subject

_LINES = re.compile(r"(?<=[.!?])\s+|\n+|\Z")
_PARAGRAPHS = re.compile(r"(?<=[.!?])\s+|\n\n+|\Z")


def sentences(text: str, *, lines: bool = True) -> Iterator[tuple[int, str]]:
    """The sentences of a text, without surrounding blanks, each with the position it starts at.

    With `lines` the end of a line ends a sentence, else only the end of a paragraph.
    """
    start = 0
    for gap in (_LINES if lines else _PARAGRAPHS).finditer(text):
        sentence = text[start : gap.start()]
        if words := sentence.strip():
            yield start + len(sentence) - len(sentence.lstrip()), words
        start = gap.end()


@lru_cache(maxsize=1)
def sentences_of(subject: Subject) -> tuple[tuple[int, str], ...]:
    """The sentences of the prose, which several checks go through; the end of a line ends one."""
    return tuple(sentences(subject.prose))
