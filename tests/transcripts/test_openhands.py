"""OpenHands: events of V0 and of V1, alone, in a list, or in the lines of an evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import all_in, calls, document, lines, only, real_files, samples, story


def action(id: int, name: str, source: str = "agent", **args: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": f"2026-01-01T10:00:0{id}", "source": source, "action": name, "args": args}


def observation(id: int, name: str, cause: int, content: str, **extras: Any) -> dict[str, Any]:
    return {"id": id, "source": "agent", "observation": name, "cause": cause, "content": content, "extras": extras}


V0 = [
    action(0, "system", content="Be careful."),
    action(1, "message", "user", content="Run the tests."),
    action(2, "run", command="pytest", thought="Let me run them."),
    observation(3, "run", 2, "1 failed", metadata={"exit_code": 1}),
    action(4, "read", path="cart.py", thought=""),
    observation(5, "error", 4, "no such file"),
    {"id": 6, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
    action(7, "finish", final_thought="One test fails.", thought=""),
]


def test_v0_events_are_read(tmp_path: Path):
    """An observation answers the action that caused it; an exit code other than 0 and an error mean it failed."""
    run = only(document(tmp_path / "x", V0))
    assert story(run) == [
        ("system", "Be careful."),
        ("user", "Run the tests."),
        ("assistant", "Let me run them."),
        ("run", "1 failed", "failed"),
        ("read", "no such file", "failed"),
        ("assistant", "One test fails."),
    ]
    assert (run.format, run.task, run.output, run.unknown) == ("openhands", "Run the tests.", "One test fails.", {})


def test_lines_of_an_evaluation_are_a_submission_each(tmp_path: Path):
    """The older form has pairs of an action and its observation."""
    pairs = [[V0[2], V0[3]], [V0[7], {}]]
    path = lines(
        tmp_path / "output.jsonl",
        {"instance_id": "i-1", "instruction": "Do it.", "history": V0},
        {"instance_id": "i-2", "instruction": "Again.", "history": pairs},
    )
    first, second = all_in(path)
    assert (first.id, first.task, first.output) == ("i-1", "Do it.", "One test fails.")
    assert (second.id, second.source, calls(second)) == ("i-2", f"{path}:2", (1, 1, 1))


def v1(kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "source": source, "timestamp": "2026-01-01T10:00:00", **more}


V1 = [
    v1("SystemPromptEvent", system_prompt={"type": "text", "text": "Be careful."}),
    v1("MessageEvent", "user", llm_message={"role": "user", "content": [{"type": "text", "text": "List."}]}),
    v1(
        "ActionEvent",
        id="a1",
        tool_call_id="c1",
        tool_name="terminal",
        thought=[{"type": "text", "text": "Listing."}],
        reasoning_content="ls",
        action={"kind": "TerminalAction", "command": "ls x"},
        tool_call={"id": "c1", "name": "terminal", "arguments": '{"command": "ls x"}'},
    ),
    v1(
        "ObservationEvent",
        "environment",
        action_id="a1",
        tool_call_id="c1",
        observation={"content": [{"type": "text", "text": "no x"}], "exit_code": 2, "is_error": False},
    ),
    v1("ActionEvent", id="a2", tool_call_id="c2", tool_name="edit", action={"kind": "EditAction", "path": "x"}),
    v1("AgentErrorEvent", tool_call_id="c2", tool_name="edit", error="bad arguments"),
    v1("ConversationStateUpdateEvent", "environment", key="status", value="running"),
    v1(
        "ActionEvent",
        id="a3",
        tool_call_id="c3",
        tool_name="finish",
        action={"kind": "FinishAction", "message": "Done."},
    ),
]


@pytest.mark.parametrize("as_lines", [True, False])
def test_v1_events_are_read(as_lines: bool, tmp_path: Path):
    """Whichever way the events are kept together; what the agent finishes with is the output."""
    run = only(lines(tmp_path / "x", *V1) if as_lines else document(tmp_path / "x", V1))
    assert story(run) == [
        ("system", "Be careful."),
        ("user", "List."),
        ("reasoning", "ls"),
        ("assistant", "Listing."),
        ("terminal", "no x", "failed"),
        ("edit", "bad arguments", "failed"),
        ("finish", "..."),
    ]
    assert (run.task, run.output) == ("List.", "Done.")


@real_files
@pytest.mark.parametrize("path", samples("openhands", "*.json"), ids=lambda path: path.name)
def test_real_v0_files(path: Path):
    """A call for every action of the agent that is answered, and each request's tokens once."""
    run, raw = only(path), json.loads(path.read_bytes())
    acted = [event for event in raw if event.get("action") not in (None, "message", "finish")]
    assert calls(run) == (len(acted), sum("observation" in event for event in raw), 0)
    responses = {
        event["tool_call_metadata"]["model_response"]["id"]: event["tool_call_metadata"]["model_response"]["usage"]
        for event in raw
        if event.get("tool_call_metadata")
    }
    assert run.usage is not None
    assert run.usage.output == sum(usage["completion_tokens"] for usage in responses.values())


@real_files
@pytest.mark.parametrize("path", samples("openhands", "*.jsonl"), ids=lambda path: path.name)
def test_real_v1_files(path: Path):
    """A call for every ActionEvent, an answer for every ObservationEvent, and the errors that they say."""
    raw = [json.loads(line) for line in path.read_bytes().splitlines()]
    results = [event["observation"] for event in raw if event["kind"] == "ObservationEvent"]
    failed = sum(result["is_error"] or result.get("exit_code", 0) not in (0, None, -1) for result in results)
    made = sum(event["kind"] == "ActionEvent" for event in raw)
    assert calls(only(path)) == (made, len(results), failed)
