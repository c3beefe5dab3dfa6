"""Expectations in our form for what other tools assert about the output."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from evenhand.core.numbers import exact, plain

_FLAGS = re.compile(r"\(\?[aimsx]+\)")

PATTERN_FLAGS = re.compile(r"\(\?[ims]+\)")
"""Flags at the start of a pattern, which JavaScript refuses."""


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


def text_of(value: Any) -> str:
    """A value as text: true and false in small letters, numbers without zeros at their end, objects as JSON."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Decimal():
            return f"{value:.0f}" if value == value.to_integral_value() else f"{value.normalize():f}"
        case Mapping():
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=plain)
        case list() if all(map(is_plain, value)):
            return ",".join(map(text_of, value))  # as JavaScript writes it
        case list():
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=plain)
    return str(value)


def is_plain(value: Any) -> bool:
    """Whether a value is neither an object nor a list with one, of which JavaScript shows nothing."""
    return all(map(is_plain, value)) if isinstance(value, list) else not isinstance(value, Mapping)


# --- JavaScript's regular expressions as Python's: the same characters match

_PIECE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<\w+>|.)|\(\?<(?=[A-Za-z_])|\[\^?\]?|\]|.", re.DOTALL)
_OUTSIDE = {r"\d": "[0-9]", r"\D": "[^0-9]", r"\w": "[A-Za-z0-9_]", r"\W": "[^A-Za-z0-9_]", r"\b": r"(?a:\b)",
            r"\B": r"(?a:\B)", "[]": "(?!)", "[^]": r"[\s\S]"}  # fmt: skip
_INSIDE = {r"\d": "0-9", r"\w": "A-Za-z0-9_", "[": r"\["}
_KNOWN = "dDwWsSbBnrtfv0123456789"


def in_python(pattern: str) -> str | None:
    """A pattern that matches in Python what this one matches in JavaScript; None when there is none.

    Flags at the start, as in `(?i)`, are an error in JavaScript that people make: they are taken as they are meant.
    """
    flags = match[0] if (match := PATTERN_FLAGS.match(pattern)) else ""
    translated = [flags]
    is_inside = False
    for piece in _PIECE.findall(pattern, len(flags)):
        if len(piece) == 2 and piece[0] == "\\" and piece[1].isalnum() and piece[1] not in _KNOWN:
            return None
        if is_inside:
            if piece in (r"\D", r"\W", r"\b"):
                return None
            translated += [_INSIDE.get(character, character) for character in _apart(piece)]
        elif piece.startswith(r"\k<"):
            translated.append(f"(?P={piece[3:-1]})")
        elif piece == "(?<":
            translated.append("(?P<")
        elif piece in ("[]", "[^]"):
            translated.append(_OUTSIDE[piece])
            continue
        else:
            translated.append(_OUTSIDE.get(piece, piece))
        is_inside = piece not in ("]", "[]", "[^]") and (is_inside or piece.startswith("["))
    return "".join(translated)


def _apart(piece: str) -> list[str]:
    """Split a piece that is one outside a character class and several inside."""
    return [piece] if piece.startswith("\\") else list(piece)
