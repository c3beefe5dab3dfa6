"""A transcript as a store keeps it when asked: without secrets and personal data, and not too long.

A finding never repeats what it found; neither does what is kept. The receipt has the hash of what was judged, whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from evenhand.core.finding import Place
from evenhand.core.receipt import canonical_text
from evenhand.findings.safety.secrets import secrets_in
from evenhand.judging.personal_data import personal_data_in
from evenhand.store.submission_text import submission_text
from evenhand.work.submission import Event, Submission, ToolCall

LONGEST_TEXT: Final = 20_000
"""Characters of one text: of a message, an argument or a result."""

LONGEST: Final = 2_000_000
"""Characters of the whole, as JSON; events in the middle are left out beyond it."""

REDACTED: Final = "[redacted]"

_PRIVATE_KEY: Final = r"-----BEGIN[A-Z ]*PRIVATE KEY-----.*?(?:-----END[A-Z ]*PRIVATE KEY-----|\Z)"


def kept_transcript(submission: Submission) -> str:
    """The JSON that is kept of a transcript."""
    kept = submission._replace(
        output=_shorter(redacted(submission.output)),
        task=None if submission.task is None else _shorter(redacted(submission.task)),
        reference=None if submission.reference is None else _shorter(redacted(submission.reference)),
        events=tuple(_event(event) for event in submission.events),
    )
    text = submission_text(kept)
    if len(text) <= LONGEST:
        return text
    whole = json.loads(text)
    sizes = [len(canonical_text(event)) for event in whole["events"]]
    left = LONGEST - (len(text) - sum(sizes))
    first, last = 0, len(sizes)  # as many from either end as there is room for
    while first < last:
        at_front = first <= len(sizes) - last
        left -= sizes[first if at_front else last - 1] + 1
        if left < 0:
            break
        first, last = (first + 1, last) if at_front else (first, last - 1)
    note = f"{last - first:,} events are left out here: a kept transcript has at most {LONGEST:,} characters."
    gap = Event("message", "system", note, kept.events[first].place if first < len(kept.events) else Place(""))
    return submission_text(kept._replace(events=(*kept.events[:first], gap, *kept.events[last:])))


def redacted(text: str) -> str:
    """A text without the secrets and the personal data that are found in it."""
    if "PRIVATE KEY" in text:
        text = re.sub(_PRIVATE_KEY, REDACTED, text, flags=re.DOTALL)
    for _, secret, _ in list(secrets_in(text)):
        text = text.replace(secret, REDACTED)
    for data in personal_data_in(text):
        text = text.replace(data, REDACTED)
    return text


def _shorter(text: str) -> str:
    left_out = len(text) - LONGEST_TEXT
    if left_out <= 0:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}\n[{left_out:,} characters left out]\n{text[-half:]}"


def _event(event: Event) -> Event:
    call = event.call
    if call is not None:
        call = ToolCall(
            call.name,
            _each_text(call.arguments, lambda text: _shorter(redacted(text))),
            call.id,
            None if call.result is None else _shorter(redacted(call.result)),
            call.failed,
            call.result_place,
        )
    return event._replace(text=_shorter(redacted(event.text)), call=call)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A plain value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _each_text(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each_text(item, change) for item in value]
    return value
