"""Single rules of suites under way: what is reused, asked, merged, planned, watched and shown, each at its boundary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import evenhand
from evenhand import InputError
from evenhand.core.finding import Place
from evenhand.decisions.preference import PairResult, Preferences
from evenhand.decisions.suite import Case, Command, Limits, Message, Model, Recorded, Suite, Variant
from evenhand.errors import Problem
from evenhand.findings.expectations.expectation import Surroundings
from evenhand.judges.models.budget import Budget
from evenhand.judging.calibration import is_stale_note
from evenhand.providers.exchange import CallFailed, Reply, Request, Stopped
from evenhand.runs.confinement import CONFINED, NOT_CONFINED
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.missed_paths import TRIED
from evenhand.runs.planned import PlannedRun, Planner
from evenhand.runs.visible_paths import Hidden
from evenhand.runs.workspaces.start_listing import Entry
from evenhand.runs.workspaces.workspace import Changed
from evenhand.suites import checked_suite
from evenhand.suites.execution import model_variants
from evenhand.suites.execution.agent_runs import Activity, Reuse, SuiteWork
from evenhand.suites.execution.model_variants import SuiteModels
from evenhand.suites.execution.run_order import Shard, in_order, narrowed, read_shard, run_count
from evenhand.suites.judgement import run_submissions, seen_answers, suite_program
from evenhand.suites.judgement.counted_expectations import NO_JUDGE
from evenhand.suites.judgement.run_judgements import JudgedRun, SuiteJudging, case_result
from evenhand.suites.judgement.run_notes import WatchNotes, is_summary, watch_notes
from evenhand.suites.judgement.run_submissions import Handle, completed, handle_of, submission_of
from evenhand.suites.judgement.seen_answers import AnswerTraces
from evenhand.suites.judgement.suite_program import SuiteProgram
from evenhand.suites.results import kept_results, run_transcripts
from evenhand.suites.results.run_transcripts import TranscriptReader
from evenhand.suites.results.shards import merge_pairs
from evenhand.suites.results.suite_results import suite_run
from evenhand.suites.suite_plan import PlannedSuite
from evenhand.suites.suite_run import OpenSuite, SuiteOptions
from evenhand.work.agent_run import AgentRun, CaseResult, Outcome, RunId
from evenhand.work.submission import Event, Image, Submission, ToolCall, Usage

OLD, NEW = Variant("old", Command(("x",))), Variant("new", Command(("y",)))
CASES = tuple(Case(name, f"Prompt {name}") for name in "abc")
SUITE = Suite("s", CASES, (OLD, NEW), repeats=2)


def ran(outcome: Outcome = "finished", case: str = "a", variant: str = "old", repeat: int = 1, **more: Any) -> AgentRun:
    return AgentRun(RunId(case, variant, repeat), "k" * 64, outcome, **more)


# --- reuse


@pytest.mark.parametrize(
    ("reuse", "finished", "failed"),
    [
        (Reuse(), True, True),
        (Reuse(fresh=True), False, False),
        (Reuse(retry_failed=True), True, False),
        (Reuse(True, True), False, False),
    ],
)
def test_which_kept_runs_count(reuse: Reuse, finished: bool, failed: bool) -> None:
    assert (reuse.takes(ran()), reuse.takes(ran("failed")), reuse.takes(ran("timed out"))) == (finished, failed, failed)


class Kept:
    """Kept runs by key."""

    folder = Path("runs")

    def __init__(self, *runs: AgentRun) -> None:
        self.runs = runs

    def load(self, key: str, id: RunId) -> AgentRun | None:
        return next((run._replace(id=id) for run in self.runs if run.key == key), None)


def planned_run(variant: Variant = OLD, **more: Any) -> PlannedRun:
    return PlannedRun(RunId("a", variant.name, 1), CASES[0], variant, "k" * 64, **more)


def test_a_run_need_not_be_made_that_is_kept_recorded_or_cannot_start(tmp_path: Path) -> None:
    kept: Any = Kept(ran("failed"))
    runs = SuiteWork(SUITE, kept, jobs=1)
    assert runs.found(planned_run()) == ran("failed")
    assert runs.found(planned_run()._replace(key="0" * 64)) is None
    assert SuiteWork(SUITE, kept, jobs=1, reuse=Reuse(retry_failed=True)).found(planned_run()) is None
    assert SuiteWork(SUITE, kept, jobs=1, reuse=Reuse(fresh=True)).found(planned_run()) is None
    stopped = runs.found(planned_run(problem="no such file"))
    assert stopped is not None and (stopped.outcome, stopped.reason) == ("not started", "no such file")
    (tmp_path / "a.md").write_text("The output.")
    recorded = runs.found(planned_run(Variant("old", Recorded(f"{tmp_path}/{{case}}.md"))))
    assert recorded is not None and (recorded.outcome, recorded.output) == ("finished", "The output.")
    assert runs.activity.total == 12 and Activity(3).reused == 0


# --- order and parts


def test_variants_take_turns_and_all_first_runs_come_first() -> None:
    """The order rotates from case to case, and from repeat to repeat."""
    order = [(case.id, variant.name, repeat) for case, variant, repeat in in_order(SUITE)]
    assert order == [
        ("a", "old", 1), ("a", "new", 1), ("b", "new", 1), ("b", "old", 1), ("c", "old", 1), ("c", "new", 1),
        ("a", "new", 2), ("a", "old", 2), ("b", "old", 2), ("b", "new", 2), ("c", "new", 2), ("c", "old", 2),
    ]  # fmt: skip
    assert run_count(SUITE) == len(order)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/3", "1/x", "/3", "1/", "", "-1/3", "1/3/4"])
def test_rejects_what_is_not_a_shard(text: str) -> None:
    with pytest.raises(InputError, match="is not K/N, such as 3/8 for the third of eight parts"):
        read_shard(text)


def test_every_case_is_in_exactly_one_shard() -> None:
    assert read_shard("3/3") == Shard(3, 3) and read_shard("1/1") == Shard(1, 1)
    for of in (1, 2, 3, 7):
        for name in ("a", "b", "case-17", "ä"):
            assert sum(Shard(number, of).holds(name) for number in range(1, of + 1)) == 1


def test_cases_are_chosen_by_id_or_tag_and_variants_by_name() -> None:
    tagged = SUITE._replace(cases=(CASES[0]._replace(tags=("hard",)), *CASES[1:]))
    assert [case.id for case in narrowed(tagged, only=["hard", "c"]).cases] == ["a", "c"]
    assert [variant.name for variant in narrowed(tagged, variants=["new"]).variants] == ["new"]
    assert narrowed(tagged) == tagged
    with pytest.raises(InputError, match=r'"hrd".*did you mean hard'):
        narrowed(tagged, only=["hrd"])
    with pytest.raises(InputError, match='variant "zzzzzz"'):
        narrowed(tagged, variants=["zzzzzz"])
    parts = [narrowed(tagged, shard=Shard(number, 2)).cases for number in (1, 2)]
    assert sorted(case.id for part in parts for case in part) == ["a", "b", "c"]


# --- models as variants


class Money:
    """A budget that notes what is reserved and paid."""

    def __init__(self, stops: bool = False) -> None:
        self.noted: list[Any] = []
        self.stops = stops

    def retry(self) -> None:
        self.noted.append("retry")

    async def reserve(self, most: Decimal | None) -> None:
        if self.stops:
            raise Stopped
        self.noted.append(("reserved", most))

    def settle(self, most: Decimal | None, cost: Decimal | None, *, failed: bool = False) -> None:
        self.noted.append(("settled", most, cost, failed))


class Written:
    """A provider that replies as it is told."""

    def __init__(self, reply: Reply | Exception) -> None:
        self.reply, self.asked, self.closed = reply, list[Request](), 0

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply

    async def close(self) -> None:
        self.closed += 1


MODEL = Variant("m", Model("openai:one", "{prompt} {case} {repeat} {vars.word} {vars.none} {else}", "Be {case}."))


def asked(
    monkeypatch: pytest.MonkeyPatch, reply: Reply | Exception, *, stops: bool = False, variant: Variant = MODEL
) -> tuple[AgentRun, Money, Written]:
    provider, money = Written(reply), Money(stops)
    monkeypatch.setattr(model_variants, "configured", lambda tables: {})
    monkeypatch.setattr(model_variants, "open_provider", lambda *_, **__: provider)
    monkeypatch.setattr(model_variants, "price_of", lambda _: object())
    monkeypatch.setattr(model_variants, "estimate_cost", lambda _, tokens, most: Decimal(most))
    monkeypatch.setattr(model_variants, "cost", lambda _, reply: Decimal("0.25"))
    case = Case(
        "c",
        "Say {repeat}.",
        conversation=(Message("user", "Hi"), Message("assistant", "Ho")),
        variables=(("word", "w"),),
    )
    budget: Any = money
    models = SuiteModels([variant.does], budget, limited=True)  # type: ignore[list-item]
    try:
        return models.ask(PlannedRun(RunId("c", "m", 3), case, variant, "k" * 64)), money, provider
    finally:
        models.close()
        assert provider.closed == 1


def test_a_model_is_asked_with_its_template_and_pays_what_the_reply_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each repeat has its own seed; what was reserved is the most it could cost."""
    run, money, provider = asked(monkeypatch, Reply("Text.", input_tokens=7, output_tokens=3))
    (request,) = provider.asked
    assert [(message.role, message.content) for message in request.messages] == [
        ("system", "Be c."),
        ("user", "Hi"),
        ("assistant", "Ho"),
        ("user", "Say {repeat}. c 3 w {vars.none} {else}"),
    ]
    assert (request.max_tokens, request.seed) == (8192, 3)
    assert money.noted == [("reserved", Decimal(8192)), ("settled", Decimal(8192), Decimal("0.25"), False)]
    assert (run.outcome, run.output, run.input_tokens, run.output_tokens, run.cost) == (
        "finished", "Text.", 7, 3, Decimal("0.25"),
    )  # fmt: skip
    assert run.seconds is not None and run.reason == ""


def test_a_model_without_a_system_prompt_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, provider = asked(monkeypatch, Reply("x"), variant=Variant("m", Model("openai:one", "{prompt}")))
    assert [message.role for message in provider.asked[0].messages] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("reply", "outcome", "reason", "output"),
    [
        (Reply("", "refused"), "failed", "the model refused", None),
        (Reply("No.", "refused"), "failed", "the model refused", "No."),
        (Reply("", instead="it called a tool"), "failed", "it called a tool", None),
        (Reply("half", "length"), "stopped by a limit", "its reply reached the limit of tokens", "half"),
        (Reply("", "stop"), "finished", "", ""),
        (Reply("x", "unknown"), "finished", "", "x"),
    ],
)
def test_only_a_whole_reply_is_a_finished_run(
    monkeypatch: pytest.MonkeyPatch, reply: Reply, outcome: str, reason: str, output: str | None
) -> None:
    run, _, _ = asked(monkeypatch, reply)
    assert (run.outcome, run.reason, run.output) == (outcome, reason, output)


@pytest.mark.parametrize(
    ("failure", "outcome", "reason"),
    [
        (CallFailed("HTTP 500", kind="server"), "failed", "HTTP 500"),
        (TimeoutError(), "timed out", "it took longer than 30 s"),
    ],
)
def test_a_call_that_failed_costs_nothing_that_is_known(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, outcome: str, reason: str
) -> None:
    run, money, _ = asked(monkeypatch, failure, variant=MODEL._replace(limits=Limits(seconds=Decimal(30))))
    assert (run.outcome, run.reason, run.cost) == (outcome, reason, None) and run.seconds is not None
    assert money.noted[-1] == ("settled", Decimal(8192), None, True)


def test_a_spent_budget_leaves_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Interrupted):
        asked(monkeypatch, Reply("x"), stops=True)


# --- what judges get


def test_a_handle_says_which_run_a_submission_is_of() -> None:
    handle = Handle("card", "key", "a", "old", 2)
    assert handle_of(Submission("x", id=json.dumps(handle))) == handle
    assert handle.run == RunId("a", "old", 2)


def test_a_submission_has_all_that_its_case_says(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("a", "Prompt", reference="ref", expect={"contains": "x"}, conversation=(Message("user", "Hi"),))
    run = ran(output="Out.", started="2026-01-01T00:00:00Z", seconds=Decimal("1.5"))
    made = submission_of(SUITE._replace(skill="greet"), case, OLD, run)
    assert (made.output, made.task, made.skill, made.reference, made.expect) == (
        "Out.", "User: Hi\n\nUser: Prompt", "greet", "ref", {"contains": "x"},
    )  # fmt: skip
    assert (made.source, made.started, made.ended) == ("a", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01.500Z")
    handle = handle_of(made)
    assert (handle.key, handle.run) == ("k" * 64, run.id) and len(handle.card) > 8
    assert submission_of(SUITE, case._replace(task=""), OLD, run).task == ""
    assert submission_of(SUITE, case, OLD, run._replace(seconds=None)).ended == ""
    assert submission_of(SUITE, case, OLD, run._replace(started="")).ended == ""


def reading(monkeypatch: pytest.MonkeyPatch, *submissions: Submission | InputError) -> list[str]:
    """Let every transcript hold these submissions; the paths that were read."""
    paths: list[str] = []

    def read(path: str) -> Iterator[Submission | InputError]:
        paths.append(path)
        return iter(submissions)

    monkeypatch.setattr(run_submissions, "read", read)
    return paths


BAD = InputError([Problem("first fault", "t.jsonl", 3), Problem("second fault", "t.jsonl", 9)])


def test_a_transcript_that_cannot_be_read_is_reported_with_its_first_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    reading(monkeypatch, BAD)
    run = ran(output="Out.", transcript="t.jsonl")
    made = submission_of(SUITE, CASES[0], OLD, run)
    why = "judged by its output alone, because its transcript cannot be read: first fault"
    assert (made.output, made.warnings) == ("Out.", (Problem(why, "t.jsonl", 3),))
    assert completed(OLD, run, Path("/f")).notes == ("its transcript was not read: first fault",)
    recorded = completed(Variant("r", Recorded("x")), run, Path())
    assert (recorded.outcome, recorded.reason) == ("not started", "t.jsonl:3: first fault")


@pytest.mark.parametrize(
    ("said", "named", "output"),
    [("said", False, "said"), ("", False, "Out."), ("said", True, "Out.")],
)
def test_the_output_is_what_the_transcript_says_unless_a_file_holds_it(
    monkeypatch: pytest.MonkeyPatch, said: str, named: bool, output: str
) -> None:
    reading(monkeypatch, Submission(said, format="submissions"))
    variant = Variant("old", Command(("x",), output="out.md" if named else None))
    made = submission_of(SUITE, CASES[0], variant, ran(output="Out.", transcript="t"))
    assert (made.output, made.format) == (output, "text")


def test_the_tokens_of_a_transcript_count_where_it_states_them(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ran(transcript="t", input_tokens=1, output_tokens=2, cost=Decimal(3))
    assert completed(OLD, ran(), Path("/f")) == ran()
    paths = reading(monkeypatch, Submission("x"))
    assert completed(OLD, run, Path("/f")) == run
    assert paths == ["/f/t"]
    reading(monkeypatch, Submission("x", usage=Usage(10, 20), cost=Decimal(30)))
    made = completed(OLD, run, Path("/f"))
    assert (made.input_tokens, made.output_tokens, made.cost, made.output) == (10, 20, Decimal(30), None)


def test_a_recorded_run_is_one_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    variant = Variant("r", Recorded("x"))
    reading(monkeypatch, Submission("x"), Submission("y"))
    made = completed(variant, ran(transcript="t"), Path())
    assert (made.outcome, made.reason) == ("not started", "t holds 2 submissions; a recorded run is one")
    reading(monkeypatch, Submission("x"))
    assert completed(variant, ran(transcript="t"), Path()).output == "x"


@pytest.mark.parametrize(("tokens", "total"), [((None, None), None), ((None, 5), None), ((7, None), 7), ((7, 5), 12)])
def test_the_tokens_of_a_result_are_those_in_and_out(tokens: tuple[int | None, int | None], total: int | None) -> None:
    run = ran("failed", reason="no", input_tokens=tokens[0], output_tokens=tokens[1], notes=(CONFINED, "other"))
    case = CASES[0]._replace(tags=("t",), weight=Decimal(2))
    result = case_result(run, case, None, "why")
    assert (result.tokens, result.unscored, result.tags, result.weight, result.reason, result.notes, result.key) == (
        total, "why", ("t",), Decimal(2), "no", (CONFINED,), "k" * 64,
    )  # fmt: skip


def test_only_finished_runs_are_given_to_judges() -> None:
    runs = [ran("failed"), ran(output="x", case="b"), ran("timed out"), ran(output="y", case="c", variant="new")]
    given = [handle_of(submission).run for submission in SuiteJudging(SUITE).submissions(runs)]
    assert given == [RunId("b", "old", 1), RunId("c", "new", 1)]


# --- notes


def noted(case: str, *notes: str, repeat: int = 1) -> CaseResult:
    return CaseResult(RunId(case, "old", repeat), "finished", "", (), Decimal(1), notes=notes)


def test_notes_are_counted_and_attempts_named_by_case() -> None:
    notes = WatchNotes()
    for result in (
        noted("b", NOT_CONFINED, f"{TRIED}/x"),
        noted("a", NOT_CONFINED),
        noted("c", CONFINED, f"{TRIED}/y"),
    ):
        notes.add(result)
    lines = notes.lines()
    assert lines[0] == "Not confined: on this machine agents could read the answers."
    assert lines[1:3] == (f"1 of 3 runs: {CONFINED}", f"2 of 3 runs: {NOT_CONFINED}")
    assert lines[3:] == (f"b, old, repeat 1: {TRIED}/x", f"c, old, repeat 1: {TRIED}/y")
    assert all(map(is_summary, lines)) and not is_summary("a note of the user")
    assert watch_notes([NOT_CONFINED, "other", f"{TRIED}/x"]) == (NOT_CONFINED, f"{TRIED}/x")


def test_expectations_that_no_one_decided_are_counted_by_reason() -> None:
    """Otherwise "2 of 2 met" would hide them. That the suite names no judge is said elsewhere, once."""
    notes = WatchNotes()
    for case, verdicts in (("a", ("met", "no answer")), ("b", ("no answer", "met")), ("c", ("met", NO_JUDGE))):
        notes.add(noted(case)._replace(verdicts=verdicts))
    lines = notes.lines()
    assert lines == ("2 of 3 runs: an expectation was not decided and does not count: no answer",)
    assert all(map(is_summary, lines))


def test_ten_attempts_are_named_and_the_others_counted() -> None:
    """The first by name, whatever the order in which they come."""
    notes = WatchNotes()
    for number in reversed(range(12)):
        notes.add(noted(f"c{number:02}", f"{TRIED}/x"))
    lines = notes.lines()
    assert [line[:3] for line in lines[:-1]] == [f"c{number:02}" for number in range(10)]
    assert lines[-1] == "2 more notes on single runs" and is_summary(lines[-1])
    exactly = WatchNotes()
    for number in range(10):
        exactly.add(noted(f"c{number}", f"{TRIED}/x"))
    assert len(exactly.lines()) == 10


# --- merging


def preferences(*results: PairResult, **more: Any) -> Preferences:
    return Preferences(**{"systems": ("old", "new"), "results": results, "judges": (), "rubrics": {}, **more})


def test_preferences_are_merged_in_one_order() -> None:
    """The names of most systems; results, judges and failures sorted, what is left out added up."""
    first = preferences(
        PairResult("b", "old", "new", "a"),
        PairResult("a", "old", "new", "b"),
        judges=({"name": "z"}, {"name": "y"}),
        rubrics={"r": "1", "q": "2"},
        unmatched=(("old", "x"), ("new", "x")),
        failures=("late", "early"),
        left_out=2,
    )
    second = preferences(
        PairResult("a", "new", "third", "a"), PairResult("a", "old", "new", "b"),
        systems=("new", "old", "third"), judges=({"name": "y"},), rubrics={"p": "3"}, left_out=1,
    )  # fmt: skip
    for parts in ([first, second], [second, first]):
        merged = merge_pairs(parts)
        assert merged is not None
        assert merged.systems == ("new", "old", "third")
        assert [(result.item, result.a, result.b) for result in merged.results] == [
            ("a", "new", "third"), ("a", "old", "new"), ("b", "old", "new"),
        ]  # fmt: skip
        assert merged.judges == ({"name": "y"}, {"name": "z"})
        assert list(merged.rubrics.items()) == [("p", "3"), ("q", "2"), ("r", "1")]
        assert (merged.unmatched, merged.failures, merged.left_out) == (
            (("new", "x"), ("old", "x")), ("early", "late"), 3,
        )  # fmt: skip
    assert merge_pairs([]) is None


def test_of_equal_results_the_first_in_a_fixed_order_is_kept() -> None:
    one = PairResult("a", "old", "new", "a", warnings=("first",))
    other = one._replace(warnings=("second",))
    for parts in ([one, other], [other, one]):
        merged = merge_pairs([preferences(part) for part in parts])
        assert merged is not None and merged.results == (one,)
    with pytest.raises(InputError, match="old and new were compared on case a with different outcomes"):
        merge_pairs([preferences(one), preferences(one._replace(outcome="b"))])


def test_systems_of_equal_number_are_those_first_by_name() -> None:
    merged = merge_pairs([preferences(systems=("b", "c")), preferences(systems=("a", "z"))])
    assert merged is not None and merged.systems == ("a", "z")


# --- plans


def test_judges_read_what_exists_before_what_stands_in() -> None:
    planned = PlannedSuite(SUITE, None)
    planned.add(planned_run(NEW), None, None)
    planned.add(planned_run(), ran(output="word " * 8), None)
    seen: list[Submission] = []

    class Panel:
        def plan(self, submissions: Iterator[Submission]) -> tuple[None, list[Any]]:
            seen.extend(submissions)
            return None, []

    panel: Any = lambda program: Panel()  # noqa: E731
    program: Any = None
    plan = planned.with_judges(planned.plan(1), panel, program, None)
    assert [handle_of(submission).variant for submission in seen] == ["old", "new"]
    (assumed,) = plan.assumed
    assert (assumed.variant, assumed.runs, assumed.basis) == ("new", 1, "other variants' kept runs")
    stand_in = seen[1]
    assert stand_in.output.startswith("a new 1:") and stand_in.task == "Prompt a" and handle_of(stand_in).card == ""


# --- transcripts on a page


def event(text: str = "", **more: Any) -> Event:
    return Event("message", "user", text, Place("t", 1), **more)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """What a page shows of transcripts with some events."""
    path = tmp_path / "t.jsonl"
    path.write_text("x" * 10)
    reader = TranscriptReader()

    def show(*events: Event) -> Any:
        monkeypatch.setattr(run_transcripts, "read", lambda *_, **__: iter([Submission("", events=events)]))
        return reader.shown(str(path))

    return show


@pytest.mark.parametrize(
    ("length", "cut"), [(2000, ""), (2001, "\n... and 1 more characters"), (3500, "\n... and 1,500 more characters")]
)
def test_a_long_text_is_cut_at_two_thousand_characters(shown: Any, length: int, cut: str) -> None:
    call = ToolCall("tool", {"a": "b"}, result="y" * length)
    (only,) = shown(event("x" * length, call=call, images=(Image("image/png", b"", "h"),))).events
    assert only.text == "x" * min(length, 2000) + cut
    assert only.call.result == "y" * min(length, 2000) + cut and only.call.arguments == {"a": "b"}
    assert only.images == ()


def test_a_transcript_has_twelve_thousand_characters_with_calls_and_their_results(shown: Any) -> None:
    """Six texts of 2,000 fit exactly; the seventh is left out, and so is all that follows."""
    made = shown(*[event("x" * 2000)] * 7, event("y"))
    assert (len(made.events), made.left_out) == (6, 2)
    call = ToolCall("tool", "z" * 998, result="r" * 1000)  # with its quotes, 1,000 characters of arguments
    assert len(shown(*[event("", call=call)] * 7).events) == 6


def test_a_page_ends_when_it_has_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("x" * 10)
    monkeypatch.setattr(run_transcripts, "read", lambda *_, **__: iter([Submission("", events=(event("x" * 5),))]))
    monkeypatch.setattr(run_transcripts, "MOST_ON_A_PAGE", 5)
    reader = TranscriptReader()
    assert len(reader.shown(str(path)).events) == 1
    assert reader.shown(str(path)).problem == "left out to keep the page small"
    monkeypatch.setattr(run_transcripts, "MOST_ON_A_PAGE", 100)
    monkeypatch.setattr(run_transcripts, "MOST_READ", 20)
    reader = TranscriptReader()
    assert [reader.shown(str(path)).problem for _ in range(3)] == ["", "", "left out to keep the page small"]
    assert reader.shown(str(tmp_path / "absent")).problem == "No such file or directory"
    assert reader.shown(None).path == ""


def test_a_transcript_in_this_folder_is_named_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    reader = TranscriptReader()
    assert reader.shown(str(tmp_path / "runs" / "t")).path == "runs/t"
    assert reader.shown("/elsewhere/t").path == "/elsewhere/t"
    (tmp_path / "t").write_text("{}")
    monkeypatch.setattr(run_transcripts, "read", lambda *_, **__: iter([BAD]))
    assert reader.shown(str(tmp_path / "t")).problem == "t.jsonl:3: first fault"


# --- keeping and looking


def test_scorecards_are_committed_two_hundred_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []

    class Keeper:
        failure = None

        def __init__(self, store: object, *, keep: str) -> None:
            assert keep == "text"

        def keep_batch(self, waiting: list[Any]) -> list[Any]:
            batches.append(len(waiting))
            return []

    monkeypatch.setattr(kept_results, "Keeper", Keeper)
    store: Any = SimpleNamespace(note_progress=lambda progress: None)
    keeper = kept_results.SuiteKeeper(suite_run(SUITE), store)
    card = evenhand.score({"scores": dict.fromkeys(evenhand.DIMENSIONS, 8)})
    for number in range(201):
        run = ran(case="a", repeat=number)
        keeper.add(JudgedRun(run, case_result(run, CASES[0], card), card, None))
    assert batches == [200]


TEXT, FILE = {"answer": {"contains": "x"}}, {"file": {"path": "a.txt", "exists": True}}


@pytest.mark.parametrize(
    ("expect", "looks"),
    [([TEXT], False), ([FILE], True), ([TEXT, FILE], True), (None, False)],
)
def test_a_workspace_is_made_again_only_for_expectations_about_files_and_commands(expect: Any, looks: bool) -> None:
    made: list[str] = []

    @contextmanager
    def workspace(handle: Handle) -> Iterator[Surroundings]:
        made.append(handle.case)
        yield Surroundings()

    submission = Submission("x", id=json.dumps(Handle("", "", "a", "old", 1)), expect=expect)
    SuiteProgram(workspace).look(submission)
    assert made == (["a"] if looks else [])


class KeptWorkspaces:
    """Kept runs whose workspaces can be made again, all of them whole or none."""

    def __init__(self, whole: bool) -> None:
        self.whole = whole

    def find(self, key: str) -> tuple[None, SimpleNamespace] | None:
        return (None, SimpleNamespace(whole=self.whole, written=(), gone=())) if key != "absent" else None


@pytest.mark.parametrize(("whole", "lost"), [(True, ""), (False, suite_program.LOST)])
def test_a_workspace_is_made_again_for_a_moment(
    whole: bool, lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be kept of it is said; the folder is gone afterwards, whatever happens inside."""
    plan = Planner(SUITE.variants, tmp_path).plan(CASES[1], NEW, 2)
    built: list[tuple[PlannedRun, Path]] = []
    monkeypatch.setattr(suite_program, "rebuild", lambda planned, kept, folder: built.append((planned, folder)))
    kept: Any = KeptWorkspaces(whole)
    workspace = suite_program.workspaces_of(SUITE, kept, tmp_path)
    with suppress(ZeroDivisionError), workspace(Handle("card", plan.key, "b", "new", 2)) as surroundings:
        ((planned, folder),) = built
        assert (planned.id, planned.key) == (RunId("b", "new", 2), plan.key)
        assert (surroundings.folder, surroundings.lost) == (folder, lost)
        assert folder.parent.is_dir()
        raise ZeroDivisionError
    assert not folder.parent.exists()


def test_without_the_run_as_it_was_there_is_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not kept, kept of another version of the suite, or made of files that have changed since."""
    plan = Planner(SUITE.variants, tmp_path).plan(CASES[0], OLD, 1)
    kept: Any = KeptWorkspaces(True)
    workspace = suite_program.workspaces_of(SUITE, kept, tmp_path)
    monkeypatch.setattr(suite_program, "rebuild", lambda *_: pytest.fail("nothing to make again"))
    for key in ("absent", "0" * 64):
        with workspace(Handle("card", key, "a", "old", 1)) as surroundings:
            assert surroundings == Surroundings()

    def changed(*_: object) -> None:
        raise Changed("a file")

    monkeypatch.setattr(suite_program, "rebuild", changed)
    with workspace(Handle("card", plan.key, "a", "old", 1)) as surroundings:
        assert surroundings == Surroundings()


@pytest.mark.parametrize(
    ("format", "judged_as"), [("submissions", "text"), ("text", "text"), ("claude-code", "claude-code")]
)
def test_a_transcript_keeps_its_format_but_a_file_of_submissions_is_a_text(
    format: str, judged_as: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scorecards would have the ids that the file names; here each run has one of its own."""
    reading(monkeypatch, Submission("Out.", format=format))
    assert submission_of(SUITE, CASES[0], OLD, ran(output="Out.", transcript="t")).format == judged_as


def test_a_run_that_cannot_be_judged_gives_the_first_reason() -> None:
    judging = SuiteJudging(SUITE, AnswerTraces(Hidden(()), Planner(SUITE.variants, Path("nowhere"))))
    arrivals = SimpleNamespace(results_of_arrivals=lambda submissions, abandon: (BAD for _ in submissions))
    made: Any = judging.by_models([ran(output="Out.")], cast("Any", arrivals), abandon=list)
    (row,) = made
    assert (row.card, row.result.unscored) == (None, "t.jsonl:3: first fault")


# --- a suite as a whole


def test_the_judge_that_is_chosen_later_needs_no_name_of_a_provider() -> None:
    """Any other is looked up when the suite is read."""
    judge = checked_suite.validators().judge
    assert judge is not None
    judge("auto")
    judge("openai:gpt-5-mini")
    with pytest.raises(InputError):
        judge("nobody:here")


def test_a_folder_stands_for_the_suite_file_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(checked_suite, "read", lambda path, validators: read.append(path) or SUITE)
    (tmp_path / "suite.yaml").write_text("")
    for path in (tmp_path, tmp_path / "suite.yaml", tmp_path / "absent"):
        checked_suite.read_suite(path)
    assert read == [str(tmp_path / "suite.yaml"), str(tmp_path / "suite.yaml"), str(tmp_path / "absent")]


def test_a_calibration_that_no_longer_holds_is_a_note_of_the_run(tmp_path: Path) -> None:
    with OpenSuite(SUITE, tmp_path / "runs", SuiteOptions(1)) as opened:
        assert (opened.out_of_date, opened.notes) == (None, [])
        opened.out_of_date = "the judge has moved"
        (said,) = opened.notes
        assert is_stale_note(said) and said.endswith("the judge has moved")


@pytest.mark.parametrize(("most", "is_all"), [(6, True), (5, False)])
def test_what_a_run_starts_from_is_read_up_to_a_number_of_bytes(
    most: int, is_all: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files of three bytes; of what is not read, nobody can tell whether an answer was in it."""
    monkeypatch.setattr(seen_answers, "_MOST_GIVEN", most)
    for name in ("a", "b"):
        (tmp_path / name).write_text("ABC")
    listing = tuple(Entry(name, "file", str(tmp_path / name), name * 64) for name in ("a", "b"))
    seen_answers._texts_of.cache_clear()
    made = seen_answers._texts_of(listing)
    seen_answers._texts_of.cache_clear()
    assert made.is_all is is_all
    assert len(made.texts) == 3 and made.texts[0] == "a b"


def test_of_what_a_run_starts_from_folders_and_unreadable_files_are_told_apart(tmp_path: Path) -> None:
    """A file that is missing or is not text may hold anything; a folder itself holds nothing."""
    (tmp_path / "data").write_bytes(b"a\0b")
    folder = Entry("f", "folder", "")
    for source, is_all in ((str(tmp_path / "data"), False), (str(tmp_path / "gone"), False)):
        assert seen_answers._texts_of((Entry("x", "file", source, "0" * 64), folder)).is_all is is_all
    assert seen_answers._texts_of((folder,)).is_all
    seen_answers._texts_of.cache_clear()


def test_a_further_attempt_to_reach_a_variant_s_model_counts_against_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is asked for before each; a key is needed unless only a plan is wanted."""
    opened: list[tuple[Any, bool]] = []

    def provider(spec: object, named: object, *, hooks: Any, needs_key: bool) -> Any:
        opened.append((hooks, needs_key))
        return SimpleNamespace(close=closed)

    async def closed() -> None:
        """Nothing to close."""

    monkeypatch.setattr(model_variants, "open_provider", provider)
    monkeypatch.setattr(model_variants, "price_of", lambda provider: None)
    budget = Budget(max_calls=1)
    models = [Model("openai:one")]
    asking = SuiteModels(models, budget, limited=False, needs_keys=False)
    ((hooks, needs_key),) = opened
    assert needs_key is False
    hooks.before_retry()
    assert budget.calls == 1
    with pytest.raises(Stopped):
        hooks.before_retry()
    asking.close()
    with pytest.raises(InputError, match="`max_cost` needs a price, and the price of openai:one is unknown"):
        SuiteModels(models, budget, limited=True)
    assert opened[1][1] is True
