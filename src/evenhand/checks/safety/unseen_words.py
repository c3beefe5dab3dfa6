"""Words in a text that its reader does not see: in markup that is not shown, in unseen characters, encoded. Pure.

Hidden characters count only when they can hide words; one soft break is nothing, and writing from right to left has
marks of its own.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from evenhand.checks.subject import Subject
from evenhand.lazy_pattern import late_pattern
from evenhand.screening.judge_orders import addressed_to_judge

_HIDDEN_RUN = late_pattern("[\u200b-\u200d\u2060-\u2064\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]{16,}")
_TAGS = late_pattern("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{4,}")
_TURNED = late_pattern("[\u202d\u202e][^\n]{2,}|\u2067[^\n\u2069]{2,}")
_TURNED_LATIN = late_pattern("[\u202d\u202e][ -~]{4,}")
_RIGHT_TO_LEFT = late_pattern("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_BASE64 = late_pattern(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,4000}={0,2}(?![\w+/=-])")
_HEXADECIMAL = late_pattern(r"(?<!\w)(?:[0-9a-f]{2}[ :]?){20,2000}(?!\w)", re.I)
_UNSHOWN_STYLE = (
    r"display:\s*none|visibility:\s*hidden|font-size:\s*0|opacity:\s*0(?![.\d])|color:\s*(?:white|transparent|#fff(?:fff)?)"
    r"|\bhidden\b"
)
_UNSHOWN_ELEMENT = late_pattern(rf"<[a-z]+ [^<>]{{0,300}}(?:{_UNSHOWN_STYLE})[^<>]{{0,300}}>([^<]+)<", re.I)
_LINK_COMMENT = late_pattern(r"^\[(?://|comment|_)\]:\s*(?:#|<>)\s*[(\"'](.*)[)\"']\s*$", re.M | re.I)


def unseen_words(subject: Subject) -> Iterator[tuple[str, str]]:
    """What hides words, each with its quote."""
    text = subject.output
    for part in _not_shown(without_code(subject) if "<" in text or "]:" in text else ""):
        for sentence in addressed_to_judge(part):
            yield "an order to a judge in markup that is not shown", sentence
    if not text.isascii():
        yield from _in_characters(text)
    for match in (*_BASE64.finditer(text), *_HEXADECIMAL.finditer(text)):
        decoded = _decoded(match[0])
        if decoded and any(True for _ in addressed_to_judge(decoded)):
            yield "an order to a judge in encoded form", match[0][:200]


def _not_shown(text: str) -> Iterator[str]:
    """The text of HTML comments, hidden elements and Markdown comments."""
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start)) >= 0:
        yield text[start + 4 : end]
        start = text.find("<!--", end)
    for pattern in (_UNSHOWN_ELEMENT, _LINK_COMMENT):
        for match in pattern.finditer(text):
            yield match[1]


def _in_characters(text: str) -> Iterator[tuple[str, str]]:
    for match in _TAGS.finditer(text):
        spelled = "".join(chr(ord(character) - 0xE0000) for character in match[0])
        yield f'tag characters that are not shown and spell "{spelled[:60]}"', match[0][:200]
    for match in _HIDDEN_RUN.finditer(text):
        yield f"{len(match[0])} invisible characters in a row, which can carry a text", match[0][:200]
    for match in (_TURNED_LATIN if _RIGHT_TO_LEFT.search(text) else _TURNED).finditer(text):
        yield "characters that turn the direction of reading, so that it reads otherwise than it is", match[0][:200]


def _decoded(text: str) -> str:
    """The words in a piece of base64 or hexadecimal; empty when it holds none."""
    try:
        if _HEXADECIMAL.fullmatch(text):
            return bytes.fromhex(re.sub(r"[ :]", "", text)).decode("utf-8")
        plain = text.rstrip("=").translate(str.maketrans("-_", "+/"))
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def without_code(subject: Subject) -> str:
    """The output with its code blocks and quotations blanked out, everything else in its place."""
    hidden = [t.map for t in subject.tokens if t.type in ("fence", "code_block", "blockquote_open") and t.map]
    if not hidden:
        return subject.output
    last = max(end for _, end in hidden)  # what follows is not cut into lines: it may have millions
    lines = subject.output.split("\n", last)
    for start, end in hidden:
        lines[start:end] = [""] * (end - start)
    return "\n".join(lines)
