"""A text cut into sentences, each with its position. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences and lines of a text, without surrounding blanks, each with the position it starts at."""
    start = 0
    for gap in re.finditer(r"(?<=[.!?])\s+|\n+|\Z", text):
        sentence = text[start : gap.start()]
        if sentence.strip():
            yield start + len(sentence) - len(sentence.lstrip()), sentence.strip()
        start = gap.end()
