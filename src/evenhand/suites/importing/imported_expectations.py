"""Expectations in our form for what other tools assert about the output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from evenhand.core.numbers import exact

_FLAGS = re.compile(r"\(\?[aimsx]+\)")


def about_answer(rule: str, value: Any) -> dict[str, Any]:
    """An expectation about the output."""
    return {"answer": {rule: value}}


def with_any(texts: Sequence[str], *, ignore_case: bool = False) -> dict[str, Any]:
    """The output contains one of some texts."""
    either = "|".join(map(re.escape, texts))
    return about_answer("matches", f"(?i){either}" if ignore_case else either)


def without_case(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The output contains all of some texts, in capitals or not."""
    return [with_any([text], ignore_case=True) for text in texts]


def with_all_ignoring_case(texts: Sequence[str]) -> dict[str, Any]:
    """One expectation that the output contains all of some texts, in capitals or not."""
    ahead = "".join(rf"(?=[\s\S]*{re.escape(text)})" for text in texts)
    return about_answer("matches", rf"(?i)\A{ahead}")


def no_match(pattern: str) -> dict[str, Any] | None:
    """The output has nothing that matches; None when the pattern is not one of Python's."""
    flags = match[0] if (match := _FLAGS.match(pattern)) else ""
    return matching(rf"{flags}\A(?![\s\S]*(?:{pattern[len(flags) :]}))")


def matching(pattern: str) -> dict[str, Any] | None:
    """The output has something that matches; None when the pattern is not one of Python's."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    return about_answer("matches", pattern)


def seconds(milliseconds: Any) -> Decimal | None:
    """Milliseconds as seconds; None for anything but a number of sensible size."""
    number = amount(milliseconds)
    return None if number is None else number / 1000


def amount(value: Any) -> Decimal | None:
    """A number; None for anything but a number of sensible size."""
    try:
        number = exact(value)
    except ValueError:
        return None
    return None if number and abs(number.adjusted()) > 30 else number


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken yet: the given one, or with a number appended."""
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}-{number}", number + 1
    taken.add(candidate)
    return candidate
