"""What a report takes from the store and from kept runs: how much of it is shown, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from conftest import judged, seven

import evenhand
import flat_calls
from evenhand import Submission
from evenhand.core.finding import Place
from evenhand.core.scorecard import SuitePlace
from evenhand.decisions.suite import Case
from evenhand.decisions.suite_run import SuiteRun
from evenhand.errors import Unavailable
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.options.settings import runs_folder
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.run_document import Aftermath
from evenhand.store.protocol import Store
from evenhand.suites.judgement.run_judgements import case_result
from evenhand.suites.results import run_transcripts
from evenhand.suites.results.kept_results import ResultSpool
from evenhand.suites.results.run_transcripts import TranscriptReader
from evenhand.suites.results.stored_outputs import (
    shortcomings,
    stored_benchmark,
    stored_details,
    stored_shortcomings,
)
from evenhand.work.agent_run import AgentRun, CaseResult, RunId
from evenhand.work.submission import Event, ToolCall
from suite_cases import failed, result

HEAD = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def keep(
    store: Store, case: str, variant: str, text: str, *, score: int = 8, events: tuple[Event, ...] = ()
) -> CaseResult:
    """A stored evaluation of the first run of a variant on a case."""
    card = judged(seven(score), id=f"{case}-{variant}", skill="code")
    placed = card._replace(suite=SuitePlace("run-1", case, variant, 1))
    Keeper(store).keep(Evaluated(placed, Submission(output=text, events=events), named=True))
    return result(case, variant, 1, 100 * score, evaluation=card.id)


def kept_run(folder: Path, letter: str, output: str, transcript: str = "") -> str:
    """The key of a kept run with an output, and with a transcript of one message."""
    with KeptRuns(folder) as kept:
        into = kept.new()
        if transcript:
            into.mkdir()
            (into / "t.txt").write_text(transcript)
        run = AgentRun(RunId("a", "old", 1), letter * 64, "finished", output=output)
        kept.keep(into, run._replace(transcript="t.txt" if transcript else None), Aftermath())
    return letter * 64


# --- details


def test_details_are_shown_of_forty_cases_and_five_repeats(tmp_path: Path) -> None:
    key = kept_run(tmp_path, "a", "Out.")
    cases = [f"c{number:02}" for number in range(41)]
    rows = [result(case, "old", 1, key=key) for case in cases] + [
        result("c00", "old", repeat, key=key) for repeat in (5, 6)
    ]
    found = stored_details(None, rows, cases, tmp_path)
    assert [(id.case, id.repeat) for id in found] == [*((case, 1) for case in cases[:40]), ("c00", 5)]


@pytest.mark.parametrize(("length", "left_out"), [(2000, 0), (2001, 1)])
def test_two_thousand_characters_of_an_output_are_shown(length: int, left_out: int, tmp_path: Path) -> None:
    rows = [result("a", "old", 1, key=kept_run(tmp_path, "b", "x" * length))]
    (detail,) = stored_details(None, rows, ["a"], tmp_path).values()
    assert (detail.card, detail.output, detail.left_out) == (None, "x" * 2000, left_out)


def test_the_stored_output_is_shown_rather_than_the_run_s(store: Store, tmp_path: Path) -> None:
    """Of a submission with a transcript the store has the hash alone: then the run's own output is shown."""
    folder = runs_folder(store.url)
    first, second = kept_run(folder, "a", "kept"), kept_run(folder, "b", "kept too", "I looked it up.")
    said = (Event("message", "assistant", "I looked it up.", Place("t", 1)),)
    rows = [
        keep(store, "a", "old", "stored")._replace(key=first),
        keep(store, "b", "old", "hashed", events=said)._replace(key=second),
        keep(store, "c", "old", "alone"),
    ]
    details = {id.case: detail for id, detail in stored_details(store, rows, ["a", "b", "c"]).items()}
    assert {case: detail.output for case, detail in details.items()} == {"a": "stored", "b": "kept too", "c": "alone"}
    assert {case: detail.card.id for case, detail in details.items() if detail.card} == {
        "a": "a-old", "b": "b-old", "c": "c-old",
    }  # fmt: skip
    assert {case: detail.transcript.path != "" for case, detail in details.items()} == {
        "a": False, "b": True, "c": False,
    }  # fmt: skip
    elsewhere = stored_details(store, rows, ["b"], tmp_path / "elsewhere")
    assert [detail.output for detail in elsewhere.values()] == [None], "the folder that is named counts"


@pytest.mark.parametrize("key", ["", "a" * 63, "a" * 65, "g" * 64, "../" + "a" * 61, "A" * 64])
def test_a_key_that_is_not_a_hash_names_no_run(key: str, tmp_path: Path) -> None:
    """It comes from someone else's file of results."""
    (tmp_path / key.lower()).mkdir(parents=True, exist_ok=True)
    assert stored_details(None, [result("a", "old", 1, key=key)], ["a"], tmp_path) == {}


def test_a_kept_run_that_is_gone_or_damaged_is_not_a_detail(tmp_path: Path) -> None:
    kept_run(tmp_path, "a", "Out.")
    (tmp_path / ("a" * 64) / "run.json").write_text("{")
    rows = [result("a", "old", 1, key="a" * 64), result("b", "old", 1, key="b" * 64)]
    assert stored_details(None, rows, ["a", "b"], tmp_path) == {}


# --- why a run falls short


def test_why_a_stored_run_falls_short_is_read_from_its_scorecard(store: Store) -> None:
    row = keep(store, "a", "old", "text", score=6)
    (reason,) = stored_shortcomings(store, row)
    assert reason == "6.00 is below 7.00"
    assert stored_shortcomings(store, row._replace(evaluation="gone")) == []
    assert stored_shortcomings(store, row._replace(evaluation=None)) == []
    assert stored_shortcomings(None, row) == []


def test_the_pass_mark_itself_does_not_fall_short() -> None:
    assert shortcomings(judged(seven(7))) == []
    below = judged(seven("6.99"))
    assert shortcomings(below) == ["6.99 is below 7.00"]


@pytest.mark.parametrize(("length", "is_cut"), [(300, False), (301, True)])
def test_three_hundred_characters_of_a_reason_are_quoted(length: int, is_cut: bool) -> None:
    card = judged(seven(6) | {"safety": {"score": 3, "justification": "x" * length}})
    (reason,) = shortcomings(card)
    assert ("x" * 300 in reason) is not is_cut


# --- a benchmark


def test_a_benchmark_numbers_cases_as_they_come_and_has_every_judged_run(store: Store) -> None:
    """Two runs of the first case have its number; one that failed is in the notes with its reason."""
    for id, case, variant in (("e1", "b", "old"), ("e2", "b", "new"), ("e3", "a", "new")):
        card = flat_calls.judge("All cats sleep.", expect=[{"answer": {"contains": "cats"}}], id=id, skill="code")
        placed = card._replace(suite=SuitePlace("run-1", case, variant, 1))
        Keeper(store).keep(Evaluated(placed, Submission(output=id), named=True))
    rows = [
        result("b", "old", 1, evaluation="e1"),
        result("b", "new", 1, evaluation="e2"),
        failed("c", "new", 2, "timed out"),
        result("a", "new", 1, evaluation="e3"),
    ]
    made = stored_benchmark(store, HEAD, rows)
    assert [(run["eval_id"], run["eval_name"], run["configuration"]) for run in made["runs"]] == [
        (1, "b", "old"), (1, "b", "new"), (3, "a", "new"),
    ]  # fmt: skip
    assert made["notes"][-1] == "c, new, run 2: left out: timed out"


# --- transcripts


def test_a_page_shows_two_million_characters_of_fifty_million_bytes() -> None:
    """12,000 of one transcript and 2,000 of a text are tried at their boundaries elsewhere."""
    reader = TranscriptReader()
    assert (reader._characters, reader._bytes) == (2_000_000, 50_000_000)


def test_arguments_that_json_does_not_know_are_shown_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A date in a YAML transcript; ten characters and two quotes of it count."""
    call = ToolCall("Bash", {"on": date(2026, 1, 31)}, result=None)
    event = Event("tool_call", "assistant", "", Place("t", 1), call)
    (tmp_path / "t").write_text("x")
    monkeypatch.setattr(run_transcripts, "read", lambda *_, **__: iter([Submission("", events=(event,))]))
    monkeypatch.setattr(run_transcripts, "MOST_OF_ONE", len('{"on": "2026-01-31"}'))
    assert len(TranscriptReader().shown(str(tmp_path / "t")).events) == 1
    monkeypatch.setattr(run_transcripts, "MOST_OF_ONE", len('{"on": "2026-01-31"}') - 1)
    assert TranscriptReader().shown(str(tmp_path / "t")).left_out == 1


def test_a_transcript_is_read_as_far_as_it_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run that was ended, the last line may be half written."""
    asked: list[object] = []
    (tmp_path / "t").write_text("x")

    def read(path: str, **options: object) -> Iterator[Submission]:
        asked.append((path, options))
        return iter([Submission("")])

    monkeypatch.setattr(run_transcripts, "read", read)
    TranscriptReader().shown(str(tmp_path / "t"))
    assert asked == [(str(tmp_path / "t"), {"partial": True})]


def test_results_for_which_there_is_no_room_are_missed_with_the_system_s_own_words() -> None:
    """A file without room for a whole line takes a part of it and reports no error."""

    class Full:
        def write(self, line: bytes) -> int:
            return len(line) - 1

    spool = ResultSpool()
    spool._file = Full()  # type: ignore[assignment]
    with pytest.raises(Unavailable, match=r"results cannot be written to .*: No space left on device; finished runs"):
        spool.add(result("a", "old"))


def test_a_run_without_a_scorecard_and_without_a_reason_has_none() -> None:
    run = AgentRun(RunId("a", "old", 1), "k" * 64, "finished")
    assert case_result(run, Case("a", "P", cluster="one"), None).unscored == ""
    assert case_result(run, Case("a", "P", cluster="one"), None).cluster == "one"
