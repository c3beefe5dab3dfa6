"""Langfuse traces: observations in order, whatever framework they came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import calls, document, lines, only, real_files, samples, story


def seen(id: str, kind: str, second: int, **more: Any) -> dict[str, Any]:
    times = {"startTime": f"2026-01-01T10:00:{second:02}Z", "endTime": f"2026-01-01T10:00:{second + 1:02}Z"}
    return {"id": id, "traceId": "t", "type": kind, "parentObservationId": "o1", "level": "DEFAULT", **times, **more}


def text(value: Any) -> str:
    """JSON in a text in a text, as the API sometimes gives it."""
    return json.dumps(json.dumps(value))


ANSWER = {"function_response": {"name": "weather", "response": {"sky": "rain"}}}
CALL = {"function_call": {"name": "weather", "args": {"city": "Tokyo"}}}
ASKED = {"role": "user", "parts": [{"text": "Weather?"}]}
OBSERVATIONS = [
    seen("o4", "GENERATION", 6, model="gemini", usageDetails={"input": 20, "output": 5}, name="call_llm",
         input=text({"contents": [ASKED, {"role": "model", "parts": [CALL]},
                     {"role": "user", "parts": [ANSWER]}]}),
         output=text({"content": {"role": "model", "parts": [{"text": "It rains."}]}})),
    seen("o2", "GENERATION", 1, model="gemini", usageDetails={"input": 10, "output": 3}, name="call_llm",
         input=text({"contents": [ASKED], "config": {"system_instruction": "Be brief."}}),
         output=text({"content": {"role": "model", "parts": [CALL]}})),
    seen("o3", "TOOL", 4, name="execute_tool weather", input=text({"city": "Tokyo"}), output="{}"),
    seen("o5", "SPAN", 8, name="save", level="ERROR", statusMessage="disk full"),
    seen("o1", "SPAN", 0, name="run", input=text({"new_message": ASKED}), parentObservationId=None),
]  # fmt: skip
TRACE = {"id": "t", "name": "run", "scores": [{"comment": "SECRET"}], "output": None}


@pytest.mark.parametrize("shape", ["export", "trace", "lines"])
def test_observations_are_put_in_order_and_nothing_counts_twice(shape: str, tmp_path: Path):
    """JSON in texts is undone, calls without an id join their responses, scores are left out, an error is an event."""
    path = tmp_path / "x"
    if shape == "lines":
        lines(path, *OBSERVATIONS)
    elif shape == "export":
        document(path, {"trace": TRACE, "observations": OBSERVATIONS})
    else:
        document(path, {**TRACE, "observations": OBSERVATIONS})
    run = only(path)
    assert story(run) == [
        ("system", "Be brief."),
        ("user", "Weather?"),
        ("weather", '{"sky": "rain"}'),
        ("assistant", "It rains."),
        ("error", "disk full"),
    ]
    assert (run.format, run.id, run.task, run.output) == ("langfuse", "t", "Weather?", "It rains.")
    assert (run.models, tuple(run.usage or ())) == (("gemini",), (30, 8, 0))
    assert "SECRET" not in repr(run)


REAL = [
    *samples("langfuse"),
    *samples("pydantic-ai"),
    *samples("openai-agents"),
    *samples("langchain-langgraph", "langfuse*"),
]


def tool_calls(value: Any) -> set[str]:
    """The ids, or for want of them the names, of all calls in a value, however deep and however often encoded."""
    if isinstance(value, str):
        try:
            return tool_calls(json.loads(value)) if value[:1] in '{["' else set()
        except ValueError:
            return set()
    if isinstance(value, list):
        return set().union(*map(tool_calls, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    made = set().union(*map(tool_calls, value.values())) if value else set()
    kind = value.get("type")
    if kind in ("tool_use", "tool_call", "function_call"):
        made.add(value.get("call_id") or value["id"])
    elif kind == "function" and "arguments" in value.get("function", {}):
        made.add(value["id"])
    elif isinstance(value.get("function_call"), dict):
        made.add(value["function_call"]["name"])
    return made


@real_files
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_traces(path: Path):
    """Every distinct call once and answered, the tokens of every generation, and the right last words."""
    run, raw = only(path), json.loads(path.read_bytes())
    observations = raw["observations"]
    inputs_and_outputs = [part for item in observations for part in (item.get("input"), item.get("output"))]
    made = len(tool_calls(inputs_and_outputs))
    assert calls(run)[:2] == (made, made)
    generations = [item for item in observations if item["type"] == "GENERATION"]
    assert run.usage is not None
    assert run.usage.input == sum(item["usageDetails"]["input"] for item in generations)
    assert run.usage.output == sum(item["usageDetails"]["output"] for item in generations)
    assert run.output and run.task
