"""Assertions in the evals.json of skill-creator that are objects: `{"id": ..., "text": ..., "type": ...}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_NAMES: Final = ("text", "assertion", "expectation", "statement", "criterion", "check", "description")
_OWN: Final = ("answer", "calls", "skill", "file", "command", "limit", "graded", "dimension", "severity")


def sentence_in(item: Any) -> tuple[Any, tuple[str, ...]]:
    """The sentence in an assertion, and the keys beside it that are not read. Anything else stays as it is."""
    if not isinstance(item, Mapping) or any(name in item for name in _OWN):
        return item, ()
    for name in _NAMES:
        if isinstance(item.get(name), str) and item[name].strip():
            return item[name], tuple(str(key) for key in item if key != name)
    return item, ()
