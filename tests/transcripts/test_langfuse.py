"""Langfuse traces: observations in order, whatever framework they came from."""

from __future__ import annotations

import json
from decimal import Decimal
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


def generation(usage: dict[str, Any], **more: Any) -> dict[str, Any]:
    return seen("o2", "GENERATION", 1, model="m", usageDetails=usage, input="Hi", output="Hello", **more)


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"input": 40, "output": 15, "input_cache_read": 20, "total": 75}, (60, 15, 20)),
        ({"input": 60, "output": 15, "input_cache_read": 20, "total": 75}, (60, 15, 20)),
        ({"input": 5, "output": 9, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 30}, (135, 9, 100)),
        ({"input": 40, "output": 15, "output_reasoning": 200, "total": 255}, (40, 215, 0)),
        ({"input": 85, "output": 29, "total": 114, "prompt_details.cache_read": 64}, (85, 29, 64)),
    ],
)
def test_special_tokens_are_added_unless_the_total_shows_that_they_are_included(
    usage: dict[str, int], counted: tuple[int, int, int], tmp_path: Path
):
    """40 + 20 + 15 = 75: cached ones are apart. 60 + 15 = 75: they are included. Without a total they are apart."""
    run = only(lines(tmp_path / "x", generation(usage)))
    assert tuple(run.usage or ()) == counted


@pytest.mark.parametrize(
    ("given", "cost"),
    [
        ({"costDetails": {"input": 0.001, "output": 0.002, "total": 0.003}, "totalCost": 0.003}, "0.003"),
        ({"costDetails": {"input": 0.001, "output": 0.002}}, "0.003"),
        ({"calculatedTotalCost": "0.0042"}, "0.0042"),
        ({"totalCost": 0, "costDetails": {}}, None),
        ({"totalCost": "NaN"}, None),
        ({"totalCost": "much"}, None),
    ],
)
def test_the_cost_of_an_observation_is_read_and_zero_means_unknown(
    given: dict[str, Any], cost: str | None, tmp_path: Path
):
    """The total if there is one, else the sum of its parts; what is not an amount is not known."""
    run = only(lines(tmp_path / "x", generation({"input": 1, "output": 1}, **given)))
    assert run.cost == (None if cost is None else Decimal(cost))


def test_costs_of_all_observations_are_added_and_those_of_evaluators_left_out(tmp_path: Path):
    """0.001 + 0.002 for a generation and an embedding; the judge's 0.5 is not what the agent cost."""
    rows = (
        generation({"input": 1, "output": 1}, totalCost=0.001),
        seen("o3", "EMBEDDING", 3, totalCost=0.002),
        seen("o6", "EVALUATOR", 5),
        {**generation({"input": 1, "output": 1}, totalCost=0.5), "id": "o7", "parentObservationId": "o6"},
    )
    assert only(lines(tmp_path / "x", *rows)).cost == Decimal("0.003")


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
    """Every distinct call once and answered, the tokens and the cost of every generation, and the right last words."""
    run, raw = only(path), json.loads(path.read_bytes())
    observations = raw["observations"]
    inputs_and_outputs = [part for item in observations for part in (item.get("input"), item.get("output"))]
    made = len(tool_calls(inputs_and_outputs))
    assert calls(run)[:2] == (made, made)
    generations = [item for item in observations if item["type"] == "GENERATION"]
    assert run.usage is not None
    assert run.usage.input == sum(item["usageDetails"]["input"] for item in generations)
    assert run.usage.output == sum(item["usageDetails"]["output"] for item in generations)
    assert run.cost == sum(Decimal(str(item["totalCost"])) for item in generations)
    assert run.output and run.task
