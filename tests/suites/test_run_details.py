"""From a run to its result: what is read from what an agent printed, who is traced, what is remembered and answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import judged, seven

import evenhand
from evenhand import InputError, Submission
from evenhand.core.curve import Calibration
from evenhand.core.finding import Place
from evenhand.decisions.suite import Case, Command, Limits, Model, Recorded, Suite, SuiteGate, Variant
from evenhand.decisions.suite_run import SuiteRun
from evenhand.decisions.what_to_change import Answer
from evenhand.errors import StoreUnavailable
from evenhand.judges.models.budget import Budget
from evenhand.providers.exchange import Reply
from evenhand.runs.confinement import NOT_CONFINED
from evenhand.runs.planned import PlannedRun
from evenhand.store.protocol import Store
from evenhand.store.tables.suites import StoredSuite
from evenhand.suites import checked_suite
from evenhand.suites.execution import model_variants
from evenhand.suites.execution.model_variants import SuiteModels
from evenhand.suites.judgement import run_judgements
from evenhand.suites.judgement.run_judgements import (
    NOT_JUDGED,
    JudgedRun,
    SuiteJudging,
    case_result,
    suite_steps,
    with_numbers,
)
from evenhand.suites.judgement.run_notes import WatchNotes
from evenhand.suites.judgement.run_submissions import completed, handle_of
from evenhand.suites.results import kept_results
from evenhand.suites.results.kept_results import SuiteKeeper, SuiteOutcome
from evenhand.suites.results.run_answer import stored_complaints
from evenhand.suites.results.shards import merge_results
from evenhand.suites.results.suite_results import (
    StoredResults,
    clustered_run,
    find_run,
    name_baseline,
    results_text,
    save_run,
    stored_runs,
    suite_run,
)
from evenhand.work.agent_run import AgentRun, CaseResult, RunId
from evenhand.work.submission import Event
from suite_cases import failed, result, scored

OLD, NEW = Variant("old", Command(("x",))), Variant("new", Command(("y",)))
CASES = (Case("a", "Prompt a"), Case("b", "Prompt b"))
SUITE = Suite("s", CASES, (OLD, NEW))
HEAD = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 2)
RUN = AgentRun(RunId("a", "old", 1), "k" * 64, "finished", output="Out.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


# --- what an agent printed

REPORT = {
    "type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": "Four.", "session_id": "s",
    "total_cost_usd": 0.25, "usage": {"input_tokens": 10, "output_tokens": 7},
}  # fmt: skip


def test_a_report_that_an_agent_printed_is_its_answer_its_cost_and_its_transcript(tmp_path: Path) -> None:
    """Also after white space; the transcript that it wrote elsewhere has more in it and counts rather."""
    folder = tmp_path / "new"
    run = RUN._replace(output=f"\n {json.dumps(REPORT)}")
    made = completed(OLD, run, folder)
    assert (made.output, made.transcript, made.input_tokens, made.output_tokens, made.cost) == (
        "Four.", "printed.jsonl", 10, 7, Decimal("0.25"),
    )  # fmt: skip
    assert (folder / "printed.jsonl").read_text() == run.output
    (folder / "own.txt").write_text("What it wrote itself.")
    own = completed(OLD, run._replace(transcript="own.txt"), folder)
    assert (own.output, own.transcript, own.cost) == ("Four.", "own.txt", Decimal("0.25"))


@pytest.mark.parametrize(
    "command",
    [Command(("x",), output="out.md"), Command(("x",), transcript="t.jsonl"), Command(("x",), transcript=None)],
    ids=["a named output", "a named transcript", "no transcript"],
)
def test_what_is_printed_is_the_output_where_the_suite_says_what_is_what(command: Command, tmp_path: Path) -> None:
    run = RUN._replace(output=json.dumps(REPORT))
    assert completed(Variant("v", command), run, tmp_path) == run
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("printed", ["Four.", '{"answer": 4}', "[1, 2]", "{", "", None])
def test_what_is_not_a_report_is_the_output_and_leaves_no_file(printed: str | None, tmp_path: Path) -> None:
    run = RUN._replace(output=printed)
    assert completed(OLD, run, tmp_path) == run
    assert list(tmp_path.iterdir()) == []


def test_a_report_without_an_answer_counts_for_its_cost_and_keeps_what_was_printed(tmp_path: Path) -> None:
    bare = {name: value for name, value in REPORT.items() if name not in ("result", "usage")}
    bare["subtype"] = "error_max_turns"
    run = RUN._replace(output=json.dumps(bare), input_tokens=1, output_tokens=2)
    made = completed(OLD, run, tmp_path)
    assert (made.cost, made.output) == (Decimal("0.25"), run.output)


# --- who may have seen the answers


class Traces:
    """Notes what it is asked about, and answers with a note."""

    def __init__(self, note: str = "it may have seen the answers: so") -> None:
        self.asked: list[Any] = []
        self.says = note

    def note(self, events: Any, case: Case, variant: Variant, repeat: int, *, is_confined: bool) -> str:
        self.asked.append((case.id, variant.name, repeat, is_confined))
        return self.says


EVENTS = (Event("message", "assistant", "Hello.", Place("t", 1)),)


@pytest.mark.parametrize(
    ("does", "notes", "is_confined"),
    [
        (Command(("x",)), (), True),
        (Command(("x",)), (NOT_CONFINED,), False),
        (Recorded("/x/{case}"), (), False),
    ],
    ids=["confined", "not confined", "recorded"],
)
def test_only_recorded_runs_and_runs_with_free_reads_are_not_confined(
    does: Any, notes: tuple[str, ...], is_confined: bool
) -> None:
    traces: Any = Traces()
    variant = Variant("old", does)
    judging = SuiteJudging(SUITE._replace(variants=(variant, NEW)), traces)
    run = RUN._replace(id=RunId("b", "old", 3), notes=notes)
    made = judging._result(run, None, "why", Submission("x", events=EVENTS))
    assert traces.asked == [("b", "old", 3, is_confined)]
    assert made.notes == (*notes, traces.says) and made.transcript


def test_a_run_without_a_transcript_or_a_trace_gets_no_note() -> None:
    traces: Any = Traces("")
    judging = SuiteJudging(SUITE, traces)
    assert judging._result(RUN, None, "", Submission("x", events=EVENTS)).notes == ()
    assert judging._result(RUN, None, "", Submission("x")).transcript is False
    assert judging._result(RUN, None) == case_result(RUN, CASES[0], None)
    assert len(traces.asked) == 1
    untraced = SuiteJudging(SUITE)._result(RUN, None, "", Submission("x", events=EVENTS))
    assert (untraced.notes, untraced.transcript) == ((), True)


@pytest.mark.parametrize(
    ("outcome", "judges", "counted"),
    [
        ("failed", (), (0, 1)),
        ("failed", ("checks",), (0, 1)),
        ("failed", ("checks", "openai:m"), (0, 2)),
        ("timed out", ("openai:m",), (0, 2)),
        ("stopped by a limit", ("openai:m",), (0, 2)),
        ("not started", ("openai:m",), (0, 0)),
        ("finished", ("openai:m",), (0, 0)),
    ],
)
def test_a_run_that_failed_has_met_nothing_that_could_have_been_decided(
    outcome: Any, judges: tuple[str, ...], counted: tuple[int, int]
) -> None:
    """One expectation is decided by a program, the other, a sentence, by a model. Not started: nobody's doing."""
    case = CASES[0]._replace(expect=[{"answer": {"contains": "x"}}, "It is friendly."])
    judging = SuiteJudging(SUITE._replace(cases=(case,), judges=judges))
    made = judging._result(RUN._replace(outcome=outcome), None)
    assert (made.met, made.expectations) == counted


# --- runs matched with their scorecards


def card_for(submission: Submission, score: int = 8) -> Any:
    return judged(seven(score), id=handle_of(submission).card)


def test_scorecards_find_their_runs_in_whatever_order_they_come() -> None:
    """A run that did not finish comes as soon as the next card does; one that was never judged comes last."""
    runs = [
        RUN,
        RUN._replace(id=RunId("a", "new", 1), outcome="failed", output=None),
        RUN._replace(id=RunId("b", "old", 1)),
        RUN._replace(id=RunId("b", "new", 1)),
    ]

    def arrivals(submissions: Any, abandon: Any) -> Iterator[Any]:
        first, second, _ = list(submissions)
        yield card_for(second, 6)
        yield card_for(first, 9)

    panel: Any = SimpleNamespace(results_of_arrivals=arrivals)
    rows = list(SuiteJudging(SUITE).by_models(runs, panel, abandon=list))
    assert [(row.run.id.case, row.run.id.variant, row.result.final, row.result.unscored) for row in rows] == [
        ("a", "new", None, ""),
        ("b", "old", 600, ""),
        ("a", "old", 900, ""),
        ("b", "new", None, NOT_JUDGED),
    ]
    assert [None if row.card is None else row.card.case for row in rows] == [None, "b", "a", None]
    assert [row.submission is None for row in rows] == [True, False, False, False]


def test_runs_that_are_made_after_the_judges_stopped_are_not_judged() -> None:
    """The judges take one and stop; the others are made all the same, and each comes as soon as it ends."""
    order: list[str] = []

    def runs() -> Iterator[AgentRun]:
        for case in "ab":
            for variant in ("old", "new"):
                order.append(f"made {case} {variant}")
                yield RUN._replace(id=RunId(case, variant, 1))

    def arrivals(submissions: Any, abandon: Any) -> Iterator[Any]:
        yield card_for(next(submissions))

    panel: Any = SimpleNamespace(results_of_arrivals=arrivals)
    for row in SuiteJudging(SUITE).by_models(runs(), panel, abandon=list):
        order.append(f"{row.result.unscored or 'judged'}: {row.run.id.case} {row.run.id.variant}")
    assert order == [
        "made a old", "judged: a old",
        "made a new", f"{NOT_JUDGED}: a new",
        "made b old", f"{NOT_JUDGED}: b old",
        "made b new", f"{NOT_JUDGED}: b new",
    ]  # fmt: skip


# --- the rubric and calibration of each case


def test_a_calibration_must_fit_every_rubric_that_the_suite_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, by its hash; the usual rubric is chosen later and cannot be looked up here."""
    asked: list[tuple[Any, Any]] = []
    monkeypatch.setattr(run_judgements, "refuse_misfit", lambda calibration, judge, sha: asked.append((judge, sha)))
    calibration: Any = Calibration.__new__(Calibration, *[None] * len(Calibration._fields))._replace(judge="m")
    cases = (*CASES, Case("c", "P", rubric="writing"))
    steps = suite_steps(SUITE._replace(cases=cases), calibration, "too old")
    assert (steps.calibration, steps._out_of_date) == (calibration, "too old")
    shas = {name: run_judgements.resolve(name).terms.sha256 for name in ("writing", "default")}
    assert asked == [("m", shas["writing"])]
    asked.clear()
    suite_steps(SUITE._replace(cases=cases, rubric="default"), calibration)
    assert asked == [("m", shas["default"]), ("m", shas["writing"])]
    assert suite_steps(SUITE).calibration is None


def test_the_numbers_of_a_scorecard_replace_those_of_a_result() -> None:
    """Where dimensions are unscored, the first reason is the result's."""
    card = judged(seven(8), id="card")
    lines = dict(card.dimensions)
    unread = card._replace(
        final=None,
        grade=None,
        dimensions={
            **lines,
            "completeness": lines["completeness"]._replace(score=None, unscored="first"),
            "safety": lines["safety"]._replace(score=None, unscored="second"),
        },
    )
    made = with_numbers(result("a", "old"), unread)
    assert made.unscored == "first"
    assert (made.final, made.grade, made.evaluation) == (None, None, "card")
    assert dict(made.dimensions)["completeness"] is None and dict(made.dimensions)["correctness"] == 800


# --- notes


def test_every_run_that_may_have_seen_the_answers_is_named_first() -> None:
    """Twelve of them, though of other notes ten are named."""
    notes = WatchNotes()
    for number in reversed(range(12)):
        notes.add(result(f"c{number:02}", "old", 2, notes=("it may have seen the answers: so",)))
    notes.add(result("z", "old", notes=("tried to write outside the workspace: x",)))
    lines = notes.lines()
    assert [line.partition(",")[0] for line in lines] == [*(f"c{number:02}" for number in range(12)), "z"]
    assert lines[0] == "c00, old, repeat 2: it may have seen the answers: so"


# --- keeping


def judged_run(case: str, variant: str, score: int = 8) -> JudgedRun:
    card = judged(seven(score), id=f"{case}-{variant}", skill="code")
    run = RUN._replace(id=RunId(case, variant, 1))
    return JudgedRun(run, case_result(run, Case(case, "p"), card), card, Submission(output=f"{case} {variant}"))


def test_without_a_store_what_falls_short_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why each run that does not pass does not; what cost points, in the first cases only."""
    monkeypatch.setattr(kept_results, "MOST_CASES", 2)
    keeper = SuiteKeeper(HEAD, None)
    for case, score in (("a", 8), ("b", 6), ("c", 5)):
        keeper.add(judged_run(case, "new", score))
    keeper.add(JudgedRun(RUN, failed("a", "old")))
    assert {id.case: reasons[0][:18] for id, reasons in keeper.reasons.items()} == {
        "b": "6.00 is below 7.00", "c": "5.00 is below 7.00",
    }  # fmt: skip
    assert list(keeper.complaints) == ["new"]
    assert [bool(keeper.complaints["new"].of_case(case)) for case in "abc"] == [True, True, False]
    assert (keeper.is_stored, keeper.store, keeper.problems) == (False, None, [])


def test_with_a_store_scorecards_are_not_kept_in_memory(store: Store) -> None:
    keeper = SuiteKeeper(HEAD, store)
    keeper.add(judged_run("a", "new", 5))
    assert (keeper.reasons, keeper.complaints) == ({}, {})
    keeper.finish()
    assert list(keeper._complaints({"a"})) == ["new"]
    assert keeper._complaints(set()) == {}


def test_an_answer_is_given_of_a_complete_run_and_a_store_that_fails_costs_only_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keeper = SuiteKeeper(HEAD, None)
    for case in "ab":
        for variant, score in (("old", 8), ("new", 6)):
            keeper.add(judged_run(case, variant, score))
    notices: list[str] = []
    outcome = keeper.finish()
    answer = keeper.answer(outcome, lambda variant: None, notices.append)
    assert isinstance(answer, Answer) and (answer.variant, notices) == ("new", [])
    undecided = keeper.finish("interrupted")
    assert keeper.answer(undecided, lambda variant: None, notices.append) is None and notices == []

    def fails(*_: object) -> None:
        raise StoreUnavailable("the disk is gone")

    monkeypatch.setattr(kept_results, "run_answer", fails)
    assert keeper.answer(outcome, lambda variant: None, notices.append) is None
    assert notices == ["the advice on what to change could not be made: the disk is gone"]


def test_a_run_that_cannot_be_stored_is_a_problem_and_decided_all_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(kept_results, "save_run", fails)
    keeper = SuiteKeeper(HEAD, store)
    keeper.add(judged_run("a", "new"))
    assert isinstance(keeper.finish(), SuiteOutcome)
    assert (keeper.problems, keeper.is_stored) == (["the disk is full"], False)


def test_notes_of_the_runs_follow_those_of_the_suite() -> None:
    keeper = SuiteKeeper(HEAD._replace(notes=("of the suite",)), None)
    keeper.add(JudgedRun(RUN, result("a", "new", notes=("it may have seen the answers: so",))))
    keeper.finish()
    assert keeper.run.notes == ("of the suite", "a, new, repeat 1: it may have seen the answers: so")


def test_a_gate_holds_a_run_against_its_own_reference_or_a_baseline_by_name(store: Store) -> None:
    """The reference itself is not gated; a baseline is named in the rulings."""
    rows = scored({"old": [[800]] * 10, "new": [[500]] * 10})
    keeper = SuiteKeeper(HEAD._replace(gate=SuiteGate()), None)
    for row in rows:
        keeper.add(JudgedRun(RUN, row))
    assert {ruling.colour for ruling in keeper.finish().rulings} == {"red"}
    save_run(store, HEAD._replace(id="run-0"), rows)
    name_baseline(store, "v1", "run-0")
    gated = SuiteKeeper(HEAD._replace(id="run-2", gate=SuiteGate(baseline="v1")), store)
    for row in rows:
        gated.add(JudgedRun(RUN, row))
    assert any("v1" in f"{ruling}" for ruling in gated.finish().rulings)


def test_complaints_are_read_of_the_cases_that_are_asked_for(store: Store) -> None:
    """By variant; a result that was not judged, or whose scorecard is gone, has none."""
    keeper = SuiteKeeper(HEAD, store)
    for case in "ab":
        keeper.add(judged_run(case, "new", 5))
    keeper.finish()
    rows = [*keeper.results, failed("a", "old"), result("a", "old", evaluation="gone")]
    found = stored_complaints(store, rows)
    assert list(found) == ["new"] and [len(found["new"].of_case(case)) for case in "abc"] == [1, 1, 0]
    some = stored_complaints(store, rows, {"b"})
    assert [len(some["new"].of_case(case)) for case in "ab"] == [0, 1]


# --- shards


@pytest.mark.parametrize(
    ("field", "value"),
    [("variants", ("old", "new", "x")), ("judges", ("openai:m",)), ("gate", SuiteGate()), ("suite", "other")],
)
def test_shards_that_differ_in_what_a_run_is_are_not_merged(field: str, value: Any) -> None:
    """The message names both runs, the field and both values, the earlier run first."""
    later = HEAD._replace(id="x", created="2026-01-02T00:00:00Z", **{field: value})
    for parts in ([HEAD, later], [later, HEAD]):
        with pytest.raises(InputError) as caught:
            merge_results([StoredResults(part, []) for part in parts])
        assert str(caught.value) == (
            f"the runs run-1 and x do not belong together: {field} is {getattr(HEAD, field)} in one and {value} "
            "in the other"
        )


def test_runs_that_look_at_their_results_on_the_way_are_not_merged() -> None:
    with pytest.raises(InputError, match="where one stops depends on its own results alone"):
        merge_results([StoredResults(HEAD._replace(looks=(5, 10)), [])])


def test_of_shards_begun_at_the_same_moment_the_first_by_id_is_the_head() -> None:
    """Notes of each count once and are sorted; those that sum up how runs were watched are made anew."""
    heads = [
        HEAD._replace(id="b", notes=("y", "x")),
        HEAD._replace(id="a", notes=("x", "2 of 2 runs: confined by bubblewrap, network open")),
    ]
    merged = merge_results([StoredResults(head, []) for head in heads])
    assert merged.run.notes == ("x", "y")
    again = merge_results([StoredResults(head, [result("a", "old", 1, 500)]) for head in heads])
    assert again.run.id != merged.run.id and again.run.pairs is None


# --- standings


# --- threads


# --- results by name, and cases taken together


def results_file(path: Path, run: SuiteRun, rows: list[CaseResult]) -> str:
    path.write_text("".join(results_text(run, rows)), encoding="utf-8")
    return str(path)


def test_a_run_is_read_from_a_file_where_there_is_one_and_else_from_the_store(store: Store, tmp_path: Path) -> None:
    """Without a store, a name is that of a file."""
    rows = [result("a", "old", 1, 500)]
    save_run(store, HEAD, rows)
    path = results_file(tmp_path / "results.jsonl", HEAD._replace(id="filed"), rows)
    assert [find_run(name, store).run.id for name in (path, "run-1")] == ["filed", "run-1"]
    assert find_run(path, None).run.id == "filed"
    with pytest.raises(InputError, match=r"absent\.jsonl"):
        find_run("absent.jsonl", None)


def test_cases_are_taken_together_by_a_column_of_a_table(tmp_path: Path) -> None:
    """The results say it; without a column they are as they were stored."""
    (tmp_path / "cases.csv").write_text("id,document\na,one\nb,one\n")
    rows = [result("a", "old", 1, 500, cluster="x"), result("b", "old", 1, 600)]
    path = results_file(tmp_path / "results.jsonl", HEAD, rows)
    column = f"{tmp_path}/cases.csv:document"
    assert [row.cluster for row in clustered_run(path, None, column).results] == ["one", "one"]
    assert list(clustered_run(path, None, None).results) == rows


def test_a_suite_s_cases_are_taken_together_by_a_column_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cases.csv").write_text("id,document\na,one\nb,two\n")
    suite = SUITE._replace(cases=(CASES[0]._replace(cluster="x"), CASES[1]))
    monkeypatch.setattr(checked_suite, "read", lambda path, validators: suite)
    found = checked_suite.read_suite("s.yaml", cluster=f"{tmp_path}/cases.csv:document")
    assert [(case.id, case.cluster) for case in found.cases] == [("a", "one"), ("b", "two")]
    assert checked_suite.read_suite("s.yaml") == suite


def test_the_newest_hundred_runs_are_listed_or_those_of_one_suite(store: Store) -> None:
    for number in range(101):
        created = f"2026-01-01T00:{number // 60:02}:{number % 60:02}Z"
        save_run(store, HEAD._replace(id=f"r{number:03}", created=created, suite="s" if number < 2 else "demo"), [])
    listed = [run.id for run in stored_runs(store)]
    assert (len(listed), listed[0], listed[-1]) == (100, "r100", "r001")
    assert [run.id for run in stored_runs(store, suite="s")] == ["r001", "r000"]
    assert [run.id for run in stored_runs(store, limit=1)] == ["r100"]


def test_the_head_of_a_run_has_the_reference_that_it_runs_or_else_its_first_variant() -> None:
    """A shard may leave the reference out; the number of cases is that of the whole suite."""
    suite = SUITE._replace(reference="new", repeats=3, skill="greet", judges=("checks",), gate=SuiteGate())
    head = suite_run(suite, cases=7, notes=("first",))
    assert (head.reference, head.cases, head.repeats, head.skill, head.judges) == ("new", 7, 3, "greet", ("checks",))
    assert head.notes[0] == "first" and head.gate == SuiteGate() and head.suite == "s"
    alone = suite_run(suite._replace(variants=(OLD,)))
    assert (alone.reference, alone.variants, alone.cases) == ("old", ("old",), 2)


# --- models as variants


def asked_model(
    monkeypatch: pytest.MonkeyPatch, variant: Variant, named: dict[str, Any] | None = None
) -> tuple[AgentRun, list[Any]]:
    """A run of a model that takes 1.23456 seconds, and what its price is asked about."""
    noted: list[Any] = []
    moments = iter((10.0, 11.23456))

    async def ask(request: Any) -> Reply:
        return Reply("Text.")

    async def close() -> None:
        noted.append("closed")

    def estimated(provider: Any, tokens: int, most: int) -> Decimal:
        noted.append((tokens, most))
        return Decimal(1)

    monkeypatch.setattr(model_variants, "configured", lambda tables: named or {})
    monkeypatch.setattr(model_variants, "open_provider", lambda *_, **__: SimpleNamespace(ask=ask, close=close))
    monkeypatch.setattr(model_variants, "estimate_input", lambda messages: sum(len(m.content) for m in messages))
    monkeypatch.setattr(model_variants, "estimate_cost", estimated)
    monkeypatch.setattr(model_variants, "cost", lambda provider, reply: None)
    monkeypatch.setattr(model_variants.clock, "now", lambda: "2026-01-01T00:00:00Z")
    assert isinstance(variant.does, Model)
    models = SuiteModels([variant.does], Budget(), limited=False)
    monkeypatch.setattr(model_variants.clock, "elapsed", lambda: next(moments))
    run = models.ask(PlannedRun(RunId("a", variant.name, 1), CASES[0], variant, "k" * 64))
    models.close()
    return run, noted


def test_a_model_s_run_says_when_it_began_and_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """In thousandths of a second; "Prompt a" has 8 characters, and a reply 8,192 tokens at most."""
    run, noted = asked_model(monkeypatch, Variant("m", Model("openai:one")))
    assert (run.started, run.seconds, run.cost) == ("2026-01-01T00:00:00Z", Decimal("1.235"), None)
    assert noted == [(8, 8192), "closed"]


def test_a_variant_without_a_limit_of_time_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = asked_model(monkeypatch, Variant("m", Model("openai:one"), limits=Limits(seconds=None)))
    assert run.outcome == "finished"


@pytest.mark.parametrize(("most", "tokens"), [(500, 500), (None, 8192)])
def test_a_model_s_table_may_limit_its_reply(most: int | None, tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table: Any = SimpleNamespace(max_tokens=most)
    monkeypatch.setattr(model_variants, "parse_spec", lambda spec, named: SimpleNamespace(provider="mine"))
    _, noted = asked_model(monkeypatch, Variant("m", Model("mine")), {"mine": table})
    assert noted[0] == (8, tokens)


def test_merged_results_are_sorted_by_case_then_variant_then_repeat() -> None:
    """A later repeat of a variant that comes first by name precedes the first repeat of the next."""
    rows = [result("a", "old", 1, 500), result("a", "new", 10, 500), result("a", "new", 2, 500)]
    merged = merge_results([StoredResults(HEAD, rows)])
    assert [(row.id.variant, row.id.repeat) for row in merged.results] == [("new", 2), ("new", 10), ("old", 1)]


def test_a_stored_run_that_is_damaged_is_out_of_reach_by_its_id(store: Store) -> None:
    store.add_suite_run(StoredSuite("run-9", "demo", "2026-01-01T00:00:00Z", "{"), ())
    with pytest.raises(StoreUnavailable, match="the stored run run-9 is damaged: "):
        stored_runs(store)
