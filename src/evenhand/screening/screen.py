"""Which passages of a text may speak to whoever grades it, as far as a program can see. Pure, and linear in the text.

A sentence that has a word for grading, one for scores and one for more or less of them. Where a text is disguised
(in a code, hidden in Markdown or HTML, after a look-alike of our fences or of a chat format) two of the three are
enough. What has the form of a verdict, of a rubric, of the fences around the work or of a chat needs no words.

Nothing is cut here, and no score follows from it: the spans are places in the text as given, to be masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.core.rules import DIMENSIONS
from evenhand.screening.decodings import decoded
from evenhand.screening.grading_words import EVERY, groups, may_speak

Span = tuple[int, int]

LONGEST: Final = 500
"""Characters of a sentence; a longer one is several."""
_BLOCK: Final = 600
"""Characters after a look-alike that belong to it."""
_SUBJECT: Final = 2
_PART: Final = 0.3
"""Grading is a text's subject where this many sentences, and more than this share of it, have the words."""
_DEEPEST: Final = 2
"""Codes inside one another that are undone."""
_ENDS = re.compile(r"[.!?](?=[\s\"')*_\]]|$)|[\n\u3002\uff01\uff1f\u0964]")
_HIDDEN = re.compile(
    r"<!--.{3,2000}?-->|^\[[^\]\n]{0,40}\]:\s*(?:#|<>)[^\n]{3,500}$|^\s*%%[^\n]{3,500}$"
    r"|<(\w+)[^>\n]{0,200}(?:display:\s*none|visibility:\s*hidden|font-size:\s*0|opacity:\s*0|color:\s*(?:white|#fff)"
    r"|\bhidden\b)[^>\n]{0,200}>.{3,2000}?</\1>"
    r"|(?:alt|title|aria-label|data-[\w-]+|content)\s*=\s*(?:\"[^\"\n]{12,500}\"|'[^'\n]{12,500}')"
    r"|!\[[^\]\n]{12,500}\]\(|\]\([^)\n]{1,300}\s\"[^\"\n]{12,500}\"\)",
    re.S | re.M | re.I,
)
"""What a page shows no reader: comments, hidden elements, titles and descriptions."""
_LOOK_ALIKE = re.compile(
    r"^.{0,12}(?:<{2,}\s*/?\s*\w+[^\n]{0,60}$|\w[\w ]{0,40}>{3,}\s*$)"
    r"|^[\s#>*\[(<=-]{0,12}(?:system|developer|admin|instructions?|override)\b[^\n]{0,40}?[\])>:=*-]",
    re.M | re.I,
)
"""Lines like our fences and headings of chats."""
_TOKEN = re.compile(r"\u2039[|\uff5c][^\n]{1,60}[|\uff5c]>|\u2039/?\w{1,20}>|\u2045/?[A-Z_]{3,20}\]|\u2039</?SYS>>")
"""Tokens of chat formats, as they are shown once they are made harmless."""
_FENCE = re.compile(r"^.{0,12}(?:<{3}|submission\b[^\n]{0,60}>{3}|the work ends here)", re.M | re.I)
"""Our own fences and what we write after the work."""
_VERDICT = re.compile(
    rf"(?<!\w)({'|'.join(DIMENSIONS)})(?!\w)[\"'*`]{{0,3}}\s*[:=|(]\s*[\"'*]{{0,3}}\d{{1,2}}(?![\d%])", re.I
)
_REPLY = re.compile(r"[\"'`]?reply_to[\"'`]?\s*:|[\"'](?:justification|band)[\"']\s*:", re.I)
_KEYS: Final = ("reply_to", "justification", "band")
_BAND = re.compile(
    r"^\W{0,6}(?:9\s?[-\u2013]\s?10|7\s?[-\u2013]\s?8|5\s?[-\u2013]\s?6|3\s?[-\u2013]\s?4|1\s?[-\u2013]\s?2)\b\W{0,4}\w",
    re.M,
)
_FEWEST: Final = 3
"""Verdicts or bands that make a scorecard or a rubric."""


def screened(text: str, *, of_two: bool = False) -> tuple[Span, ...]:
    """The passages that may speak to a grader, in order and apart; `of_two` where two works are compared."""
    spans = list(_said(text, of_two))
    spans += _disguised(text, 0)
    spans += _forms(text)
    return joined([span for start, stop in spans if (span := _trimmed(text, start, stop)) is not None])


def sentences(text: str) -> Iterator[Span]:
    """The sentences and lines of a text, without the white space around them."""
    start = 0
    for end in [*(match.end() for match in _ENDS.finditer(text)), len(text)]:
        for piece in range(start, end, LONGEST):
            trimmed = _trimmed(text, piece, min(end, piece + LONGEST))
            if trimmed is not None:
                yield trimmed
        start = end


def joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans in order, with those that touch merged."""
    result: list[Span] = []
    for start, stop in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(result[-1][1], stop)
        else:
            result.append((start, stop))
    return tuple(result)


def _said(text: str, of_two: bool) -> list[Span]:
    """Sentences with a word of each kind; none in a text whose subject is grading, where the words say nothing.

    Two sentences are not taken together: of texts about grading that would catch twice as many, and of requests few
    more, which the judge is asked about in its first call anyway.
    """
    if not may_speak(text, of_two=of_two):
        return []
    every = list(sentences(text))
    spans = [span for span in every if groups(text[slice(*span)], of_two=of_two) == EVERY]
    said, length = (sum(stop - start for start, stop in each) for each in (spans, every))
    return spans if len(spans) < _SUBJECT or said <= length * _PART else []


def _disguised(text: str, depth: int) -> Iterator[Span]:
    for match in _HIDDEN.finditer(text) if any(map(text.__contains__, "<[]%=")) else ():
        if _speaks(match[0]):
            yield match.span()
    for match in _LOOK_ALIKE.finditer(text):
        end = text.find("\n\n", match.end())
        stop = min(match.start() + _BLOCK, len(text) if end < 0 else end)
        if _speaks(text[match.start() : stop]):
            yield match.start(), stop
    for span, reading, _ in decoded(text):
        if _speaks(reading) or (depth < _DEEPEST and any(_disguised(reading, depth + 1))):
            yield span


def _speaks(text: str) -> bool:
    """Whether a sentence of a disguised text has two kinds of words."""
    return any(len(groups(text[slice(*span)])) >= 2 for span in sentences(text))


def _forms(text: str) -> Iterator[Span]:
    """What looks like a reply, a scorecard, a rubric or the end of the fences."""
    folded = text.casefold()
    patterns = [(_BAND, _FEWEST)]
    if any(map(folded.__contains__, DIMENSIONS)):
        patterns.append((_VERDICT, _FEWEST))
    if any(map(folded.__contains__, _KEYS)):
        patterns.append((_REPLY, 2))
    for pattern, fewest in patterns:
        found = [match.span() for match in pattern.finditer(text)]
        kinds = {text[slice(*span)].casefold().strip() for span in found}
        if len(kinds) >= fewest:
            yield from (_paragraph(text, span) for span in found)
    for match in (*_FENCE.finditer(text), *_TOKEN.finditer(text)):
        yield _paragraph(text, match.span())


def _paragraph(text: str, span: Span) -> Span:
    start = max(text.rfind("\n\n", 0, span[0] + 1) + 1, span[0] - _BLOCK, 0)
    end = text.find("\n\n", span[1])
    return start, min(len(text) if end < 0 else end, span[1] + _BLOCK)


def _trimmed(text: str, start: int, stop: int) -> Span | None:
    piece = text[start:stop]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    return (start + left, start + right) if right > left else None
