"""JavaScript's regular expressions as Python's: the same characters match."""

from __future__ import annotations

import re

_PIECE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<\w+>|.)|\(\?<(?=[A-Za-z_])|\[\^?\]?|\]|.", re.DOTALL)
_OUTSIDE = {r"\d": "[0-9]", r"\D": "[^0-9]", r"\w": "[A-Za-z0-9_]", r"\W": "[^A-Za-z0-9_]", r"\b": r"(?a:\b)",
            r"\B": r"(?a:\B)", "[]": "(?!)", "[^]": r"[\s\S]"}  # fmt: skip
_INSIDE = {r"\d": "0-9", r"\w": "A-Za-z0-9_", "[": r"\["}
_KNOWN = "dDwWsSbBnrtfv0123456789"
FLAGS = re.compile(r"\(\?[ims]+\)")
"""Flags at the start of a pattern, which JavaScript refuses."""


def in_python(pattern: str) -> str | None:
    """A pattern that matches in Python what this one matches in JavaScript; None when there is none.

    Flags at the start, as in `(?i)`, are an error in JavaScript that people make: they are taken as they are meant.
    """
    flags = match[0] if (match := FLAGS.match(pattern)) else ""
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
    """What is one piece outside a class of characters, and several inside."""
    return [piece] if piece.startswith("\\") else list(piece)
