"""Many submissions in one file: a JSON object a line, or a JSON list, of
{"id", "task", "output", "skill", "reference", "images", "expect"}."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.head import Head
from evenhand.transcripts.images import bounded, image_at
from evenhand.transcripts.json_stream import documents
from evenhand.transcripts.json_text import written
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "submissions"
TITLE = "submissions, one per line"
PLACE = 330
IS_GENERAL = True
MARKS = "output id task"

_TEXTS = ("id", "task", "skill", "reference")
_KNOWN = ("output", "expect", "images", *_TEXTS)


def sniff(head: Head) -> bool:
    """A text output, and no keys of another format."""
    return any(isinstance(entry.get("output"), str) and entry.keys() & set(_TEXTS) for entry in head.objects) or (
        bool(head.objects) and all(entry.keys() == {"output"} for entry in head.objects)
    )


def read(source: Source) -> Iterator[Submission | InputError]:
    """One submission per object. Without an id, it is named by its line."""
    for document in documents(source, lambda path: len(path) == 0):
        yield from map(InputError, source.take_problems())
        for entry in document.value if isinstance(document.value, list) else [document.value]:
            yield _submission(entry, document.place(entry), source)
    yield from map(InputError, source.take_problems())


def _submission(value: Any, place: Place, source: Source) -> Submission | InputError:
    def refused(message: str) -> InputError:
        return InputError(Problem(message, place.file, place.line))

    if not isinstance(value, dict):
        return refused('not a submission: an object with an "output" is needed')
    if not isinstance(value.get("output"), str):
        return refused('a submission needs an "output", which must be text')
    for key in _TEXTS:
        if not isinstance(value.get(key), str | int | None):
            return refused(f'"{key}" must be text')
    images = value.get("images") or []
    if not isinstance(images, list) or not all(isinstance(image, str) for image in images):
        return refused('"images" must be a list of texts: files beside this one, or data URLs')
    texts = {key: written(value[key]) for key in _TEXTS if value.get(key) is not None}
    unknown = {str(key)[:80]: 1 for key in value if key not in _KNOWN}
    return Submission(
        output=value["output"],
        task=texts.get("task"),
        source=f"{source.name}:{place.line}",
        skill=texts.get("skill"),
        id=texts.get("id"),
        format=FORMAT,
        reference=texts.get("reference"),
        expect=value.get("expect"),
        unknown=unknown,
        images=bounded(image_at(image, source.folder) for image in images[: limits.IMAGES]),
    )
