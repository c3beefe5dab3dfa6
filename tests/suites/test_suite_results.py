"""A suite's results in files and stores: saved, named, merged, and kept out of every skill's history."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import judged, seven

from evenhand.core.finding import Checked, Expected
from evenhand.core.judgement import Evidence
from evenhand.core.scorecard import SuitePlace
from evenhand.decisions.suite import SuiteGate
from evenhand.decisions.suite_run import SuiteRun
from evenhand.documents.restore import restore
from evenhand.documents.scorecard import scorecard_document
from evenhand.errors import InputError, Unavailable
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.runs.confinement import CONFINED
from evenhand.runs.missed_paths import TRIED
from evenhand.store.record import SUITE
from evenhand.store.record_check import check_record
from evenhand.store.tables.filter import Filter
from evenhand.store.transfer import exported
from evenhand.suites.results import kept_results
from evenhand.suites.results import suite_results as results_of
from evenhand.suites.results.shards import merge_results
from evenhand.suites.results.stored_outputs import shortcomings
from evenhand.work.agent_run import RunId
from suite_cases import failed, result

RUN = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 2, 3)
RESULTS = [
    result(
        "a",
        "old",
        1,
        500,
        tags=("long",),
        weight=Decimal("0.5"),
        grade="D",
        dimensions=(("safety", 500), ("consistency", None)),
        met=1,
        expectations=2,
        faults=(("no-tests", "major"),),
        evaluation="e1",
        seconds=Decimal("1.5"),
        tokens=12,
        cost=Decimal("0.01"),
        judging_cost=Decimal("0.002"),
        key="k",
    ),
    failed("a", "new", 1, "timed out after 5 s", outcome="timed out"),
    result("b", "new", 2, None, low=100, high=800, unscored="no one has read this output"),
]


def written(path, run, results):
    path.write_text("".join(results_of.results_text(run, results)), encoding="utf-8")
    return str(path)


def test_what_is_written_to_a_file_is_read_back(tmp_path):
    """Every field of the run and of its results, the gate included."""
    run = RUN._replace(gate=SuiteGate(baseline="v1", min_score=Decimal(7)), notes=("not watched",))
    read = results_of.read_results(written(tmp_path / "r.jsonl", run, RESULTS))
    assert read.run == run
    assert list(read.results) == RESULTS


def test_a_bad_line_is_reported_with_its_place(tmp_path):
    """The third line has an outcome that does not exist."""
    path = tmp_path / "r.jsonl"
    written(path, RUN, RESULTS[:1])
    bad = results_of.result_document(RESULTS[1]) | {"outcome": "vanished"}
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(bad) + "\n", encoding="utf-8")
    with pytest.raises(
        InputError,
        match=r'r\.jsonl:3: not a whole result of a suite: outcome: unknown outcome "vanished"; .*valid: finished',
    ):
        list(results_of.read_results(str(path)).results)


def test_a_stored_run_comes_back_whole(store):
    """By its id, by the start of it, and as the latest."""
    results_of.save_run(store, RUN, RESULTS)
    for name in ("run-1", "run", "latest"):
        read = results_of.stored_run(store, name)
        assert read.run == RUN
        assert sorted(read.results) == sorted(RESULTS)


def test_a_run_is_stored_once(store):
    """Storing it again changes nothing."""
    results_of.save_run(store, RUN, RESULTS)
    with pytest.raises(InputError, match="already"):
        results_of.save_run(store, RUN, RESULTS[:1])
    assert len(list(results_of.stored_run(store, "run-1").results)) == 3


def test_a_run_that_fails_halfway_leaves_nothing(store):
    """All or nothing."""

    def broken():
        yield RESULTS[0]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        results_of.save_run(store, RUN, broken())
    assert results_of.stored_runs(store) == []


def test_runs_are_listed_newest_first(store):
    """Of one suite, or of all."""
    results_of.save_run(store, RUN, [])
    results_of.save_run(store, RUN._replace(id="run-2", created="2026-01-02T00:00:00Z"), [])
    results_of.save_run(store, RUN._replace(id="other", suite="else", created="2026-01-03T00:00:00Z"), [])
    assert [run.id for run in results_of.stored_runs(store)] == ["other", "run-2", "run-1"]
    assert [run.id for run in results_of.stored_runs(store, suite="demo")] == ["run-2", "run-1"]


def test_a_baseline_is_named_once(store):
    """The same run again is not a change; another run is refused; another suite has names of its own."""
    results_of.save_run(store, RUN, RESULTS)
    results_of.save_run(store, RUN._replace(id="run-2"), [])
    results_of.save_run(store, RUN._replace(id="else-1", suite="else"), [])
    first = results_of.name_baseline(store, "v1", "run-1")
    assert results_of.name_baseline(store, "v1", "run-1") == first
    with pytest.raises(InputError, match="never changed"):
        results_of.name_baseline(store, "v1", "run-2")
    results_of.name_baseline(store, "v1", "else-1")
    assert results_of.baseline_run(store, "demo", "v1").run == RUN
    assert results_of.stored_run(store, "demo@v1").run == RUN
    with pytest.raises(InputError, match=r'no baseline "v2".*it has: v1'):
        results_of.baseline_run(store, "demo", "v2")


def shards(tmp_path, *parts, **changes):
    return [
        results_of.read_results(written(tmp_path / f"{number}.jsonl", RUN._replace(id=f"s{number}", **changes), part))
        for number, part in enumerate(parts)
    ]


def test_merging_is_exact_and_free_of_order(tmp_path):
    """Three shards in any order give the same lines, and what two of them share counts once."""
    texts = set()
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        parts = shards(tmp_path, RESULTS[:1], RESULTS[1:], RESULTS[:1])
        merged = merge_results([parts[place] for place in order])
        texts.add("".join(results_of.results_text(*merged)))
    assert len(texts) == 1
    assert list(merged.results) == sorted(RESULTS, key=lambda one: one.id)


def test_the_same_number_written_in_two_ways_is_merged_alike_in_any_order(tmp_path):
    """A cost of 1 and one of 1.0 are equal; the line that is kept does not depend on which came first."""
    texts = set()
    for order in ((0, 1), (1, 0)):
        parts = shards(tmp_path, *([RESULTS[0]._replace(cost=Decimal(cost))] for cost in ("1", "1.0")))
        texts.add("".join(results_of.results_text(*merge_results([parts[place] for place in order]))))
    assert len(texts) == 1


def test_a_merged_run_says_how_its_runs_were_watched(tmp_path):
    """Counted over all shards, 1 + 1 of 3 unwatched and 1 of 3 confined; the same when it is merged in two steps."""
    unwatched, confined = (
        ("its processes and its memory were not watched on this system",),
        (CONFINED, f"{TRIED}/etc/x"),
    )
    one, two, three = (
        RESULTS[0]._replace(id=RunId(name, "old", 1), notes=notes)
        for name, notes in (("a", unwatched), ("b", unwatched), ("c", confined))
    )
    merged = merge_results(shards(tmp_path, [one], [two, three], notes=("by hand",)))
    assert merged.run.notes == (
        "by hand",
        f"1 of 3 runs: {CONFINED}",
        "2 of 3 runs: processes and memory were not watched on this system",
        f"c, old, repeat 1: {TRIED}/etc/x",
    )
    parts = shards(tmp_path, [one], [two, three], notes=("by hand",))
    first = merge_results(parts[:1])
    again = merge_results([parts[1], first])
    assert (again.run.notes, list(again.results)) == (merged.run.notes, list(merged.results))


def test_results_of_different_suites_are_not_merged(tmp_path):
    """The suite file must be the same, byte for byte."""
    (one,) = shards(tmp_path, RESULTS[:1])
    other = one._replace(run=one.run._replace(id="s9", sha256="cd" * 32))
    with pytest.raises(InputError, match="do not belong together: sha256"):
        merge_results([one, other])


def test_two_different_results_of_one_run_are_not_merged(tmp_path):
    """Which of them would be true?"""
    parts = shards(tmp_path, RESULTS[:1], [RESULTS[0]._replace(final=900)])
    with pytest.raises(InputError, match="two different results of case a, variant old, repeat 1"):
        merge_results(parts)


# --- evaluations of suites


def suite_card(repeat=1, **more):
    card = judged(seven(8), id=f"e{repeat}", skill="code")
    return card._replace(suite=SuitePlace("run-1", "a", "new", repeat), **more)


def kept(store, *cards):
    keeper = Keeper(store)
    for card in cards:
        keeper.keep(Evaluated(card, None, named=True))


def test_a_scorecard_says_which_run_of_a_suite_it_is_of():
    """There and back."""
    card = suite_card()
    assert restore(json.loads(json.dumps(scorecard_document(card))))[0].suite == card.suite
    assert "suite" not in scorecard_document(judged(seven(8)))


def test_an_evaluation_of_a_suite_enters_no_window_and_is_in_the_list(store):
    """It is stored, and in the list of all that is kept."""
    kept(store, judged(seven(5), id="own", skill="code"), suite_card(1), suite_card(2))
    assert store.get("e1").in_history == SUITE
    assert len(store.window("code")) == 1
    assert store.timeline("code").left_out == 0
    assert [record.id for record in store.evaluations("code", reviews=False)] == ["own"]
    assert store.skills() == [("code", 1)]
    assert store.counts(["code"]) == {"code": (3, 0)}
    for filter in (Filter(), Filter(skill="code")):
        assert sorted(row.id for row in store.listing(filter, limit=10).rows) == ["e1", "e2", "own"]
        assert [row.id for row in store.listing(filter._replace(kind="output"), limit=10).rows] == ["own"]
    assert store.recent_finals(["code"], last=10) == {"code": [500]}


def test_the_same_answer_in_two_repeats_is_stored_twice(store):
    """An agent that gives the same answer twice has run twice."""
    kept(store, suite_card(1), suite_card(2))
    assert {record.id for record in store.evaluations()} == {"e1", "e2"}


def test_evaluations_of_suites_are_sound_and_exported(store):
    """The check of a store finds nothing wrong with them, and an export has them."""
    kept(store, suite_card())
    records = list(store.evaluations())
    assert [check_record(record) for record in records] == [[]]
    assert json.loads(next(exported(records)))["scorecard"]["suite"]["run"] == "run-1"


def test_results_wait_in_a_file_and_come_back_as_often_as_asked(monkeypatch):
    """Exactly as they were, in their order, also where a line lies across two pieces of the file."""
    monkeypatch.setattr(kept_results, "_PIECE", 100)
    spool = kept_results.ResultSpool()
    assert list(spool) == []
    expected = [one._replace(reason=one.reason + "ä" * number) for number, one in enumerate(RESULTS)]
    for one in expected:
        spool.add(one)
    assert list(spool) == expected
    spool.add(RESULTS[0])
    assert list(spool) == [*expected, RESULTS[0]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_not_a_missing_result():
    """The command stops and says that finished runs are safe."""
    spool = kept_results.ResultSpool()
    with open("/dev/full", "wb", buffering=0) as full:
        spool._file = full
        with pytest.raises(Unavailable, match="No space left on device; finished runs are safe"):
            spool.add(RESULTS[0])


def test_a_result_falls_short_by_its_weakest_dimension_with_a_quote_that_was_found():
    """A verified quote before one that is not, none where there is none; nothing is said of a score that passes."""
    found, lost = Evidence("It never says.", True, 1, 0), Evidence("made up")
    weak = {"score": 6, "justification": "It guesses."}
    card = judged(seven(8) | {"correctness": weak, "safety": {"score": 3, "justification": "It leaks a key."}})
    card = card._replace(final=Decimal(6))

    def short(*evidence: Evidence) -> list[str]:
        line = card.dimensions["safety"]._replace(evidence=evidence)
        return shortcomings(card._replace(dimensions={**card.dimensions, "safety": line}))

    start = f"{card.final} is below 7.00; safety 3.00: It leaks a key."
    assert short() == [start]
    assert short(lost) == [f"{start} “made up”"]
    assert short(lost, found) == [f"{start} “It never says.”"]
    assert shortcomings(judged(seven(7))) == []
    unread = card.dimensions["safety"]._replace(score=None)
    (said,) = shortcomings(card._replace(dimensions={**card.dimensions, "safety": unread}))
    assert "; correctness 6.00: It guesses." in said, "a dimension without a score is not the weakest"


def test_every_unmet_expectation_is_a_shortcoming_with_what_was_found_instead():
    unmet = Expected("answers 42", "unmet", "correctness", "major", "it answers 41", quote="41")
    checked = Checked("hash", (), expectations=(unmet, unmet._replace(quote=""), unmet._replace(result="met")))
    reasons = shortcomings(judged(seven(8))._replace(checked=checked))
    assert reasons == [f"{unmet.line} “41”", unmet.line]
