"""A tool call at the end of a transcript that nothing came back from. Pure.

Left alone: formats that record no results at all, a call that is itself the answer, and tools that end a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.judges.checks.finding import Check, Finding, limited
from evenhand.judges.checks.subject import Subject

ID: Final = "unanswered-tool-call"

_ENDS_A_RUN = (
    r"(?i)final|submit|finish|done|complet|answer|respond|reply|stop|end_|ask|exit|transfer|hand_?off|escalate|message"
)


def unanswered_tool_call(subject: Subject) -> Iterator[Finding]:
    """Calls of the main agent after which there is neither a result nor a word."""
    own = [event for event in subject.events if not event.agent]
    if not any(event.call is not None and event.call.result is not None for event in own):
        return
    open_calls = []
    for event in reversed(own):
        if event.kind == "reasoning":
            continue
        if event.call is None or event.call.result is not None:
            break
        open_calls.append(event)
    waiting = [event for event in reversed(open_calls) if event.call and not re.search(_ENDS_A_RUN, event.call.name)]
    says = "The transcript ends with a call of `{}` that nothing came back from, so the work broke off there."
    yield from limited(
        (
            Finding(ID, "completeness", -150, says.format(event.call.name), event.call.name[:200], event.place)
            for event in waiting
            if event.call
        ),
        1,
    )


CHECKS: tuple[Check, ...] = (
    Check(
        id=ID,
        dimensions=("completeness",),
        sees="A transcript that ends with a tool call without a result, where other calls have theirs.",
        effect="-1.50, once: the work broke off before its end.",
        example="The last event is a call of `Bash` with `npm run migrate`, and nothing follows.",
        run=unanswered_tool_call,
    ),
)
