"""SWE-agent trajectories, with and without structured calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import calls, document, only, real_files, samples, story

STEPS = [
    {"action": "ls\n", "observation": "cart.py", "thought": "Look.", "response": "Look.\n```\nls\n```"},
    {"action": "submit\n", "observation": "diff --git a/x b/x", "thought": "Done.", "response": "Done."},
]
INFO = {"exit_status": "submitted", "submission": "diff --git a/x b/x\n", "model_stats": {"tokens_sent": 7}}


def trajectory(*history: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"environment": "main", "trajectory": STEPS, "history": list(history), "info": {**INFO, **more}}


def test_actions_as_text_are_calls_and_the_next_message_answers(tmp_path: Path):
    """The demonstration is of another run; only the trajectory tells what came back last."""
    run = only(
        document(
            tmp_path / "x.traj",
            trajectory(
                {"role": "system", "content": "You are.", "agent": "primary"},
                {"role": "user", "content": "A demonstration", "is_demo": True, "agent": "primary"},
                {"role": "user", "content": "Fix the issue.", "agent": "primary"},
                {"role": "assistant", "content": "Look.", "thought": "Look.", "action": "ls\n", "agent": "primary"},
                {"role": "user", "content": "cart.py\n(Current directory: /)", "agent": "primary"},
                {"role": "assistant", "content": "Done.", "thought": "Done.", "action": "submit", "agent": "primary"},
            ),
        )
    )
    assert story(run) == [
        ("system", "You are."),
        ("user", "Fix the issue."),
        ("assistant", "Look."),
        ("bash", "cart.py\n(Current directory: /)"),
        ("assistant", "Done."),
        ("bash", "diff --git a/x b/x"),
    ]
    assert (run.format, run.task, run.output) == ("swe-agent", "Fix the issue.", INFO["submission"])


def test_structured_calls_are_answered_by_their_ids(tmp_path: Path):
    """As function-calling configurations write them; another end than a submission is an error."""
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    run = only(
        document(
            tmp_path / "x.traj",
            trajectory(
                {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "agent": "main"},
                {"role": "assistant", "content": "", "thought": "Look.", "action": "ls", "tool_calls": [call]},
                {"role": "tool", "content": "cart.py", "tool_call_ids": ["c1"], "agent": "main"},
                exit_status="exit_cost",
                submission=None,
            ),
        )
    )
    assert story(run)[2:] == [("bash", "cart.py"), ("error", "the run ended with exit_cost")]
    assert run.output == "Look."


def test_a_file_without_a_history_is_read_by_its_steps(tmp_path: Path):
    """As some collections publish them."""
    run = only(document(tmp_path / "x.traj", {"trajectory": STEPS, "info": INFO}))
    assert calls(run) == (2, 2, 0)


@real_files
@pytest.mark.parametrize("path", samples("swe-agent"), ids=lambda path: path.name)
def test_real_trajectories(path: Path):
    """A call and its answer for every step with an action, and the submission as the output."""
    run, raw = only(path), json.loads(path.read_bytes())
    acted = sum(bool(step["action"].strip()) for step in raw["trajectory"])
    assert calls(run)[:2] == (acted, acted)
    assert run.output == raw["info"]["submission"]
    spoken = [entry for entry in raw["history"] if entry["role"] == "assistant" and not entry.get("is_demo")]
    assert sum(event.kind == "message" and event.role == "assistant" for event in run.events) == len(spoken)
