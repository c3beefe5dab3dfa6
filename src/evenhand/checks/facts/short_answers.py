"""An answer of a few words, which can be looked for as written in what the tools returned. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern

LONGEST: Final = 8
"""Words of an answer that can be looked for as written."""

_LABEL = late_pattern(r"^\W*(?:(?:the )?(?:final )?answer(?: is)?|result)\s*[:=-]?\s*", re.I)


@lru_cache(maxsize=1)
def short_answer(subject: Subject) -> str:
    """The answer without its label; empty when it is long, or has nothing distinctive."""
    text = _LABEL.sub("", subject.output.strip()).strip(" .*_`\"'")
    if "\n" in text:
        return ""
    words = re.findall(r"[^\W_]+", text)
    enough = len(text) >= 4 and (len(words) > 1 or len(text) >= 5 or not text.isalpha())
    return text if 0 < len(words) <= LONGEST and enough else ""


def folded(text: str) -> str:
    """The words of a text in lower case, with one blank between them."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def holds(text: str, answer: str) -> bool:
    """Whether a text contains the words of a folded answer in a row, searched without cutting it into words."""
    words, lower = answer.split(), text.lower()
    if not words or not all(map(lower.__contains__, words)):
        return False
    in_a_row = r"[\W_]+".join(map(re.escape, words))
    return re.search(rf"(?<![^\W_]){in_a_row}(?![^\W_])", lower) is not None
