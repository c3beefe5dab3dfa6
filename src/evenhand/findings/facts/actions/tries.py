"""How often something was tried: calls made at once are one try. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings.subject import Subject
from evenhand.work.submission import Event


def tries(subject: Subject, events: Sequence[Event]) -> int:
    """The number of messages that these calls were made in; of calls, where the file has them all in one place."""
    calls = subject.calls
    in_one_place = bool(calls) and all(event.place == calls[0].place for event in calls)
    return len(events) if in_one_place else len({event.place for event in events})
