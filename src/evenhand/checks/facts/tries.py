"""How often something was tried: calls made at once are one try. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.checks.subject import Subject
from evenhand.core.values.submission import Event


def tries(subject: Subject, events: Sequence[Event]) -> int:
    """The number of messages that these calls were made in; of calls, where the file has them all in one place."""
    in_one_place = len({event.place for event in subject.calls}) == 1
    return len(events) if in_one_place else len({event.place for event in events})
