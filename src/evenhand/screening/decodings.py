"""Other readings of encoded passages, for the detector only: nothing decoded is ever shown. Pure, linear.

A model reads HTML entities, escapes, ciphers and base64 without being asked to. Every reading is bounded, so that a
line of a megabyte costs no more per character than a short one.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

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
_VISIBLE_SIGNS: Final = bytes(33 <= byte <= 126 for byte in range(256))
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
    unbroken = _UNBROKEN in signs.translate(_VISIBLE_SIGNS)
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


_KEY_WORDS: Final = (
    "score",
    "grade",
    "rubric",
    "judge",
    "answer",
    "ignore",
    "rating",
    "dimension",
    "highest",
)
_VISIBLE: Final = "".join(map(chr, range(33, 127)))
_ROT47: Final = str.maketrans(_VISIBLE, _VISIBLE[47:] + _VISIBLE[:47])
_TURNED_WORDS: Final = tuple(word.translate(_ROT47) for word in _KEY_WORDS)
_UPSIDE: Final = str.maketrans("ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎzı", "abcdefghijklmnopqrstuvwxyzi")
_UPSIDE_ONLY = re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]")
_LEET: Final = str.maketrans("013457@$9", "oieastasg")
_LEET_WORD = re.compile(r"\b(?=\w*[a-z])(?=\w*[013457@$9])[\w@$]{2,40}", re.I)
_LEET_SIGN = re.compile(r"(?<=[a-z])[013457@$9](?=[a-z])", re.I)
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][\W_]{1,6}+){11,}+(?:[^\W_](?![^\W_]))?")
_SHAPE: Final = bytes(120 if chr(byte).isalnum() and byte < 128 else 32 for byte in range(256))
"""x for letters and figures, a space for anything else."""
_LEET_SHAPE: Final = bytes(
    120 if chr(byte).isalpha() and byte < 128 else 48 if chr(byte) in "013457@$9" else 32 for byte in range(256)
)
"""x for letters, 0 for what may be written instead of one, a space for anything else."""
_HUMP_SHAPE: Final = bytes(
    120 if chr(byte) in _ABC else 48 if chr(byte) in f"{_ABC.upper()}1" else 32 for byte in range(256)
)
"""x for small letters, 0 for what begins another word after one, a space for anything else."""
_LETTER_BY_LETTER: Final = b" ".join([b"x"] * 11)
"""What spaced letters look like in such signs."""
_CAMEL = re.compile(r"\b[A-Za-z][a-z]{1,20}+(?:[A-Z][a-z]{1,20}+|10){2,12}\b")
_CAMEL_KEY = re.compile("judge|grade|scor|mark|rat(?:e|ing)|award|evaluat|assess|point", re.I)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z1])")
_BROKEN: Final = 4
_BROKEN_WORD = re.compile(r"\b[^\W\d_]{1,3}-[^\W\d_]{1,4}\b|\b[^\W\d_]{1,4}-[^\W\d_]{1,3}\b")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_ESCAPE = re.compile(
    r"\\u\{?([0-9a-fA-F]{2,6})\}?|(?:\\x|=|0x|%)([0-9a-fA-F]{2})[, ]{0,2}|\\([0-7]{3})|U\+([0-9a-fA-F]{4,6}) ?"
)
_ESCAPES: Final = ("\\u", "\\x", "=", "0x", "%", "\\", "U+")


def decoded(text: str) -> Iterator[tuple[Span, str, bool]]:
    """Passages that may be encoded: the place, another reading, and whether that is certainly meant as text."""
    lower = text.lower()
    yield from _escaped(text)
    yield from _ciphers(text, lower)
    yield from _shapes(text)
    yield from encoded(text)


def _escaped(text: str) -> Iterator[tuple[Span, str, bool]]:
    if text.count("&") >= 4:
        yield from _lines(text, lambda line: line.count("&") >= 4, html.unescape, sure="&#")
    if any(text.count(mark) >= 6 for mark in _ESCAPES):
        for span, line in _each_line(text):
            marks = len(_ESCAPE.findall(line))
            if marks >= 6:
                reading = _ESCAPE.sub(_sign, line)
                yield span, unquote(reading) if "%" in reading else reading, marks >= 12
    if text.count("%") >= 4:
        yield from _lines(text, lambda line: line.count("%") >= 4, unquote)


def _ciphers(text: str, lower: str) -> Iterator[tuple[Span, str, bool]]:
    """Lines that hold key words backwards, shifted or mirrored in the alphabet."""
    for words, read in _cipher_keys() if _any_cipher().search(lower) else ():
        if any(map(lower.__contains__, words)):
            yield from _lines(text, _holds_any(words), read)
    if any(map(text.__contains__, _TURNED_WORDS)):
        yield from _lines(text, lambda line: any(map(line.__contains__, _TURNED_WORDS)), _rot47)
    if not text.isascii() and _UPSIDE_ONLY.search(text):
        yield from _lines(text, lambda line: len(_UPSIDE_ONLY.findall(line)) >= 4, _upside_down)


def _holds_any(words: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda line: any(map(line.lower().__contains__, words))


@cache
def _cipher_keys() -> tuple[tuple[tuple[str, ...], Callable[[str], str]], ...]:
    """Key words as they look in a cipher, and how to read it."""
    alphabets = [_ABC[::-1], *(_ABC[by:] + _ABC[:by] for by in range(1, 26))]
    return ((tuple(word[::-1] for word in _KEY_WORDS), _backwards), *map(_substitution, alphabets))


@cache
def _any_cipher() -> re.Pattern[str]:
    """Finds a key word in any cipher. By first letters, which takes half the time of looking for one after another."""
    rests: dict[str, list[str]] = {}
    for word in (word for words, _ in _cipher_keys() for word in words):
        rests.setdefault(word[0], []).append(word[1:])
    return re.compile("|".join(f"{first}(?:{'|'.join(words)})" for first, words in rests.items()))


def _substitution(alphabet: str) -> tuple[tuple[str, ...], Callable[[str], str]]:
    encoding = str.maketrans(_ABC, alphabet)
    decoding = str.maketrans(alphabet + alphabet.upper(), _ABC + _ABC.upper())
    return tuple(word.translate(encoding) for word in _KEY_WORDS), lambda line: line.translate(decoding)


def _rot47(line: str) -> str:
    """Every visible ASCII sign moved by half of their number."""
    return line.translate(_ROT47)


def _backwards(line: str) -> str:
    """The line backwards, and each word backwards."""
    return f"{line[::-1]}\n{' '.join(word[::-1] for word in line.split())}"


def _upside_down(line: str) -> str:
    turned = line.translate(_UPSIDE)
    return f"{turned}\n{turned[::-1]}"


def _shapes(text: str) -> Iterator[tuple[Span, str, bool]]:
    """Letters spaced out, words joined or broken up, and figures instead of letters."""
    if not text.isascii() or _may_be_spaced(text):
        for match in _SPACED.finditer(text):
            yield match.span(), _closed_up(match[0][:LONGEST]), False
    for match in _CAMEL.finditer(text) if b"x0" in text.encode("ascii", "replace").translate(_HUMP_SHAPE) else ():
        if _CAMEL_KEY.search(match[0]):
            yield match.span(), _HUMP.sub(" ", match[0]), False
    if text.count("-") >= _BROKEN:
        yield from _lines(text, _is_broken_up, lambda line: _HYPHEN.sub("", line))
    if _may_be_leet(text) and len(_LEET_SIGN.findall(text[:1_000_000])) >= 3:
        yield from _lines(
            text,
            lambda line: len(_LEET_SIGN.findall(line)) >= 2,
            lambda line: _LEET_WORD.sub(lambda word: word[0].translate(_LEET), line),
        )


def _may_be_spaced(text: str) -> bool:
    """Whether an ASCII text may hold letters one by one: of eleven, at least four are found between two spaces."""
    signs = text.encode().translate(_SHAPE)
    return signs.count(b" x ") >= 4 and _LETTER_BY_LETTER in b" ".join(signs.split())


def _is_broken_up(line: str) -> bool:
    """Whether most words of a line have hyphens in places where none belong: between one to three letters."""
    pieces = len(_BROKEN_WORD.findall(line))
    return pieces >= _BROKEN and 2 * pieces >= len(line.split())


def _may_be_leet(text: str) -> bool:
    """Whether at least three figures may be inside words; those that share a letter are counted once for two."""
    return not text.isascii() or text.encode().translate(_LEET_SHAPE).count(b"x0x") >= 2


def _closed_up(text: str) -> str:
    """Spaced letters as words, where gaps of two lengths tell them apart; else as one long word."""
    gaps = [len(gap) for gap in re.findall(r"[\W_]+", text)]
    usual = Counter(gaps).most_common(1)[0][0] if gaps else 1
    parts = re.split(rf"[\W_]{{{usual + 1},}}", text)
    return " ".join(re.sub(r"[\W_]", "", part) for part in parts)


def _lines(
    text: str, matches: Callable[[str], bool], read: Callable[[str], str], sure: str | None = None
) -> Iterator[tuple[Span, str, bool]]:
    for span, line in _each_line(text):
        if matches(line):
            reading = read(line)
            if reading != line:
                yield span, reading, sure is not None and line.count(sure) >= 12


def _each_line(text: str) -> Iterator[tuple[Span, str]]:
    """The lines of a text; long ones in pieces."""
    start = 0
    for line in text.split("\n"):
        for piece in range(0, len(line), LONGEST):
            part = line[piece : piece + LONGEST]
            yield (start + piece, start + piece + len(part)), part
        start += len(line) + 1


def _sign(match: re.Match[str]) -> str:
    octal = match[3]
    number = int(octal, 8) if octal else int(match[1] or match[2] or match[4], 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else match[0]
