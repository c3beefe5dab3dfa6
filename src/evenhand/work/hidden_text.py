"""Characters that a reader does not see: which of a text's are hidden, and the text without them. Pure.

Not every unseen character hides something. A joiner between letters of Persian, Arabic or an Indian script, or within
an emoji, is part of the spelling, and so are the tags of a flag, one variation selector after its character, a filler
beside the Hangul letters it completes, and the blank of Braille beside other Braille.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_ZERO_WIDTH = "\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufff8"
_FILLERS = "\u115f\u1160\u17b4\u17b5"
_FORMATS = "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_BLANKS = re.compile("[\u2800\u3164\uffa0]")
_UNSEEN = re.compile(f"[{_ZERO_WIDTH}{_FILLERS}{_FORMATS}{_JOINERS}{_DIRECTIONS}{_SELECTORS}{_TAGS}]")
_KINDS = {
    "zero-width characters": re.compile(f"[{_ZERO_WIDTH}]"),
    "fillers": re.compile(f"[{_FILLERS}]"),
    "format characters": re.compile(f"[{_FORMATS}]"),
    "joiners": re.compile(f"[{_JOINERS}]"),
    "characters that set the direction of reading": re.compile(f"[{_DIRECTIONS}]"),
    "variation selectors": re.compile(f"[{_SELECTORS}]"),
    "tag characters": re.compile(f"[{_TAGS}]"),
}
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_JOINED_SCRIPT = re.compile(
    "[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u18af\ua840-\ua87f\ua980-\uaaff]"
)
_VIRAMA = re.compile("[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2]")
_BESIDE = {
    "\u115f": re.compile("[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]"),
    "\u1160": re.compile("[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]"),
    "\u2800": re.compile("[\u2801-\u28ff]"),
    "\u3164": re.compile("[\u3131-\u3163\u3165-\u318e]"),
    "\uffa0": re.compile("[\uffa1-\uffdc]"),
}
"""What a filler or blank completes; beside it, it belongs to the spelling."""
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")


def kinds_at(text: str, places: Sequence[int]) -> list[tuple[str, int]]:
    """The kinds of the hidden characters at the given positions, and how many there are of each."""
    counts = Counter(_kind(text[place]) for place in places)
    return [(what, counts[what]) for what in _KINDS if counts[what]]


def hidden_places(text: str) -> list[int]:
    """The positions of characters that only hide or disguise words."""
    flags = {place for match in _FLAG.finditer(text) for place in range(match.start(), match.end())}
    places: list[int] = []
    # What matters is the character before, as it will be once hidden ones are gone: two joiners in a row must not
    # excuse each other. So `before` stays the last character that was kept until another one stands in between.
    start, before = 0, ""
    for match in _UNSEEN.finditer(text):
        place = match.start()
        before = text[place - 1] if place > start else before
        if place in flags or _belongs(match[0], before, text[place + 1 : place + 2]):
            before = match[0]
            continue
        places.append(place)
        start = place + 1
    return places


def blank_places(text: str) -> list[int]:
    """The positions of letters that look like a space: Hangul fillers and the blank of Braille, out of place."""
    return [place for place in map(re.Match.start, _BLANKS.finditer(text)) if not _completes(text, place)]


def _completes(text: str, place: int) -> bool:
    beside = _BESIDE[text[place]]
    return bool(beside.match(text[place - 1 : place]) or beside.match(text[place + 1 : place + 2]))


def left_out(text: str, places: Sequence[int]) -> str:
    """A text without the characters at the given positions, which are sorted."""
    starts = [0, *(place + 1 for place in places)]
    return "".join(text[start:end] for start, end in zip(starts, [*places, len(text)], strict=True))


def _kind(character: str) -> str:
    return next(what for what, pattern in _KINDS.items() if pattern.match(character))


def _belongs(character: str, before: str, after: str) -> bool:
    """Whether the script needs this unseen character here."""
    if character in _JOINERS:
        return _joins(character, before, after)
    if character in _BESIDE:
        return bool(_BESIDE[character].match(before) or _BESIDE[character].match(after))
    if _KINDS["variation selectors"].match(character):
        if "\u180b" <= character <= "\u180f":
            return bool(_MONGOLIAN.match(before))
        if character >= "\U000e0100":
            return bool(_IDEOGRAPH.match(before))
        return bool(before) and not before.isspace() and not _UNSEEN.match(before)
    return False


def _joins(character: str, before: str, after: str) -> bool:
    if _VIRAMA.match(before):
        return True  # at the end of a word too
    if _JOINED_SCRIPT.match(before):
        return bool(_JOINED_SCRIPT.match(after))
    return character == "\u200d" and (before == "\ufe0f" or _is_symbol(before)) and _is_symbol(after)


def _is_symbol(character: str) -> bool:
    """An emoji or its colour."""
    return bool(character) and unicodedata.category(character) in ("So", "Sk")
