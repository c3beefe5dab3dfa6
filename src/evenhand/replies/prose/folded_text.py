"""Normalised spelling: one form of digits, colons and spaces, no accents, lower case."""

from __future__ import annotations

import re
import unicodedata

_SAME = {
    "\u2010": "-", "\u2011": "-", "\u2212": "-", "\ufe63": "-", "\u2012": "–", "\u2015": "—", "\u2e3a": "—",
    "∶": ":", "︰": ":", "⁄": "/", "∕": "/", "÷": "/", "٫": ".", "٬": ",", "،": ",", "؛": ";", "؟": "?", "٪": "%",
    "।": "。", "॥": "。", "｡": "。", "ß": "ss", "ı": "i", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe",
    "\u2028": "\n", "\u2029": "\n", "\x85": "\n", "\x0b": "\n", "\x0c": "\n", "\t": " ", "…": "...",
    "‟": "“", "〝": "“", "〞": "”", "＂": '"', "‛": "‘", "＇": "'", "｢": "「", "｣": "」", "ـ": "",
    "\x01": " ", "\x02": " ",
}  # fmt: skip
_HALVES = {"½": ".5", "¼": ".25", "¾": ".75"}
_SPACED_HALF = re.compile(r"(?<=\d) ?([½¼¾])")
_LONE_HALF = re.compile(r"[½¼¾]")


class _Table(dict[int, str]):
    """What each character becomes, computed on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = replacement = _folded(code)
        return replacement


def _folded(code: int) -> str:
    character = chr(code)
    if character in _SAME:
        return _SAME[character]
    if 0xFF01 <= code <= 0xFF5E:  # the full-width twins of ASCII
        return chr(code - 0xFEE0).lower()
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    kind = unicodedata.category(character)
    if kind == "Cf" or 0x300 <= code <= 0x36F or 0x64B <= code <= 0x652 or code in (0xFE0F, 0x20E3):
        return ""  # formatting, and accents and vowel signs without a letter
    if kind == "Zs":
        return " "
    if code < 0x530 or 0x1E00 <= code <= 0x1EFF or 0x622 <= code <= 0x626:
        parts = unicodedata.decomposition(character).split()
        if parts and not parts[0].startswith("<"):
            return _folded(int(parts[0], 16))
    return character.lower()


_TABLE = _Table()


def folded(text: str) -> str:
    """The text in one spelling: ASCII digits and punctuation, lower case, no accents, no hidden characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _SPACED_HALF.sub(lambda match: _HALVES[match[1]], text)
    text = _LONE_HALF.sub(lambda match: "0" + _HALVES[match[0]], text)
    return text.translate(_TABLE)
