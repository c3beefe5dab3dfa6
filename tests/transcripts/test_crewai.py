"""CrewAI: the events of its event bus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import calls, document, lines, only, real_files, samples, story


def event(kind: str, second: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": f"2026-01-01T10:00:{second:02}Z", **more}


SEARCH = {"tool_name": "search", "agent_role": "Researcher"}
EVENTS = [
    event("crew_kickoff_started", 0, crew_name="c", inputs={}),
    event("task_started", 1, task={"description": "Find the weather."}),
    event("agent_execution_started", 2, agent={"role": "Researcher"}, task_prompt="Find the weather. Be brief."),
    event("llm_call_started", 3, call_id="l1", messages=[{"role": "user", "content": "Find the weather."}]),
    event("tool_usage_started", 4, **SEARCH, tool_args={"q": "a"}),
    event("tool_usage_started", 5, **SEARCH, tool_args={"q": "b"}),
    event("tool_usage_error", 6, **SEARCH, tool_args={"q": "b"}, error="no net"),
    event("tool_usage_finished", 7, **SEARCH, tool_args='{"q": "a"}', output="rain"),
    event("llm_call_completed", 8, call_id="l1", model="m1", response="Thought: so.\nFinal Answer: It rains.",
          usage={"prompt_tokens": 10, "completion_tokens": 3}, agent_role="Researcher"),
    event("llm_call_failed", 9, error="overloaded"),
    event("agent_execution_completed", 10, agent={"role": "Researcher"}, output="It rains."),
    event("task_completed", 11, output={"raw": "It rains."}),
    event("crew_kickoff_completed", 12, output={"raw": "It rains."}),
    event("memory_save_started", 13),
]  # fmt: skip


@pytest.mark.parametrize("as_lines", [False, True])
def test_events_are_read_and_the_same_answer_counts_once(as_lines: bool, tmp_path: Path):
    """A result answers the call with its arguments; what several events tell alike is one message."""
    run = only(lines(tmp_path / "x", *EVENTS) if as_lines else document(tmp_path / "x", EVENTS))
    assert story(run) == [
        ("user", "Find the weather."),
        ("user", "Find the weather. Be brief."),
        ("search", "rain"),
        ("search", "no net", "failed"),
        ("assistant", "Thought: so.\nFinal Answer: It rains."),
        ("error", "overloaded"),
    ]
    assert (run.format, run.task, run.output) == ("crewai", "Find the weather.", "It rains.")
    assert (run.models, tuple(run.usage or ())) == (("m1",), (10, 3, 0))
    assert {event.agent for event in run.events} == {"", "Researcher"}


@real_files
@pytest.mark.parametrize("path", samples("crewai"), ids=lambda path: path.name)
def test_the_sample(path: Path):
    """It is synthetic; its numbers are those of its lines."""
    run, raw = only(path), [json.loads(line) for line in path.read_bytes().splitlines()]
    kinds = [event["type"] for event in raw]
    assert calls(run) == (kinds.count("tool_usage_started"), kinds.count("tool_usage_finished"), 0)
    assert run.output == raw[-1]["output"]
