"""Normalises spans from all export formats: nested or flat, OTLP or SDK, any attribute style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.transcripts.draft import amount_of, count_of, text_in
from evenhand.transcripts.json_stream import Document
from evenhand.transcripts.json_text import Key, maybe_json, structured, written
from evenhand.transcripts.shapes.content_blocks import result_text
from evenhand.transcripts.spans.attributes import branch, grow, listed, pairs_of, parsed_list, unfolded
from evenhand.work.submission import Usage

HOLDERS = frozenset(
    "resourceSpans resource_spans scopeSpans scope_spans instrumentationLibrarySpans spans child_spans children data "
    "trace traces batches".split()
)
"""The keys that may contain spans."""

_DURATION = re.compile(r"P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
_ZERO = datetime(1970, 1, 1, tzinfo=UTC)

_KINDS = {
    "chat": "LLM",
    "text_completion": "LLM",
    "completion": "LLM",
    "generate_content": "LLM",
    "embeddings": "EMBEDDING",
    "execute_tool": "TOOL",
    "invoke_agent": "AGENT",
    "create_agent": "CHAIN",
    "invoke_workflow": "CHAIN",
    "retrieval": "RETRIEVER",
    "workflow": "CHAIN",
    "task": "CHAIN",
    "agent": "AGENT",
    "tool": "TOOL",
}


class Span:
    """One span. Attributes are a tree keyed by the parts of their names."""

    def __init__(self, raw: dict[str, Any], place: Place, parent: Span | None) -> None:
        self.place = place
        self.name = _first(raw, "name", "span_name", "operationName")
        context = raw.get("context")
        inner: dict[str, Any] = context if isinstance(context, dict) else {}
        self.id = _first(raw, "span_id", "spanId", "spanID", "context.span_id") or _first(inner, "span_id", "spanId")
        self.trace = _first(raw, "trace_id", "traceId", "traceID", "context.trace_id") or _first(
            inner, "trace_id", "traceId"
        )
        self.parent_id = _first(raw, "parent_id", "parent_span_id", "parentSpanId", "parentId")
        self.parent = parent
        self.attributes = _attributes(raw)
        self.start = _moment(raw, "start_time", "startTime", "startTimeUnixNano", "start_time_unix_nano", "timestamp")
        self.end = _moment(raw, "end_time", "endTime", "endTimeUnixNano", "end_time_unix_nano") or (
            self.start + _length(raw.get("duration"))
        )
        self.events = [_event(event) for event in parsed_list(raw.get("events")) if isinstance(event, dict)]
        self.logs = len(parsed_list(raw.get("logs")))
        code, self.message = _status(raw)
        self.failed = code in ("2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR")
        self.succeeded = code in ("1", "OK", "STATUS_CODE_OK", "STATUSCODE.OK")
        self.kind = self._kind()

    def get(self, name: str) -> Any:
        """An attribute, or a branch of them."""
        return branch(self.attributes, name)

    def text(self, *names: str) -> str:
        """The first of some attributes that is a text."""
        return next((text for name in names if isinstance(text := self.get(name), str) and text), "")

    def ancestors(self) -> Iterator[Span]:
        """The enclosing spans, nearest first."""
        above, steps = self.parent, 0
        while above is not None and steps < 200:
            yield above
            above, steps = above.parent, steps + 1

    def _kind(self) -> str:
        kind = self.text("openinference.span.kind").upper()
        if kind:
            return kind
        operation = self.text("gen_ai.operation.name", "traceloop.span.kind", "llm.request.type").lower()
        if operation in _KINDS:
            return _KINDS[operation]
        if self.text("gen_ai.tool.name", "gen_ai.tool.call.id"):
            return "TOOL"
        if any(self.get(name) for name in ("gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages")):
            return "LLM"
        if any(event.name.startswith("gen_ai.") for event in self.events):
            return "LLM"
        return "AGENT" if self.text("gen_ai.agent.name") and self.get("gen_ai.output.messages") else ""


class SpanEvent(NamedTuple):
    """An event recorded in a span."""

    name: str
    time: int
    attributes: dict[str, Any]

    def text(self, name: str) -> str:
        text = branch(self.attributes, name)
        return text if isinstance(text, str) else ""


def is_span(value: Any) -> bool:
    """Whether an object is a span: it has an id and a name."""
    if not isinstance(value, dict) or not any(key in value for key in ("name", "span_name", "operationName")):
        return False
    context = value.get("context")
    return any(key in value for key in ("span_id", "spanId", "spanID", "context.span_id")) or (
        isinstance(context, dict) and bool(context.keys() & {"span_id", "spanId"})
    )


def is_opened(path: tuple[Key, ...]) -> bool:
    """Whether a path of a document may contain spans."""
    return all(isinstance(key, int) or key in HOLDERS for key in path)


def holds_spans(value: Any) -> bool:
    """Whether a value is a span, or has some in it."""
    return next(_raw_spans(value), None) is not None


def spans_of(document: Document) -> Iterator[Span]:
    """Every span of a document, in its order, each with the one it is nested in."""
    spans: dict[int, Span] = {}
    for raw, around in _raw_spans(document.value):
        span = Span(raw, document.place(raw), spans.get(id(around)) if around is not None else None)
        spans[id(raw)] = span
        yield span


def _raw_spans(value: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Raw spans with the raw span each is nested in."""
    waiting: list[tuple[Any, dict[str, Any] | None]] = [(value, None)]
    while waiting:
        part, around = waiting.pop()
        if isinstance(part, list):
            waiting += [(item, around) for item in reversed(part)]
        elif isinstance(part, dict):
            inside = around
            if is_span(part):
                yield part, around
                inside = part
            waiting += [(part[key], inside) for key in reversed(part) if key in HOLDERS]


def _first(raw: dict[str, Any], *keys: str) -> str:
    return next((str(raw[key]) for key in keys if isinstance(raw.get(key), str | int) and raw[key] != ""), "")


def _event(raw: dict[str, Any]) -> SpanEvent:
    lower = {key.lower(): value for key, value in raw.items()}
    tree: dict[str, Any] = {}
    grow(tree, pairs_of(structured(lower.get("attributes"))))
    body = structured(lower.get("body"))
    if isinstance(body, dict):
        grow(tree, {key: value for key, value in body.items() if key not in tree})
    return SpanEvent(
        text_in(lower, "name"), _moment(lower, "timestamp", "timeunixnano", "time_unix_nano", "time"), tree
    )


def _status(raw: dict[str, Any]) -> tuple[str, str]:
    status = raw.get("status")
    inner: dict[str, Any] = status if isinstance(status, dict) else {"code": status}
    code = str(raw.get("status_code") or inner.get("status_code") or inner.get("code") or "").upper()
    message = text_in(raw, "status_message") or text_in(inner, "message") or text_in(inner, "description")
    return code, message


def _moment(raw: dict[str, Any], *keys: str) -> int:
    """A time in nanoseconds since 1970; 0 when there is none."""
    for key in keys:
        value = raw.get(key)
        if isinstance(value, str) and not value.isdecimal():
            try:
                moment = datetime.fromisoformat(value.strip())
            except ValueError:
                continue
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return (moment - _ZERO) // timedelta(microseconds=1) * 1000
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return _nanoseconds(value)
    return 0


def _nanoseconds(value: str | int | float) -> int:
    """A number as nanoseconds, by its size: no trace is older than 2001."""
    if isinstance(value, str):
        value = int(value) if len(value) < 21 else 0
    if not 0 < value < 10**20:
        return 0
    while value < 10**18:
        value *= 1000
    return int(value)


def _length(duration: Any) -> int:
    if isinstance(duration, str) and (match := _DURATION.fullmatch(duration)):
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return int((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 10**9)
    return 0


def shown_time(moment: int) -> str:
    """A time as RFC 3339, in UTC."""
    if not moment:
        return ""
    try:
        return (
            (_ZERO + timedelta(microseconds=moment // 1000)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        )
    except OverflowError:
        return ""


def _attributes(raw: dict[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    attributes = structured(raw.get("attributes", raw.get("span_attributes", raw.get("tags"))))
    grow(tree, pairs_of(attributes))
    prefix = "attributes."
    grow(tree, {key[len(prefix) :]: value for key, value in raw.items() if key.startswith(prefix)})
    return tree


def model_of(span: Span) -> str:
    return span.text("gen_ai.response.model", "llm.model_name", "gen_ai.request.model", "llm.response.model")


def tokens_of(span: Span) -> Usage | None:
    counts = [
        count_of(next((value for name in names if not isinstance(value := span.get(name), dict | None)), 0))
        for names in (
            ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
            ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
            (
                "gen_ai.usage.cache_read.input_tokens",
                "gen_ai.usage.cache_read_input_tokens",
                "llm.token_count.prompt_details.cache_read",
            ),
        )
    ]
    return Usage(*counts) if any(counts) else None


def cost_of(span: Span) -> Decimal | None:
    """US dollars that a span states, for itself or for it with all those inside it."""
    return amount_of(span.get("llm.cost.total")) or amount_of(span.get("gen_ai.usage.cost"))


def arguments_of(span: Span) -> Any:
    names = ("gen_ai.tool.call.arguments", "tool_call.function.arguments", "input.value", "traceloop.entity.input")
    arguments = maybe_json(next((value for name in names if (value := span.get(name)) is not None), None))
    if isinstance(arguments, dict) and {"args", "kwargs"} <= arguments.keys() and isinstance(arguments["kwargs"], dict):
        return {**({"args": arguments["args"]} if arguments["args"] else {}), **arguments["kwargs"]}
    return arguments


def result_of(span: Span) -> str | None:
    """The result in a tool's span; None when it is not recorded."""
    names = ("gen_ai.tool.call.result", "output.value", "traceloop.entity.output", "gen_ai.tool.message")
    result = next((value for name in names if (value := span.get(name)) is not None), None)
    if result is None and span.kind == "RETRIEVER":
        texts = [branch(unfolded(document), "document.content") for document in listed(span.get("retrieval.documents"))]
        result = "\n".join(map(written, texts)) if texts else None
    return result if isinstance(result, str | None) else result_text(result)


def error_of(span: Span) -> str:
    """The error in a span; empty when there is none."""
    raised = next((event for event in reversed(span.events) if event.name == "exception"), None)
    if raised is not None:
        kind, message = raised.text("exception.type").rpartition(".")[2], raised.text("exception.message")
        return ": ".join(filter(None, (kind, message))) or span.message or "exception"
    return (span.message or span.text("error.type") or "failed") if span.failed else ""


def task_in(value: Any) -> str:
    """The task in the input of an agent."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in ("task", "input", "question", "query", "prompt", "user_prompt", "message", "content"):
            if isinstance(value.get(key), str) and value[key].strip():
                return str(value[key])
        return task_in(value.get("messages"))
    if isinstance(value, list):
        users = [message for message in value if isinstance(message, dict) and message.get("role") in ("user", "human")]
        return result_text(users[0].get("content")) if users else ""
    return "" if value is None else written(value)


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
