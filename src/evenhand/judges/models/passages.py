"""The passages of a shown work that may speak to whoever grades it, and the work as it reads without them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.judges.models.questions.layout import FINAL, NONCE_HERE
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.screening.masks import found, masked, share, widened
from evenhand.screening.screen import Span, joined, screened
from evenhand.work.submission import Submission

MOST: Final = 0.5
"""The part of a work that may be masked; of one with more there is too little left to judge."""
TOO_MUCH: Final = "more than half of the work speaks to whoever grades it, and too little is left to judge"
_NOTE = re.compile(rf"\[{NONCE_HERE}[^\]\n]*\]")
_HEADING = re.compile(r"^\[\d+\] (.*)$", re.M)
_OWN = re.compile(r"assistant\b")


class Passages(NamedTuple):
    """Passages that may speak to a grader."""

    own: tuple[Span, ...] = ()
    """In what the agent itself wrote."""
    others: tuple[Span, ...] = ()
    """In what others wrote: results of tools, pages, messages to the agent, names."""
    task: tuple[Span, ...] = ()
    """In a task that was read from a transcript."""

    def __bool__(self) -> bool:
        return bool(self.own or self.others or self.task)

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.own) + len(self.others) + len(self.task)

    def first(self, shown: Shown) -> str:
        """The first passage, as it stands."""
        spans = (*self.own, *self.others)
        return shown.text[slice(*min(spans))] if spans else (shown.task or "")[slice(*self.task[0])]

    def quotes(self, shown: Shown) -> list[str]:
        """All of them."""
        texts = [shown.text[slice(*span)] for span in sorted((*self.own, *self.others))]
        return [*texts, *((shown.task or "")[slice(*span)] for span in self.task)]


def passages_in(
    shown: Shown, submission: Submission, reported: Iterable[str] = (), *, of_two: bool = False
) -> Passages:
    """What the screen finds in a work, and where the quotes stand that a judge has `reported`; `of_two` where it is
    compared with another."""
    text = _submitted(shown.text, bool(submission.events))
    spans = joined((*_screened(text, of_two), *found(text, reported)))
    task = _screened(shown.task) if shown.task and submission.task_read else ()
    theirs = list(_by_others(shown.text)) if submission.events and spans else []
    others = tuple(span for span in spans if any(start <= span[0] < stop for start, stop in theirs))
    return Passages(tuple(span for span in spans if span not in others), others, task)


def without(shown: Shown, passages: Passages, *, solid: bool = False) -> Shown | None:
    """The work with these passages masked, with the rest of their short paragraphs if enough is left then; None where
    more than half of it would be masked. `solid` masks the same in another way, for a second look."""
    spans = joined((*passages.own, *passages.others))
    wide = widened(shown.text, spans, _ours(shown.text))
    spans = wide if share(shown.text, wide) <= MOST else spans
    if share(shown.text, spans) > MOST:
        return None
    task = masked(shown.task, passages.task, solid=solid) if shown.task and passages.task else shown.task
    kept = _with_headings(shown.text, masked(shown.text, spans, solid=solid))
    return shown._replace(text=kept, task=task, masked=True)


def given_passages(shown: Shown, submission: Submission) -> list[tuple[str, str]]:
    """What of a task and a reference given by the user may speak to a grader: which of them, and its first passage."""
    given = (("task", None if submission.task_read else shown.task), ("reference", shown.reference))
    spans = [(name, text, _screened(text)) for name, text in given if text]
    return [(name, text[slice(*found[0])]) for name, text, found in spans if found]


@lru_cache(maxsize=64)
def _screened(text: str, of_two: bool = False) -> tuple[Span, ...]:
    """Cached, because the judges of a panel see the same text, and many works answer the same task."""
    return screened(text, of_two=of_two)


def _by_others(text: str) -> Iterator[Span]:
    """The parts of a shown transcript that the agent did not write; the names above the first event are among them."""
    events, heading, _ = text.partition(f"\n{FINAL}\n")
    if not heading:
        return
    start = 0
    own = False
    for match in _HEADING.finditer(events):
        if not own and match.start() > start:
            yield start, match.start()
        start, own = match.start(), bool(_OWN.match(match[1]))
    if not own:
        yield start, len(events)


def _submitted(text: str, transcript: bool) -> str:
    """What was submitted of a shown text: our own notes and headings blanked, every other place unchanged."""
    text = _NOTE.sub(_blanked, text)
    if transcript:
        events, heading, output = text.partition(f"\n{FINAL}\n")
        text = f"{_HEADING.sub(_blanked, events)}{' ' * len(heading)}{output}"
    return text


def _with_headings(text: str, hidden: str) -> str:
    """A masked text with our notes and headings as they were."""
    pieces, end = [], 0
    for start, stop in joined([*_ours(text)]):
        pieces += [hidden[end:start], text[start:stop]]
        end = stop
    return "".join(pieces) + hidden[end:]


def _ours(text: str) -> Iterator[Span]:
    """What we wrote between the parts of a work."""
    events, heading, _ = text.partition(f"\n{FINAL}\n")
    patterns = [(_NOTE, text), *([(_HEADING, events)] if heading else [])]
    for pattern, part in patterns:
        yield from (match.span() for match in pattern.finditer(part))
    if heading:
        yield len(events), len(events) + len(heading)


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])


def lies_in(text: str, quote: str, spans: Sequence[Span]) -> bool:
    """Whether a quote stands in these spans and nowhere else."""
    places = [match.span() for match in re.finditer(r"\s+".join(map(re.escape, quote.split())), text)]
    return bool(places) and all(any(a <= start and stop <= b for a, b in spans) for start, stop in places)
