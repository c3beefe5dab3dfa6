"""Shorten a submission that is too long for a judge's window, by a fixed procedure. Pure and deterministic.

Room is allocated in a fixed order, up to the first item that does not fit. So a larger window shows everything that a
smaller one shows, and more:

1. the task, up to a quarter of the room, and the final output, complete if it fits; then the rest of the task
2. calls that failed and errors, the newest first
3. the first three events and the last five, the outermost first
4. the other messages and calls, from both ends towards the middle; then their results; then reasoning
5. more of each text that was shortened, four times as much with each round, failures first

A text is shortened by leaving out its middle. Everything left out is marked in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from evenhand.judges.models.questions.layout import FINAL, Entry, heading, note, written
from evenhand.providers.tokens import estimate_tokens

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
