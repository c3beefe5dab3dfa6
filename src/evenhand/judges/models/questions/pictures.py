"""Which pictures of a submission are passed to a judge, and what its scorecard says about the rest. Pure.

The text comes first: pictures get the room that it leaves. If there are too many, those at both ends of a transcript
are passed, from the ends towards the middle, as with events.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from evenhand.in_words import counted
from evenhand.providers.exchange import Picture
from evenhand.providers.tokens import estimate_tokens, picture_tokens
from evenhand.work.pictures import size_of
from evenhand.work.submission import Event, Image, Submission

TEXT_ONLY: Final = "it is given text only"
MOST: Final = 20
"""Pictures in one question; with more, services allow only smaller ones."""
MOST_BYTES: Final = 20_000_000
"""The most bytes of all pictures in one question; services take 32 MB of request, a third more than the data."""
LONGEST_SIDE: Final = 8_000
"""Pixels that services accept."""
_FRAME: Final = 200
"""Tokens of the words around the list of pictures."""

_NOTE = re.compile(r"\[(?:image|image_url|input_image|output_image|computer_screenshot|image/[\w.+-]+)\]")


class _Placed(NamedTuple):
    where: str
    image: Image


def pictures_shown(
    submission: Submission, no_pictures: str, room: int | None, judge: str
) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """The pictures that a judge gets within `room` tokens, in order, and the notes for the scorecard."""
    placed = list(_placed(submission))
    if not placed:
        return (), ()
    reasons: dict[int, str] = {}
    passed: dict[int, Picture] = {}
    left, size = room, 0
    if left is not None:
        left -= _FRAME
    for place in _inward(len(placed)):
        where, image = placed[place]
        picture = _picture(where, image) if image.data else None
        if picture is None:
            reasons[place] = image.problem or "its data was not kept"
        elif no_pictures:
            reasons[place] = no_pictures
        elif max(size_of(image.data) or (0,)) > LONGEST_SIDE:
            reasons[place] = f"more than {LONGEST_SIDE:,} pixels long or wide"
        elif len(passed) >= MOST or size + len(image.data) > MOST_BYTES:
            reasons[place] = f"too many: at most {MOST}, and {MOST_BYTES // 1_000_000} MB together"
        elif left is not None and picture.tokens > left:
            reasons[place] = "the judge's window has no room for it beside the text"
        else:
            passed[place] = picture
            size += len(image.data)
            left = None if left is None else left - picture.tokens
    chosen = tuple(passed[place] for place in sorted(passed))
    return chosen, tuple(_notes(len(placed), len(chosen), Counter(reasons.values()), judge))


def _notes(count: int, passed: int, reasons: Counter[str], judge: str) -> Iterator[str]:
    name = judge or "the judge"
    for reason, number in reasons.items():
        yield f"{number:,} of {counted(count, 'image')} not passed to {name}: {reason}"
    if passed:
        images = counted(passed, "image")
        yield f"{images} passed to {name}; words in them are not screened, and quotes are checked in text only"


def unseen_note(count: int, judge: str, reason: str) -> str:
    """The note on a scorecard whose judge refused the pictures."""
    return f"{counted(count, 'image')} not passed to {judge}: {reason}"


def _picture(where: str, image: Image) -> Picture:
    size = size_of(image.data)
    pixels = f", {size[0]:,} x {size[1]:,} pixels" if size else ""
    label = f"In {where}: {image.media}{pixels}, {len(image.data):,} bytes, SHA-256 {image.sha256}"
    return Picture(image.media, image.data, label, picture_tokens(size) + estimate_tokens(label))


def _placed(submission: Submission) -> Iterator[_Placed]:
    """All pictures in order; where a format only notes one, it is listed without data."""
    for number, event in enumerate(submission.events, 1):
        yield from (_Placed(f"event {number}", image) for image in event.images)
        for _ in range(_noted(event) - len(event.images)):
            yield _Placed(f"event {number}", Image(problem="only noted in the file"))
    yield from (_Placed("the output", image) for image in submission.images)


def _noted(event: Event) -> int:
    """How many lines of an event are notes about a picture."""
    text = event.text if event.call is None else event.call.result or ""
    return sum(_NOTE.fullmatch(line) is not None for line in text.split("\n")) if "[" in text else 0


def _inward(count: int) -> list[int]:
    """Places from both ends towards the middle."""
    return [half for pair in zip(range(count), range(count - 1, -1, -1), strict=True) for half in pair][:count]
