"""Names a person types: nearest matches for a typo, and ids made from a sentence. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from evenhand.core.basics.lazy_pattern import late_pattern


def nearest(word: str, valid: Iterable[str]) -> str | None:
    """The one valid name closest to a word, if any is close."""
    matches = nearest_few(word, valid, most=1)
    return matches[0] if matches else None


def nearest_few(word: str, valid: Iterable[str], most: int = 3) -> list[str]:
    """Up to `most` valid names that look like a word, best first; a shared part counts as close."""
    import difflib  # costs start-up time, and only mistakes need it

    names = list(valid)
    close = difflib.get_close_matches(word.lower(), names, n=most, cutoff=0.6)
    parts = set(_WORDS.findall(word.lower()))
    sharing = [name for name in names if parts & set(_WORDS.findall(name.lower())) and name not in close]
    return (close + sharing)[:most]


_WORDS = late_pattern(r"[^\W_]{3,}")
_ID = late_pattern(r"[^\W_]+(?:-[^\W_]+)*")
_NOT_ID = late_pattern(r"[\W_]+")


def is_id(text: str) -> bool:
    """Whether a text is an id: lower-case letters and digits, of any script, in words joined by hyphens."""
    return _ID.fullmatch(text) is not None and text == text.lower()


def slug(text: str) -> str:
    """An id made from a sentence: its words in lower case, joined by hyphens. Empty when it has none."""
    folded = unicodedata.normalize("NFKC", text).lower().replace("'", "").replace("\u2019", "")
    return _NOT_ID.sub("-", folded).strip("-")
