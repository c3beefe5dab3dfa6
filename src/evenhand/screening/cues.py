"""Word stems that an order to a judge is made of, in many languages, and where a text has them. Pure, linear.

A stem counts at the start of a word; in scripts that have no such start, anywhere. Letters are compared without case,
accents and style: full-width, mathematical and look-alike letters are read as the letters they imitate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from evenhand.screening.languages import rows
from evenhand.screening.stems import (
    ADDRESS,
    DIMENSION,
    GRADE,
    HIGH,
    JUDGE,
    LOW,
    MARK,
    NUMBER,
    ORDER,
    OURS,
    PERSON,
    QUALITY,
    READER,
    SILENCE,
    STEMS,
    TOP,
    WORK,
)

_LOOK_ALIKE: Final = dict(
    zip(
        "аеорсухіѕјһԁԛԝαοερντικυΑВЕНІКМОРСТХΒΕΗΙΚΜΝΟΡΤΧΥΖɑɡıʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢđłøħŧ",
        "aeopcyxisjhdqwaoepvtikuabehikmopctxbehikmnoptxyzagilabcdefghijkmnoprstuvwyzdloht",
        strict=True,
    )
)
_LETTER_SIGNS: Final = {
    chr(first + offset): chr(ord("a") + offset) for first in (0x1F150, 0x1F170, 0x1F1E6) for offset in range(26)
}
"""Negative circled and squared letters, and regional indicators, which have no decomposition."""

_NUMBER: Final = re.compile(
    r"(?<![\d.,:/a-z-])(?<!-[a-z] )(?:10|9(?:\.\d)?)(?:\s?/\s?10)?(?![\d:a-z_%°]|[.,]\d|-\d"
    r"| ?(?:minute|second|day|year|week|hour|per|km|mb|gb|am|pm|eur|usd|x|time|line|file|item|row|character)s?\b)"
    r"|(?<![\d.,])[12]\s?/\s?10(?!\d)"
    r"|(?<![\d.,:/a-z_$-])[12](?= (?:on|for|out of|point|puntos|alama|poento|bal)|[点分점]|\.(?:\s|$))"
)
"""The ends of a scale as a score is written, not as a quantity."""
_NUMBER_WORD: Final = re.compile(
    r"\b(?:an?|as|than) (?:[2-8]|one|two|three|four|five|six|seven|eight|nine|ten)"
    r"(?=[.,;!?)]|$| (?:or|for|here|seems|should|would|in|on|at|instead|and)\b)"
)
"""Any score as one speaks of it."""
_JOINT: Final = re.compile(r"(?<=[a-z])[-_](?=[a-z])")
"""What joins the words of a name."""
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile("[a-z]+")
_LETTERS_ONLY: Final = bytes(byte if 97 <= byte <= 122 else 32 for byte in range(256))
"""A space for everything but small letters; many times as quick as a pattern."""
_WORD_LENGTH: Final = 24
"""A run of letters longer than this is several words written together."""
_ITEM: Final = re.compile(r"[.)] ")


class Letters(NamedTuple):
    """A text in plain small letters, and the way back."""

    text: str
    origins: Sequence[int] | None
    """For each character its place in the text as written; None when the places are the same."""

    def origin(self, place: int) -> int:
        """The place in the text as written."""
        if self.origins is None:
            return place
        return self.origins[place] if place < len(self.origins) else (self.origins[-1] + 1 if self.origins else 0)


def letters(text: str) -> Letters:
    """A text without case, accents and styles of letters."""
    if text.isascii():
        return Letters(text.lower(), None)
    table = {ord(sign): _plain_sign(sign) for sign in set(text)}
    plain = text.translate(table)
    if len(plain) == len(text):
        return Letters(plain, None)
    return Letters(plain, [place for place, sign in enumerate(text) if table[ord(sign)]])


@lru_cache(maxsize=8192)
def _plain_sign(sign: str) -> str:
    """One small letter without accent or style; nothing for a mark on the letter before it."""
    if sign in _LETTER_SIGNS:
        return _LETTER_SIGNS[sign]
    if unicodedata.combining(sign):
        return ""
    base = "".join(part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part)).lower()
    base = base if len(base) == 1 else sign.lower() if len(sign.lower()) == 1 else sign
    return _LOOK_ALIKE.get(base, base)


class _Stem(NamedTuple):
    text: str
    group: int
    ends: bool
    """Whether the word must end with it."""


@lru_cache(maxsize=4)
def letter_runs(text: str) -> frozenset[str]:
    """The different runs of small letters in a text; a text repeats most of its words."""
    return frozenset(text.encode("ascii", "replace").translate(_LETTERS_ONLY).decode().split())


@cache
def _stems() -> tuple[dict[str, list[_Stem]], dict[str, list[_Stem]], tuple[int, ...]]:
    """The stems of ASCII letters by their longest word, all others by their rarest sign, the lengths of those words."""
    groups: dict[tuple[str, bool], int] = {}
    for group, words in (*STEMS.items(), *rows()):
        for word in words.split():
            stem = letters(word.rstrip("-").replace("-", " ")).text
            key = stem, word.endswith("-")
            groups[key] = groups.get(key, 0) | group
    by_word: dict[str, list[_Stem]] = {}
    others: dict[str, list[_Stem]] = {}
    for (stem, ends), group in groups.items():
        if stem.isascii() and _WORD.match(stem):
            # "the" is in every text, "grade" is not: the longest word of a stem tells most.
            longest = max(_WORD.findall(stem), key=len)
            by_word.setdefault(longest, []).append(_Stem(stem, group, ends))
        else:
            rarest = next((sign for sign in stem if not sign.isascii()), stem[0])
            others.setdefault(rarest, []).append(_Stem(stem, group, ends))
    return by_word, others, tuple({len(word) for word in by_word})


@lru_cache(maxsize=16_384)
def _begun(word: str) -> tuple[str, ...]:
    """The words of stems that a word begins with; works about one subject share most of their words."""
    by_word, _, lengths = _stems()
    return tuple(begun for length in lengths if len(begun := word[:length]) == length and begun in by_word)


def _present(plain: str) -> Iterator[_Stem]:
    """The stems that a text may hold: a set of its words tells at once which to look for."""
    by_word, others, _ = _stems()
    words = letter_runs(plain)
    known = {begun for word in words for begun in _begun(word)}
    long = " ".join([word for word in words if len(word) > _WORD_LENGTH])
    for word in by_word if long else known:
        if word in known or (len(word) >= 5 and word in long):
            yield from by_word[word]
    for sign in others.keys() & set(plain):  # tells at once that a script is not there
        yield from others[sign]


WEIGHTS: Final = {
    JUDGE: 5,
    READER: 1,
    GRADE: 5,
    MARK: 2,
    DIMENSION: 4,
    QUALITY: 2,
    TOP: 5,
    HIGH: 1,
    LOW: 4,
    ORDER: 1,
    SILENCE: 3,
    WORK: 3,
    ADDRESS: 2,
    NUMBER: 3,
    OURS: 8,
    PERSON: 0,
}
"""How much each group says that a sentence is about a judge's scores: from regression on real texts, rounded."""
CORE: Final = JUDGE | GRADE | DIMENSION | TOP | LOW | OURS
"""Without any of these, the others need to be more."""
TOPIC: Final = CORE | MARK
_NO_CORE: Final = 2


@lru_cache(maxsize=4096)
def weight(groups: int) -> int:
    """How much a sentence with these groups of cues says that it is about a judge's scores."""
    together = sum(points for group, points in WEIGHTS.items() if groups & group)
    return together if groups & CORE else together - _NO_CORE


def cues(plain: str, *, persons: bool = True) -> Iterator[tuple[int, int, int]]:
    """The place, end and group of every stem in a text of plain letters; one of several close to each other.

    Without `persons`, words that only speak to someone, which most texts have, are not looked for.
    """
    as_written = plain
    spaced = _JOINT.sub(" ", plain) if "_" in plain or "-" in plain else plain
    for stem, group, ends in _present(as_written):
        if group == PERSON and not persons:
            continue
        plain = as_written if "_" in stem else spaced
        size, place = len(stem), plain.find(stem)
        always = size > 4 and not ends and stem[0].isalpha()
        while place >= 0:
            stop = place + size
            begins_word = place == 0 or not plain[place - 1].isalpha()
            if (always and begins_word) or _counts(plain, stem, place, stop, ends):
                yield place, stop, group
                stop += 24  # another one this near adds nothing
            place = plain.find(stem, stop)


def _counts(plain: str, stem: str, place: int, stop: int, ends: bool) -> bool:
    if not stem.isascii():
        return True
    if ends and plain[stop : stop + 1].isalpha():
        return False
    if not stem[0].isalpha() or place == 0 or not plain[place - 1].isalpha():
        return _short_word(plain, stem, stop)
    return len(stem) >= 5 and _in_long_word(plain, place)


def _short_word(plain: str, stem: str, stop: int) -> bool:
    """Stems of up to four letters count only as whole words or with a short ending."""
    if len(stem) > 4:
        return True
    ending = 0
    while ending <= 3 and plain[stop + ending : stop + ending + 1].isalpha():
        ending += 1
    return ending <= (3 if len(stem) == 4 else 0)


def _in_long_word(plain: str, place: int) -> bool:
    """Whether a place is inside a run of letters that is too long to be a word."""
    start = place
    while start > 0 and place - start <= _WORD_LENGTH and plain[start - 1].isalpha():
        start -= 1
    end = place
    while end < len(plain) and end - start <= _WORD_LENGTH and plain[end].isalpha():
        end += 1
    return end - start > _WORD_LENGTH


def number_places(plain: str, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, int]]:
    """Where an end of a scale is written in figures, other than as the number of an item; or any score in words."""
    # Runs of figures are much quicker to find than the number with its surroundings.
    for run in _DIGITS.finditer(plain, start, len(plain) if stop is None else stop):
        place = run.start()
        match = _NUMBER.match(plain, place)
        if match and not (
            _ITEM.match(plain, match.end()) and not plain[max(0, place - 4) : place].rpartition("\n")[2].strip()
        ):
            yield match.span()
    for match in _NUMBER_WORD.finditer(plain, start, len(plain) if stop is None else stop):
        yield match.span()
