"""Placeholders in a variant's texts: `{prompt}`, `{vars.NAME}`. `{{word}}` is the word in braces, as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.errors import unknown
from evenhand.suites.located_entry import SuiteEntry

VARIABLE = "vars.NAME"
COMMAND = ("prompt", "prompt_file", "workspace", "case", "repeat", "skill", VARIABLE)
MODEL = ("prompt", "case", "repeat", VARIABLE)
RECORDED = ("case", "repeat")

_WORD = re.compile(r"(?<![{$])\{((?:vars\.)?[A-Za-z_]\w*)\}(?!\})")
_ESCAPED = re.compile(r"\{\{((?:vars\.)?[A-Za-z_]\w*)\}\}")


def checked(entry: SuiteEntry, text: str, valid: Sequence[str], *steps: str | int) -> str:
    """The text with `{{word}}` as `{word}`; a placeholder that does not exist is a problem."""
    for word in _WORD.findall(text):
        if _kind(word) not in valid:
            entry.refuse(
                f"{unknown('placeholder', '{' + word + '}', [f'{{{name}}}' for name in valid])};"
                f" for the word itself in braces write {{{{{word}}}}}",
                *steps,
            )
    for word in _ESCAPED.findall(text):
        if _kind(word) in valid:
            entry.refuse(f"{{{word}}} cannot be written literally here; put it into a script", *steps)
    return _ESCAPED.sub(r"{\1}", text)


def has(text: str, word: str) -> bool:
    """Whether a text has a placeholder."""
    return word in _WORD.findall(text)


def variables_in(text: str) -> set[str]:
    """The names of the variables in a text that has been checked."""
    return {word.removeprefix("vars.") for word in _WORD.findall(text) if word.startswith("vars.")}


def escaped(text: str) -> str | None:
    """A text in which nothing is a placeholder; None when that cannot be written."""
    if any(_kind(word) in MODEL or _kind(word) in COMMAND for word in _WORD.findall(text)) or _ESCAPED.search(text):
        return None
    return _WORD.sub(r"{{\1}}", text)


def _kind(word: str) -> str:
    return VARIABLE if word.startswith("vars.") else word
