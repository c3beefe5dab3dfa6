"""mini-swe-agent trajectories: commands in fenced blocks or tool calls, and their return codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from transcript_samples import calls, document, only, real_files, samples, story

MESSAGES = [
    {"role": "system", "content": "You are."},
    {"role": "user", "content": "Fix the issue."},
    {"role": "assistant", "content": "THOUGHT: look\n\n```bash\nls x\n```", "extra": {"response": {"id": "r1"}}},
    {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno x\n</output>"},
    {"role": "assistant", "content": "No command."},
    {"role": "user", "content": "Please always provide EXACTLY ONE action."},
    {"role": "assistant", "content": "```mswea_bash_command\nsubmit\n```"},
    {"role": "user", "content": "diff --git a/x b/x"},
]
TOLD = [
    ("system", "You are."),
    ("user", "Fix the issue."),
    ("assistant", "THOUGHT: look"),
    ("bash", "<returncode>2</returncode>\n<output>\nno x\n</output>", "failed"),
    ("assistant", "No command."),
    ("system", "Please always provide EXACTLY ONE action."),
    ("bash", "diff --git a/x b/x"),
]


def test_a_trajectory_and_its_bare_list_read_alike(tmp_path: Path):
    """Only the object has the submission, which is the output."""
    info = {"exit_status": "Submitted", "submission": "diff --git a/x b/x", "mini_version": "1.15.0"}
    run = only(document(tmp_path / "x", {"info": info, "messages": MESSAGES, "trajectory_format": "mini-swe-agent-1"}))
    bare = only(document(tmp_path / "y", MESSAGES))
    assert story(run) == story(bare) == TOLD
    assert (run.format, run.output, bare.output) == ("mini-swe-agent", "diff --git a/x b/x", "No command.")


def test_the_mark_may_follow_many_messages(tmp_path: Path):
    """A long list of chat messages, and the name of the format at the very end."""
    many = [*MESSAGES[:2], *[{"role": "assistant", "content": "```bash\nls\n```"}, MESSAGES[3]] * 2000]
    value = {"messages": many, "trajectory_format": "mini-swe-agent-1"}
    assert calls(only(document(tmp_path / "x", value))) == (2000, 2000, 2000)


def test_version_2_calls_a_tool(tmp_path: Path):
    """With the return code beside the message; the run ended because of its limits."""
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    messages = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "Look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "cart.py", "extra": {"returncode": 1}},
        {"role": "exit", "content": "", "extra": {"exit_status": "LimitsExceeded"}},
    ]
    value = {"info": {"exit_status": "LimitsExceeded"}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    run = only(document(tmp_path / "x", value))
    assert story(run) == [
        ("user", "Fix it."),
        ("assistant", "Look."),
        ("bash", "cart.py", "failed"),
        ("error", "the run ended with LimitsExceeded"),
    ]


@real_files
@pytest.mark.parametrize("path", samples("mini-swe-agent"), ids=lambda path: path.name)
def test_real_trajectories(path: Path):
    """A call for every answer with a command, and the return codes that are not 0."""
    run, raw = only(path), json.loads(path.read_bytes())
    messages = raw["messages"] if isinstance(raw, dict) else raw
    commands = sum("```" in message["content"] for message in messages if message["role"] == "assistant")
    codes = [
        re.findall(r"<returncode>(-?\d+)", message["content"]) for message in messages if message["role"] == "user"
    ]
    failed = sum(code[:1] not in ([], ["0"]) for code in codes[1:])
    assert calls(run) == (commands, commands, failed)
    if isinstance(raw, dict):
        assert run.output == raw["info"]["submission"]
        used = [m["extra"]["response"]["usage"] for m in messages if m.get("extra", {}).get("response")]
        assert run.usage is not None and run.usage.input == sum(usage["prompt_tokens"] for usage in used)
