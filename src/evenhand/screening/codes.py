"""Text written in other signs: base64 and its like, hexadecimal, binary, numbers for letters, Morse. Pure, linear."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

Span = tuple[int, int]

LONGEST: Final = 20_000
"""The most characters of one passage that are decoded."""
_ABC: Final = "abcdefghijklmnopqrstuvwxyz"
_DECIMAL = re.compile(r"(?<!\d)(?:\d{2,3}[ ,;]{1,2}){11,}+(?:\d{2,3}(?!\d))?")
_BINARY = re.compile(r"(?<![01])(?:[01]{8}[ ,]{0,2}){6,}+")
_MORSE_RUN = re.compile(r"(?:[.-]{1,6}[ /|]{1,6}){11,}+[.-]{0,6}")
_MORSE: Final = dict(
    zip(
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
        "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.".split(),
        f"{_ABC}0123456789",
        strict=True,
    )
)
_BASE64 = re.compile(r"(?<![\w+/=-])={0,2}[A-Za-z0-9+/_-]{16,}+(?:\r?\n[ \t]*+[A-Za-z0-9+/_-]{4,200}+){0,200}+={0,2}+")
_BASE32 = re.compile(r"(?<![\w=])[A-Z2-7]{24,}+={0,6}+")
_BASE85 = re.compile(r"(?<!\S)[!-~]{40,}+")
_PIECES = re.compile(r"([\"'`])[A-Za-z0-9+/=_-]{4,76}\1(?:[\s,;+.\\]{1,6}+([\"'`])[A-Za-z0-9+/=_-]{1,76}\2){3,}+")
"""Base64 or hexadecimal in quoted pieces."""
_HEX_ONLY = re.compile(r"[0-9a-fA-F]+")
_JOINS = re.compile(r"\s\+\s|[^A-Za-z0-9+/=_-]")
_PLACES = re.compile(r"(?:\d(?<!\d\d)\d?[-.,_ /|:]{1,3}){14,}+(?:\d{1,2}(?!\d))?")
"""The look behind comes after the first figure, so that a search starts at figures only."""
_LIKE_PLACES: Final = bytes(chr(byte) in "0123456789-.,_ /|:" for byte in range(256))
_FEWEST_PLACES: Final = b"\1" * 28
"""Fourteen places, each of one figure with one sign after it."""
_VISIBLE: Final = bytes(33 <= byte <= 126 for byte in range(256))
_UNBROKEN: Final = b"\1" * 16
_HEXADECIMAL = re.compile(r"(?<![0-9a-zA-Z])(?:[0-9a-fA-F]{2}[ :\n]?){12,}+")


def encoded(text: str) -> Iterator[tuple[Span, str, bool]]:
    """Passages in such signs: the place, another reading, and whether that is certainly meant as text."""
    yield from _binary(text)
    yield from _in_pieces(text)


def _in_pieces(text: str) -> Iterator[tuple[Span, str, bool]]:
    """Base64 and hexadecimal in many short pieces, and letters as their places in the alphabet."""
    quotes = text.count('"') + text.count("'") + text.count("`")
    for match in _PIECES.finditer(text) if quotes >= 8 else ():
        joined = _JOINS.sub("", match[0][:LONGEST])
        reading = _quietly(_from_hexadecimal)(joined) if _HEX_ONLY.fullmatch(joined) else _from_base64(joined)
        if reading:
            yield match.span(), reading, True
    may_be_places = not text.isascii() or _FEWEST_PLACES in text.encode().translate(_LIKE_PLACES)
    for match in _PLACES.finditer(text) if may_be_places else ():
        reading = re.sub(r"\d+", _letter_at, match[0][:LONGEST])
        words = re.sub(r"[^\w\s]", "", reading)
        yield match.span(), f"{words}\n{re.sub(' ', '', words)}", False


def _letter_at(number: re.Match[str]) -> str:
    place = int(number[0])
    return _ABC[place - 1] if 0 < place <= 26 else number[0]


def _binary(text: str) -> Iterator[tuple[Span, str, bool]]:
    """Text in base64, base32, base85, hexadecimal, binary, ASCII codes and Morse."""
    signs = text.encode("ascii", "replace")
    plain = signs.decode()
    unbroken = _UNBROKEN in signs.translate(_VISIBLE)
    for code in _codes():
        if not unbroken if code.rare is None else len(signs) - len(signs.translate(None, code.rare)) < code.fewest:
            continue
        stop, marked = 0, signs.translate(code.marks)
        for run in code.run.finditer(marked) if code.shortest in marked else ():
            match = code.pattern.search(plain, run.start(), run.end()) if run.start() >= stop else None
            if match is None:
                continue
            match = code.pattern.match(plain, match.start()) or match  # it may go on in the next line
            stop = match.end()
            reading = code.read(match[0][:LONGEST])
            if reading:
                yield match.span(), reading, True


def _text_of(raw: bytes) -> str:
    """Bytes as text; empty if they are not text."""
    try:
        wide = len(raw) > 8 and raw[1::2].count(0) > len(raw) // 3
        text = raw.decode("utf-16-le" if wide else "utf-8")
    except ValueError:
        return ""
    seen = sum(sign.isprintable() or sign in "\n\r\t" for sign in text)
    return text if len(text) >= 6 and seen == len(text) and any(map(str.isalpha, text)) else ""


def _from_base64(text: str) -> str:
    """Base64 decoded forwards, or else backwards, or else without the name it is joined to."""
    for piece in (text, text[::-1], max(re.split("[_-]", text), key=len)):
        plain = re.sub(r"\s", "", piece).strip("=").translate(str.maketrans("-_", "+/"))
        plain = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
        try:
            reading = _text_of(base64.b64decode(plain + "=" * (-len(plain) % 4)))
        except (binascii.Error, ValueError):
            continue
        if reading:
            return reading
    return ""


def _quietly(read: Callable[[str], bytes]) -> Callable[[str], str]:
    def reading(text: str) -> str:
        try:
            return _text_of(read(text))
        except (binascii.Error, ValueError):
            return ""

    return reading


def _from_base32(text: str) -> bytes:
    plain = text.rstrip("=")
    return base64.b32decode(plain + "=" * (-len(plain) % 8))


def _from_hexadecimal(text: str) -> bytes:
    digits = re.sub(r"[ :\n]", "", text)
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _from_binary(text: str) -> bytes:
    return bytes(int(byte, 2) for byte in re.findall("[01]{8}", text))


def _from_decimal(text: str) -> str:
    codes = [int(number) for number in re.findall(r"\d+", text)]
    return "".join(map(chr, codes)) if all(31 < code < 127 for code in codes) else ""


def _from_morse(text: str) -> str:
    return " ".join("".join(_MORSE.get(code, "") for code in word.split()) for word in re.split(r"[/|]| {3,}", text))


class _Code(NamedTuple):
    """A way to write text in other signs."""

    pattern: re.Pattern[str]
    read: Callable[[str], str]
    marks: bytes
    """A table with 1 for its signs and 0 for all others."""
    rare: bytes | None
    """Those of its signs that ordinary text has few of; None where it needs a long run without a space."""
    fewest: int
    """How many of the rare signs it takes."""
    shortest: bytes
    """The shortest run of its signs that is long enough; looking for it is far quicker than any pattern."""
    run: re.Pattern[bytes]
    """Matches the whole of that run."""


@cache
def _codes() -> tuple[_Code, ...]:
    figures, capitals, small = "0123456789", _ABC.upper(), _ABC
    rows: tuple[tuple[re.Pattern[str], Callable[[str], str], str, int, str | None, int], ...] = (
        (_BASE64, _from_base64, f"{figures}{capitals}{small}+/_-=", 16, None, 0),
        (_BASE32, _quietly(_from_base32), f"{capitals}234567=", 24, None, 0),
        (_BASE85, _quietly(base64.b85decode), "".join(map(chr, range(33, 127))), 40, None, 0),
        (_HEXADECIMAL, _quietly(_from_hexadecimal), f"{figures}abcdefABCDEF :\n", 24, figures, 4),
        (_BINARY, _quietly(_from_binary), "01 ,", 48, "01", 48),
        (_DECIMAL, _from_decimal, f"{figures} ,;", 33, figures, 22),
        (_MORSE_RUN, _from_morse, ".-/| ", 22, ".-", 11),
    )
    return tuple(
        _Code(
            pattern,
            read,
            bytes(chr(byte) in signs for byte in range(256)),
            None if rare is None else rare.encode(),
            fewest,
            b"\1" * shortest,
            re.compile(b"\1{%d,}" % shortest),
        )
        for pattern, read, signs, shortest, rare, fewest in rows
    )
