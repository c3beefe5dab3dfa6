"""Which spans belong together: those of one trace or conversation, and those of one sub-agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from evenhand.transcripts.spans.spans import Span


def by_trace(spans: list[Span]) -> dict[str, list[Span]]:
    """Spans by trace, or by conversation, each joined with its parent."""
    by_id = {(span.trace, span.id): span for span in spans}
    conversations: dict[str, str] = {}
    for span in spans:
        if span.parent is None and span.parent_id:
            parent = by_id.get((span.trace, span.parent_id))
            span.parent = parent if parent is not span else None
        if conversation := span.text("gen_ai.conversation.id"):
            conversations.setdefault(span.trace, conversation)
    groups: dict[str, list[Span]] = {}
    for span in spans:
        groups.setdefault(conversations.get(span.trace, span.trace), []).append(span)
    return groups


def sub_agents(spans: Iterable[Span]) -> dict[int, str]:
    """The sub-agent of each span, by id(): the nearest enclosing agent, unless it is an outermost one."""
    named: dict[int, str] = {}
    times: Counter[str] = Counter()
    agents: dict[int, str] = {}
    for span in spans:
        line = [span, *span.ancestors()]
        within = [member for member in line if member.kind == "AGENT"]
        if len(within) < 2:
            continue
        nearest = within[0]
        if id(nearest) not in named:
            name = (
                nearest.text("gen_ai.agent.name", "agent.name", "graph.node.id", "traceloop.entity.name")
                or nearest.name
            )
            times[name] += 1
            named[id(nearest)] = name if times[name] == 1 else f"{name} {times[name]}"
        agents[id(span)] = named[id(nearest)]
    return agents
