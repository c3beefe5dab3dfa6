"""ATIF trajectories of Harbor: steps with their calls, and the results inside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from transcript_samples import calls, document, lines, only, real_files, samples, story

TRAJECTORY = {
    "schema_version": "ATIF-v1.8",
    "session_id": "s1",
    "agent": {"name": "tester", "version": "1", "model_name": "m1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "List the files.", "timestamp": "2026-01-01T10:00:00Z"},
        {"step_id": 2, "source": "agent", "message": "From before.", "is_copied_context": True},
        {
            "step_id": 3,
            "source": "agent",
            "timestamp": "2026-01-01T10:00:05Z",
            "message": [{"type": "text", "text": "Looking."}],
            "reasoning_content": "ls will do",
            "tool_calls": [
                {"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "ls"}},
                {"tool_call_id": "b", "function_name": "bash", "arguments": {"command": "ls x"}},
            ],
            "observation": {
                "results": [
                    {"source_call_id": "b", "content": "Error: no such folder"},
                    {"source_call_id": "a", "content": [{"type": "text", "text": "cart.py"}]},
                ]
            },
            "metrics": {"prompt_tokens": 10, "completion_tokens": 4, "cached_tokens": 3},
        },
        {
            "step_id": 4,
            "source": "agent",
            "message": "One file.",
            "observation": {"results": [{"content": "$ "}]},
            "metrics": {"prompt_tokens": 20, "completion_tokens": 5},
        },
    ],
    "subagent_trajectories": [
        {"agent": {"name": "helper"}, "steps": [{"step_id": 1, "source": "agent", "message": "I helped."}]}
    ],
    "final_metrics": {"total_prompt_tokens": 30, "total_completion_tokens": 9},
}


@pytest.mark.parametrize("indent", [None, 1])
def test_a_trajectory_is_its_steps(indent: int | None, tmp_path: Path):
    """Results join their calls by id, copied steps are left out, tokens are 10 + 20 in, 4 + 5 out, 3 from the cache."""
    run = only(document(tmp_path / "x", TRAJECTORY, indent=indent))
    assert story(run) == [
        ("user", "List the files."),
        ("reasoning", "ls will do"),
        ("assistant", "Looking."),
        ("bash", "cart.py"),
        ("bash", "Error: no such folder", "failed"),
        ("assistant", "One file."),
        ("tool", "$ "),
        ("assistant", "I helped."),
    ]
    assert (run.format, run.id, run.task, run.output) == ("atif", "s1", "List the files.", "One file.")
    assert (run.models, tuple(run.usage or ())) == (("m1",), (30, 9, 3))
    assert (run.started, run.ended) == ("2026-01-01T10:00:00Z", "2026-01-01T10:00:05Z")
    assert run.events[-1].agent == "helper"


def test_steps_have_their_places(tmp_path: Path):
    """The byte offset leads to the step."""
    path = document(tmp_path / "x", TRAJECTORY)
    data = path.read_bytes()
    for event in only(path).events[1:7]:
        assert data[event.place.offset : (event.place.offset or 0) + 1] == b"{"


def test_a_run_that_goes_on_elsewhere_is_a_warning_and_an_unknown_source_is_counted(tmp_path: Path):
    """Nothing is dropped silently."""
    steps = [{"step_id": 1, "source": "robot", "message": "beep"}]
    run = only(lines(tmp_path / "x", {**TRAJECTORY, "steps": steps, "continued_trajectory_ref": "next.json"}))
    assert run.unknown == {"step of robot": 1}
    assert "goes on in next.json" in run.warnings[0].message


@real_files
@pytest.mark.parametrize("path", samples("atif"), ids=lambda path: path.name[:60])
def test_real_trajectories(path: Path):
    """As many messages and calls as the raw steps have, and the sum of their tokens."""
    run, raw = only(path), json.loads(path.read_bytes())
    steps = raw["steps"]
    made = sum(len(step.get("tool_calls", ())) for step in steps)
    results = [result for step in steps for result in step.get("observation", {}).get("results", ())]
    assert calls(run)[:2] == (made, sum("source_call_id" in result for result in results))
    roles = {"agent": "assistant"}
    for source in ("user", "agent", "system"):
        spoken = sum(event.kind == "message" and event.role == roles.get(source, source) for event in run.events)
        assert spoken == sum(step["source"] == source for step in steps)
    assert run.usage is not None
    assert run.usage.input == raw["final_metrics"]["total_prompt_tokens"]
    assert run.usage.output == raw["final_metrics"]["total_completion_tokens"]
