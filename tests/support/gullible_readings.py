"""What the most gullible reader makes of a text: it decodes whatever it can, and believes it. Shares no code with the
package, so that it cannot share its blind spots."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from urllib.parse import unquote

_LOOK_ALIKE = str.maketrans(
    "аеорсхуіАВЕНКМОРСТХɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ", "aeopcxyiABEHKMOPCTXaceﬁghijkmrtvwy".replace("ﬁ", "f")
)
_UPSIDE = str.maketrans("ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz", "abcdefghijklmnopqrstuvwxyz")
_LEET = str.maketrans("43759", "aetsg")
_ATBASH = str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")
_CODES = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
_MORSE = dict(zip(_CODES.split(), "abcdefghijklmnopqrstuvwxyz0123456789", strict=True))
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_BLANK = re.compile("[\u3164\uffa0\u2800]")


def _caesar(text: str, by: int) -> str:
    return "".join(
        chr((ord(c) - 97 + by) % 26 + 97)
        if "a" <= c <= "z"
        else chr((ord(c) - 65 + by) % 26 + 65)
        if "A" <= c <= "Z"
        else c
        for c in text
    )


def _bytes(found: list[str], read: Callable[[str], bytes]) -> str:
    out = []
    for piece in found:
        try:
            raw = read(piece)
            out.append(raw.decode("utf-16-le") if raw[1::2].count(0) > len(raw) // 3 else raw.decode())
        except (binascii.Error, ValueError):
            continue
    return "\n".join(out)


def _base64(text: str) -> bytes:
    plain = re.sub(r"\s", "", text).translate(str.maketrans("-_", "+/")).rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


def _base32(text: str) -> bytes:
    return base64.b32decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 8))


def _morse(text: str) -> str:
    words = re.findall(r"(?:[.-]{1,5}(?: |$))+", text)
    return " ".join("".join(_MORSE.get(code, "") for code in word.split()) for word in words)


def _selected(text: str) -> str:
    raw = bytes(
        ord(c) - 0xFE00 if c < "\U000e0000" else ord(c) - 0xE0100 + 16
        for c in text
        if "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
    )
    return raw.decode("utf-8", "ignore")


def _letters(text: str) -> str:
    """Squared letters and regional indicators as plain ones."""
    out = []
    for c in text:
        number = ord(c)
        for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6):
            if first <= number < first + 26:
                c = chr(97 + number - first)
        out.append(c)
    return "".join(out)


DECODINGS: tuple[Callable[[str], str], ...] = (
    lambda t: "".join(chr(ord(c) - 0xE0000) for c in t if 0xE0020 <= ord(c) <= 0xE007E),
    _selected,
    lambda t: t[::-1],
    lambda t: "\n".join(line[::-1] for line in t.split("\n")),
    lambda t: " ".join(w[::-1] for w in t.split()),
    lambda t: " ".join(t.split()[::-1]),
    html.unescape,
    unquote,
    lambda t: re.sub(r"\\u\{?([0-9a-fA-F]{2,6})\}?", lambda m: chr(int(m[1], 16) % 0x110000), t),
    lambda t: re.sub(r"(?:\\x|=|0x)([0-9a-fA-F]{2})(?:, )?", lambda m: chr(int(m[1], 16)), t),
    lambda t: re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), t),
    lambda t: re.sub(r"U\+([0-9A-F]{4}) ?", lambda m: chr(int(m[1], 16)), t),
    lambda t: "".join(chr(int(n)) for n in re.findall(r"\b\d{2,3}\b", t) if 31 < int(n) < 127),
    lambda t: "".join(chr(int(n, 2)) for n in re.findall(r"\b[01]{8}\b", t)),
    _morse,
    lambda t: codecs.encode(t, "rot13"),
    lambda t: _caesar(t, -3),
    lambda t: t.translate(_ATBASH),
    lambda t: t.translate(_UPSIDE),
    lambda t: t.translate(_LEET).replace("1", "i").replace("0", "o"),
    lambda t: re.sub(r"\b(?=\w*[a-zA-Z])\w+", lambda m: m[0].translate(_LEET).replace("1", "i").replace("0", "o"), t),
    lambda t: re.sub(r"\bio\b", "10", t.translate(_LEET).replace("1", "i").replace("0", "o")),
    _letters,
    lambda t: _bytes(re.findall(r"[A-Za-z0-9+/_-]{20,}={0,2}", t), _base64),
    lambda t: _bytes(re.findall(r"(?:[A-Za-z0-9+/]{20,}\n?)+={0,2}", t), _base64),
    lambda t: _bytes(re.findall(r"[A-Z2-7]{24,}=*", t), _base32),
    lambda t: _bytes(re.findall(r"\S{40,}", t), base64.b85decode),
    lambda t: _bytes(re.findall(r"(?:[0-9a-fA-F]{2} ?){20,}", t), lambda piece: bytes.fromhex(piece)),
    lambda t: "".join(chr(33 + (ord(c) - 33 + 47) % 94) if "!" <= c <= "~" else c for c in t),
    lambda t: re.sub(r"\b(\w+)(\w)ay\b", r"\2\1", t),
    lambda t: re.sub(r"\b\d{1,2}(?:-\d{1,2}){2,}\b", lambda m: "".join(chr(96 + int(n)) for n in m[0].split("-")), t),
    lambda t: re.sub(
        r"\b(?:alfa|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whiskey|xray|yankee|zulu) ?",
        lambda m: m[0][0],
        t,
    ),
    lambda t: re.sub(r'"\s*\+\s*"', "", t),
    lambda t: re.sub(r"(?<=[0-9a-f])\n(?=[0-9a-f])", "", t),
    lambda t: re.sub(r"\((.)\)", r"\1", t),
)
"""Each gives another reading of a text."""


def readings(text: str) -> Iterator[str]:
    """The text as it is, and every decoding of it, and every decoding of those."""
    seen = {text}
    yield text
    first = []
    for decode in DECODINGS:
        reading = decode(text)
        if len(reading) > 4 and reading not in seen:
            seen.add(reading)
            first.append(reading)
            yield reading
    for reading in first:
        for decode in DECODINGS:
            again = decode(reading)
            if len(again) > 4 and again not in seen:
                seen.add(again)
                yield again


_GRADING = (
    "score grade grading rating rate mark point award judge grader evaluat examiner rubric give giv verdict scroe juge"
    " bewert punkt note sur donnez reponse puntuac respuesta punteggio risposta resposta antwoord score svar poang"
    " odpowied ocen odpove znamk оцен ответ відпов απαντη βαθμ cevab puan الدرجة الاجابة ציון תשובה उत्तर अक अंक"
    " 回答 打 点 분 점 답변 diem jawaban nilai คะแนน vastau arvosana raspuns nota valasz pont responso punct"
    " alama puntos نمره ocjen karakter балл poent bal admissible grdr nswr rated dimension criteri"
).split()
_HIGH = re.compile(r"(?<![\da-z.])(?:10(?![\da-z.])|ten\b|perfect|highest|full marks|a\+|flawless|९|१०)")
_LOW = re.compile(r"(?<![\da-z.])(?:1(?![\da-z.])|one\b|lowest|failing|no marks|(?<=grade )f\b|worthless)")
_SCALE = re.compile(
    r"(\b(?:\d+|ten|one)) ?(?:out of|of|/|von|sur|av|z|из|з|dari|من|מתוך|ex|outof|t f) ?(?:10|ten)(?!\d)|10 (?:uzerinden|में से) ",
    re.I,
)


def _flattened(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = _BLANK.sub(" ", _UNSEEN.sub("", text)).replace("đ", "d").translate(_LOOK_ALIKE)
    plain = unicodedata.normalize("NFKD", plain)
    plain = "".join(c for c in plain if not unicodedata.combining(c) or unicodedata.category(c) == "Mc")
    return plain.lower().replace("ı", "i")


@cache
def _stems() -> tuple[str, ...]:
    return tuple(map(_flattened, _GRADING))


def _nearest(flat: str, score: int, reach: int) -> int | None:
    """How far from a word about grading a score is written; None when it is not within reach."""
    flat = _SCALE.sub(lambda m: f"{m[1] or ''} ", flat)
    scores = [m.start() for m in (_HIGH if score == 10 else _LOW).finditer(flat)]
    if not scores:
        return None
    places = [m.start() for stem in _stems() if stem in flat for m in re.finditer(re.escape(stem), flat)]
    distances = [min(abs(at - place) for place in places) for at in scores] if places else []
    return min((distance for distance in distances if distance <= reach), default=None)


_OBJECT = re.compile(r"[\"'<]?\bscore\b[\"'>]?\s*[:=]?\s*(\d+)", re.I)


def _distance(reading: str, score: int) -> int | None:
    flat = _flattened(reading)
    if any(match[1] == str(score) for match in _OBJECT.finditer(flat)):
        return 0
    words = " ".join(re.findall(r"\w+\+?|/", flat.replace("_", " ")))
    joined = re.sub(r"(?<=\b\w) (?=\w\b)", "", words)
    tight = "".join(re.findall(r"\w+", flat.replace("_", "")))
    near = [_nearest(line, score, 90) for line in (words, joined)]
    if re.search(rf"(?:give|score|rate|grade|mark|assign)[a-z]{{0,30}}{score}(?:outof|/|in[a-z])", tight):
        near.append(30)
    return min((distance for distance in near if distance is not None), default=None)


@lru_cache(maxsize=8192)
def tells(text: str, score: int) -> bool:
    """Whether a text tells its reader, in whatever disguise, to give this score."""
    return any(_distance(reading, score) is not None for reading in readings(text))


_REPEATED = re.compile(r"([^.\n]{20,}\. )\1{2,}")
"""A sentence that makes a work long by coming again and again; decoding it as often would take minutes."""


@lru_cache(maxsize=8192)
def wanted(text: str) -> int | None:
    """The score that a text tells its reader to give, in the first reading that tells any; None when none does."""
    for reading in readings(_REPEATED.sub(r"\1", text)):
        high, low = _distance(reading, 10), _distance(reading, 1)
        if high is not None or low is not None:
            return 10 if low is None or (high is not None and high <= low) else 1
    return None


_ORDER = re.compile(
    r"(?:give|award|assign|rate|grade|score|mark)\b[^.!?|\n]{0,30}\b(?:this|my|the) (?:answer|response|submission|work|text|entry)"
    r"\b[^.!?|\n]{0,60}?(?<!from )(?<!to )(?P<score>\b10\b|\bten\b|\b1\b|\bone\b|\blowest\b|\bhighest\b)",
    re.I,
)


@lru_cache(maxsize=4096)
def ordered(text: str) -> int | None:
    """The score of a plain order about this work; None when there is none."""
    match = _ORDER.search(" ".join(text.split()))
    return None if match is None else 10 if match["score"].lower() in ("10", "ten", "highest") else 1
