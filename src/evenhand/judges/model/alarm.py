"""What of a shown work may address a judge, as the further readings need it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.judges.model.influence import masked
from evenhand.questions.layout import FINAL, NONCE_HERE, note
from evenhand.questions.shown_work import Shown, shown_tokens
from evenhand.screening.suspects import Span, Suspects, addressed, codes, odd_passages, sentences, suspects
from evenhand.work.submission import Submission

_NOTE = re.compile(rf"\[{NONCE_HERE}[^\]\n]*\]")
_HEADING = re.compile(r"^\[\d+\] .*$", re.M)
_AROUND: Final = 200
"""Characters of context that a passage keeps in a sample or an excerpt."""
_SIGNS: Final = 3
"""Tiers of sentences that have a sign of an order."""
_LEFT_OUT: Final = note("text left out in this reading")


class Alarm(NamedTuple):
    """The passages of a shown work that may address a judge."""

    number: int = 0
    """How many there are."""
    masks: tuple[Span, ...] = ()
    """The words to mask."""
    quote: str = ""
    """The first passage."""
    clear: bool = False
    """Whether a passage is plain; the others matter only if the first reading is one that an order would give."""
    untrusted: str = ""
    """What was read from a transcript beside the work and may address the judge, in words."""

    def __bool__(self) -> bool:
        return bool(self.masks or self.untrusted)


def alarm_in(shown: Shown, submission: Submission) -> Alarm:
    """The alarm about a work."""
    alarm = _alarm(shown.text, bool(submission.events))
    task = _in_given(shown.task) if shown.task and submission.task_read else None
    if task is None or not task.passages:
        return alarm
    quote = (shown.task or "")[slice(*task.passages[0])]
    return alarm._replace(number=alarm.number + 1, quote=quote, clear=alarm.clear or task.clear, untrusted="its task")


class Search(NamedTuple):
    """Where in a work the power over a judge may be; sentences that are likelier part of an order come first."""

    tiers: tuple[tuple[Span, ...], ...]
    """The sentences among which it is, the likeliest ones first."""
    shown: bool = True
    """Whether these alone moved a sample; they may also be what is left after others did not."""

    def __bool__(self) -> bool:
        return any(self.tiers)

    @property
    def spans(self) -> tuple[Span, ...]:
        """In the order of the text."""
        return tuple(sorted(span for tier in self.tiers for span in tier))

    @property
    def likely(self) -> Search:
        """What any sign points to."""
        return Search(self.tiers[:_SIGNS])

    def passages(self, text: str) -> tuple[Span, ...]:
        """The sentences with those next to them as one."""
        pieces: list[Span] = []
        for start, stop in self.spans:
            together = pieces and not text[pieces[-1][1] : start].strip()
            pieces[-1:] = [(pieces[-1][0], stop)] if together else [*pieces[-1:], (start, stop)]
        return tuple(pieces)

    def cut_out(self, text: str, most: int | None) -> str | None:
        """The sentences as a text; None when it has more than so many tokens."""
        passage = "\n".join(text[start:stop] for start, stop in self.passages(text))
        return None if most is not None and shown_tokens(passage) > most else passage

    def without(self, masks: Sequence[Span]) -> Search:
        """What is left without sentences that were masked and had no effect."""
        kept = (tuple(span for span in tier if not any(_covers(mask, span) for mask in masks)) for tier in self.tiers)
        return self._replace(tiers=tuple(kept))

    def parts(self) -> tuple[Search, Search]:
        """The likeliest part, and what is left if it has no power."""
        some, *others = filter(None, self.tiers)
        return Search((some,)), Search(tuple(others), shown=False)


def search_in(shown: Shown, submission: Submission) -> Search:
    """A search through the whole work: what stands out, its end, its beginning and what has any word to anyone, the
    rest; each with the rest of its paragraph if that is short."""
    return _search(shown.text, bool(submission.events))


def odd_in(shown: Shown, submission: Submission) -> Search:
    """A search through what stands out, for a work of which nothing else is tried."""
    return Search((odd_passages(_submitted(shown.text, bool(submission.events))),))


def given_alarms(shown: Shown, submission: Submission) -> list[tuple[str, str]]:
    """What of a task and a reference given by the user may address a judge: which of them, and its first passage."""
    given = (("task", None if submission.task_read else shown.task), ("reference", shown.reference))
    found = [(name, text, _in_given(text).passages) for name, text in given if text]
    return [(name, text[slice(*passages[0])]) for name, text, passages in found if passages]


@lru_cache(maxsize=32)
def _in_given(task: str) -> Suspects:
    """Cached, because many works answer the same task, or are held against the same reference."""
    return suspects(task)


@lru_cache(maxsize=32)
def _alarm(text: str, transcript: bool) -> Alarm:
    """Cached, because the judges of a panel see the same text."""
    found = suspects(_submitted(text, transcript))
    if not found.masks:
        return Alarm()
    return Alarm(len(found.passages), found.masks, text[slice(*found.passages[0])], found.clear)


@lru_cache(maxsize=32)
def _search(text: str, transcript: bool) -> Search:
    plain = _submitted(text, transcript)
    left = list(sentences(plain))
    signs = ((*odd_passages(plain), *codes(plain)), left[-1:], (*left[:1], *addressed(plain)))
    tiers: list[tuple[Span, ...]] = []
    for spans in signs:
        chosen, left = _touched(left, [_short_paragraph(plain, span) for span in spans])
        tiers.append(chosen)
    return Search((*tiers, tuple(left)))


def _covers(mask: Span, span: Span) -> bool:
    return mask[0] <= span[0] and span[1] <= mask[1]


def _touched(spans: Sequence[Span], places: Sequence[Span]) -> tuple[tuple[Span, ...], list[Span]]:
    """The spans that share a character with a place, and the others; both lists in order, linear in their lengths."""
    ends = iter(joined(sorted(places)))
    place = next(ends, None)
    chosen, others = list[Span](), list[Span]()
    for span in spans:
        while place is not None and place[1] <= span[0]:
            place = next(ends, None)
        (chosen if place is not None and place[0] < span[1] else others).append(span)
    return tuple(chosen), others


def _submitted(text: str, transcript: bool) -> str:
    """What was submitted of a shown text: our own notes and headings blanked, every other place unchanged."""
    # Blanked with as many spaces, not cut out: spans that are found here are used in the text as it was shown.
    text = _NOTE.sub(_blanked, text)
    if transcript:
        events, heading, output = text.partition(f"\n{FINAL}\n")
        text = f"{_HEADING.sub(_blanked, events)}{' ' * len(heading)}{output}"
    return text


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])


def excerpted(shown: Shown, masks: Sequence[Span], room: int) -> tuple[Shown, Shown] | None:
    """The work as it is and masked, if both fit into so many tokens, else excerpts of both with the masked words in
    them; None if not even those fit."""
    hidden = masked(shown.text, masks)
    texts = shown.text, hidden
    if max(map(shown_tokens, texts)) <= room:
        return shown, shown._replace(text=hidden, masked=True)
    around = _AROUND
    least = _pieces(texts, masks, around)
    if not masks or max(map(shown_tokens, least)) > room:
        return None
    while around < len(shown.text):
        wider = _pieces(texts, masks, 2 * around)
        if max(map(shown_tokens, wider)) > room:
            break
        least, around = wider, 2 * around
    plain, covered = least
    return shown._replace(text=plain), shown._replace(text=covered, masked=True)


def _pieces(texts: tuple[str, str], spans: Sequence[Span], around: int) -> tuple[str, str]:
    """The spans with some characters around each; what is between them is left out and marked."""
    text, hidden = texts
    pieces: list[tuple[str, str]] = []
    end = 0
    for start, stop in _widened(text, spans, around):
        pieces += [(_LEFT_OUT, _LEFT_OUT)] if start > end else []
        pieces.append((text[start:stop], hidden[start:stop]))
        end = stop
    pieces += [(_LEFT_OUT, _LEFT_OUT)] if end < len(text) else []
    return "\n".join(piece for piece, _ in pieces), "\n".join(piece for _, piece in pieces)


def _widened(text: str, spans: Sequence[Span], around: int) -> list[Span]:
    return joined([(max(0, start - around), min(len(text), stop + around)) for start, stop in spans])


def joined(spans: Sequence[Span]) -> list[Span]:
    """Sorted spans as fewest spans."""
    joined: list[Span] = []
    for start, stop in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], stop)
        else:
            joined.append((start, stop))
    return joined


def passages_of(text: str, masks: Sequence[Span], most: int | None) -> tuple[str, str] | None:
    """The paragraphs with masked words, as they are and masked; None when they have more than so many tokens."""
    hidden = masked(text, masks)
    pieces = joined([_paragraph(text, place) for place in _widened(text, masks, _AROUND)])
    plain, covered = ("\n".join(source[start:stop] for start, stop in pieces) for source in (text, hidden))
    if most is not None and max(shown_tokens(plain), shown_tokens(covered)) > most:
        return None
    return plain, covered


def _paragraph(text: str, span: Span) -> Span:
    """A span widened to its paragraph, as far as the context reaches: an order may be written over several lines."""
    start = max(text.rfind("\n\n", 0, span[0] + 1) + 1, span[0] - _AROUND, 0)
    end = text.find("\n\n", span[1])
    return start, min(len(text) if end < 0 else end, span[1] + _AROUND)


def _short_paragraph(text: str, span: Span) -> Span:
    """The paragraph of a span, which an order often has for itself; the span alone where the paragraph is long."""
    start = text.rfind("\n\n", 0, span[0]) + 1
    end = text.find("\n\n", span[1])
    stop = len(text) if end < 0 else end
    return (start, stop) if stop - start <= min(2 * _AROUND, len(text) // 2) else span
