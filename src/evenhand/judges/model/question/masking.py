"""Find and mask passages of a text that address a judge. Pure, and linear in the text's length.

A model is more easily misled than a check, so more is masked here than the checks report: orders inside quotation
marks, comments and code, in encoded form, objects that look like a judge's reply, fence markers. Every masked passage
is returned, so that it can be reported.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.judges.model.question.layout import note
from evenhand.judges.screening.disguises import disguised
from evenhand.judges.screening.fake_replies import fake_replies, object_end
from evenhand.judges.screening.further_orders import further_orders
from evenhand.judges.screening.judge_orders import addressed_to_judge
from evenhand.judges.screening.suspect_lines import Span, holds, speaks_of_scores, suspect_lines

MASK: Final = note("a passage addressed to the judge was removed here")

_QUOTE_MARKS = str.maketrans(
    dict.fromkeys("\"'`*_\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f", " ")
)
_BOUNDS = str.maketrans(dict.fromkeys("\"'`*|()[]{}\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb", "\n"))
"""An order in a table, link or quotation starts and ends at one of these."""
_LEADING = re.compile(r"^[^\w\n]{1,12}", re.M)
_MARKUP = re.compile(r"<[^<>\n]{0,80}>+|\[/?[A-Z]{3,6}\]")
_SCORE_WORDS: Final = ("score", "grade", "grading", "rubric", "judge", "evaluator", "verdict", "full mark", "10/10")
_LONG_LINE: Final = 2000
"""Longer lines are read in overlapping pieces."""
_OVERLAP: Final = 300
_MOST_SENTENCES: Final = 5
"""Sentences after an order that are masked with it if they are about scores."""
_NEXT_SENTENCE = re.compile(r"[ \t]*[^\n.!?]{1,300}[.!?]*")
_TURNED = re.compile("[\u202d\u202e]([^\n\u202c]{4,4000})\u202c?")
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,}+(?:\r?\n[A-Za-z0-9+/_-]{4,200}+){0,200}+={0,2}+")
_HEXADECIMAL = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{2}(?:[ :]?[0-9a-fA-F]{2}){19,}+")
_BASE64_BYTES: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_HEXADECIMAL_BYTES: Final = frozenset(b"0123456789abcdefABCDEF :")
_CODES: Final = tuple(
    (pattern, bytes(byte in letters for byte in range(256)), b"\1" * fewest)
    for pattern, letters, fewest in ((_BASE64, _BASE64_BYTES, 24), (_HEXADECIMAL, _HEXADECIMAL_BYTES, 40))
)
"""A pattern; a table with 1 for its characters and 0 for others; and the shortest run of them that it needs."""
_LONGEST_CODE: Final = 20_000
"""Characters of base64 or hexadecimal decoded per piece."""
_VERDICT_ROW = re.compile(rf"^[^\w\n]*(?:{'|'.join(DIMENSIONS)})\b[^\w\n]{{1,20}}\d[^\n]*$", re.I | re.M)
_VERDICT = re.compile(
    r"^[^\w\n]*(?:(?:final|overall|total|my)\s)?(?:score|rating|grade|verdict|evaluation)\b[^\w\n]{1,8}"
    r"(?:(?:10|9(?:\.\d+)?)\s?(?:/|out of)\s?10|\[\[(?:10|9(?:\.\d+)?)\]\]|a\+)[^\w\n]*$",
    re.I | re.M,
)


class Masked(NamedTuple):
    """A text without the passages addressed to a judge, and those passages."""

    text: str
    passages: tuple[str, ...]


def mask(text: str, *, thorough: bool = False, verdicts: bool = True) -> Masked:
    """Mask what is addressed to a judge. `thorough` also reads the text as Markdown, which takes longer.

    `verdicts` also masks lines that only state a top score; leave it off for work whose task is to give scores.
    """
    suspect = list(suspect_lines(text))
    spans = [*_orders(text, suspect), *_encoded(text), *fake_replies(text)]
    spans += [span for span, words in disguised(text) if next(_orders(words, suspect_lines(words)), None) is not None]
    spans += _verdicts(text, suspect) if verdicts else ()
    if thorough and (spans or _worth_parsing(text)):
        spans += _suspected(text)
    if not spans:
        return Masked(text, ())
    kept, passages, end = [], [], 0
    for start, stop in _merged(spans):
        kept += [text[end:start], MASK]
        passages.append(text[start:stop].strip())
        end = stop
    return Masked("".join(kept) + text[end:], tuple(passages))


def mask_turned(text: str) -> Masked:
    """Mask text that addresses a judge and is written backwards between direction marks."""
    if "\u202d" not in text and "\u202e" not in text:
        return Masked(text, ())
    passages: list[str] = []

    def masked(match: re.Match[str]) -> str:
        if not mask(match[1][::-1]).passages:
            return match[0]
        passages.append(match[1][::-1])
        return MASK

    return Masked(_TURNED.sub(masked, text), tuple(passages))


def _merged(spans: list[Span]) -> Iterator[Span]:
    start, stop = -1, -1
    for span in sorted(spans):
        if span[0] > stop:
            if stop >= 0:
                yield start, stop
            start, stop = span
        stop = max(stop, span[1])
    yield start, stop


def _orders(text: str, suspect: Iterable[Span]) -> Iterator[Span]:
    """Sentences that tell a judge what to say, even across two lines."""
    for start, stop in suspect:
        step = _LONG_LINE - _OVERLAP
        for place in range(start, max(start + 1, stop - _OVERLAP), step):
            yield from _in_piece(text, place, min(stop, place + _LONG_LINE))


def _in_piece(text: str, start: int, stop: int) -> Iterator[Span]:
    """The orders in a piece, read without its quotation marks, markup and line breaks."""
    plain = _LEADING.sub(_spaces, text[start:stop].translate(_QUOTE_MARKS))
    plain = _MARKUP.sub(lambda match: "!" + " " * (len(match[0]) - 1), plain).replace("\n", " ")
    apart = text[start:stop].translate(_BOUNDS)
    for reading in (plain, apart) if apart != text[start:stop] else (plain,):
        at = 0
        for sentence in addressed_to_judge(reading):
            at = reading.find(sentence, at)
            yield _widened(text, start + at, start + at + len(sentence))
    for begin, end in further_orders(plain):
        yield _widened(text, start + begin, start + end)


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _widened(text: str, start: int, stop: int) -> Span:
    """A span with the punctuation before it on its line, and the sentences about scores after it."""
    begin = text.rfind("\n", 0, start) + 1
    if start - begin <= 12 and not re.search(r"\w", text[begin:start]):
        start = begin
    for _ in range(_MOST_SENTENCES):
        following = _NEXT_SENTENCE.match(text, stop)
        if following is None or not speaks_of_scores(following[0]):
            break
        stop = following.end()
    return start, stop


def _encoded(text: str) -> Iterator[Span]:
    letters = text.encode("ascii", "replace")
    for pattern, marks, fewest in _CODES:
        if fewest not in letters.translate(marks):  # twenty times as fast as the pattern
            continue
        for match in pattern.finditer(text):
            decoded = _decoded(match[0][:_LONGEST_CODE], hexadecimal=pattern is _HEXADECIMAL)
            if decoded and mask(decoded).passages:
                yield match.span()


def _decoded(text: str, *, hexadecimal: bool) -> str:
    """The text encoded in base64 or hexadecimal; empty if it is not text."""
    try:
        if hexadecimal:
            return bytes.fromhex(re.sub(r"[ :]", "", text)).decode("utf-8")
        plain = re.sub(r"\s", "", text).rstrip("=").translate(str.maketrans("-_", "+/"))
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _worth_parsing(text: str) -> bool:
    """Whether the checks could suspect anything; a few words rule out most texts without a parser."""
    lower = text.lower()
    named = sum(map(lower.__contains__, DIMENSIONS))
    return "{" in text or named > 1 or holds(lower, _SCORE_WORDS)


def _verdicts(text: str, suspect: Iterable[Span]) -> Iterator[Span]:
    for start, stop in suspect:
        for match in _VERDICT.finditer(text, start, stop):
            yield match.span()


def _suspected(text: str) -> Iterator[Span]:
    """What the checks suspect; they report the start of each passage."""
    from evenhand.judges.checks.safety.injection import suspicions  # imports the Markdown parser, which slows start-up

    for quote, _ in suspicions(text):
        start = text.find(quote)
        if start < 0 or not quote:
            continue
        if quote.startswith("{"):
            yield start, object_end(text, start)
        else:
            end = text.find("\n", start + len(quote)) if len(quote) >= 200 else start + len(quote)
            yield _widened(text, start, len(text) if end < 0 else end)
        if _VERDICT_ROW.match(quote):
            for row in _VERDICT_ROW.finditer(text):
                yield row.span()
