"""OpenAI Agents SDK: spans of a trace, and the saved state of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transcript_samples import document, lines, only, story

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Tokyo"}'}}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]


def span(id: str, start: int, data: dict[str, Any], parent: str | None = "s1", **more: Any) -> dict[str, Any]:
    times = {"started_at": f"2026-01-01T10:00:{start:02}Z", "ended_at": f"2026-01-01T10:00:{start + 1:02}Z"}
    return {"object": "trace.span", "id": id, "trace_id": "t", "parent_id": parent, **times, "span_data": data, **more}


SPANS = [
    {"object": "trace", "id": "t", "workflow_name": "Agent workflow"},
    span("s4", 7, {
        "type": "generation", "model": "m1", "usage": {"input_tokens": 20, "output_tokens": 5},
        "input": [*ASKED, {"role": "assistant", "tool_calls": [CALL]},
                  {"role": "tool", "tool_call_id": "c1", "content": "rain"}],
        "output": [{"role": "assistant", "content": "It rains."}],
    }),
    span("s2", 1, {
        "type": "generation", "model": "m1", "usage": {"input_tokens": 10, "output_tokens": 3},
        "input": ASKED, "output": [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
    }),
    span("s3", 4, {"type": "function", "name": "weather", "input": '{"city": "Tokyo"}', "output": "rain"}),
    span("s5", 8, {"type": "guardrail", "name": "polite", "triggered": True}),
    span("s1", 0, {"type": "agent", "name": "Forecaster"}, None),
]  # fmt: skip


@pytest.mark.parametrize("shape", ["lines", "list", "batch"])
def test_a_trace_is_put_in_order_and_nothing_counts_twice(shape: str, tmp_path: Path):
    """Spans are exported as they end; each request repeats the conversation. Tokens are 10 + 20 in and 3 + 5 out."""
    path = tmp_path / "x"
    if shape == "lines":
        lines(path, *SPANS)
    else:
        document(path, SPANS if shape == "list" else {"data": SPANS})
    run = only(path)
    assert story(run) == [
        ("system", "Be brief."),
        ("user", "Weather?"),
        ("weather", "rain"),
        ("assistant", "It rains."),
        ("error", "the guardrail polite stopped the run"),
    ]
    assert (run.format, run.task, run.output, run.models) == ("openai-agents", "Weather?", "It rains.", ("m1",))
    assert tuple(run.usage or ()) == (30, 8, 0)


@pytest.mark.parametrize("camel", [False, True])
def test_the_state_of_a_run_is_read(camel: bool, tmp_path: Path):
    """Items that were generated, each with its agent; snake_case from Python, camelCase from JavaScript."""
    call = {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Tokyo"}'}
    output = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
    words = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It rains."}]}
    raw = "rawItem" if camel else "raw_item"
    items = [
        {"type": "tool_call_item", raw: call, "agent": {"name": "Triage"}},
        {"type": "tool_call_output_item", raw: output, "agent": {"name": "Triage"}},
        {"type": "message_output_item", raw: words, "agent": {"name": "Forecaster"}},
        {"type": "tool_approval_item", raw: call},
    ]
    keys = ("originalInput", "generatedItems") if camel else ("original_input", "generated_items")
    run = only(document(tmp_path / "x", {"$schemaVersion": "1.0", **dict(zip(keys, ("Weather?", items), strict=True))}))
    assert story(run) == [("user", "Weather?"), ("weather", "rain"), ("assistant", "It rains.")]
    assert [event.agent for event in run.events] == ["", "Triage", "Forecaster"]
    assert (run.output, run.unknown) == ("It rains.", {"tool_approval_item": 1})
