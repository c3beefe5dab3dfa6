"""Counts what was read from a submission. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, NamedTuple

from evenhand.core.published import published
from evenhand.work.submission import Submission


class Tool(NamedTuple):
    """How often a tool was called."""

    calls: int
    failed: int
    unanswered: int


class Summary(NamedTuple):
    """The numbers of a transcript."""

    events: int
    messages: Mapping[str, int]
    """By role."""
    tools: Mapping[str, Tool]
    """By name, the most called first."""
    errors: int
    reasoning: int
    agents: Mapping[str, int]
    """The events of each sub-agent."""
    seconds: Annotated[float | None, {"hidden": True}]
    """From the first time to the last."""

    @property
    @published
    def tool_calls(self) -> int:
        """All calls of tools."""
        return sum(tool.calls for tool in self.tools.values())

    @property
    @published
    def failed(self) -> int:
        """The calls whose result says it is an error."""
        return sum(tool.failed for tool in self.tools.values())

    @property
    @published
    def unanswered(self) -> int:
        """The calls without a result."""
        return sum(tool.unanswered for tool in self.tools.values())


def summary(submission: Submission) -> Summary:
    """Count the contents of a submission."""
    events = submission.events
    calls = [event.call for event in events if event.call is not None]
    failed = Counter(call.name for call in calls if call.failed)
    unanswered = Counter(call.name for call in calls if call.result is None)
    return Summary(
        events=len(events),
        messages=dict(Counter(event.role for event in events if event.kind == "message")),
        tools={
            name: Tool(count, failed[name], unanswered[name])
            for name, count in Counter(call.name for call in calls).most_common()
        },
        errors=sum(event.kind == "error" for event in events),
        reasoning=sum(event.kind == "reasoning" for event in events),
        agents=dict(Counter(event.agent for event in events if event.agent)),
        seconds=_seconds(submission.started, submission.ended),
    )


def _seconds(started: str, ended: str) -> float | None:
    try:
        return (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
    except (ValueError, TypeError):
        return None
