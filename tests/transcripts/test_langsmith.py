"""LangSmith runs: batches whose halves are joined, lists, and nested runs."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import document, lines, only, real_files, samples, story

CALL = {"id": "c1", "name": "weather", "args": {"city": "Tokyo"}}
HUMAN = {"type": "human", "content": "Weather?"}
AI = {"type": "ai", "content": "", "tool_calls": [CALL]}
TOOL = {"type": "tool", "content": "rain", "tool_call_id": "c1", "name": "weather", "status": "success"}


def run(id: str, kind: str, second: int, parent: str | None = "r1", **more: Any) -> dict[str, Any]:
    times = {"start_time": f"2026-01-01T10:00:{second:02}", "end_time": f"2026-01-01T10:00:{second + 1:02}"}
    return {"id": id, "trace_id": "r1", "run_type": kind, "name": kind, "parent_run_id": parent, **times, **more}


def generation(message: dict[str, Any], tokens: int) -> dict[str, Any]:
    used = {"token_usage": {"prompt_tokens": tokens, "completion_tokens": 3}, "model_name": "m1"}
    return {"generations": [[{"text": "", "message": message}]], "llm_output": used}


RUNS = [
    run("r1", "chain", 0, None, inputs={"messages": [HUMAN]}, outputs={"messages": [HUMAN, AI, TOOL]}),
    run("r2", "llm", 1, inputs={"messages": [[HUMAN]]}, outputs=generation(AI, 10)),
    run("r3", "tool", 3, inputs={"input": {"city": "Tokyo"}}, outputs={"output": TOOL}, name="weather"),
    run("r4", "llm", 5, inputs={"messages": [[HUMAN, AI, TOOL]]},
        outputs=generation({"type": "ai", "content": "It rains."}, 20)),
    run("r5", "tool", 7, inputs={"input": "x"}, error="ValueError('bad')", name="save"),
]  # fmt: skip


def nested() -> dict[str, Any]:
    return {**RUNS[0], "child_runs": [{**child, "parent_run_id": None} for child in RUNS[1:]]}


def batch() -> dict[str, Any]:
    starts = [
        {key: value for key, value in each.items() if key not in ("outputs", "end_time", "error")} for each in RUNS
    ]
    ends = [{key: value for key, value in each.items() if key not in ("inputs", "name")} for each in RUNS]
    return {"post": starts, "patch": ends}


@pytest.mark.parametrize("shape", ["lines", "nested", "batch"])
def test_runs_are_put_in_order_and_nothing_counts_twice(shape: str, tmp_path: Path):
    """The start and the end of a run are joined; tokens are 10 + 20 in and 3 + 3 out."""
    path = tmp_path / "x"
    if shape == "lines":
        lines(path, *RUNS)
    else:
        document(path, nested() if shape == "nested" else batch())
    trace = only(path)
    assert story(trace) == [
        ("user", "Weather?"),
        ("weather", "rain"),
        ("assistant", "It rains."),
        ("save", "ValueError('bad')", "failed"),
    ]
    assert (trace.format, trace.task, trace.output) == ("langsmith", "Weather?", "It rains.")
    assert (trace.models, tuple(trace.usage or ())) == (("m1",), (30, 6, 0))


@real_files
@pytest.mark.parametrize("path", samples("langsmith"), ids=lambda path: path.name)
def test_real_batches(path: Path):
    """One user's message, one answer, the tokens of the one request."""
    trace, raw = only(path), json.loads(path.read_bytes())
    asked = raw["post"][0]["inputs"]["messages"]
    outputs = raw["patch"][0]["outputs"]
    answers = [choice["message"]["content"] for choice in outputs["choices"]]
    assert story(trace) == [("user", asked[0]["content"]), ("assistant", answers[0])]
    assert trace.usage is not None
    assert trace.usage[:2] == (outputs["usage_metadata"]["input_tokens"], outputs["usage_metadata"]["output_tokens"])


def test_costs_of_runs_are_added_once(tmp_path: Path):
    """0.001 + 0.002 for two models and 0.0005 for a tool; where the root has the service's total, that one counts."""
    runs = [dict(row) for row in RUNS]
    runs[1]["total_cost"] = "0.001"
    runs[3]["outputs"] = {**runs[3]["outputs"], "usage_metadata": {"input_cost": 0.0015, "output_cost": 0.0005}}
    runs[2]["outputs"] = {**runs[2]["outputs"], "usage_metadata": {"total_cost": 0.0005}}
    assert only(document(tmp_path / "x", runs)).cost == Decimal("0.0035")
    runs[0]["total_cost"] = 0.004
    assert only(document(tmp_path / "x", runs)).cost == Decimal("0.004")
