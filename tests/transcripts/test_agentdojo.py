"""AgentDojo runs, and those of projects derived from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import SHARED_DATA

from evenhand import transcripts
from evenhand.errors import InputError

HEAD = {
    "suite_name": "slack",
    "pipeline_name": "m-1",
    "user_task_id": "user_task_1",
    "injection_task_id": None,
    "attack_type": None,
    "utility": True,
    "security": False,
    "error": None,
}
CALL = {"function": "read_inbox", "args": {"user": "Bob"}, "id": "1"}


def read(folder: Path, **fields: object):
    path = folder / "run.json"
    path.write_text(json.dumps(HEAD | fields), encoding="utf-8")
    return list(transcripts.read(str(path)))


def test_a_run_of_agentdojo(tmp_path):
    """Content may be a text or a list of texts; a failed call has its error as its result."""
    messages = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": [{"type": "text", "content": "Read Bob's inbox."}]},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "", "tool_call_id": "1", "tool_call": CALL, "error": "ValueError: no Bob"},
        {"role": "assistant", "content": [{"type": "text", "content": "There is no Bob."}], "tool_calls": None},
    ]
    (item,) = read(tmp_path, messages=messages)
    assert (item.format, item.id, item.models) == ("agentdojo", "slack-user_task_1", ("m-1",))
    assert (item.task, item.output) == ("Read Bob's inbox.", "There is no Bob.")
    (call,) = [event.call for event in item.events if event.call]
    assert (call.name, call.arguments, call.result, call.failed) == (
        "read_inbox",
        {"user": "Bob"},
        "ValueError: no Bob",
        True,
    )


def test_calls_and_answers_inside_tags(tmp_path):
    """A refused call is in the text alone, and its refusal comes as a message of the user."""
    said = '<function_thought>Hm.</function_thought><function_call>[get(a="x"), get(a=y)]</function_call>'
    messages = [
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": f"{said}<final_answer></final_answer>", "tool_calls": []},
        {"role": "user", "content": "</function_error>\n[CALL ERROR] refused"},
        {"role": "assistant", "content": "<final_answer>Done.</final_answer>", "tool_calls": []},
    ]
    (item,) = read(tmp_path, conversations=messages)
    calls = [event.call for event in item.events if event.call]
    assert [(call.name, call.arguments, call.failed) for call in calls] == [
        ("get", {"a": "x"}, True),
        ("get", "get(a=y)", True),
    ]
    assert item.output == "Done." and [event.text for event in item.events if event.kind == "reasoning"] == ["Hm."]


def test_the_output_of_a_run_that_ends_with_a_call_is_empty(tmp_path):
    """What was said before the last call is not an answer."""
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "I go.", "tool_calls": [CALL]}]
    (item,) = read(tmp_path, messages=messages)
    assert item.output == ""


def test_a_run_without_messages_is_refused(tmp_path):
    """It failed before the agent said a word."""
    (error,) = read(tmp_path, messages=[])
    assert isinstance(error, InputError) and "has no messages" in str(error)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason=f"{SHARED_DATA} is absent")
def test_real_runs_are_read_whole():
    """Runs as DRIFT writes them."""
    folder = SHARED_DATA / "runs" / "agentdojo_drift"
    found = [item for path in sorted(folder.glob("*.gz")) for item in transcripts.read(str(path))]
    assert len(found) >= 100 and not any(item.unknown or item.problems for item in found)
