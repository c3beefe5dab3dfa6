"""The facts in a span, in any convention: the model, the tokens, a tool's arguments and result, the error."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from evenhand.transcripts.draft import amount_of, count_of
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import result_text
from evenhand.transcripts.spans.attributes import branch, listed, unfolded
from evenhand.transcripts.spans.spans import Span
from evenhand.work.submission import Usage


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
