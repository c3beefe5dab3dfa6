"""What an answer says, in sentences: of Markdown its prose, of JSON the words among its values. Pure."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.findings.subject import Subject

LONGEST: Final = 600
"""Characters of a sentence; a longer one is data."""
_SHORT: Final = 4
"""Words of a JSON value that its key belongs to: of `"status": "confirmed"`."""


_LINES = re.compile(r"(?<=[.!?])\s+|\n+|\Z")
_STOPS = re.compile(r"(?<=[。\uff01\uff1f])\s*|\Z")


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, without surrounding blanks, each with the position it starts at. A line ends one too."""
    return _cut(text, _LINES)


def _cut(text: str, ends: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    start = 0
    for gap in ends.finditer(text):
        sentence = text[start : gap.start()]
        if words := sentence.strip():
            yield start + len(sentence) - len(sentence.lstrip()), words
        start = gap.end()


_QUOTED = re.compile(
    r"\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]|「[^」\n]+」|(?<!\w)['\u2018][^'\u2019\n]{8,}['\u2019](?!\w)"
)


def is_json(subject: Subject) -> bool:
    """Whether the output is JSON, to judge by its first character."""
    return subject.output.lstrip()[:1] in ("{", "[")


@lru_cache(maxsize=1)
def _quotations(subject: Subject) -> tuple[Sequence[int], Sequence[int]]:
    """Where in the prose words in quotation marks begin, and where they end; they may be longer than a sentence.

    What is quoted in JSON is what the output says.
    """
    spans = [] if is_json(subject) else [quote.span() for quote in _QUOTED.finditer(subject.prose)]
    return [start for start, _ in spans], [end for _, end in spans]


def is_quoted(subject: Subject, position: int) -> bool:
    """Whether a position of the prose is within quotation marks."""
    starts, ends = _quotations(subject)
    number = bisect_left(starts, position) - 1
    return number >= 0 and position < ends[number]


def without_quotations(subject: Subject, position: int, sentence: str) -> str:
    """A sentence with blanks in place of what it quotes."""
    starts, ends = _quotations(subject)
    for number in range(bisect_right(ends, position), bisect_left(starts, position + len(sentence))):
        first, last = max(starts[number] - position, 0), min(ends[number] - position, len(sentence))
        sentence = sentence[:first] + " " * (last - first) + sentence[last:]
    return sentence


@lru_cache(maxsize=1)
def sentences_of(subject: Subject) -> tuple[tuple[int, str], ...]:
    """The sentences of the prose, which several checks go through; the end of a line ends one."""
    return tuple(sentences(subject.prose))


@lru_cache(maxsize=1)
def sentences_in_any_script(subject: Subject) -> tuple[tuple[int, str], ...]:
    """The same sentences, also ended by the full stops of Chinese and Japanese."""
    if subject.prose.isascii():
        return sentences_of(subject)
    return tuple(
        (position + start, part)
        for position, sentence in sentences_of(subject)
        for start, part in _cut(sentence, _STOPS)
    )


class Sentence(NamedTuple):
    """A sentence of the answer."""

    text: str
    """Its words; of a short JSON value with those of its key."""
    quote: str
    """As it is written in the output."""
    position: int
    """Where it starts: in the prose of Markdown, or in the output itself if that is JSON."""
    under: str = ""
    """The line above it that names something and says nothing of it: a file, an order."""


class Answer(NamedTuple):
    """What the agent says at the end."""

    text: str
    """All of it, in words."""
    opening: str
    """The words whose language is asked for."""
    sentences: tuple[Sentence, ...]
    words: int
    is_json: bool = False


@lru_cache(maxsize=2)
def answer_of(subject: Subject) -> Answer:
    """The answer of a submission."""
    if subject.output.lstrip()[:1] in ("{", "[") and _is_json(subject.output):
        found = tuple(_in_json(subject.output))
        text = "\n".join(sentence.text for sentence in found)
        spoken = "\n".join(sentence.text for sentence in found if not _PAIR.match(sentence.text))
        return Answer(text, spoken or text, tuple(_under_labels(found)), len(text.split()), True)
    spoken_in_prose = (
        Sentence(sentence, sentence[:200], position)
        for position, sentence in sentences_in_any_script(subject)
        if not is_quoted(subject, position + 1)
    )
    return Answer(subject.said, subject.prose, tuple(_under_labels(spoken_in_prose)), len(subject.words))


_PAIR: Final = re.compile(r"[\w ]{1,40}: ")
_LABEL: Final = re.compile(r"[\W_]*(?:[\w-]+:? ){0,3}[\w./#@-]*(?:\d|\w\.\w)[\w./#@-]*[\W_]*")
"""A line that only names something: `app/main.py`, `Order W123:`."""
_LABEL_LENGTH: Final = 80
_REACH: Final = 8
"""Lines below a label that may speak of it."""


def _under_labels(found: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences that are not too long to be one, each with the label above it."""
    label, left = "", 0
    for sentence in found:
        if len(sentence.text) <= LONGEST:
            yield sentence._replace(under=label) if left > 0 else sentence
        left -= 1
        if len(sentence.text) <= _LABEL_LENGTH and _LABEL.fullmatch(sentence.text):
            label, left = sentence.text, _REACH


def parts_of(text: str) -> Sequence[str]:
    """The sentences of a message."""
    if text.lstrip()[:1] in ("{", "[") and _is_json(text):
        return [sentence.text for sentence in _in_json(text)]
    return [part for _, part in sentences(text)]


def offset_of(subject: Subject, sentence: Sentence) -> int | None:
    """Where in the output a sentence of the answer starts; None where that is not known."""
    if answer_of(subject).is_json:
        return sentence.position
    return subject.in_prose(sentence.quote, sentence.position)


def own_words(subject: Subject, sentence: Sentence) -> str:
    """A sentence with blanks in place of what it quotes."""
    if answer_of(subject).is_json:
        return sentence.text
    return without_quotations(subject, sentence.position, sentence.text)


def _is_json(output: str) -> bool:
    try:
        json.loads(output)
    except (ValueError, RecursionError):
        return False
    return True


_TOKEN: Final = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)"(?P<is_key>\s*:)?|(?P<plain>\btrue\b|\bfalse\b|-?\d[\d.eE+-]*)|(?P<brace>[{}\[\]])',
    re.S,
)
_BREAKS: Final = re.compile(r"(?:\\[nr])+|(?<=[.!?])\s+|(?<=[。\uff01\uff1f])|\Z")
_IN_WORDS: Final = re.compile(r"[_-]+|(?<=[a-z])(?=[A-Z])")


class _Pair(NamedTuple):
    """A short value with its key."""

    text: str
    starts: int
    ends: int


def _in_json(output: str) -> Iterator[Sentence]:
    """The sentences among the values of a JSON text; the short values of one object are one, with their keys."""
    key, starts = "", -1
    open_objects: list[list[_Pair]] = [[]]
    for token in _TOKEN.finditer(output):
        if token["brace"] == "{":
            open_objects.append([])
        elif token["brace"] == "}" and len(open_objects) > 1:
            yield from _of_object(open_objects.pop(), output)
        if token["brace"] or token["is_key"]:
            key, starts = (_decoded(token["text"]), token.start()) if token["is_key"] else (key, -1)
            continue
        raw = token["plain"] or token["text"] or ""
        if len(raw.split()) > _SHORT or "\\n" in raw:
            yield from _in_value(raw, token.start("text"))
        elif raw:
            first = starts if starts >= 0 else token.start()
            open_objects[-1].append(_Pair(f"{_IN_WORDS.sub(' ', key)}: {_decoded(raw)}", first, token.end()))
        starts = -1
    yield from _of_object(open_objects[0], output)


def _of_object(pairs: list[_Pair], output: str) -> Iterator[Sentence]:
    """The short values of one object as one sentence, which is quoted by the pair that stands first."""
    for start in range(0, len(pairs), _PAIRS):
        some = pairs[start : start + _PAIRS]
        quote = output[some[0].starts : some[-1].ends][:200]
        yield Sentence("; ".join(pair.text for pair in some), quote, some[0].starts)


def _in_value(raw: str, starts: int) -> Iterator[Sentence]:
    """The sentences of a longer value; a line ends one too."""
    start = 0
    for gap in _BREAKS.finditer(raw):
        piece = raw[start : gap.start()]
        if text := _decoded(piece).strip():
            quote = piece.strip()[:200]
            yield Sentence(text, quote, starts + start + piece.find(quote))
        start = gap.end()


_PAIRS: Final = 12
"""Short values of an object that are one sentence."""


def _decoded(raw: str) -> str:
    if "\\" not in raw:
        return raw
    try:
        return str(json.loads(f'"{raw}"', strict=False))
    except ValueError:
        return raw
