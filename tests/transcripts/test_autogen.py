"""AutoGen and Magentic-One: who speaks, what was asked, what was answered."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from transcript_samples import document, lines, only, real_files, samples, story

MESSAGES = [
    {"source": "user", "type": "TextMessage", "content": "What is the weather?", "models_usage": None},
    {
        "source": "weather_agent",
        "type": "ToolCallRequestEvent",
        "content": [{"id": "c1", "name": "weather", "arguments": '{"city": "Tokyo"}'}],
        "models_usage": {"prompt_tokens": 10, "completion_tokens": 3},
    },
    {
        "source": "weather_agent",
        "type": "ToolCallExecutionEvent",
        "content": [{"content": "no such city", "call_id": "c1", "name": "weather", "is_error": True}],
    },
    {"source": "weather_agent", "type": "ThoughtEvent", "content": "Hm."},
    {"source": "weather_agent", "type": "ModelClientStreamingChunkEvent", "content": "I do"},
    {"source": "weather_agent", "type": "TextMessage", "content": "I do not know. TERMINATE"},
]


@pytest.mark.parametrize("shape", ["result", "list", "lines"])
def test_agent_chat_is_read(shape: str, tmp_path: Path):
    """A TaskResult, a list, or one message a line; every event has its agent."""
    path = tmp_path / "x"
    if shape == "lines":
        lines(path, *MESSAGES)
    else:
        document(path, {"messages": MESSAGES, "stop_reason": "done"} if shape == "result" else MESSAGES)
    run = only(path)
    assert story(run) == [
        ("user", "What is the weather?"),
        ("weather", "no such city", "failed"),
        ("reasoning", "Hm."),
        ("assistant", "I do not know. TERMINATE"),
    ]
    assert [event.agent for event in run.events] == ["user", *["weather_agent"] * 3]
    assert (run.format, run.task, run.output) == ("autogen", "What is the weather?", "I do not know.")
    assert tuple(run.usage or ()) == (10, 3, 0)


def test_a_history_says_who_speaks_and_labels_are_left_out(tmp_path: Path):
    """Magentic-One's roles tell thoughts from words to another agent; nothing of the verdict gets in."""
    value = {
        "question": "Which city?",
        "history": [
            {"role": "human", "content": "Which city?"},
            {"role": "Orchestrator (thought)", "content": "Ask the surfer."},
            {"role": "Orchestrator (-> WebSurfer)", "content": "Find it."},
            {"role": "WebSurfer", "content": "It is Chicago."},
            {"role": "user", "name": "Computer_terminal", "content": "exitcode: 1 (execution failed)"},
            {"role": "assistant", "name": "Checker", "content": "TERMINATE"},
        ],
        "ground_truth": "SECRET",
        "mistake_agent": "SECRET",
        "mistake_reason": "SECRET",
    }
    run = only(document(tmp_path / "x", value))
    assert [(event.agent, event.kind, event.role) for event in run.events] == [
        ("", "message", "user"),
        ("Orchestrator", "reasoning", "assistant"),
        ("Orchestrator", "message", "assistant"),
        ("WebSurfer", "message", "assistant"),
        ("Computer_terminal", "message", "tool"),
        ("Checker", "message", "assistant"),
    ]
    assert (run.task, run.output) == ("Which city?", "It is Chicago.")
    assert "SECRET" not in repr(run)


@real_files
@pytest.mark.parametrize("path", samples("autogen-magentic-one"), ids=lambda path: path.name)
def test_real_histories(path: Path):
    """As many events of each speaker as entries, in their order, and the question as the task."""
    run, raw = only(path), json.loads(path.read_bytes())
    speakers = [entry.get("name") or entry["role"].split(" (")[0] for entry in raw["history"]]
    assert Counter(event.agent or "human" for event in run.events) == Counter(speakers)
    assert [event.text for event in run.events] == [entry["content"] for entry in raw["history"]]
    assert run.task == raw["question"]
