"""What of a shown work may address a judge, as the further readings need it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from evenhand.core.values.submission import Submission
from evenhand.judges.model.influence import masked
from evenhand.providers.tokens import estimate_tokens
from evenhand.questions.layout import FINAL, NONCE_HERE, note
from evenhand.questions.showing import NONCE_TOKENS, Shown
from evenhand.screening.suspects import Span, addressed, faint_suspects, odd_passages, suspects

_NOTE = re.compile(rf"\[{NONCE_HERE}[^\]\n]*\]")
_HEADING = re.compile(r"^\[\d+\] .*$", re.M)
_AROUND: Final = 200
"""Characters of context that a passage keeps in a sample or an excerpt."""
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
    task = suspects(shown.task) if shown.task and submission.task_read else None
    if task is None or not task.passages:
        return alarm
    quote = (shown.task or "")[slice(*task.passages[0])]
    return alarm._replace(number=alarm.number + 1, quote=quote, clear=alarm.clear or task.clear, untrusted="its task")


Strength = Literal["odd", "ends", "faint", "any", "wide"]
"""Of hints: what stands out; that, any word to anyone and the last paragraph, where every score is at one end of the
scale; and for a judge that obeys, what might be a part of an order, any word to anyone, the paragraphs around that."""


def hints_in(shown: Shown, submission: Submission, strength: Strength) -> Alarm:
    """What may be an order although it does not look like one, to be tried before anything is made of it."""
    spans = _hints(shown.text, bool(submission.events), strength)
    return Alarm(len(spans), spans, shown.text[slice(*spans[0])]) if spans else Alarm()


def given_task_alarm(shown: Shown, submission: Submission) -> str:
    """The first passage of a task given by the user that may address a judge; empty without one."""
    if not shown.task or submission.task_read:
        return ""
    found = suspects(shown.task)
    return shown.task[slice(*found.passages[0])] if found.passages else ""


@lru_cache(maxsize=32)
def _alarm(text: str, transcript: bool) -> Alarm:
    """Cached, because the judges of a panel see the same text."""
    found = suspects(_submitted(text, transcript))
    if not found.masks:
        return Alarm()
    return Alarm(len(found.passages), found.masks, text[slice(*found.passages[0])], found.clear)


@lru_cache(maxsize=32)
def _hints(text: str, transcript: bool, strength: Strength) -> tuple[Span, ...]:
    plain = _submitted(text, transcript)
    if strength in ("faint", "odd"):
        return (faint_suspects if strength == "faint" else odd_passages)(plain)
    spans = {*suspects(plain).masks, *addressed(plain)}
    if strength == "wide":
        spans = {_paragraph(plain, span) for span in spans}
    if strength != "any":
        spans |= {*odd_passages(plain), _last_paragraph(plain)}
    return tuple(_widened(plain, sorted(spans), 0))


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


def excerpted(shown: Shown, alarm: Alarm, room: int) -> Shown | None:
    """The work if it fits into so many tokens, else an excerpt with the passages in it; None if not even those fit."""
    if _tokens(shown.text) <= room:
        return shown
    around = _AROUND
    spans = alarm.masks
    least = _pieces(shown.text, spans, around)
    if not spans or _tokens(least) > room:
        return None
    while around < len(shown.text):
        wider = _pieces(shown.text, spans, 2 * around)
        if _tokens(wider) > room:
            break
        least, around = wider, 2 * around
    return shown._replace(text=least)


def _pieces(text: str, spans: Sequence[Span], around: int) -> str:
    """The spans with some characters around each; what is between them is left out and marked."""
    pieces: list[str] = []
    end = 0
    for start, stop in _widened(text, spans, around):
        pieces += [_LEFT_OUT] if start > end else []
        pieces.append(text[start:stop])
        end = stop
    return "\n".join([*pieces, *([_LEFT_OUT] if end < len(text) else [])])


def _widened(text: str, spans: Sequence[Span], around: int) -> list[Span]:
    joined: list[Span] = []
    for start, stop in spans:
        wide = max(0, start - around), min(len(text), stop + around)
        if joined and wide[0] <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], wide[1])
        else:
            joined.append(wide)
    return joined


def passages_of(text: str, masks: Sequence[Span], most: int | None) -> tuple[str, str] | None:
    """The paragraphs with masked words, as they are and masked; None when they have more than so many tokens."""
    hidden = masked(text, masks)
    pieces = _widened(text, [_paragraph(text, place) for place in _widened(text, masks, _AROUND)], 0)
    plain, covered = ("\n".join(source[start:stop] for start, stop in pieces) for source in (text, hidden))
    if most is not None and max(_tokens(plain), _tokens(covered)) > most:
        return None
    return plain, covered


def _paragraph(text: str, span: Span) -> Span:
    """A span widened to its paragraph, as far as the context reaches: an order may be written over several lines."""
    start = max(text.rfind("\n\n", 0, span[0] + 1) + 1, span[0] - _AROUND, 0)
    end = text.find("\n\n", span[1])
    return start, min(len(text) if end < 0 else end, span[1] + _AROUND)


def _last_paragraph(text: str) -> Span:
    """Where an order stands most often; of a text of one paragraph its last sentence at most."""
    stop = len(text.rstrip())
    return max(text.rfind("\n\n", 0, stop), text.rfind(". ", 0, stop), stop - 2 * _AROUND, 0), stop


def _tokens(text: str) -> int:
    return estimate_tokens(text) + NONCE_TOKENS * text.count(NONCE_HERE)
