"""What a cell of a suite's page opens to: the scorecard, the beginning of the output, the transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evenhand
from evenhand.runs.run_document import Aftermath, run_text
from evenhand.store import open_store
from evenhand.suites.results.stored_outputs import stored_details
from evenhand.work.agent_run import AgentRun, RunId
from suite_cases import result

KEY = "ab" * 32
SCORES = {name: {"score": 7, "justification": "because", "evidence": ["xx"]} for name in evenhand.DIMENSIONS}


def message(role: str, text: str) -> dict[str, object]:
    return {"role": role, "content": text}


def called(name: str, arguments: object, text: str) -> list[dict[str, object]]:
    """A tool call and its result."""
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": text},
    ]


def keep_run(key: str = KEY, messages: object = None, output: str | None = "from the kept run") -> Path:
    """The folder of a kept run, with a transcript if there are messages; its path."""
    folder = Path("runs", key)
    folder.mkdir(parents=True)
    name = None
    if messages is not None:
        (folder / "transcript").mkdir()
        name = "transcript/session.json"
        (folder / name).write_text(json.dumps({"messages": messages}), encoding="utf-8")
    if output is not None:
        (folder / "output.txt").write_text(output, encoding="utf-8")
    run = AgentRun(RunId("c000", "old", 1), key, "finished", output=output, transcript=name)
    (folder / "run.json").write_text(run_text(run, Aftermath(), {}))
    return folder


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = open_store("s.db")
    yield store
    store.close()


def test_a_cell_has_the_output_of_the_kept_run_where_the_store_has_its_hash_alone(store):
    """A key that is a path instead of a hash is not followed, and a damaged run is passed over."""
    evenhand.score({"scores": SCORES}, store=store, id="card")
    kept = keep_run()
    of_key = {key: result("c000", "old", 1, 700, evaluation="card", key=key) for key in (KEY, f"../runs/{KEY}")}
    outputs = {key: stored_details(store, [one], ["c000"])[one.id].output for key, one in of_key.items()}
    assert outputs == {KEY: "from the kept run", f"../runs/{KEY}": None}
    (kept / "run.json").write_text("{")
    assert stored_details(store, [of_key[KEY]], ["c000"])[of_key[KEY].id].output is None


def test_runs_kept_elsewhere_are_shown_without_a_store(store):
    """As of a run with --store none and --runs FOLDER."""
    keep_run(messages=[message("user", "Count."), message("assistant", "3")])
    made = [result("c000", "old", 1, 700, key=KEY)]
    [detail] = stored_details(None, made, ["c000"], Path("runs")).values()
    assert (detail.card, detail.output, len(detail.transcript.events)) == (None, "from the kept run", 2)
    assert stored_details(None, made, ["c000"]) == {}
