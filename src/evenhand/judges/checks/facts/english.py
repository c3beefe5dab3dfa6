"""Whether words are English, so that a list of English words applies to them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

_OTHER_WORDS = frozenset(
    "und nicht ist mit für eine der das les est une dans pour pas el los las una por para il che della sono uma não um"
    " het een niet voor jest oraz nie och att inte ve bir için".split()
)


def in_english(words: Sequence[str]) -> bool:
    """Whether nothing suggests another language: neither its commonest words nor letters that English lacks."""
    return len(_OTHER_WORDS & set(words)) < 3 and sum(not word.isascii() for word in words) * 4 <= len(words)
