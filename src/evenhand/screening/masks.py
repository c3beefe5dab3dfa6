"""Passages masked in a text: each visible sign by an underscore, so that every place stays where it was. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from evenhand.screening.screen import Span, joined, sentences
from evenhand.work.template_tokens import INSTEAD

MASK: Final = "_"
SHORTEST: Final = 8
"""Signs of a quote that says where a passage is."""
_PARAGRAPH: Final = 500
"""Characters of a paragraph that is masked with a passage in it."""
_SEEN = re.compile(r"[^\s.,:;!?()\[\]\"'|]|(?<![\w\"')\]])\.")
"""What is masked: letters, figures and symbols, and dots that end no word, such as those of Morse code. Other
punctuation shows where the words were."""
_LINE = re.compile(r"[^\n]")
_AS_QUOTED: Final = str.maketrans(
    {shown: sign for sign, shown in INSTEAD.items()}
    | dict.fromkeys("\u2018\u2019", "'")
    | dict.fromkeys("\u201c\u201d", '"')
)
"""Who copies a passage by hand writes the usual sign for one that looks like it. One for one, so places stay."""
_GAP = re.compile(r"\n\s*\n")


def masked(text: str, spans: Sequence[Span], *, solid: bool = False) -> str:
    """A text with these spans masked; `solid`: with what is between the words as well."""
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [text[end:start], (_LINE if solid else _SEEN).sub(MASK, text[start:stop])]
        end = stop
    return "".join(pieces) + text[end:]


def found(text: str, quotes: Iterable[str]) -> tuple[Span, ...]:
    """Where quotes stand in a text, white space aside, widened to whole sentences; those not there are left out."""
    spans: list[Span] = []
    plain = text.translate(_AS_QUOTED) if (quotes := tuple(quotes)) and not text.isascii() else text
    for quote in quotes:
        words = quote.translate(_AS_QUOTED).split()
        if sum(map(len, words)) >= SHORTEST:
            pattern = re.compile(r"\s+".join(map(re.escape, words)))
            spans += [match.span() for match in pattern.finditer(plain)]
    return _touching(sentences(text), joined(spans)) if spans else ()


def widened(text: str, spans: Sequence[Span], walls: Iterable[Span] = ()) -> tuple[Span, ...]:
    """Passages with the rest of their paragraphs, where these are short: a request may have several sentences. A
    paragraph ends at an empty line, and at the `walls` between what different people wrote."""
    gaps = joined([*(gap.span() for gap in _GAP.finditer(text)), *walls])
    wide, place, first = [], 0, 0
    for start, stop in spans:
        while place < len(gaps) and gaps[place][1] <= start:
            first = gaps[place][1]
            place += 1
        last = next((gap[0] for gap in gaps[place:] if gap[0] >= stop), len(text))
        wide.append((first, last) if last - first <= _PARAGRAPH else (start, stop))
    return joined(wide)


def share(text: str, spans: Sequence[Span]) -> float:
    """How much of what can be seen of a text the spans cover."""
    whole = len(_SEEN.findall(text))
    return sum(len(_SEEN.findall(text[start:stop])) for start, stop in spans) / whole if whole else 0.0


def _touching(pieces: Iterable[Span], spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans with all pieces that they share a sign with; both in order."""
    result: list[Span] = list(spans)
    place = 0
    for start, stop in pieces:
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        if place < len(spans) and spans[place][0] < stop:
            result.append((start, stop))
    return joined(result)
