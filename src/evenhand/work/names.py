"""Ids, and how they are made from a sentence. Pure."""

from __future__ import annotations

import re
import unicodedata

_ID = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_NOT_ID = re.compile(r"[\W_]+")


def is_id(text: str) -> bool:
    """Whether a text is an id: lower-case letters and digits, of any script, in words joined by hyphens."""
    return _ID.fullmatch(text) is not None and text == text.lower()


def slug(text: str) -> str:
    """An id made from a sentence: its words in lower case, joined by hyphens. Empty when it has none."""
    folded = unicodedata.normalize("NFKC", text).lower().replace("'", "").replace("\u2019", "")
    return _NOT_ID.sub("-", folded).strip("-")
