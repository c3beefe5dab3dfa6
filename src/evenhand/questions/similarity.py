"""How alike two tasks are: the share of their words that both have. Pure and exact.

Words are runs of letters and digits, in Unicode NFKC and without regard to case; a Chinese, Japanese or Korean
character is one word. How often a word occurs does not matter. Two tasks with the same words are 1, two
without a common word are 0, and a task that is not known is 0 to everything.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def words(text: str | None) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(_WORD.findall(unicodedata.normalize("NFKC", text or "").casefold()))


def similarity(left: frozenset[str], right: frozenset[str]) -> Fraction:
    """The share of all words of two texts that both have."""
    return Fraction(len(left & right), len(left | right)) if left and right else Fraction(0)
