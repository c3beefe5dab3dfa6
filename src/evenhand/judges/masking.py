"""Passages of a text that are addressed to a judge, found and masked. Pure, and linear in the text's length.

A model that reads is more easily led than a check is, so more is masked here than the checks report: orders inside
quotation marks, in comments and in code, in encoded form, objects in the form of a judge's own reply, marks of the
fence. Every passage that is masked is handed back, so that it can be reported.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from evenhand.core.methodology import DIMENSIONS
from evenhand.judges.checks.judge_orders import addressed_to_judge

MASK: Final = "[a passage addressed to the judge was removed here]"

_HINT = re.compile(
    r"judg|grade|grading|evaluat|rubri|scor(?:e|ing)|rater|10|\bten\b|a\+|perfect|maxim|highest"
    r"|full (?:mark|credit|point)|(?:ious|ior|bove|lier|your|tem) (?:instruct|prompt|direct|guide|rule)|penali|deduct"
    r"|bewert|bestnote|bar\u00e8me|crit[e\u00e8\u00e9]r|\bvoto\b|punt(?:eg|ua)|pontua|najwy|maksym"
    r"|\u043e\u0446\u0435\u043d|\u0431\u0430\u043b\u043b|\u043e\u0442\u043b\u0438\u0447\u043d"
    r"|\u043a\u0440\u0438\u0442\u0435\u0440|\u0438\u043d\u0441\u0442\u0440\u0443\u043a|\u0443\u043a\u0430\u0437\u0430\u043d"
    r"|[\u0590-\u08ff\u0900-\u097f]|[\u70b9\u5206\u8bc4\u8a55\u6307\u6eff\u6e80\u6ee1\u57fa]|[\uc810\uae30\uc9c0]"
    r"|[^\x00-\x7f][a-z]|[a-z][^\x00-\x7f]",
    re.I,
)
"""What every order to a judge holds some of; a line without it is read no further."""

_QUOTE_MARKS = str.maketrans(
    dict.fromkeys("\"'`*_\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f", " ")
)
_LEADING = re.compile(r"^[^\w\n]{1,12}", re.M)
_LONG_LINE: Final = 2000
"""Lines beyond this are read in pieces that overlap."""
_OVERLAP: Final = 300
_SHORT_LINE: Final = 400
"""A line up to this is masked whole: what stands beside an order belongs to it."""

_ENCODED = re.compile(
    r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,9000}+(?:\r?\n[A-Za-z0-9+/_-]{4,200}+){0,200}+={0,2}+(?![\w+/=-])"
    r"|(?<!\w)(?:[0-9a-fA-F]{2}[ :]?){20,4000}+(?!\w)"
)
_HEXADECIMAL = re.compile(r"[0-9a-fA-F :]+")
_FENCE = re.compile(r"<<<\s*(?:submission|task)\b[^\n]{0,80}|\b(?:submission|task)\b[ \t]+[^\s>]{1,64}[ \t]*>>>", re.I)
_OUR_OBJECT = re.compile(r"\breply_to\b|\bevenhand/(?:scorecard|judgement)/v\d")
_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}]')
_LONGEST_OBJECT: Final = 20_000
_VERDICT_ROW = re.compile(rf"^[^\w\n]*(?:{'|'.join(DIMENSIONS)})\b[^\w\n]{{1,20}}\d[^\n]*$", re.I | re.M)

Span = tuple[int, int]


class Masked(NamedTuple):
    """A text without the passages addressed to a judge, and those passages."""

    text: str
    passages: tuple[str, ...]


def mask(text: str, *, thorough: bool = False) -> Masked:
    """Mask what is addressed to a judge. `thorough` reads the text as Markdown too, which takes longer."""
    spans = [*_orders(text), *_encoded(text), *_marks(text), *(_suspected(text) if thorough else ())]
    if not spans:
        return Masked(text, ())
    kept, passages, end = [], [], 0
    for start, stop in _merged(spans):
        kept += [text[end:start], MASK]
        passages.append(text[start:stop].strip())
        end = stop
    return Masked("".join(kept) + text[end:], tuple(passages))


def _merged(spans: list[Span]) -> Iterator[Span]:
    start, stop = -1, -1
    for each in sorted(spans):
        if each[0] > stop:
            if stop >= 0:
                yield start, stop
            start, stop = each
        stop = max(stop, each[1])
    yield start, stop


def _orders(text: str) -> Iterator[Span]:
    """Lines, or sentences of long lines, that tell a judge what to say; broken over two lines too."""
    read = 0
    for hint in _HINT.finditer(text):
        if hint.start() < read:
            continue
        start = text.rfind("\n", 0, hint.start()) + 1
        read = _line_end(text, hint.start())
        if read - start <= _LONG_LINE:
            yield from _in_piece(text, start, read)
            after = _line_end(text, read + 1)
            before = text.rfind("\n", 0, max(0, start - 1)) + 1
            if after - before <= _LONG_LINE:
                yield from _in_piece(text, before, after)
        else:
            for place in range(start, read, _LONG_LINE - _OVERLAP):
                yield from _in_piece(text, place, min(read, place + _LONG_LINE))


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _in_piece(text: str, start: int, stop: int) -> Iterator[Span]:
    """The orders in a piece, read without its quotation marks and line breaks."""
    plain = _LEADING.sub(lambda match: " " * len(match[0]), text[start:stop].translate(_QUOTE_MARKS))
    plain = plain.replace("\n", " ")
    at = 0
    for sentence in addressed_to_judge(plain):
        at = plain.find(sentence, at)
        yield _whole_lines(text, start + at, start + at + len(sentence))


def _whole_lines(text: str, start: int, stop: int) -> Span:
    """A span widened to the lines it stands on, where they are short."""
    begin, end = text.rfind("\n", 0, start) + 1, _line_end(text, stop)
    return (begin if start - begin <= _SHORT_LINE else start, end if end - stop <= _SHORT_LINE else stop)


def _encoded(text: str) -> Iterator[Span]:
    for match in _ENCODED.finditer(text):
        decoded = _decoded(match[0])
        if decoded and mask(decoded).passages:
            yield match.span()


def _decoded(text: str) -> str:
    """The words in a piece of base64 or hexadecimal; empty when it holds none."""
    try:
        if _HEXADECIMAL.fullmatch(text):
            return bytes.fromhex(re.sub(r"[ :]", "", text)).decode("utf-8")
        plain = re.sub(r"\s", "", text).rstrip("=").translate(str.maketrans("-_", "+/"))
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _marks(text: str) -> Iterator[Span]:
    """Marks that look like the fence, and objects in the form of a reply or a scorecard."""
    for match in _FENCE.finditer(text):
        yield match.span()
    done = 0
    for match in _OUR_OBJECT.finditer(text):
        if match.start() >= done:
            span = _object_around(text, match.start())
            done = span[1]
            yield span


def _object_around(text: str, place: int) -> Span:
    """The outermost braces that close again around a place; its line where there are none."""
    begin = text.rfind("{", max(0, place - _LONGEST_OBJECT), place)
    if begin < 0:
        return _whole_lines(text, place, place + 1)
    return begin, _object_end(text, begin)


def _object_end(text: str, begin: int) -> int:
    """Where the object that opens at a place closes; the end of what is looked at when it does not."""
    limit = min(len(text), begin + _LONGEST_OBJECT)
    depth = 0
    for match in _BRACE.finditer(text, begin, limit):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] == "}":
            return match.end()
    return limit


def _suspected(text: str) -> Iterator[Span]:
    """What the checks suspect, which give the start of each passage."""
    from evenhand.judges.checks.injection import suspicions  # reads Markdown, which costs start-up time

    for quote, _ in suspicions(text):
        start = text.find(quote)
        if start < 0 or not quote:
            continue
        if quote.startswith("{"):
            yield start, _object_end(text, start)
        else:
            yield _whole_lines(text, start, start + len(quote))
        if _VERDICT_ROW.match(quote):
            for row in _VERDICT_ROW.finditer(text):
                yield row.span()
