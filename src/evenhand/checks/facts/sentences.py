"""A text cut into sentences, each with its position. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator


def sentences(text: str, *, lines: bool = True) -> Iterator[tuple[int, str]]:
    """The sentences of a text, without surrounding blanks, each with the position it starts at.

    With `lines` the end of a line ends a sentence, else only the end of a paragraph.
    """
    start = 0
    for gap in re.finditer(r"(?<=[.!?])\s+|\n+|\Z" if lines else r"(?<=[.!?])\s+|\n\n+|\Z", text):
        sentence = text[start : gap.start()]
        if sentence.strip():
            yield start + len(sentence) - len(sentence.lstrip()), sentence.strip()
        start = gap.end()
