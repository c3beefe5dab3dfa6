"""tau2 results: one submission a simulation, the user's own calls apart from the agent's."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import SHARED_DATA

from evenhand import transcripts

RUN = {
    "id": "s1",
    "task_id": "7",
    "trial": 2,
    "agent_cost": 0.25,
    "termination_reason": "user_stop",
    "reward_info": {"reward": 1.0},
    "messages": [
        {"role": "assistant", "content": "Hi! How can I help?", "tool_calls": None, "turn_idx": 0},
        {"role": "user", "content": "Cancel ABC.", "tool_calls": None, "turn_idx": 1},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "name": "cancel", "arguments": {"id": "ABC"}, "requestor": "assistant"},
            ],
        },
        {"role": "tool", "id": "c1", "content": "Error: no such booking", "requestor": "assistant"},
        {
            "role": "user",
            "content": None,
            "tool_calls": [{"id": "u1", "name": "check_phone", "arguments": {}, "requestor": "user"}],
        },
        {"role": "tool", "id": "u1", "content": "ok", "requestor": "user", "error": False},
        {"role": "assistant", "content": "There is no booking ABC.", "tool_calls": None},
    ],
}


def write(folder: Path, *runs: dict) -> str:
    path = folder / "results.json"
    document = {"info": {"agent_info": {"llm": "m-1"}}, "tasks": [], "simulations": list(runs)}
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_each_simulation_is_a_submission_named_by_task_and_trial(tmp_path):
    """Also where the whole file is one line."""
    path = write(tmp_path, RUN, RUN | {"trial": 3})
    found = list(transcripts.read(path))
    assert [item.id for item in found] == ["task-7-trial-2", "task-7-trial-3"]
    assert [item.source for item in found] == [f"{path}:task-7-trial-2", f"{path}:task-7-trial-3"]
    assert {item.format for item in found} == {"tau2"}


def test_the_messages_and_calls_are_those_of_the_file(tmp_path):
    """The task is the user's first message, the output the agent's last; an error may be known by its words."""
    (item,) = transcripts.read(write(tmp_path, RUN))
    assert (item.task, item.output) == ("Cancel ABC.", "There is no booking ABC.")
    assert (item.models, item.cost) == (("m-1",), Decimal("0.25"))
    calls = [(event.agent, event.call.name, event.call.failed) for event in item.events if event.call]
    assert calls == [("", "cancel", True), ("user", "check_phone", False)]


def test_a_run_that_ended_with_an_error_says_so(tmp_path):
    """The reason is an event, so that no one takes it for the agent's own end."""
    (item,) = transcripts.read(write(tmp_path, RUN | {"termination_reason": "too_many_errors"}))
    assert [event.text for event in item.events if event.kind == "error"] == ["the run ended with too_many_errors"]


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason=f"{SHARED_DATA} is absent")
def test_real_results_are_read_whole():
    """Fifty simulations, nothing unknown in them."""
    found = list(transcripts.read(str(SHARED_DATA / "runs" / "tau2_airline.json.gz")))
    assert len(found) == 50 and not any(item.unknown or item.problems for item in found)
