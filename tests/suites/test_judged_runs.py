"""The runs of a suite judged: what judges get, which rubric, what a result holds, what is stored and shown."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import judged, seven
from dashboard import Dashboard

import evenhand
import flat_calls
import models_here
from evenhand import InputError, Submission
from evenhand.core.finding import Place
from evenhand.core.scorecard import SuitePlace
from evenhand.decisions.preference import PairResult, Preferences
from evenhand.decisions.suite import Case, Command, Limits, Model, Recorded, Suite, SuiteGate, Variant
from evenhand.decisions.suite_run import SuiteRun
from evenhand.errors import StoreUnavailable
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.program import open_program
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import CallFailed
from evenhand.runs.confinement import CONFINED, NOT_CONFINED
from evenhand.runs.missed_paths import TRIED
from evenhand.suites.execution.agent_runs import Reuse
from evenhand.suites.execution.run_order import in_order, narrowed, read_shard
from evenhand.suites.judgement import run_submissions as suite_submissions
from evenhand.suites.judgement.run_judgements import NOT_JUDGED, JudgedRun, SuiteJudging, case_result
from evenhand.suites.judgement.run_notes import MOST_NAMED, WatchNotes, is_summary, watch_notes
from evenhand.suites.judgement.run_submissions import completed, handle_of, submission_of
from evenhand.suites.results import kept_results
from evenhand.suites.results import run_transcripts as suite_transcripts
from evenhand.suites.results import stored_outputs as suite_outputs
from evenhand.suites.results.kept_results import SuiteKeeper
from evenhand.suites.results.run_transcripts import TranscriptReader
from evenhand.suites.results.shards import merge_pairs, merge_results
from evenhand.suites.results.suite_results import (
    StoredResults,
    baseline_run,
    find_run,
    name_baseline,
    read_results,
    results_text,
    save_run,
    stored_run,
    stored_runs,
    suite_run,
)
from evenhand.suites.suite_run import OpenSuite, SuiteOptions
from evenhand.work.agent_run import AgentRun, RunId
from evenhand.work.submission import Event, Image, ToolCall
from suite_cases import failed, result, scored

TRANSCRIPT = [
    {"role": "user", "content": "Find the bug."},
    {"role": "assistant", "content": "The loop never ends, as the log of the client shows."},
]
RUN = AgentRun(
    RunId("a", "v", 2), "k" * 64, "finished", output="Printed.", started="2026-01-01T00:00:00Z", seconds=Decimal("1.5")
)
COMMAND = Variant("v", Command(("x",)))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store():
    opened = evenhand.open_store("s.db")
    yield opened
    opened.close()


def transcript(name: str = "t.jsonl", lines: list[dict] | None = None) -> str:
    Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines or TRANSCRIPT))
    return str(Path(name).absolute())


# --- what judges get


def test_judges_get_the_output_with_the_case_s_task_reference_and_expectations():
    case = Case("a", "Do it.", task="Really do it.", reference="Done.", expect=[{"answer": {"contains": "x"}}])
    made = submission_of(Suite("s", (case,), (COMMAND,), skill="code"), case, COMMAND, RUN)
    assert (made.output, made.task, made.reference, made.skill, made.expect) == (
        "Printed.",
        "Really do it.",
        "Done.",
        "code",
        case.expect,
    )
    assert (made.started, made.ended) == ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.500Z")
    handle = handle_of(made)
    assert (handle.key, handle.case, handle.variant, handle.repeat, handle.run) == (RUN.key, "a", "v", 2, RUN.id)
    plain = Case("a", "Do it.")
    other = submission_of(Suite("s", (plain,), (COMMAND,)), plain, COMMAND, RUN._replace(started="", output=None))
    assert (other.task, other.output, other.ended, other.skill) == ("Do it.", "", "", None)
    assert handle_of(other).card != handle.card


def test_a_transcript_is_judged_with_what_it_says_or_with_the_file_that_holds_the_output():
    case = Case("a", "Do it.")
    suite = Suite("s", (case,), (COMMAND,))
    run = RUN._replace(transcript=transcript())
    assert submission_of(suite, case, COMMAND, run).output.startswith("The loop never ends")
    named = Variant("v", Command(("x",), output="out.md"))
    assert submission_of(suite, case, named, run).output == "Printed."
    Path("broken.jsonl").write_text('{"role": "user", "content": "Find')
    broken = submission_of(suite, case, COMMAND, RUN._replace(transcript="broken.jsonl"))
    if broken.warnings:
        assert "judged by its output alone, because its transcript cannot be read: " in str(broken.warnings[0])
        assert broken.output == "Printed."


@pytest.mark.parametrize(
    ("task", "read", "known"),
    [("Do it.", False, "Do it."), ("", True, "Find the bug."), (None, False, "The prompt.")],
    ids=["the case's", "the transcript's", "the prompt"],
)
def test_a_task_is_read_from_the_transcript_only_where_the_case_gives_none(task, read, known):
    """Only then may it address the judge: what the case says is trusted."""
    case = Case("a", "The prompt.", task=task)
    made = submission_of(Suite("s", (case,), (COMMAND,)), case, COMMAND, RUN._replace(transcript=transcript()))
    assert (made.task, made.task_read) == (known, read)
    bare = submission_of(Suite("s", (case,), (COMMAND,)), case, COMMAND, RUN)
    assert bare.task_read is False


def test_a_recorded_run_is_one_submission_that_can_be_read():
    """Otherwise it never began, with the reason."""
    recorded = Variant("v", Recorded("/x/{case}"))
    Path("one.md").write_text("An answer.")
    two = [{"id": "1", "output": "a"}, {"id": "2", "output": "b"}]
    several = transcript("two.jsonl", two)
    bare = RUN._replace(output=None)
    good = completed(recorded, bare._replace(transcript="one.md"), Path())
    assert (good.outcome, good.output) == ("finished", "An answer.")
    many = completed(recorded, bare._replace(transcript=several), Path())
    assert (many.outcome, many.reason) == ("not started", f"{several} holds 2 submissions; a recorded run is one")
    absent = completed(recorded, bare._replace(transcript="absent.md"), Path())
    assert absent.outcome == "not started" and "absent.md" in absent.reason
    assert completed(recorded, bare, Path()) == bare


def test_the_tokens_and_cost_of_a_transcript_are_the_run_s(monkeypatch):
    usage = type("Usage", (), {"input": 7, "output": 9})()
    run = RUN._replace(transcript="t", input_tokens=1, output_tokens=2, cost=Decimal(3))

    def of(**more):
        submission = Submission(output="x")._replace(**more)
        monkeypatch.setattr(suite_submissions, "read", lambda path: iter([submission]))
        made = completed(COMMAND, run, Path("folder"))
        return made.input_tokens, made.output_tokens, made.cost, made.output

    assert of() == (1, 2, 3, "Printed.")
    assert of(usage=usage, cost=Decimal("0.5")) == (7, 9, Decimal("0.5"), "Printed.")
    monkeypatch.setattr(suite_submissions, "read", lambda path: iter([InputError("damaged")]))
    assert completed(COMMAND, run, Path()).notes == ("its transcript was not read: damaged",)


# --- in numbers


def test_a_run_and_its_scorecard_in_numbers():
    case = Case("a", "p", tags=("t",), weight=Decimal("0.5"))
    run = RUN._replace(input_tokens=10, output_tokens=5, cost=Decimal("0.1"), notes=("other", NOT_CONFINED), reason="r")
    bare = case_result(run, case, None, "why not")
    assert (bare.id, bare.outcome, bare.reason, bare.tags, bare.weight) == (
        run.id,
        "finished",
        "r",
        ("t",),
        Decimal("0.5"),
    )
    assert (bare.unscored, bare.seconds, bare.tokens, bare.cost, bare.key) == (
        "why not",
        Decimal("1.5"),
        15,
        Decimal("0.1"),
        run.key,
    )
    assert (bare.notes, bare.final, bare.evaluation) == ((NOT_CONFINED,), None, None)
    assert case_result(run._replace(output_tokens=None), case, None).tokens == 10
    assert case_result(run._replace(input_tokens=None), case, None).tokens is None
    whole = case_result(run, case, judged(seven(8), id="card"))
    assert (whole.final, whole.grade, whole.low, whole.high, whole.evaluation) == (800, "B+", None, None, "card")
    assert whole.dimensions == tuple((name, 800) for name in evenhand.DIMENSIONS)
    assert (whole.met, whole.expectations, whole.faults, whole.unscored, whole.judging_cost) == (0, 0, (), "", None)


@pytest.mark.usefixtures("every_check_measured")
def test_what_checks_and_expectations_say_is_counted_without_what_nobody_can_decide():
    expect = [{"answer": {"contains": "44"}}, {"answer": {"contains": "moon"}}]
    made = flat_calls.judge("```json\n[44 - 41]\n```", expect=expect, judges=["checks"])
    row = case_result(RUN, Case("a", "p"), made)
    assert (row.met, row.expectations) == (1, 2)
    assert [severity for _, severity in row.faults] == ["major"]
    assert row.final is None and row.low == 100 and row.high is not None and row.high < 1000
    assert row.unscored != ""


# --- judging


@pytest.fixture
def models(monkeypatch):
    return models_here.install(monkeypatch)


def suite_of(*outputs: str, judges: tuple[str, ...] = (), **more) -> Suite:
    """Cases a, b, ... with recorded outputs of two variants, old and new."""
    cases = []
    for name, text in zip("abcdefgh", outputs, strict=False):
        for variant in ("old", "new"):
            Path(variant).mkdir(exist_ok=True)
            Path(variant, f"{name}.md").write_text(f"{text} {variant}, as the third line of its log shows.")
        cases.append(Case(name, f"Prompt {name}", **more.get("case", {})))
    variants = tuple(Variant(name, Recorded(str(Path(name, "{case}.md").absolute()))) for name in ("old", "new"))
    about = {name: value for name, value in more.items() if name != "case"}
    return Suite("s", tuple(cases), variants, judges=judges, **about)


def run_suite(suite: Suite, *, secret=lambda: b"s" * 32, notice=None, stop_early=False, **options):
    models = ModelOptions(**(options))
    settings = SuiteOptions(1, models=models, stop_early=stop_early)
    with OpenSuite(suite, Path("runs"), settings, secret=secret, notice=notice) as running:
        return running, list(running.results())


def test_every_run_is_judged_by_the_models_and_costs_what_they_cost(models):
    models.score = lambda name, work: 8 if "new" in work else 6
    running, rows = run_suite(suite_of("One", "Two", judges=("openai:one",)))
    assert {(row.run.id.case, row.run.id.variant): row.result.final for row in rows} == {
        ("a", "old"): 600,
        ("a", "new"): 800,
        ("b", "old"): 600,
        ("b", "new"): 800,
    }
    assert all(row.card.id == handle_of(row.submission).card == row.result.evaluation for row in rows)
    assert (running.judged, running.has_judges) == (4, True)
    alone, checked = run_suite(suite_of("One", judges=("checks",)))
    assert (alone.has_judges, [row.result.final for row in checked]) == (False, [None, None])


@pytest.mark.parametrize(
    ("of_case", "of_suite", "rubric"),
    [("writing", "default", "writing"), (None, "writing", "writing"), (None, None, "default")],
)
def test_a_case_s_rubric_comes_before_the_suite_s(models, of_case, of_suite, rubric):
    _, rows = run_suite(suite_of("One", judges=("openai:one",), rubric=of_suite, case={"rubric": of_case}))
    assert {row.card.rubric for row in rows} == {rubric}


def test_runs_that_did_not_start_are_results_without_a_card(models):
    suite = suite_of("One", "Two")
    Path("new/a.md").unlink()
    _, rows = run_suite(suite)
    outcomes = {(row.run.id.case, row.run.id.variant): (row.result.outcome, row.card is None) for row in rows}
    assert outcomes == {
        ("a", "old"): ("finished", False),
        ("a", "new"): ("not started", True),
        ("b", "old"): ("finished", False),
        ("b", "new"): ("finished", False),
    }


def test_judges_that_have_to_stop_leave_the_rest_not_judged_and_say_why(models):
    notices: list[str] = []
    suite = suite_of("One", "Two", "Three", "Four", judges=("openai:one",))
    running, rows = run_suite(suite, max_calls=3, concurrency=1, notice=notices.append)
    assert len(rows) == 8
    unjudged = [row for row in rows if row.card is None]
    assert unjudged and {row.result.unscored for row in unjudged} == {NOT_JUDGED}
    assert running.budget.stopped is not None
    assert [text.startswith("no more models are asked: ") for text in notices] == [True]


def test_outputs_are_compared_side_by_side_by_case(models):
    models.prefers = lambda judge, first, second: "first" if "new" in first else "second"
    suite = suite_of("One", "Two", judges=("openai:one",))
    outputs = {
        variant: {
            case: Submission(
                output=f"{variant} {case}, and a little more to quote.",
                id=json.dumps(["card", "k" * 64, case, variant, 1]),
            )
            for case in "ba"
        }
        for variant in ("old", "new")
    }
    with OpenSuite(suite, Path("runs"), SuiteOptions(1)) as running:
        made = running.compare_pairs(outputs)
        assert [(entry.item, entry.outcome) for entry in made.results] == [("a", "b"), ("b", "b")]
        assert running.compare_pairs({"old": outputs["old"], "new": {}}) is None
        apart = {"old": {"a": outputs["old"]["a"]}, "new": {"b": outputs["new"]["b"]}}
        assert running.compare_pairs(apart) is None
        running.budget.stop("enough")
        assert running.compare_pairs(outputs) is None


def test_a_plan_says_what_is_kept_and_what_judges_would_be_asked(models):
    suite = suite_of("One", "Two", judges=("openai:one",), pairs=True)
    with OpenSuite(suite, Path("runs"), SuiteOptions(2, models=ModelOptions())) as running:
        plan = running.plan()
    assert (plan.runs, plan.kept, plan.unpriced, plan.cost, plan.assumed) == (4, 4, 0, 0, ())
    assert [name for name, _ in plan.judges] == [name for name, _ in plan.pairs] == ["openai:one"]
    assert plan.judges[0][1].calls >= 4 and plan.pairs[0][1].calls == 4
    Path("new/a.md").unlink()
    with OpenSuite(suite_of("One")._replace(judges=()), Path("runs"), SuiteOptions(1)) as running:
        alone = running.plan()
    assert (alone.judges, alone.pairs) == ((), ())
    assert models.count == 0


def test_a_plan_compares_pairs_only_where_the_suite_does(models):
    """Two cases, two orders: four calls with `pairs`, none without."""
    for pairs, calls in ((True, [4]), (False, [])):
        suite = suite_of("One", "Two", judges=("openai:one",), pairs=pairs)
        with OpenSuite(suite, Path("runs"), SuiteOptions(1, models=ModelOptions())) as running:
            assert [plan.calls for _, plan in running.plan().pairs] == calls


def test_a_plan_for_commands_that_were_never_run_assumes_a_length(models):
    variants = (Variant("old", Command(("true",))), Variant("new", Command(("true",))))
    suite = Suite("s", (Case("a", "p"), Case("b", "p")), variants, judges=("openai:one",))
    with OpenSuite(suite, Path("runs"), SuiteOptions(1, models=ModelOptions())) as running:
        plan = running.plan()
    assert (plan.runs, plan.kept, plan.seconds, plan.unpriced) == (4, 0, None, 4)
    assert [(entry.variant, entry.runs, entry.tokens, entry.basis) for entry in plan.assumed] == [
        ("old", 2, 1000, "nothing is kept"),
        ("new", 2, 1000, "nothing is kept"),
    ]
    assert plan.judges[0][1].calls >= 4


def test_a_model_variant_is_asked_and_priced(models, tmp_path):
    """Its reply is read as it is; the plan knows its limit and its price."""
    models._text = lambda name, turns: "An answer."
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 1\nprice_output = 1\nmax_tokens = 500\n")
    suite = Suite(
        "s",
        (Case("a", "Say {case}."),),
        (Variant("m", Model("openai:one", "Please: {prompt} {case} {repeat}", "Be {case}.")),),
    )
    with OpenSuite(suite, Path("runs"), SuiteOptions(1, models=ModelOptions(max_cost=Decimal(1)))) as running:
        plan = running.plan()
        assert (plan.unpriced, plan.kept) == (0, 0)
        assert Decimal("0.0005") < plan.cost < Decimal("0.0006")
        (row,) = running.results()
        assert running.plan().kept == 1
    assert (row.run.outcome, row.run.output, row.run.cost) == ("finished", "An answer.", Decimal("0.0002"))
    request = models.asked[0][1]
    assert [(message.role, message.content) for message in request.messages] == [
        ("system", "Be a."),
        ("user", "Please: Say {case}. a 1"),
    ]
    assert (request.max_tokens, request.seed) == (500, 1)


def test_a_model_that_takes_too_long_or_fails_did_not_finish(models):
    """Nothing is charged for it but the attempt."""
    suite = Suite("s", (Case("a", "p"),), (Variant("m", Model("openai:one"), limits=Limits(seconds=Decimal("1.5"))),))
    for failure, outcome, reason in (
        (TimeoutError(), "timed out", "it took longer than 1.5 s"),
        (CallFailed("busy", kind="server"), "failed", "busy"),
    ):
        models.fails = lambda number, failure=failure: failure
        with OpenSuite(suite, Path(f"runs {outcome}"), SuiteOptions(1)) as running:
            (row,) = running.results()
        assert (row.run.outcome, row.run.reason, row.run.output) == (outcome, reason, None)
        assert row.run.seconds is not None


def test_leaving_early_ends_the_runs(models):
    """Nobody wants the results any more."""
    suite = suite_of("One", "Two", "Three", "Four", judges=("openai:one",))
    with OpenSuite(suite, Path("runs"), SuiteOptions(1, models=ModelOptions())) as running:
        results = running.results()
        next(results)
        assert not running.runs.stop.is_set()
        results.close()  # type: ignore[attr-defined]
        assert running.runs.stop.is_set()


def test_a_run_that_cannot_be_judged_is_a_result_with_the_reason():
    """In its place, and the others are judged."""
    suite = suite_of("One", "Two")
    program = open_program(["checks"])

    class Refusing:
        identity = program.identity

        def judge(self, rubric, submission):
            if submission.output.startswith("One old"):
                raise InputError("refused")
            return program.judge(rubric, submission)

    runs = [
        RUN._replace(id=RunId(case, variant, 1), output=f"{text} {variant}")
        for case, text in (("a", "One"), ("b", "Two"))
        for variant in ("old", "new")
    ]
    failed_run = RUN._replace(id=RunId("a", "new", 2), outcome="failed", reason="exit code 1")
    rows = list(SuiteJudging(suite).by_checks([runs[0], failed_run, *runs[1:]], Refusing()))
    found = {row.run.id: (row.result.outcome, row.result.unscored == "refused", row.card is None) for row in rows}
    assert found == {
        runs[0].id: ("finished", True, True),
        failed_run.id: ("failed", False, True),
        **{run.id: ("finished", False, False) for run in runs[1:]},
    }
    assert [row.submission is None for row in rows if row.run.id == runs[0].id] == [False]


# --- keeping and results

HEAD = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 2)


def judged_run(case: str, variant: str, score: int = 8, **more) -> JudgedRun:
    card = judged(seven(score), id=f"{case}-{variant}", skill="code")
    run = RUN._replace(id=RunId(case, variant, 1), **more)
    return JudgedRun(run, case_result(run, Case(case, "p"), card), card, Submission(output=f"{case} {variant}"))


def test_a_finished_run_is_stored_with_its_scorecards_and_results(store):
    keeper = SuiteKeeper(HEAD._replace(gate=SuiteGate(min_score=Decimal(9))), store)
    for case in "ab":
        for variant in ("old", "new"):
            keeper.add(judged_run(case, variant))
    outcome = keeper.finish()
    assert (keeper.is_stored, keeper.problems) == (True, [])
    assert {record.id for record in store.evaluations()} == {"a-old", "a-new", "b-old", "b-new"}
    assert json.loads(store.get("a-new").scorecard)["suite"] == {
        "run": "run-1",
        "case": "a",
        "variant": "new",
        "repeat": 1,
    }
    assert store.get("a-new").submission is not None
    assert len(list(stored_run(store, "run-1").results)) == 4
    assert [ruling.colour for ruling in outcome.rulings if "mean score" in ruling.name] == ["red"]


@pytest.mark.slow
def test_a_run_that_has_not_ended_is_on_a_page_that_loads_itself_again(tmp_path, monkeypatch):
    """1 of 2 cases x 2 variants, noted with every result; nothing is left of it when the run ends."""
    monkeypatch.setattr(kept_results, "NOTED_EVERY", 0.0)
    address = str(tmp_path / "progress.db")
    store = evenhand.open_store(address)
    keeper = SuiteKeeper(HEAD, store)
    keeper.add(judged_run("a", "old"))
    [progress] = store.suites_running()
    assert (progress.run, progress.suite, progress.done, progress.total, progress.failed) == ("run-1", "demo", 1, 4, 0)
    with closing(store), Dashboard(address) as dashboard:
        text = dashboard.get("/suites").text
        assert '<meta http-equiv="refresh" content="5">' in text and "1 of 4 runs" in text
        keeper.add(judged_run("a", "new"))
        assert dashboard.json("/suites")["running"][0]["done"] == 2
        keeper.finish("interrupted")
        assert dashboard.json("/suites")["running"] == []
        assert "http-equiv" not in dashboard.get("/suites").text


@pytest.mark.parametrize("state", ["complete", "interrupted"])
def test_a_run_that_has_ended_is_no_longer_noted_as_running(store, monkeypatch, state):
    """Noted with its first result: 1 of 2 cases x 2 variants, and then a failed one."""
    monkeypatch.setattr(kept_results, "NOTED_EVERY", 0.0)
    keeper = SuiteKeeper(HEAD, store)
    assert store.suites_running() == []
    keeper.add(judged_run("a", "old"))
    keeper.add(judged_run("a", "new")._replace(card=None))
    [progress] = store.suites_running()
    assert (progress.run, progress.suite, progress.done, progress.total, progress.failed) == ("run-1", "demo", 2, 4, 1)
    keeper.finish(state)
    assert store.suites_running() == []


def test_how_far_a_run_is_is_noted_every_two_seconds(store, monkeypatch):
    """At 0, not at 1.9, at 2.0 again; a store that does not take the note stops nothing."""
    moments = iter((0.0, 1.9, 2.0, 4.0))
    monkeypatch.setattr(kept_results.clock, "elapsed", lambda: next(moments))
    keeper = SuiteKeeper(HEAD, store)
    noted = []
    for case, variant in (("a", "old"), ("a", "new"), ("b", "old")):
        keeper.add(judged_run(case, variant))
        noted.append(store.suites_running()[0].done)
    assert noted == [1, 1, 3]

    def fails(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(store, "note_progress", fails)
    monkeypatch.setattr(store, "end_progress", fails)
    keeper.add(judged_run("b", "new"))
    assert (keeper.finish().decision.state, keeper.is_stored) == ("complete", True)


def test_transcripts_of_runs_are_kept_when_asked(store):
    """With the evaluations of them, and only then."""
    events = (Event("message", "assistant", "I look it up.", Place("t.jsonl", 1)),)
    for run, asked in (("run-1", False), ("run-2", True)):
        keeper = SuiteKeeper(HEAD._replace(id=run), store, keep="transcript" if asked else "text")
        card = judged(seven(8), id=f"{run}-card", skill="code")
        card = card._replace(receipt=replace(card.receipt, submission=f"{asked:064d}"))
        made = judged_run("a", "old")._replace(card=card, submission=Submission(output=run, events=events))
        keeper.add(made)
        keeper.finish()
        kept = [row for table, row in store.kept_rows() if table == "transcripts"]
        assert [row["submission"] for row in kept] == ([f"{1:064d}"] if asked else [])


def test_a_shard_is_neither_stored_nor_held_to_the_gate(store):
    keeper = SuiteKeeper(HEAD._replace(gate=SuiteGate(min_score=Decimal(9))), store, partial=True)
    keeper.add(judged_run("a", "new"))
    assert (keeper.finish().rulings, keeper.is_stored, list(store.evaluations())) == ([], False, [])


def test_a_run_that_was_stopped_is_not_stored_and_decides_nothing(store):
    keeper = SuiteKeeper(HEAD, store)
    keeper.add(judged_run("a", "new"))
    outcome = keeper.finish("interrupted")
    assert (outcome.rulings, keeper.is_stored, stored_runs(store)) == ([], False, [])
    assert outcome.decision.state == "interrupted"


def test_a_store_that_fails_leaves_the_decision_and_tells_why(store, monkeypatch):
    def fails(records):
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(store, "add_all", fails)
    keeper = SuiteKeeper(HEAD, store)
    keeper.add(judged_run("a", "old"))
    keeper.add(judged_run("a", "new"))
    outcome = keeper.finish()
    assert (keeper.problems, keeper.is_stored, keeper.store) == (["the disk is full"], False, None)
    assert len(outcome.decision.contrasts) == 1


def test_a_gate_against_a_baseline_needs_a_store_and_the_baseline(store):
    gated = HEAD._replace(gate=SuiteGate(baseline="v1"))
    alone = SuiteKeeper(gated, None)
    with pytest.raises(InputError, match='the gate compares with the baseline "v1", which needs a store'):
        alone.finish()
    with pytest.raises(
        InputError, match=r'the suite demo has no baseline "v1" in .*; it has: none; give a stored run that name'
    ):
        SuiteKeeper(gated, store).finish()
    save_run(store, HEAD._replace(id="run-0"), scored({"old": [[800]] * 10, "new": [[800]] * 10}))
    name_baseline(store, "v1", "run-0")
    keeper = SuiteKeeper(gated._replace(id="run-2"), store)
    for number in range(10):
        keeper.add(JudgedRun(RUN, result(f"case{number:03}", "new", 1, 500)))
    assert "red" in {ruling.colour for ruling in keeper.finish().rulings}


def test_each_run_of_a_suite_may_have_a_name_and_each_name_has_one_run(store):
    """Another name for another run, and a second name for the same."""
    save_run(store, HEAD, [])
    save_run(store, HEAD._replace(id="run-2"), [])
    for name, run in (("v1", "run-1"), ("v2", "run-2"), ("first", "run-1")):
        assert name_baseline(store, name, run).run == run
    assert {row.name: row.run for row in store.baselines("demo")} == {"v1": "run-1", "v2": "run-2", "first": "run-1"}
    with pytest.raises(InputError, match='has a baseline "v2" already, the run run-2'):
        name_baseline(store, "v2", "run-1")


def test_runs_are_found_by_id_start_latest_baseline_or_file(store):
    rows = scored({"old": [[800]], "new": [[900]]})
    save_run(store, HEAD, rows)
    save_run(store, HEAD._replace(id="x-2", created="2026-01-02T00:00:00Z", suite="other"), rows)
    assert [run.id for run in stored_runs(store)] == ["x-2", "run-1"]
    assert [run.id for run in stored_runs(store, suite="demo")] == ["run-1"]
    assert [run.id for run in stored_runs(store, limit=1)] == ["x-2"]
    named = name_baseline(store, "v1", "run-1")
    assert name_baseline(store, "v1", "run-1") == named
    with pytest.raises(InputError, match=r'no run in .* has the id "none"; see: evenhand run show'):
        name_baseline(store, "v2", "none")
    save_run(store, HEAD._replace(id="y-3", created="2026-01-03T00:00:00Z"), rows)
    with pytest.raises(
        InputError, match='the suite demo has a baseline "v1" already, the run run-1; baselines are never'
    ):
        name_baseline(store, "v1", "y-3")
    found = {name: stored_run(store, name).run.id for name in ("run-1", "run", "latest", "demo@v1")}
    assert found == {"run-1": "run-1", "run": "run-1", "latest": "y-3", "demo@v1": "run-1"}
    assert sorted(stored_run(store, "run-1").results) == sorted(rows)
    assert baseline_run(store, "demo", "v1").run.id == "run-1"
    for name in ("none", "demo@none", "none@v1"):
        with pytest.raises(InputError, match=f'has the id "{name}"'):
            stored_run(store, name)
    with pytest.raises(InputError, match=r"already has the run run-1"):
        save_run(store, HEAD, rows)
    Path("r.jsonl").write_text("".join(results_text(HEAD._replace(id="file"), rows)))
    assert find_run("r.jsonl", store).run.id == "file"
    assert find_run("run-1", store).run.id == "run-1"
    with pytest.raises(InputError):
        find_run("absent", None)


def test_a_file_of_results_that_cannot_be_read_says_where():
    Path("empty.jsonl").write_text("")
    with pytest.raises(InputError, match=r"empty\.jsonl is empty; it should hold the results of a suite's run"):
        read_results("empty.jsonl")
    Path("r.jsonl").write_text("".join(results_text(HEAD, [result("a", "other", 1, 500)])))
    with pytest.raises(InputError, match=r'r\.jsonl:2: no variant is named "other"; there are: old, new'):
        list(read_results("r.jsonl").results)


def test_the_head_of_a_run_is_the_suite_s():
    suite = suite_of("One", "Two", skill="code", judges=("openai:one",), reference="new", repeats=3)
    run = suite_run(suite, notes=["n"])
    assert (run.suite, run.variants, run.reference, run.repeats, run.cases) == ("s", ("old", "new"), "new", 3, 2)
    assert (run.skill, run.judges, run.notes) == ("code", ("openai:one",), ("n",))
    part = suite._replace(variants=suite.variants[:1])
    assert (suite_run(part).reference, suite_run(part, cases=9).cases) == ("old", 9)


# --- merging


def test_shards_merge_to_one_run_whatever_their_order():
    parts = [
        StoredResults(HEAD._replace(id=f"s{number}", created=f"2026-01-0{number + 1}T00:00:00Z", notes=("n",)), rows)
        for number, rows in enumerate(
            ([result("a", "old", 1, 500)], [result("b", "new", 1, 600), result("a", "old", 1, 500)])
        )
    ]
    merged, turned = merge_results(parts), merge_results(parts[::-1])
    assert merged.run == turned.run and list(merged.results) == list(turned.results)
    assert [row.id for row in merged.results] == [("a", "old", 1), ("b", "new", 1)]
    assert (merged.run.created, merged.run.notes, merged.run.pairs) == ("2026-01-01T00:00:00Z", ("n",), None)
    assert merged.run.id.startswith("merged-") and len(merged.run.id) == len("merged-") + 24


@pytest.mark.parametrize("field", ["suite", "sha256", "reference", "repeats", "cases", "skill"])
def test_shards_of_different_runs_do_not_belong_together(field):
    other = HEAD._replace(id="x", **{field: "new" if isinstance(getattr(HEAD, field), str | None) else 9})
    with pytest.raises(InputError, match=f"the runs .* and .* do not belong together: {field} is "):
        merge_results([StoredResults(HEAD, []), StoredResults(other, [])])


def test_runs_that_stop_early_and_results_that_differ_are_not_merged():
    looked_at = HEAD._replace(looks=(1, 2))
    with pytest.raises(InputError, match="runs that stop early are not merged"):
        merge_results([StoredResults(looked_at, [])])
    rows = [[result("a", "old", 1, 500)], [result("a", "old", 1, 600)]]
    with pytest.raises(InputError, match="two different results of case a, variant old, repeat 1; merge the shards of"):
        merge_results([StoredResults(HEAD._replace(id=f"{n}"), part) for n, part in enumerate(rows)])


def preferences(*outcomes: tuple[str, str], **more) -> Preferences:
    rows = tuple(PairResult(item, "old", "new", outcome, (), (), None) for item, outcome in outcomes)
    about = {"unmatched": (), "failures": (), "left_out": 0, "rubrics": {}, "judges": ()} | more
    return Preferences(
        more.get("systems", ("old", "new")),
        rows,
        about["judges"],
        about["rubrics"],
        about["unmatched"],
        about["failures"],
        about["left_out"],
    )


def test_preferences_of_shards_are_merged():
    first = preferences(("b", "a"), judges=({"name": "x"},), rubrics={"r": "1"}, unmatched=(("old", "z"),), left_out=1)
    second = preferences(("a", "b"), ("b", "a"), judges=({"name": "x"},), failures=("f",), left_out=2)
    merged = merge_pairs([first, second])
    assert [(row.item, row.outcome) for row in merged.results] == [("a", "b"), ("b", "a")]
    assert (merged.systems, merged.judges, merged.rubrics) == (("old", "new"), ({"name": "x"},), {"r": "1"})
    assert (merged.unmatched, merged.failures, merged.left_out) == ((("old", "z"),), ("f",), 3)
    assert merge_pairs([]) is None
    with pytest.raises(InputError, match="old and new were compared on case b with different outcomes"):
        merge_pairs([first, preferences(("b", "b"))])


# --- order


def test_names_that_a_suite_does_not_have_are_guessed():
    suite = suite_of("One", "Two", case={"tags": ("long",)})
    assert [case.id for case in narrowed(suite, only=["b"]).cases] == ["b"]
    assert [case.id for case in narrowed(suite, only=["long"]).cases] == ["a", "b"]
    assert [variant.name for variant in narrowed(suite, variants=["new"]).variants] == ["new"]
    with pytest.raises(InputError, match=r'unknown case or tag "lnog"; did you mean long\?'):
        narrowed(suite, only=["lnog"])
    with pytest.raises(InputError, match=r'unknown variant "xyz"; valid: '):
        narrowed(suite, variants=["xyz"])
    assert read_shard("2/3") == (2, 3)
    order = [(case.id, variant.name) for case, variant, _ in in_order(suite)]
    assert order == [("a", "old"), ("a", "new"), ("b", "new"), ("b", "old")]


def test_kept_runs_count_unless_they_are_to_be_made_again():
    failing = RUN._replace(outcome="failed")
    assert [Reuse().takes(run) for run in (RUN, failing)] == [True, True]
    assert [Reuse(retry_failed=True).takes(run) for run in (RUN, failing)] == [True, False]
    assert [Reuse(fresh=True).takes(run) for run in (RUN, failing)] == [False, False]


# --- notes about runs


def test_notes_about_how_runs_were_watched_are_added_up():
    notes = WatchNotes()
    for number in range(12):
        notes.add(result(f"c{number:02}", "new", 1, 500, notes=(CONFINED, f"{TRIED}/x")))
    notes.add(result("z", "new", 1, 500, notes=(NOT_CONFINED,)))
    lines = notes.lines()
    assert lines[0] == "Not confined: on this machine agents could read the answers."
    assert lines[1:3] == (f"12 of 13 runs: {CONFINED}", f"1 of 13 runs: {NOT_CONFINED}")
    assert lines[3] == f"c00, new, repeat 1: {TRIED}/x"
    assert len(lines) == 3 + MOST_NAMED + 1
    assert lines[-1] == "2 more notes on single runs"
    assert all(map(is_summary, lines)) and not is_summary("a note of its own")
    assert watch_notes([NOT_CONFINED, "other", f"{TRIED}/x"]) == (NOT_CONFINED, f"{TRIED}/x")
    assert WatchNotes().lines() == ()


# --- what is shown


def test_transcripts_are_shown_until_the_page_has_enough(monkeypatch):
    path = transcript()
    shown = TranscriptReader().shown(path)
    assert (shown.path, shown.problem, shown.left_out) == ("t.jsonl", "", 0)
    assert [event.text for event in shown.events][-1].startswith("The loop never ends")
    assert TranscriptReader().shown(None).events == ()
    assert TranscriptReader().shown(str(Path("absent.jsonl").absolute())).problem == "No such file or directory"
    monkeypatch.setattr(suite_transcripts, "MOST_READ", Path(path).stat().st_size)
    reader = TranscriptReader()
    assert reader.shown(path).problem == ""
    assert reader.shown(path).problem == "left out to keep the page small"
    monkeypatch.setattr(suite_transcripts, "MOST_OF_ONE", len("Find the bug."))
    cut = TranscriptReader().shown(path)
    assert (len(cut.events), cut.left_out) == (1, 1)


def test_long_texts_of_a_transcript_are_cut_and_pictures_left_out():
    call = ToolCall(name="x", arguments={"a": "y" * 3000}, result="z" * 2001)
    images = (Image(media="image/png", sha256="a" * 64),)
    event = Event("call", "assistant", "t" * 2000, Place("t", 1), call=call, images=images)
    short = suite_transcripts._shortened(event)
    assert (short.text, short.images) == ("t" * 2000, ())
    assert short.call.result == "z" * 2000 + "\n... and 1 more characters"
    assert short.call.arguments.startswith('{"a": "yyy') and "more characters" in short.call.arguments
    small = suite_transcripts._shortened(event._replace(call=call._replace(arguments={"a": 1}, result=None)))
    assert (small.call.arguments, small.call.result) == ({"a": 1}, None)
    assert suite_transcripts._length(small) == 2000 + len('{"a": 1}')
    assert suite_transcripts._length(event._replace(call=None)) == 2000


def keep(store, case: str, variant: str, text: str, repeat: int = 1):
    card = judged(seven(8), id=f"{case}-{variant}-{repeat}", skill="code")
    placed = card._replace(suite=SuitePlace("run-1", case, variant, repeat))
    Keeper(store).keep(Evaluated(placed, Submission(output=text), named=True))
    return result(case, variant, repeat, 800, evaluation=card.id)


def test_scorecards_and_the_beginnings_of_outputs_are_shown_for_the_first_cases(store, monkeypatch):
    monkeypatch.setattr(suite_outputs, "MOST_CASES", 1)
    monkeypatch.setattr(suite_outputs, "MOST_REPEATS", 1)
    rows = [keep(store, "a", "old", "x" * 2003), keep(store, "a", "old", "y", 2), keep(store, "b", "old", "z")]
    details = suite_outputs.stored_details(store, rows, ["a", "b"])
    assert list(details) == [("a", "old", 1)]
    (detail,) = details.values()
    assert (detail.output, detail.left_out, detail.card.id) == ("x" * 2000, 3, "a-old-1")
    assert suite_outputs.stored_details(None, rows, ["a", "b"]) == {}
    assert suite_outputs.stored_details(store, [result("a", "old", 1, 800, evaluation="gone")], ["a"]) == {}


def test_a_benchmark_leaves_out_what_was_not_decided(store):
    card = flat_calls.judge("All cats sleep.", expect=[{"answer": {"contains": "cats"}}], id="e", skill="code")
    Keeper(store).keep(
        Evaluated(card._replace(suite=SuitePlace("run-1", "a", "new", 1)), Submission(output="x"), named=True)
    )
    rows = [
        result("a", "new", 1, None, evaluation="e", met=1, expectations=1),
        failed("a", "old", 1, "timed out"),
        result("b", "new", 1, 800, evaluation="gone"),
        keep(store, "c", "new", "text"),
    ]
    text = json.dumps(suite_outputs.stored_benchmark(store, HEAD, rows))
    assert "a, old, run 1: left out: timed out" in text
    assert "b, new, run 1: left out: its scorecard is not stored" in text
    assert "c, new, run 1: left out, as none of its expectations could be decided" in text
