"""The transcripts of kept runs for a page: the beginning of each, until left out to keep the page small.

What agents wrote is long and hostile. A page gets a limited number of its characters and no pictures, shown as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evenhand.decisions.suite_run import ShownTranscript
from evenhand.errors import InputError
from evenhand.transcripts import read
from evenhand.work.submission import Event

MOST_OF_ONE = 12_000
"""Characters of a transcript."""

MOST_OF_A_TEXT = 2_000
"""Characters of a message, of a call's arguments and of its result."""

MOST_ON_A_PAGE = 2_000_000
"""Characters of all transcripts of a page."""

MOST_READ = 50_000_000
"""Bytes of transcripts that are read for a page."""


class TranscriptReader:
    """Reads the transcripts of one page."""

    def __init__(self) -> None:
        self._bytes = MOST_READ
        self._characters = MOST_ON_A_PAGE

    def shown(self, transcript: str | None) -> ShownTranscript:
        """The transcript of a kept run, if it has one."""
        if transcript is None:
            return ShownTranscript()
        path = Path(transcript)
        current = Path.cwd()
        shown_transcript = ShownTranscript(str(path.relative_to(current) if path.is_relative_to(current) else path))
        try:
            size = path.stat().st_size
            if size > self._bytes or self._characters <= 0:
                return shown_transcript._replace(problem="left out to keep the page small")
            self._bytes -= size
            submission = next(iter(read(str(path), partial=True)))
        except OSError as error:
            return shown_transcript._replace(problem=error.strerror or str(error))
        if isinstance(submission, InputError):
            return shown_transcript._replace(problem=str(submission.problems[0]))
        events = self._beginning(submission.events)
        return shown_transcript._replace(events=events, left_out=len(submission.events) - len(events))

    def _beginning(self, events: Iterable[Event]) -> tuple[Event, ...]:
        beginning: list[Event] = []
        left = min(MOST_OF_ONE, self._characters)
        for event in events:
            short = _shortened(event)
            length = _length(short)
            if length > left:
                break
            left -= length
            self._characters -= length
            beginning.append(short)
        return tuple(beginning)


def _shortened(event: Event) -> Event:
    """An event with its long texts cut, without pictures."""
    call = event.call
    if call is not None:
        result = None if call.result is None else _cut(call.result)
        call = call._replace(arguments=_short_arguments(call.arguments), result=result)
    return event._replace(text=_cut(event.text), call=call, images=())


def _short_arguments(arguments: Any) -> Any:
    text = json.dumps(arguments, ensure_ascii=False, default=str)
    return arguments if len(text) <= MOST_OF_A_TEXT else _cut(text)


def _cut(text: str) -> str:
    left_out = len(text) - MOST_OF_A_TEXT
    return text if left_out <= 0 else f"{text[:MOST_OF_A_TEXT]}\n... and {left_out:,} more characters"


def _length(event: Event) -> int:
    call = event.call
    called = 0 if call is None else len(json.dumps(call.arguments, ensure_ascii=False, default=str))
    return len(event.text) + called + len("" if call is None else call.result or "")
