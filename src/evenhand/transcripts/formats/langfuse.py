"""Langfuse: a trace with its observations, as returned by its public API and export.

Follows packages/shared/src/domain/observations.ts (types, levels, usageDetails) of langfuse/langfuse: one object with
`trace` and `observations`, a trace that holds its observations, or observations one per line. Scores are left out: a
judge must not see what others thought of the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from evenhand.errors import InputError
from evenhand.transcripts.draft import amount_of, count_of, listed, object_in, text_in
from evenhand.transcripts.formats.otel import traced
from evenhand.transcripts.json_stream import documents
from evenhand.transcripts.json_text import Key, written
from evenhand.transcripts.sources import Source
from evenhand.transcripts.spans.spans import Span
from evenhand.transcripts.spans.trace_spans import TraceStep, span_of
from evenhand.work.submission import Submission, Usage

FORMAT = "langfuse"
TITLE = "Langfuse trace"
PLACE = 240
MARKS = "observations traceId startTime"
LATE_MARKS = "observations"

_KINDS = {
    "GENERATION": "LLM",
    "TOOL": "TOOL",
    "RETRIEVER": "RETRIEVER",
    "AGENT": "AGENT",
    "EVALUATOR": "EVALUATOR",
    "SPAN": "CHAIN",
    "CHAIN": "CHAIN",
    "EVENT": "CHAIN",
    "EMBEDDING": "CHAIN",
    "GUARDRAIL": "CHAIN",
}

_CACHED = ("input_cache_read", "cache_read_input_tokens", "input_cached_tokens")
_ANTHROPIC_INPUT = ("cache_creation_input_tokens",)


def is_ours(value: dict[str, Any]) -> bool:
    """An observation of a known type, or something that holds some."""
    return next(_observations(value), None) is not None


def _is_observation(value: Any) -> bool:
    if not isinstance(value, dict) or text_in(value, "type").upper() not in _KINDS:
        return False
    return ("traceId" in value or "trace_id" in value) and ("startTime" in value or "start_time" in value)


def _observations(value: Any) -> Iterator[dict[str, Any]]:
    """The observations in a value, each one once."""
    if _is_observation(value):
        yield value
        return
    if not isinstance(value, dict):
        return
    holders = (value.get("observations"), object_in(value, "trace").get("observations"), value.get("data"))
    for item in next((holder for holder in holders if isinstance(holder, list)), ()):
        if _is_observation(item):
            yield item
        elif isinstance(item, dict) and isinstance(item.get("observations"), list):
            yield from _observations(item)


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every trace of a file."""
    spans: list[Span] = []
    others: Counter[str] = Counter()
    for document in documents(source, _is_opened):
        for value in listed(document.value):
            observations = list(_observations(value))
            # Steps that are tools regardless of their type: their result names the call it answers.
            tools = {
                text_in(item, "id")
                for item in observations
                if text_in(item.get("output"), "type") == "tool" and "tool_call_id" in item["output"]
            }
            spans += [span_of(_run(item, tools), document.place(item)) for item in observations]
            if not observations:
                others["entry that is not an observation"] += 1
    yield from traced(source, FORMAT, spans, others)


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] in ("observations", "trace", "data") or isinstance(path[-1], int)


def _run(item: dict[str, Any], tools: set[str]) -> TraceStep:
    def first(*keys: str) -> Any:
        return next((item[key] for key in keys if item.get(key) is not None), None)

    id = text_in(item, "id")
    kind = "TOOL" if id in tools else _KINDS[text_in(item, "type").upper()]
    parent = first("parentObservationId", "parent_observation_id") or ""
    if kind == "AGENT" and not parent and item.get("input") is None and item.get("output") is None:
        kind = "CHAIN"  # the whole workflow, not a separate agent
    failed = text_in(item, "level").upper() == "ERROR"
    output = item.get("output")
    return TraceStep(
        kind=kind,
        id=id,
        trace=str(first("traceId", "trace_id")),
        parent=str(parent),
        name=text_in(item, "name").removeprefix("execute_tool "),
        start=first("startTime", "start_time"),
        end=first("endTime", "end_time"),
        input=item.get("input"),
        output=None if output == "null" else output,
        error=(written(first("statusMessage", "status_message")) or "failed") if failed else "",
        model=str(first("model", "providedModelName") or "") if kind == "LLM" else "",
        usage=_usage(first("usageDetails", "usage_details", "usage"), item) if kind == "LLM" else None,
        cost=_cost(first("costDetails", "cost_details"), first("totalCost", "total_cost", "calculatedTotalCost")),
    )


def _cost(details: Any, total: Any) -> Decimal | None:
    """What an observation cost; Langfuse states it for each alone."""
    costs: dict[str, Any] = details if isinstance(details, dict) else {}
    stated = amount_of(total) or amount_of(costs.get("total"))
    return stated or sum(filter(None, map(amount_of, costs.values())), Decimal(0)) or None


def _usage(details: Any, item: dict[str, Any]) -> Usage | None:
    """Tokens. Cached and other special ones are counted apart from the input or output, and are added to it, unless
    the stated total shows that they are part of it."""
    counts: dict[str, Any] = details if isinstance(details, dict) else {}
    sent = count_of(counts.get("input", counts.get("promptTokens", item.get("inputUsage"))))
    got = count_of(counts.get("output", counts.get("completionTokens", item.get("outputUsage"))))
    inside = count_of(counts.get("prompt_details.cache_read"))  # already part of the input
    cached = max((count_of(value) for key, value in counts.items() if key in _CACHED), default=0)
    if sent + got != count_of(counts.get("total")):
        sent += cached + sum(count_of(value) for key, value in counts.items() if _is_more(key, "input"))
        got += sum(count_of(value) for key, value in counts.items() if _is_more(key, "output"))
    return Usage(sent, got, cached or inside) if sent or got else None


def _is_more(key: str, of: str) -> bool:
    """Whether a kind of tokens is counted apart from the input or output."""
    return key not in _CACHED and (key.startswith(f"{of}_") or (of == "input" and key in _ANTHROPIC_INPUT))
