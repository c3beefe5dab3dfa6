"""Quotes checked against the output, verbatim. Pure.

A quote is verified when the output contains it after both are put into Unicode NFC and every run
of white space counts as one space. Nothing else may differ: not case, not punctuation, not an
ellipsis. Line and offset always refer to the output as it was given.

A model is shown a text without its hidden characters and chat tokens, and cannot quote them. `restorer` gives its quote
the words of the output back, hidden characters and all; those are then checked like any other quote.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from evenhand.core.finding import Finding, Place
from evenhand.core.judgement import Claim, Evidence, Judgement, Opinion
from evenhand.work.readable import Readable, readable
from evenhand.work.submission import Event, Submission

MARKS = 1000
"""Combining marks on one letter after which a piece ends all the same: to order them takes the square of their number,
and Unicode's own limit for text that is exchanged is 30."""


def folded(text: str) -> str:
    """A text as quotes are compared: in Unicode NFC, with every run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


class Quotable:
    """A text that quotes are looked up in."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Quotes are looked for in the composed text, but people look them up in the text as given. NFC moves places:
        # "e" and an accent become one character. So the text is composed piece by piece, and the two lists say where
        # each piece starts in either form. Both are empty for a text that is NFC already, as nearly all are.
        self._composed, self._starts, self._origins = _compose(text)

    @cached_property
    def _folded(self) -> str:
        """The composed text with every run of white space as one space: a quick test for what is not there."""
        return " ".join(self._composed.split())

    def check(self, evidence: Evidence) -> Evidence:
        """The quote, verified with its place, or marked as not found."""
        offset = self._find(evidence.quote)
        if offset is None:
            return Evidence(quote=evidence.quote, verified=False)
        return Evidence(quote=evidence.quote, verified=True, line=self._text.count("\n", 0, offset) + 1, offset=offset)

    def span(self, quote: str, offset: int | None = None) -> tuple[int, int] | None:
        """Where a quote starts and ends in the text as given: at `offset` if it is there, else the first time."""
        start = offset if offset is not None else self._find(quote)
        if start is None:
            return None
        if self._text.startswith(quote, start):
            return start, start + len(quote)
        # Written with other white space, or composed in another way: its end is wherever the match ends.
        match = _pattern(quote).match(self._composed, self._composed_place(start))
        if match is None:
            return None if offset is None else self.span(quote)
        return start, self._end(match.end())

    def _composed_place(self, place: int) -> int:
        """The place in the composed form of a place in the text as given, which starts a piece."""
        return self._starts[bisect_right(self._origins, place) - 1] if self._starts else place

    def _end(self, place: int) -> int:
        """The place in the text as given that corresponds to an end in its composed form."""
        if not self._starts:
            return place
        piece = bisect_right(self._starts, place - 1)
        return self._origins[piece] if piece < len(self._origins) else len(self._text)

    def _find(self, quote: str) -> int | None:
        # Three tries, each slower than the one before: a plain search, which nearly every honest quote passes; a test
        # that rejects nearly every invented one; and a pattern, which alone knows the place.
        if not self._starts and unicodedata.is_normalized("NFC", quote):
            offset = self._text.find(quote)
            if offset >= 0:
                return offset
        if folded(quote) not in self._folded:
            return None
        match = _pattern(quote).search(self._composed)
        return None if match is None else self._origin(match.start())

    def _origin(self, place: int) -> int:
        """The place in the text as given of a place in its composed form."""
        if not self._starts:
            return place
        return self._origins[bisect_right(self._starts, place) - 1]


def checker(submission: Submission) -> Callable[[Evidence], Evidence]:
    """A function that checks a quote against a submission: its output first, then the rest of a transcript."""
    text = _quotable(submission.output)

    def check(evidence: Evidence) -> Evidence:
        checked = text.check(evidence)
        if checked.verified or not submission.events:
            return checked
        place = _in_events(evidence.quote, submission.events)
        return checked if place is None else Evidence(evidence.quote, True, source=place)

    return check


def restorer(submission: Submission) -> Callable[[str], str | None]:
    """A function that finds the passage behind a quote by a judge that was not shown its hidden characters.

    It returns the passage as the submission has it. None when there is none, or when it holds more hidden text than
    visible text, so that it is no longer what was quoted.
    """
    texts: list[_Bare] | None = None

    def restore(quote: str) -> str | None:
        nonlocal texts
        if texts is None:
            texts = [
                _Bare(text, cleaned) for text in _every_text(submission) if (cleaned := readable(text)).text != text
            ]
        return next((passage for text in texts if (passage := text.passage(quote)) is not None), None)

    return restore


class _Bare:
    """A text as a judge was shown it, and the way back."""

    def __init__(self, text: str, shown: Readable) -> None:
        self._text = text
        self._bare = shown.text
        # The first gap is at its own place; every later one has moved to the left by those before it.
        self._gaps = [place - number for number, place in enumerate(shown.gaps)]
        """Where in the bare text each of them is missing."""

    @cached_property
    def _one_line(self) -> str:
        return folded(self._bare)

    def passage(self, quote: str) -> str | None:
        """The part of the original text that matches the quote in the bare one."""
        words = folded(quote)
        if not words or words not in self._one_line:  # the pattern is slow to reject what is not there
            return None
        match = _pattern(quote).search(self._bare)
        if match is None:
            return None
        # The end is found from the last character, not from the place after it: hidden characters behind the quote are
        # not part of it. If more is hidden than shown, the quote must not lend its credit to a text that no one saw.
        passage = self._text[self._origin(match.start()) : self._origin(match.end() - 1) + 1]
        return passage if len(passage) <= 2 * len(match[0]) else None

    def _origin(self, place: int) -> int:
        return place + bisect_right(self._gaps, place)


def verify_judgement(judgement: Judgement, submission: Submission) -> Judgement:
    """The judgement with every quote checked against the output, then against the rest of a transcript."""
    check = checker(submission)

    def check_opinion(opinion: Opinion) -> Opinion:
        if opinion.verdicts:
            verdicts = {
                id: verdict._replace(evidence=tuple(map(check, verdict.evidence))) if verdict.evidence else verdict
                for id, verdict in opinion.verdicts.items()
            }
            opinion = opinion._replace(verdicts=verdicts)
        return opinion._replace(evidence=tuple(map(check, opinion.evidence))) if opinion.evidence else opinion

    def check_claim(claim: Claim) -> Claim:
        return claim._replace(evidence=tuple(map(check, claim.evidence))) if claim.evidence else claim

    checked = judgement.checked
    if checked is not None:
        checked = checked._replace(findings=tuple(_located(finding, submission) for finding in checked.findings))
    return judgement._replace(
        opinions={name: check_opinion(opinion) for name, opinion in judgement.opinions.items()},
        red_flags=tuple(map(check_claim, judgement.red_flags)),
        bonuses=tuple(map(check_claim, judgement.bonuses)),
        checked=checked,
    )


def _located(finding: Finding, submission: Submission) -> Finding:
    """A finding with its quote checked at the place the check names, or where it first occurs."""
    if not finding.quote:
        return finding
    if finding.place is not None:
        return finding._replace(verified=_at(finding.quote, finding.place, submission.events))
    output, offset = submission.output, finding.offset
    if offset is None or not output.startswith(finding.quote, offset):
        first = _quotable(output).check(Evidence(finding.quote))
        if not first.verified:
            place = _place_of(finding.quote, submission.events)
            return finding._replace(verified=place is not None, place=place, offset=None)
        assert first.offset is not None
        offset = first.offset
    return finding._replace(verified=True, offset=offset, line=output.count("\n", 0, offset) + 1)


def _at(quote: str, place: Place, events: Sequence[Event]) -> bool:
    """Whether the transcript holds a quote at a place."""
    texts = (text for event in events for text, where in _placed(event) if where == place)
    return any(quote in text or Quotable(text).check(Evidence(quote)).verified for text in texts)


def _in_events(quote: str, events: Sequence[Event]) -> str | None:
    """The file and line of the first event that holds a quote."""
    place = _place_of(quote, events)
    if place is None:
        return None
    return place.file if place.line is None else f"{place.file}:{place.line}"


def _place_of(quote: str, events: Sequence[Event]) -> Place | None:
    """The first event that holds a quote, in its words, its arguments or its result."""
    for event in events:
        for text, place in _placed(event):
            if quote in text or (len(quote) <= len(text) and Quotable(text).check(Evidence(quote)).verified):
                return place
    return None


def _every_text(submission: Submission) -> Iterator[str]:
    """All text that can be quoted, the output first."""
    yield submission.output
    for event in submission.events:
        yield from (text for text, _ in _placed(event))


def _placed(event: Event) -> Iterator[tuple[str, Place]]:
    """The texts of an event, each with its place."""
    yield event.text, event.place
    if event.call is not None:
        yield from ((text, event.place) for text in _strings(event.call.arguments))
        yield event.call.result or "", event.call.result_place or event.place


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


@lru_cache(maxsize=4)
def _quotable(output: str) -> Quotable:
    """Cached, because several judges often quote the same output."""
    return Quotable(output)


@lru_cache(maxsize=256)
def _pattern(quote: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, folded(quote).split())))


def _compose(text: str) -> tuple[str, list[int], list[int]]:
    """The text in NFC; where pieces of it start, there and in the text as given. No pieces when it is NFC already."""
    if unicodedata.is_normalized("NFC", text):
        return text, [], []
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = begin = 0
    for place in range(1, len(text) + 1):
        if place < len(text) and not _separable(text, begin, place):
            continue
        piece = unicodedata.normalize("NFC", text[begin:place])
        pieces.append(piece)
        starts.append(length)
        origins.append(begin)
        length += len(piece)
        begin = place
    return "".join(pieces), starts, origins


def _separable(text: str, begin: int, place: int) -> bool:
    """Whether NFC never joins or reorders across this place of the piece that began there."""
    # A piece may end only where composing the two sides apart gives what composing them together gives. A letter and
    # its marks always stay together; Hangul syllables and some Indian vowels also join characters that are not marks.
    char = text[place]
    if char < "\u0300":
        return True  # nothing below the first combining mark composes with the character before it
    if unicodedata.combining(char):
        return place - begin > MARKS
    before = text[begin:place]
    joined = unicodedata.normalize("NFC", before + char)
    return joined == unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", char)
