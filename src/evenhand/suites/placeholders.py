"""Placeholders in a variant's texts: `{prompt}` and so on. `{{word}}` is the word in braces, as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.suites.located_entry import Entry, unknown

COMMAND = ("prompt", "prompt_file", "workspace", "case", "repeat", "skill")
MODEL = ("prompt", "case", "repeat")
RECORDED = ("case", "repeat")

_WORD = re.compile(r"(?<![{$])\{([A-Za-z_]\w*)\}(?!\})")
_ESCAPED = re.compile(r"\{\{([A-Za-z_]\w*)\}\}")


def checked(entry: Entry, text: str, valid: Sequence[str], *steps: str | int) -> str:
    """The text with `{{word}}` as `{word}`; a placeholder that does not exist is a problem."""
    for word in _WORD.findall(text):
        if word not in valid:
            entry.refuse(
                f"{unknown('placeholder', '{' + word + '}', [f'{{{name}}}' for name in valid])};"
                f" for the word itself in braces write {{{{{word}}}}}",
                *steps,
            )
    for word in _ESCAPED.findall(text):
        if word in valid:
            entry.refuse(f"{{{word}}} cannot be written literally here; put it into a script", *steps)
    return _ESCAPED.sub(r"{\1}", text)


def has(text: str, word: str) -> bool:
    """Whether a text has a placeholder."""
    return word in _WORD.findall(text)
