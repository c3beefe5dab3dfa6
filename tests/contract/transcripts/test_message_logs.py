"""Logs of messages in many spellings: what was said, called and returned; damage, strays and unknown records."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from contract.doors import run_here

Rows = list[dict[str, Any]]

CALL = {"command": "pytest -q"}
KIMI: Rows = [
    {"role": "_checkpoint", "id": 0},
    {"role": "user", "content": "Fix it."},
    {
        "role": "assistant",
        "content": [{"type": "think", "think": "hm"}, {"type": "text", "text": "I run it."}],
        "tool_calls": [{"type": "function", "id": "a", "function": {"name": "Shell", "arguments": json.dumps(CALL)}}],
    },
    {"role": "tool", "content": [{"type": "text", "text": "1 failed, 2 passed"}], "tool_call_id": "a"},
    {"role": "assistant", "content": [{"type": "text", "text": "All tests pass."}]},
]
DROID: Rows = [
    {"type": "system", "subtype": "init", "cwd": "/w", "session_id": "s", "tools": ["Execute"], "model": "m"},
    {"type": "message", "role": "user", "id": "1", "text": "Fix it."},
    {"type": "tool_call", "id": "c", "toolId": "Execute", "toolName": "Execute", "parameters": CALL},
    {"type": "tool_result", "id": "c", "toolId": "Execute", "isError": True, "value": "1 failed, 2 passed"},
    {"type": "message", "role": "assistant", "id": "2", "text": "All tests pass."},
]
GROK: Rows = [
    {"type": "user", "content": "Fix it."},
    {"type": "tool_call", "toolCall": {"id": "c", "function": {"name": "bash", "arguments": json.dumps(CALL)}}},
    {"type": "tool_result", "toolCall": {"id": "c"}, "toolResult": {"success": False, "error": "1 failed, 2 passed"}},
    {"type": "assistant", "content": "All tests pass."},
]
HERMES: Rows = [
    {"from": "human", "value": "Fix it."},
    {"from": "gpt", "value": f'<tool_call>\n{{"name": "bash", "arguments": {json.dumps(CALL)}}}\n</tool_call>'},
    {"from": "tool", "value": '<tool_response>{"name": "bash", "content": "1 failed, 2 passed"}</tool_response>'},
    {"from": "gpt", "value": "All tests pass."},
]
OPENCODE: Rows = [
    {"type": "message.updated", "properties": {"info": {"id": "m1", "sessionID": "s", "role": "user"}}},
    {"type": "message.updated", "properties": {"info": {"id": "m2", "sessionID": "s", "role": "assistant"}}},
    *(
        {"type": "message.part.updated", "properties": {"part": part}}
        for part in (
            {"id": "p1", "messageID": "m1", "type": "text", "text": "Fix it."},
            {
                "id": "p2",
                "messageID": "m2",
                "type": "tool",
                "callID": "c",
                "tool": "bash",
                "state": {
                    "status": "completed",
                    "input": CALL,
                    "output": "1 failed, 2 passed",
                    "metadata": {"exit": 1},
                },
            },
            {"id": "p3", "messageID": "m2", "type": "text", "text": "All te"},
            {"id": "p3", "messageID": "m2", "type": "text", "text": "All tests pass."},
        )
    ),
]
SPEAKERS: Rows = [
    {"speaker": "User", "utterance": "Fix it."},
    {"speaker": "Assistant", "utterance": "I run it.", "actions": [{"tool": "bash", "arguments": CALL}]},
    {"speaker": "Tool", "utterance": "1 failed, 2 passed"},
    {"speaker": "Assistant", "utterance": "All tests pass."},
]
CAPITALS: Rows = [
    {"Role": "User", "Content": "Fix it."},
    {"Role": "Assistant", "ToolCalls": [{"Id": "c", "Name": "bash", "Arguments": CALL}]},
    {"Role": "Tool", "ToolCallId": "c", "Content": "1 failed, 2 passed"},
    {"Role": "Assistant", "Content": "All tests pass."},
]
ENVELOPES: Rows = [
    {"ts": 1, "data": {"message": {"role": "user", "content": [{"type": "text", "text": "Fix it."}]}}},
    {"ts": 2, "data": {"message": {"role": "assistant", "tool_calls": [{"id": "c", "name": "bash", "args": CALL}]}}},
    {"ts": 3, "data": {"message": {"role": "tool", "tool_call_id": "c", "content": "1 failed, 2 passed"}}},
    {"ts": 4, "data": {"message": {"role": "assistant", "content": "All tests pass."}}},
]
SHAREGPT: Rows = [
    {"from": "human", "value": "Fix it."},
    {"from": "function_call", "value": json.dumps({"name": "bash", "arguments": CALL})},
    {"from": "observation", "value": "1 failed, 2 passed"},
    {"from": "gpt", "value": "All tests pass."},
]
LINES = {"kimi": KIMI, "droid": DROID, "grok": GROK, "hermes": HERMES, "opencode": OPENCODE}
LINES |= {"speakers": SPEAKERS, "capitals": CAPITALS, "envelopes": ENVELOPES, "sharegpt": SHAREGPT}
WHOLE: dict[str, Any] = {
    "kiro": {
        "conversation_id": "c",
        "history": [
            {
                "user": {"content": {"Prompt": {"prompt": "Fix it."}}},
                "assistant": {
                    "ToolUse": {"content": "", "tool_uses": [{"id": "t", "name": "execute_bash", "args": CALL}]}
                },
            },
            {
                "user": {
                    "content": {
                        "ToolUseResults": {
                            "tool_use_results": [{"tool_use_id": "t", "content": [{"Text": "1 failed, 2 passed"}]}]
                        }
                    }
                },
                "assistant": {"Response": {"content": "All tests pass."}},
            },
        ],
    },
    "grok session": {"id": "g", "messages": GROK},
    "parts of Gemini": {
        "conversation": [
            {"author": "user", "parts": [{"text": "Fix it."}]},
            {"author": "model", "parts": [{"functionCall": {"name": "bash", "args": CALL}}]},
            {
                "author": "tool",
                "parts": [{"functionResponse": {"name": "bash", "response": {"output": "1 failed, 2 passed"}}}],
            },
            {"author": "model", "parts": [{"text": "All tests pass."}]},
        ]
    },
    "results in their calls": [
        {"sender": "human", "text": "Fix it."},
        {
            "sender": "agent",
            "text": "",
            "toolCalls": [{"toolName": "bash", "toolInput": CALL, "toolOutput": "1 failed, 2 passed"}],
        },
        {"sender": "agent", "text": "All tests pass."},
    ],
    "steps": {
        "task": "Fix it.",
        "steps": [
            {
                "thought": "I run it.",
                "action": "bash",
                "action_input": CALL,
                "observation": "1 failed, 2 passed",
            },
            {"thought": "That is all.", "final_answer": "All tests pass."},
        ],
    },
    "events in camel case": {
        "sessionId": "s",
        "events": [
            {"eventType": "userMessage", "content": "Fix it."},
            {"eventType": "agentToolCall", "toolName": "bash", "toolArgs": CALL, "toolCallId": "9"},
            {"eventType": "agentToolResult", "toolCallId": "9", "result": "1 failed, 2 passed", "isError": True},
            {"eventType": "agentMessage", "content": "All tests pass."},
        ],
    },
    "blocks by kind": [
        {"role": "user", "content": "Fix it."},
        {
            "role": "assistant",
            "content": [
                {"kind": "text", "text": "I run it."},
                {"kind": "tool", "name": "bash", "input": CALL, "id": "t"},
            ],
        },
        {"role": "user", "content": [{"kind": "tool_result", "id": "t", "output": "1 failed, 2 passed"}]},
        {"role": "assistant", "content": [{"kind": "text", "text": "All tests pass."}]},
    ],
    "copilot chat": {
        "responderUsername": "GitHub Copilot",
        "requests": [
            {
                "requestId": "r",
                "message": {"text": "Fix it."},
                "response": [{"kind": "toolInvocationSerialized", "toolCallId": "c"}, {"value": "All tests pass."}],
                "result": {
                    "metadata": {
                        "toolCallRounds": [
                            {
                                "response": "",
                                "toolCalls": [{"id": "c", "name": "run_in_terminal", "arguments": json.dumps(CALL)}],
                            }
                        ],
                        "toolCallResults": {"c": {"content": [{"value": "1 failed, 2 passed"}]}},
                    }
                },
            }
        ],
    },
    "smolagents": [
        {"task": "Fix it."},
        {
            "step_number": 1,
            "model_output": "I run it.",
            "tool_calls": [{"id": "c", "function": {"name": "bash", "arguments": CALL}}],
            "observations": "1 failed, 2 passed",
        },
        {
            "step_number": 2,
            "model_output": "Done.",
            "tool_calls": [
                {"id": "d", "function": {"name": "final_answer", "arguments": {"answer": "All tests pass."}}}
            ],
            "observations": "",
            "action_output": "All tests pass.",
        },
    ],
}


def findings(folder: Path, text: str) -> list[str]:
    """The ids of what is found in a file; its reading must not fail."""
    (folder / "run.jsonl").write_text(text, encoding="utf-8")
    ran = run_here("judge", "run.jsonl", "--store", "none", "--format", "json", cwd=folder)
    assert ran.code == 0, ran.err
    return [finding["check"] for finding in json.loads(ran.out)["findings"]]


def lines(rows: Rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("text", [*map(lines, LINES.values()), *map(json.dumps, WHOLE.values())], ids=[*LINES, *WHOLE])
def test_the_call_its_result_and_the_answer_are_read(tmp_path: Path, text: str):
    """Which shows in that the answer is contradicted by the result."""
    assert "contradicted-claim" in findings(tmp_path, text)


@pytest.mark.parametrize("rows", LINES.values(), ids=LINES)
def test_a_stray_first_line_and_unknown_records_take_nothing_away(tmp_path: Path, rows: Rows):
    text = "Starting the agent ...\n" + lines([rows[0], {"type": "telemetry", "x": 1}, *rows[1:]])
    assert "contradicted-claim" in findings(tmp_path, text)


@pytest.mark.parametrize("rows", LINES.values(), ids=LINES)
def test_a_file_cut_in_the_middle_is_read_or_refused_and_never_free_of_faults_unread(tmp_path: Path, rows: Rows):
    """Whatever stands before the cut."""
    text = lines(rows)
    (tmp_path / "cut.jsonl").write_text(text[: len(text) * 2 // 3], encoding="utf-8")
    ran = run_here("judge", "cut.jsonl", "--store", "none", "--format", "json", cwd=tmp_path)
    assert ran.code == 2 or json.loads(ran.out)["checks"]


@pytest.mark.parametrize(
    "text",
    [
        '{"sessionId": "a", "projectHash": "b", "startTime": "2026-01-01", "messages": []}',
        '{"type": "system", "subtype": "init", "session_id": "s"}\n{"type": "telemetry", "x": 1}\n',
    ],
    ids=["gemini", "claude code"],
)
def test_a_log_of_which_no_message_is_recognised_is_refused(tmp_path: Path, text: str):
    """It says what it was taken for."""
    (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
    ran = run_here("judge", "run.jsonl", "--store", "none", cwd=tmp_path)
    assert ran.code == 2
    assert re.search("no message in it was recognised|in no known format", " ".join(ran.err.split()))


def test_results_that_stand_before_their_calls_are_theirs(tmp_path: Path):
    """As Claude Code writes parallel calls."""
    base = {"sessionId": "s", "version": "2.1"}
    rows = [
        {"type": "user", "message": {"role": "user", "content": "Fix it."}},
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "1 failed, 2 passed"}],
            },
        },
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": CALL}],
            },
        },
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "All tests pass."}]},
        },
    ]
    assert "contradicted-claim" in findings(tmp_path, lines([{**base, **row} for row in rows]))
