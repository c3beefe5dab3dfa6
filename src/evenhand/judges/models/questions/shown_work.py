"""What a judge sees of a submission. Pure.

The work is shown in full. Hidden characters are removed, tokens of chat formats are made harmless, a transcript is
laid out as numbered events, and only what does not fit the window is condensed. The notes list every change. The judge
is not told who made the submission: no model, author, file or history.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

from evenhand.core.judgement import Condensed
from evenhand.judges.models.questions import wording
from evenhand.judges.models.questions.layout import FINAL, NONCE_HERE, Entry, Names, entries, heading, note, written
from evenhand.judges.models.questions.pictures import TEXT_ONLY, pictures_shown
from evenhand.providers.exchange import Picture
from evenhand.providers.tokens import estimate_tokens
from evenhand.work.quotes import folded
from evenhand.work.readable import readable
from evenhand.work.submission import Event, Submission

FIRST: Final = 3
LAST: Final = 5
EXCERPT: Final = 400
"""Characters of a text shown in the first round."""
GROWTH: Final = 4
"""How much more of a text the next round shows."""
_TASK_SHARE: Final = 4
_MARK: Final = 60
"""Tokens allowed for the mark of an omission, with its nonce."""


class Shortened(NamedTuple):
    """A shortened submission, and what was shortened."""

    task: str | None
    text: str
    kept: int = 0
    """Events shown in full."""
    shortened: int = 0
    elided: int = 0
    output_whole: bool = True
    task_whole: bool = True


def whole_text(entries: Sequence[Entry], output: str) -> str:
    """The full text: the events, then the final output."""
    if not entries:
        return output
    return "\n".join([*map(written, entries), FINAL, output])


def condense(task: str | None, entries: Sequence[Entry], output: str, room: int) -> Shortened:
    """Fit the task, the events and the final output into `room` tokens."""
    room = max(0, room - 2 * _MARK)  # for the marks in the task and the output
    task_tokens, output_tokens = estimate_tokens(task or ""), estimate_tokens(output)
    task_room = min(task_tokens, max(room // _TASK_SHARE, room - output_tokens))
    output_room = min(output_tokens, room - task_room)
    shown_task = fitted(task, task_room) if task else task
    shown_output = fitted(output, output_room)
    left = room - task_room - output_room
    if not entries:
        return Shortened(shown_task, shown_output, 0, 0, 0, shown_output == output, shown_task == task)
    amounts = _allocate(entries, left - estimate_tokens(FINAL) - _MARK)
    events, kept, shortened = _lay_out(entries, amounts)
    text = "\n".join([*events, FINAL, shown_output])
    elided = len(entries) - kept - shortened
    return Shortened(shown_task, text, kept, shortened, elided, shown_output == output, shown_task == task)


def excerpt(text: str, size: int) -> str:
    """`size` characters of a text: two thirds from its start, the rest from its end, and a mark between."""
    if len(text) <= size + 60:  # a mark would be no shorter than the text it replaces
        return text
    tail = size // 3
    return f"{text[: size - tail]}\n{_left_out(len(text) - size)}\n{text[len(text) - tail :]}"


def _cost(text: str, size: int) -> int:
    """The cost of an excerpt without its mark: the sum of its ends. Never decreases as the size grows."""
    if len(text) <= size + 60:
        return estimate_tokens(text)
    tail = size // 3
    return estimate_tokens(text[: size - tail]) + estimate_tokens(text[len(text) - tail :])


def fitted(text: str, room: int) -> str:
    """The longest excerpt that fits; a mark is not counted."""
    if estimate_tokens(text) <= room:
        return text
    low, high = 0, min(len(text), 4 * room + 4)  # a token holds four characters at most
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(text, middle) <= room:
            low = middle
        else:
            high = middle - 1
    return excerpt(text, low)


Unit = tuple[int, int, int]
"""An entry, one of its parts, and the round in which more of it is shown."""


def _allocate(entries: Sequence[Entry], room: int) -> dict[tuple[int, int], int]:
    """How many characters of each part are shown; parts not listed are not shown."""
    amounts: dict[tuple[int, int], int] = {}
    entered: set[int] = set()
    for entry, part, round_ in _order(entries):
        size, before = EXCERPT * GROWTH**round_, amounts.get((entry, part))
        if before is not None and before >= size:
            continue
        text = entries[entry].parts[part].text
        cost = _marked_cost(text, size) - _marked_cost(text, before)
        if entry not in entered:
            cost += sum(estimate_tokens(heading(entries[entry], piece)) for piece in entries[entry].parts) + 2
            cost += sum(_marked_cost(piece.text, None) for piece in entries[entry].parts)
            cost += 0 if {entry - 1, entry + 1} & entered else _MARK  # for the gap that it ends
        if cost > room:
            break
        room -= cost
        entered.add(entry)
        amounts[entry, part] = size
    return amounts


def _marked_cost(text: str, size: int | None) -> int:
    """The cost of a part with `size` characters shown, or none, including its mark."""
    if size is None:
        return _MARK if text else 0
    return _cost(text, size) + (_MARK if len(text) > size + 60 else 0)


def _order(entries: Sequence[Entry]) -> Iterator[Unit]:
    """Everything there is to show, the most informative first."""
    count = len(entries)
    failed = [place for place in range(count - 1, -1, -1) if entries[place].failed]
    inward = [half for pair in zip(range(count), range(count - 1, -1, -1), strict=True) for half in pair][:count]
    ends = [place for place in inward if place < FIRST or place >= count - LAST]
    for place in (*failed, *ends):
        yield from ((place, part, 0) for part in range(len(entries[place].parts)))
    spoken = [place for place in inward if not entries[place].reasoning]
    yield from ((place, 0, 0) for place in spoken)
    yield from ((place, 1, 0) for place in spoken if len(entries[place].parts) > 1)
    yield from ((place, 0, 0) for place in inward if entries[place].reasoning)
    growing = [
        (place, part) for place in dict.fromkeys((*failed, *inward)) for part in range(len(entries[place].parts))
    ]
    round_ = 0
    while growing:
        growing = [
            (place, part) for place, part in growing if len(entries[place].parts[part].text) > EXCERPT * GROWTH**round_
        ]
        round_ += 1
        yield from ((place, part, round_) for place, part in growing)


def _lay_out(entries: Sequence[Entry], amounts: dict[tuple[int, int], int]) -> tuple[list[str], int, int]:
    """The lines of the events shown, with marks for the rest; how many are complete, and how many shortened."""
    lines: list[str] = []
    kept = shortened = 0
    gap: list[int] = []
    for place, entry in enumerate(entries):
        sizes = [amounts.get((place, part)) for part in range(len(entry.parts))]
        if all(size is None for size in sizes):
            gap.append(entry.number)
            continue
        lines += _gap(gap)
        gap = []
        texts = [_shown(part.text, size) for part, size in zip(entry.parts, sizes, strict=True)]
        whole = all(text == part.text for text, part in zip(texts, entry.parts, strict=True))
        kept, shortened = kept + whole, shortened + (not whole)
        for part, text in zip(entry.parts, texts, strict=True):
            lines += [heading(entry, part), text] if text else [heading(entry, part)]
    return lines + _gap(gap), kept, shortened


def _shown(text: str, size: int | None) -> str:
    if size is not None:
        return excerpt(text, size)
    return _left_out(len(text)) if text else ""


def _left_out(count: int) -> str:
    return note(f"{count:,} characters left out")


def _gap(numbers: list[int]) -> list[str]:
    if not numbers:
        return []
    if len(numbers) == 1:
        return [note(f"event {numbers[0]} left out")]
    return [note(f"events {numbers[0]} to {numbers[-1]} left out")]


SHORTEST_QUOTE: Final = 20
"""Bytes of UTF-8 that a quote needs to count as evidence, unless it is a whole line."""
_DEEPEST: Final = 50
_REFERENCE_SHARE: Final = 4
"""A reference may take this part of the window, a quarter, if not all of it fits."""
NONCE_TOKENS: Final = 20
"""More than a nonce of 16 hexadecimal digits takes."""

_SURROGATE = re.compile("[\\ud800-\\udfff]")
_OURS = re.compile(f"[\\0{NONCE_HERE}]")
_BREAK = re.compile("\\r\\n?|[\\x0b\\x0c\\x1c-\\x1e\\x85\\u2028\\u2029]")
_BREAKS: Final = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""The characters that start a line break; searching for them is faster than the pattern."""


class Shown(NamedTuple):
    """What a judge sees, and what was changed."""

    task: str | None
    text: str
    """The fenced text: the output, or the events and the final output. In our own notes, `layout.NONCE_HERE` marks the
    place of the nonce."""
    notes: tuple[str, ...] = ()
    """For the scorecard: what was removed or changed."""
    condensed: Condensed | None = None
    """How it was shortened; None when it is complete."""
    reference: str | None = None
    """The reference answer; nothing in it is evidence."""
    pictures: tuple[Picture, ...] = ()
    """Those that are passed to the judge."""
    masked: bool = False
    """Whether words of the text are masked in this reading."""

    @property
    def listing(self) -> str:
        """The pictures as a list, each with its SHA-256; empty without any."""
        return "\n".join(f"{number}. {picture.label}" for number, picture in enumerate(self.pictures, 1))

    @property
    def fenced(self) -> tuple[str | None, ...]:
        """The texts between fences: the task, the reference and the work; then the list of pictures, if any."""
        texts = self.task, self.reference, self.text
        return (*texts, self.listing) if self.pictures else texts

    def contains(self, text: str) -> bool:
        """Whether a text stands between the fences, white space aside."""
        words = folded(text)
        return any(words in folded(part) for part in self.fenced if part)


def show(
    submission: Submission, *, window_tokens: int | None, judge_name: str = "", no_pictures: str = TEXT_ONLY
) -> Shown:
    """What a judge sees of a submission. `window_tokens` is the room for it, including the task and marks.

    `no_pictures` is the reason why the judge gets no pictures, as a clause; empty if it does.
    """
    seen = _Cleaner()
    task = None if submission.task is None else seen.clean(submission.task, "the task")
    reference = None if submission.reference is None else seen.clean(submission.reference, "the reference")
    output = seen.clean(submission.output, "the output")
    names = Names()
    events = list(entries(map(seen.event, submission.events), output, names))
    legend = names.legend()
    text = legend + whole_text(events, output)
    needed = 0 if window_tokens is None else sum(shown_tokens(part or "") for part in (task, reference, text))
    if window_tokens is None or needed <= window_tokens:
        left = None if window_tokens is None else window_tokens - needed
        pictures, notes = pictures_shown(submission, no_pictures, left, judge_name)
        return Shown(task, text, (*seen.notes(), *notes), None, reference, pictures)
    short = None if reference is None else fitted(reference, window_tokens // _REFERENCE_SHARE)
    result = condense(task, events, output, window_tokens - shown_tokens(short or "") - shown_tokens(legend))
    why = _why(result, len(events), needed, window_tokens, short == reference)
    condensed = Condensed(judge_name, result.kept, result.shortened, result.elided, why)
    _, notes = pictures_shown(submission, no_pictures, 0, judge_name)  # no text is left out for a picture
    return Shown(result.task, legend + result.text, (*seen.notes(), *notes), condensed, short)


def quotable(shown: Shown, quote: str) -> bool:
    """Whether a quote can be evidence: it occurs in what the judge saw, and is long enough.

    Long enough means 20 bytes of UTF-8, or a whole line of the text.
    """
    words = folded(quote)
    if not words or (quote not in shown.text and words not in _folded_once(shown.text)):
        return False
    return len(words.encode("utf-8", "replace")) >= SHORTEST_QUOTE or any(
        folded(line) == words for line in shown.text.split("\n")
    )


@lru_cache(maxsize=4)
def _folded_once(text: str) -> str:
    return folded(text)


def shown_tokens(text: str) -> int:
    """An estimate that counts the nonces still to come."""
    return estimate_tokens(text) + NONCE_TOKENS * text.count(NONCE_HERE)


def _why(result: Shortened, events: int, needed: int, window: int, reference_whole: bool) -> str:
    done = [
        f"of {events:,} events {result.kept:,} are whole, {result.shortened:,} shortened, {result.elided:,} left out"
    ]
    done = done if events else []
    done += [] if result.output_whole else ["the middle of the output is left out"]
    done += [] if result.task_whole else ["the middle of the task is left out"]
    done += [] if reference_whole else ["the middle of the reference is left out"]
    return (
        f"about {needed:,} tokens, and the judge's window has room for {window:,}: {'; '.join(done)} "
        "(output and task first, then failures, the ends, calls before results; middles left out and marked)"
    )


class _Cleaner:
    """Makes texts fit to be shown, and counts what it changed."""

    def __init__(self) -> None:
        self._removed: dict[tuple[str, str], int] = {}
        self._tokens: dict[str, int] = {}

    def clean(self, text: str, where: str) -> str:
        """A text as shown to the judge."""
        cleaned = readable(_OURS.sub(" ", text))
        for what, count in cleaned.removed:
            self._removed[what, where] = self._removed.get((what, where), 0) + count
        if cleaned.tokens:
            self._tokens[where] = self._tokens.get(where, 0) + cleaned.tokens
        bare = cleaned.text if cleaned.text.isascii() else _SURROGATE.sub("\ufffd", cleaned.text)
        return _BREAK.sub("\n", bare) if any(mark in bare for mark in _BREAKS) else bare

    def event(self, event: Event) -> Event:
        """An event as shown to the judge."""
        where = "the events"
        call = event.call
        if call is not None:
            result = None if call.result is None else self.clean(call.result, where)
            name = self.clean(call.name, where)
            call = call._replace(name=name, arguments=self._value(call.arguments, where, 0), result=result)
        return event._replace(
            role=self.clean(event.role, where), text=self.clean(event.text, where) if event.text else "", call=call
        )

    def notes(self) -> tuple[str, ...]:
        """One sentence per kind of change."""
        removed = [
            f"{what} were removed before judging: {count:,} in {where}"
            for (what, where), count in self._removed.items()
        ]
        tokens = [
            f"tokens of chat formats were made harmless: {count:,} in {where}" for where, count in self._tokens.items()
        ]
        return (*removed, *tokens)

    def _value(self, value: Any, where: str, depth: int) -> Any:
        if isinstance(value, str):
            return self.clean(value, where)
        if depth > _DEEPEST:
            return "(too deep to be shown)"
        if isinstance(value, Mapping):
            return {self.clean(str(key), where): self._value(item, where, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(item, where, depth + 1) for item in value]
        return value


def skill_text(instructions: str) -> str:
    """A SKILL.md as a judge reads it, right after the rubric, so that servers can cache it; empty when there is none.

    What no reader sees is left out. It is fenced by lines with a code: a hash of the text, which it cannot contain.
    """
    if not instructions.strip():
        return ""
    text = wording.SKILL.format(nonce=NONCE_HERE, text=show(Submission(instructions), window_tokens=None).text)
    return text.replace(NONCE_HERE, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16])
