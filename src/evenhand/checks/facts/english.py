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


_NOT_ENGLISH = frozenset(
    "wenn sobald alle sind und der den nicht ist wird werden kann quand tous les sont une dans je cuando los las una"
    " todos todas quando tutti sono che della são não wanneer zijn het een".split()
)
"""Words that English does not have."""


def has_foreign_word(words: Sequence[str]) -> bool:
    """Whether one word is enough to tell that a sentence is not English."""
    return any(word in _NOT_ENGLISH or not word.isascii() for word in words)
