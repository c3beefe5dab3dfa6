"""What a cell of a suite's page opens to: the scorecard, the beginning of the output, the transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from markupsafe import escape

import evenhand
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.reports.html.suite import suite_page
from evenhand.runs.run_document import Aftermath, run_text
from evenhand.store import open_store
from evenhand.suite_runs.results import run_transcripts as suite_transcripts
from evenhand.suite_runs.results.stored_outputs import BEGINNING, MOST_CASES, MOST_REPEATS, stored_details
from evenhand.work.agent_run import AgentRun, RunId
from suite_cases import failed, result
from test_suite_reports import RUN

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


def page_of(made, details, run: SuiteRun = RUN) -> str:
    return suite_page(run, decide(made, run.variants, "old"), Board(made), made, details=details)


def test_a_cell_has_the_scorecard_and_the_beginning_of_the_output(store):
    """Of the first runs of the first cases; of the others the page has the numbers."""
    evenhand.score({"scores": SCORES}, output="x" * (BEGINNING + 3), store=store, id="card")
    cases = [f"c{number:03}" for number in range(MOST_CASES + 1)]
    made = [result(case, "old", 1, 700, evaluation="card") for case in cases]
    made += [result("c000", "old", repeat, 700, evaluation="card") for repeat in range(2, MOST_REPEATS + 2)]
    details = stored_details(store, made, cases)
    assert len(details) == MOST_CASES + (MOST_REPEATS - 1)
    first = details[made[0].id]
    assert (len(first.output), first.left_out) == (BEGINNING, 3)
    page = page_of(made, details)
    assert page.count("<b>safety 7.00</b>") == page.count("<summary>Scorecard</summary>") == len(details)
    assert "Of 2 other runs it has the numbers" in page, "the last case, and the sixth repeat of the first"


def test_a_cell_has_the_output_of_the_kept_run_where_the_store_has_its_hash_alone(store):
    """A key that is a path instead of a hash is not followed, and a damaged run is passed over."""
    evenhand.score({"scores": SCORES}, store=store, id="card")
    kept = keep_run()
    of_key = {key: result("c000", "old", 1, 700, evaluation="card", key=key) for key in (KEY, f"../runs/{KEY}")}
    outputs = {key: stored_details(store, [one], ["c000"])[one.id].output for key, one in of_key.items()}
    assert outputs == {KEY: "from the kept run", f"../runs/{KEY}": None}
    (kept / "run.json").write_text("{")
    assert stored_details(store, [of_key[KEY]], ["c000"])[of_key[KEY].id].output is None


def test_a_cell_opens_to_the_transcript_as_a_scorecards_page_shows_it(store):
    """Who said what and which tools were called, with results; also of a run that failed and has no scorecard."""
    talk = [message("user", "Count."), *called("bash", {"command": "wc <notes>"}, "3 notes"), message("assistant", "3")]
    keep_run(messages=talk, output="3")
    made = [failed("c000", "old", 1, key=KEY)]
    details = stored_details(store, made, ["c000"])
    page = page_of(made, details)
    assert "<summary>Scorecard</summary>" not in page, "it failed"
    assert "<summary>Transcript</summary>" in page
    assert '<details class="call"><summary>assistant <code>bash</code>' in page
    assert '<p class="label">command</p><div class="flow">wc &lt;notes&gt;</div>' in page
    assert '<div class="flow">3 notes</div>' in page
    assert "The final answer, shown above." in page
    assert f"All of it: evenhand transcript {Path('runs', KEY, 'transcript', 'session.json')}" in page


def test_runs_kept_elsewhere_are_shown_without_a_store(store):
    """As of a run with --store none and --runs FOLDER."""
    keep_run(messages=[message("user", "Count."), message("assistant", "3")])
    made = [result("c000", "old", 1, 700, key=KEY)]
    [detail] = stored_details(None, made, ["c000"], Path("runs")).values()
    assert (detail.card, detail.output, len(detail.transcript.events)) == (None, "from the kept run", 2)
    assert stored_details(None, made, ["c000"]) == {}


def test_a_page_gets_the_beginning_of_long_transcripts(store, monkeypatch):
    """A long text is cut, and what would go beyond the limit of a transcript is counted: here 2 of 5 events."""
    monkeypatch.setattr(suite_transcripts, "MOST_OF_A_TEXT", 10)
    monkeypatch.setattr(suite_transcripts, "MOST_OF_ONE", 130)
    talk = [message("user", "u" * 30), *called("bash", {"command": "c" * 100}, "r" * 10)]
    talk += [message("assistant", "a" * 100), message("user", "again"), message("assistant", "3")]
    keep_run(messages=talk)
    made = [result("c000", "old", 1, 700, key=KEY)]
    [detail] = stored_details(store, made, ["c000"]).values()
    first, call, third = detail.transcript.events
    # With the words on what is left out: 37 characters, 43 of JSON and a result of 10, 37: that is 127; 5 more are 132.
    assert first.text == "u" * 10 + "\n... and 20 more characters"
    assert call.call.arguments.endswith("... and 105 more characters")
    assert third.text.startswith("a" * 10 + "\n")
    assert detail.transcript.left_out == 2
    assert "2 more events are not on this page." in page_of(made, {made[0].id: detail})


@pytest.mark.parametrize("limit", ["MOST_ON_A_PAGE", "MOST_READ"])
def test_a_page_has_enough_transcripts_at_some_point(store, monkeypatch, limit):
    """The next one is named by its path, with the reason."""
    for key in (KEY, "cd" * 32):
        keep_run(key, [message("user", "Count."), message("assistant", "x" * 90)])
    size = Path("runs", KEY, "transcript", "session.json").stat().st_size
    monkeypatch.setattr(suite_transcripts, limit, 96 if limit == "MOST_ON_A_PAGE" else size)
    made = [result("c000", "old", 1, 700, key=KEY), result("c000", "new", 1, 700, key="cd" * 32)]
    details = stored_details(store, made, ["c000"])
    assert [len(details[one.id].transcript.events) for one in made] == [2, 0]
    assert "Transcript not shown: left out to keep the page small." in page_of(made, details)


def test_a_transcript_that_cannot_be_read_is_named_with_the_reason(store):
    """Its damage is not hidden, and the rest of the page is there."""
    folder = keep_run(messages=[message("user", "Count.")])
    (folder / "transcript" / "session.json").write_text('{"messages": [')
    made = [result("c000", "old", 1, 700, key=KEY)]
    [detail] = stored_details(store, made, ["c000"]).values()
    assert (detail.output, detail.transcript.events) == ("from the kept run", ())
    assert escape(f"Transcript not shown: {detail.transcript.problem}.") in page_of(made, {made[0].id: detail})
