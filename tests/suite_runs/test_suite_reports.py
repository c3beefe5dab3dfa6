"""What a suite's results are shown as: sentences, documents, JUnit, CSV, a page; and the commands around them."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from decision_text import decision_lines
from evenhand.cli.commands.compare.suite import command
from evenhand.decisions.gate import judge_suite
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import decide, undecided
from evenhand.decisions.values.suite import SuiteGate
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.documents.suite_results import result_document, run_document
from evenhand.reports.comparison.suite_decision import decision_document, part_of_suite
from evenhand.reports.exchange.suite_tests import case_tests, decision_cases
from evenhand.reports.html.suite import MOST_CASES, suite_page
from evenhand.suite_runs.results.suite_results import results_text
from suite_cases import failed, result, scored

RUN = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 6, gate=SuiteGate())
SCHEMAS = Path(__file__).parents[2] / "src" / "evenhand" / "schemas"


def results():
    more = {"cost": Decimal("0.01"), "seconds": Decimal(2), "tags": ("long",)}
    made = scored({"old": [[500]] * 6, "new": [[600]] * 6}, **more)
    return [*made, failed("case000", "new", 2, "exit code <137>")]


def validated(name, document):
    schema = json.loads((SCHEMAS / f"{name}.v1.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json.dumps(document)), schema)


def test_the_conclusion_comes_first_and_failures_are_told():
    """With the interval, and with what would change if failures were losses."""
    lines = decision_lines(RUN, decide(results(), RUN.variants, "old"))
    assert lines[0] == "new is better than old: better in 6 of 6 cases, typically by +1.00"
    assert any("if this variant's runs without a value were losses: undecided" in line for line in lines)
    assert "new: 1 run failed: exit code <137>" in lines


def test_missing_shards_are_told_by_the_report_and_by_merge(tmp_path, monkeypatch):
    """6 of 24 runs: 3 cases of 6, 2 variants, 1 of 2 repeats. With all runs, or stopped early, nothing is told."""
    run = RUN._replace(variants=("old", "new"), cases=6, repeats=2)
    few = scored({"old": [[500]] * 3, "new": [[600]] * 3})
    told = "only 6 of 24 runs are here, of 3 cases out of 6: a shard is missing, or some cases only were chosen"
    assert told in decision_lines(run, decide(few, run.variants, "old"))
    whole = decision_lines(run._replace(cases=3, repeats=1), decide(few, run.variants, "old"))
    assert not any("runs are here" in line for line in whole)
    assert part_of_suite(run._replace(looks=(3, 6)), 3, 6) == ""
    monkeypatch.chdir(tmp_path)
    Path("part.jsonl").write_text("".join(results_text(run, few)), encoding="utf-8")
    done = CliRunner().invoke(command, ["merge", "part.jsonl", "-o", "all.jsonl"], standalone_mode=False)
    assert (done.exit_code, told in done.stderr) == (0, True)


@pytest.mark.slow
def test_documents_follow_their_published_schemas():
    """The run, a result, and the decision with rulings."""
    decision = decide(results(), RUN.variants, "old")
    validated("suite-run", run_document(RUN))
    for one in results():
        validated("suite-result", result_document(one))
    validated("suite-decision", decision_document(decision, run_document(RUN), judge_suite(decision, SuiteGate())))


def test_an_interval_is_shown_where_cases_differ():
    """Five differences of +1.00 and one of +2.00: of six, the interval of the sign test has them all."""
    few = scored({"old": [[500]] * 6, "new": [[700], *[[600]] * 5]})
    assert decision_lines(RUN, decide(few, RUN.variants, "old"))[0] == (
        "new is better than old: better in 6 of 6 cases, typically by +1.00 (+1.00 to +2.00)"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "headline"),
    [
        ("interrupted", "demo was interrupted after 13 runs: nothing is decided"),
        ("stopped", "demo stopped before every run was made and judged, after 13 runs: nothing is decided"),
        ("shard", "demo, a shard with 13 runs: evenhand suite merge puts shards together and compares"),
    ],
)
def test_what_is_not_complete_has_the_facts_of_a_decision_and_compares_nothing(state, headline):
    """The same numbers by variant, the state in the document, and no variant called better."""
    decided = decide(results(), RUN.variants, "old")
    some = undecided(Board(results()), RUN.variants, "old", state)
    assert some.variants == decided.variants
    assert (some.contrasts, decided.state) == ((), "complete")
    assert decision_lines(RUN, some)[0] == headline
    document = decision_document(some, run_document(RUN))
    assert (document["state"], document["contrasts"]) == (state, [])
    validated("suite-decision", document)
    assert f"<h1>{headline}</h1>" in suite_page(RUN, some, Board(results()), results())


def test_junit_names_what_was_expected_and_not_decided():
    """A test that passes by the expectations that were decided says that there are others."""
    run = result("a", "v", final=800, met=1, expectations=1, verdicts=("met", "no answer", "no answer"))
    (test,) = case_tests([run], lambda _: ())
    assert test.says == "final score 8.00, 1 of 1 expectations met, 2 not decided: no answer"


def test_an_undecided_variant_is_skipped_in_junit_and_a_worse_one_fails():
    """Skipped is not passed."""
    few = decide(scored({"old": [[500]] * 2, "new": [[600]] * 2}), RUN.variants, "old")
    assert decision_cases(few)[0].skipped.startswith("new against old: undecided")
    worse = decide(scored({"old": [[600]] * 6, "new": [[500]] * 6}), RUN.variants, "old")
    assert decision_cases(worse)[0].failure.startswith("new is worse than old")


def test_the_page_shows_every_run_behind_its_cell_and_escapes_text():
    """The reason of the failed run is text, not markup."""
    decision = decide(results(), RUN.variants, "old")
    page = suite_page(RUN, decision, Board(results()), results(), judge_suite(decision, SuiteGate()))
    assert "exit code &lt;137&gt;" in page
    assert page.count("<details><summary>") == 12, "6 cases by 2 variants"
    assert "Higher is better" in page


def test_the_page_of_a_large_suite_shows_the_cases_that_differ_most_and_says_so():
    """All cases but the last are equal: the last one is on the page."""
    number = MOST_CASES + 50
    made = [result(f"c{case:04}", name, 1, 500) for case in range(number) for name in RUN.variants]
    made[-1] = made[-1]._replace(final=900)
    page = suite_page(RUN, decide(made, RUN.variants, "old"), Board(made), made)
    assert f"The {MOST_CASES} cases that differ most; 50 others are not on this page" in page
    assert f"c{number - 1:04}" in page
    assert f"c{number - 2:04}" not in page


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r.jsonl").write_text("".join(results_text(RUN, results())), encoding="utf-8")
    return tmp_path


def called(*arguments, code=0):
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert done.exception is None, done.exception
    assert (done.return_value or 0) == code, done.output
    return done.stdout


def test_a_file_of_results_is_shown_in_every_format(here):
    """The decision as JSON, a row for each run as CSV, the results as they were."""
    assert json.loads(called("show", "r.jsonl", "--format", "json"))["contrasts"][0]["verdict"] == "better"
    rows = list(csv.DictReader(io.StringIO(called("show", "r.jsonl", "--format", "csv"))))
    assert (len(rows), rows[0]["score"], rows[-1]["outcome"]) == (13, "5.0", "failed")
    assert called("show", "r.jsonl", "--format", "results") == Path("r.jsonl").read_text(encoding="utf-8")
    assert "<testcase" in called("show", "r.jsonl", "--format", "junit")
    assert "| new | 7 | 6 | 1 | 6.00 |" in called("show", "r.jsonl", "--format", "markdown")


def test_batch_scores_the_csv_and_the_parquet_file_alike(here):
    """All seven at 7.25 is 7.25 in both; a failed run has no scores and is rejected, not a zero."""
    import evenhand
    from evenhand.engine.duck import BatchOptions
    from evenhand.judging.tables.batch import batch_files

    sevens = tuple((name, 725) for name in evenhand.DIMENSIONS)
    made = [*scored({"old": [[725]] * 2, "new": [[725]]}, dimensions=sevens), failed("case001", "new")]
    Path("b.jsonl").write_text("".join(results_text(RUN, made)), encoding="utf-8")
    for ending in ("csv", "parquet"):
        called("show", "b.jsonl", "-o", f"b.{ending}")
        batch_files(f"b.{ending}", f"out-{ending}.jsonl", rubric=None, wanted=BatchOptions(history=False))
        rows = [json.loads(line) for line in Path(f"out-{ending}.jsonl").read_text(encoding="utf-8").splitlines()]
        assert [(row["skill"], row["case"], row["final"]) for row in rows] == [
            ("old", "case000", 7.25), ("old", "case001", 7.25), ("new", "case000", 7.25)
        ]  # fmt: skip
        assert "is missing" in Path(f"out-{ending}.jsonl.rejected").read_text(encoding="utf-8")


def test_merged_shards_are_stored_named_and_gated(here):
    """Twice merged in different orders: the same bytes; the baseline compares the run with itself."""
    lines = Path("r.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("a.jsonl").write_text("".join(lines[:4]), encoding="utf-8")
    Path("b.jsonl").write_text("".join([lines[0], *lines[4:]]), encoding="utf-8")
    called("merge", "a.jsonl", "b.jsonl", "-o", "one.jsonl", "--keep", "--store", "s.db")
    called("merge", "b.jsonl", "a.jsonl", "-o", "two.jsonl")
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    assert "merged-" in called("runs", "--store", "s.db")
    called("baseline", "v1", "--latest", "--store", "s.db")
    gated = ("show", "latest", "--baseline", "v1", "--gate", "--store", "s.db", "--format", "json")
    shown = json.loads(called(*gated, code=5))
    assert json.loads(called(*gated, "--undecided", "ok")) == shown
    assert [contrast["reference"] for contrast in shown["contrasts"]] == ["v1: old", "v1: new"]
    assert {ruling["colour"] for ruling in shown["rulings"]} == {"undecided"}


def test_a_red_gate_is_exit_code_1(here):
    """Ten cases, each a point worse."""
    worse = scored({"old": [[600]] * 10, "new": [[500]] * 10})
    Path("w.jsonl").write_text("".join(results_text(RUN, worse)), encoding="utf-8")
    assert "red" in called("show", "w.jsonl", "--gate", code=1)


def test_gate_takes_a_run_of_a_suite(here):
    """Its own gate, with what the command line gives in its place; undecided is not green."""
    from evenhand.cli.commands.compare.gate import command as gate

    worse = scored({"old": [[600]] * 10, "new": [[500]] * 10})
    Path("w.jsonl").write_text("".join(results_text(RUN, worse)), encoding="utf-8")
    done = CliRunner().invoke(gate, ["--suite", "w.jsonl", "--format", "json"], standalone_mode=False)
    assert (done.return_value, json.loads(done.stdout)["red"]) == (1, True)
    done = CliRunner().invoke(gate, ["--suite", "w.jsonl", "--margin", "1", "--format", "json"], standalone_mode=False)
    assert (done.return_value, json.loads(done.stdout)["red"]) == (0, False)
    few = scored({"old": [[600]] * 5, "new": [[500]] * 5})
    Path("few.jsonl").write_text("".join(results_text(RUN, few)), encoding="utf-8")
    done = CliRunner().invoke(gate, ["--suite", "few.jsonl"], standalone_mode=False)
    assert (done.return_value, done.stderr) == (5, "undecided: the data cannot tell; this is not a pass\n")
    done = CliRunner().invoke(gate, ["--suite", "few.jsonl", "--undecided", "ok"], standalone_mode=False)
    assert done.return_value == 0
    done = CliRunner().invoke(gate, ["--suite", "few.jsonl", "--format", "junit"], standalone_mode=False)
    assert '<testcase classname="new" name="case000">' in done.stdout and 'name="new against old"' in done.stdout


def test_a_baseline_without_a_suite_is_a_mistake(here):
    """Evaluations are compared with --against."""
    from evenhand.cli.commands.compare.gate import command as gate

    done = CliRunner().invoke(gate, ["r.jsonl", "--baseline", "v1", "--min-score", "5"])
    assert done.exit_code == 2
    assert "--baseline needs --suite" in done.output


@pytest.mark.slow
def test_a_run_ends_in_a_stored_decision_and_a_shard_does_not(tmp_path, monkeypatch):
    """The run, its scorecards and its decision are in the store; the shard's results are a file that can be merged."""
    from evenhand.cli.commands.compare.run import command as run
    from evenhand.store import open_store
    from evenhand.store.record import SUITE

    monkeypatch.chdir(tmp_path)
    called("new", "evals")
    done = CliRunner().invoke(run, ["evals/suite.yaml", "--store", "s.db"], standalone_mode=False)
    assert done.return_value == 5, done.output
    assert "after against before: undecided" in done.stdout
    ok = ["evals/suite.yaml", "--store", "s.db", "--undecided", "ok", "--format", "junit", "-o", "r.xml"]
    done = CliRunner().invoke(run, ok, standalone_mode=False)
    assert done.return_value == 0, done.output
    assert "after against before: undecided: better in 1 of 2 cases" in done.stderr, "it is said beside the file"
    assert Path("r.xml").read_text(encoding="utf-8").count("<testcase ") == 7, "2 cases x 2 variants, and 3 decisions"
    page = called("show", "latest", "--store", "s.db", "--format", "html")
    assert page.count("<summary>Scorecard</summary>") == page.count("<summary>Output</summary>") == 4
    assert page.count("not graded: no one has read this output") == 4
    store = open_store("s.db")
    assert len(store.suite_runs()) == 2
    assert {record.in_history for record in store.evaluations()} == {SUITE}
    assert store.skills() == []
    store.close()
    shard = ["evals/suite.yaml", "--store", "s.db", "--shard", "1/1", "--format", "jsonl", "-o", "shard.jsonl"]
    done = CliRunner().invoke(run, shard, standalone_mode=False)
    assert done.return_value == 0, done.output
    called("merge", "shard.jsonl", "-o", "all.jsonl")
    assert json.loads(called("show", "all.jsonl", "--format", "json"))["cases"] == 2
    assert called("runs", "--store", "s.db").count("\n") == 2, "the shard was not stored"
