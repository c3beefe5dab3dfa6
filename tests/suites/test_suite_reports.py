"""What a suite's results are shown as: sentences, documents, JUnit, CSV, a page; and the commands around them."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from evenhand.cli.main import evenhand as command_line
from evenhand.decisions.suite import SuiteGate
from evenhand.decisions.suite_run import SuiteRun
from evenhand.reports.exchange.suite_tests import case_tests
from evenhand.store import open_store
from evenhand.store.record import SUITE
from evenhand.suites.results.suite_results import results_text
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


def test_junit_names_what_was_expected_and_not_decided():
    """A test that passes by the expectations that were decided says that there are others."""
    run = result("a", "v", final=800, met=1, expectations=1, verdicts=("met", "no answer", "no answer"))
    (test,) = case_tests([run], lambda _: (), is_judged=False)
    assert test.says == "final score 8.00, 1 of 1 expectations met, 2 not decided: no answer"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r.jsonl").write_text("".join(results_text(RUN, results())), encoding="utf-8")
    return tmp_path


def called(*arguments, code=0):
    done = CliRunner().invoke(command_line, ["run", *arguments], standalone_mode=False)
    assert done.exception is None, done.exception
    assert (done.return_value or 0) == code, done.output
    return done.stdout


def test_a_file_of_results_is_shown_in_every_format(here):
    """The decision as JSON, a row for each run as CSV, the results as they were."""
    assert json.loads(called("show", "r.jsonl", "--format", "json"))["contrasts"][0]["verdict"] == "undecided"
    rows = list(csv.DictReader(io.StringIO(called("show", "r.jsonl", "--format", "csv"))))
    assert (len(rows), rows[0]["score"], rows[-1]["outcome"]) == (13, "5.0", "failed")
    assert called("show", "r.jsonl", "--format", "results") == Path("r.jsonl").read_text(encoding="utf-8")
    assert "<testcase" in called("show", "r.jsonl", "--format", "junit")
    assert "| new | 7 | 1 | 0 | 5.58 |" in called("show", "r.jsonl", "--format", "markdown")


def test_batch_scores_the_csv_and_the_parquet_file_alike(here):
    """All seven at 7.25 is 7.25 in both; a failed run has no scores and is rejected, not a zero."""
    import evenhand
    from evenhand.judging.batch import batch_files
    from evenhand.tables.duck import BatchOptions

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
    called("import", "a.jsonl", "b.jsonl", "-o", "one.jsonl", "--save", "--store", "s.db")
    called("import", "b.jsonl", "a.jsonl", "-o", "two.jsonl")
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    assert "merged-" in called("show", "--store", "s.db")
    called("show", "latest", "--name", "v1", "--store", "s.db")
    gated = ("show", "latest", "--baseline", "v1", "--gate", "--store", "s.db", "--format", "json")
    shown = json.loads(called(*gated, code=5))
    assert json.loads(called(*gated, "--set", "gate.undecided=ok")) == shown
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
    done = CliRunner().invoke(
        gate, ["--suite", "w.jsonl", "--set", "gate.margin=1", "--format", "json"], standalone_mode=False
    )
    assert (done.return_value, json.loads(done.stdout)["red"]) == (0, False)
    few = scored({"old": [[600]] * 5, "new": [[500]] * 5})
    Path("few.jsonl").write_text("".join(results_text(RUN, few)), encoding="utf-8")
    done = CliRunner().invoke(gate, ["--suite", "few.jsonl"], standalone_mode=False)
    assert (done.return_value, done.stderr) == (5, "undecided: the data cannot tell; this is not a pass\n")
    done = CliRunner().invoke(gate, ["--suite", "few.jsonl", "--set", "gate.undecided=ok"], standalone_mode=False)
    assert done.return_value == 0
    done = CliRunner().invoke(gate, ["--suite", "few.jsonl", "--format", "junit"], standalone_mode=False)
    assert '<testcase classname="new" name="case000">' in done.stdout and 'name="new against old"' in done.stdout


def test_a_baseline_without_a_suite_is_a_mistake(here):
    """Evaluations are compared with --against."""
    from evenhand.cli.commands.compare.gate import command as gate

    done = CliRunner().invoke(gate, ["r.jsonl", "--set", "gate.baseline=v1", "--min-score", "5"])
    assert done.exit_code == 2
    assert "gate.baseline needs --suite; evaluations are compared with --against" in done.output


@pytest.mark.slow
def test_a_run_ends_in_a_stored_decision_and_a_shard_does_not(tmp_path, evenhand_command):
    """The run, its scorecards and its decision are in the store; the shard's results are a file that can be merged."""
    store = ("--store", "s.db")
    assert evenhand_command("run", "new", "evals").code == 0
    ran = evenhand_command("run", "evals/suite.yaml", *store)
    assert (ran.code, "after against before: undecided" in ran.out) == (5, True)
    ran = evenhand_command("run", "evals/suite.yaml", *store, "--set", "gate.undecided=ok", "-o", "r.xml")
    assert ran.code == 0, ran.err
    assert "after against before: undecided: better in the one case that differs, 1 equal" in ran.err, (
        "it is said beside the file"
    )
    assert (tmp_path / "r.xml").read_text().count("<testcase ") == 7, "2 cases x 2 variants, and 3 decisions"
    page = evenhand_command("run", "show", "latest", *store, "--format", "html").out
    assert page.count("<summary>Scorecard</summary>") == page.count('<div class="flow text">') == 4, (
        "outputs side by side"
    )
    assert page.lower().count("not graded: no one has read this output") == 4
    with closing(open_store(str(tmp_path / "s.db"))) as opened:
        assert len(opened.suite_runs()) == 2
        assert {record.in_history for record in opened.evaluations()} == {SUITE}
        assert opened.skills() == []
    shard = evenhand_command("run", "evals/suite.yaml", *store, "--shard", "1/1", "-o", "shard.jsonl")
    assert shard.code == 0, shard.err
    assert evenhand_command("run", "import", "shard.jsonl", "-o", "all.jsonl").code == 0
    assert json.loads(evenhand_command("run", "show", "all.jsonl", "--format", "json").out)["cases"] == 2
    assert evenhand_command("run", "show", *store).out.count("evals: 2 cases") == 2, "the shard was not stored"
