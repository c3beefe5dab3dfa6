"""Single rules of judging: order and limits of work at once, what is read and refused, what a scorecard warns about."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import seven

import evenhand
from evenhand import InputError
from evenhand.core.finding import Place
from evenhand.engine.duck import BatchOptions
from evenhand.errors import JudgementError, Problem, StoreUnavailable
from evenhand.judges.models.budget import Budget
from evenhand.judges.written import judgement_from
from evenhand.judging.agent_judgement import assign, evaluate, instructions, judge_name
from evenhand.judging.card_warnings import about_reading, unexplained
from evenhand.judging.keeper import Keeper
from evenhand.judging.named_files import is_inside, read_output
from evenhand.judging.panels import concurrency
from evenhand.judging.panels.arrivals import InOrderOfArrival
from evenhand.judging.panels.concurrency import InOrder
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.rescoring import Rescorer, rescore_each
from evenhand.judging.rubric_choice import RubricChoice
from evenhand.judging.steps import Steps
from evenhand.judging.tables import spark
from evenhand.judging.tables.batch import batch_files, batch_rubric, memory_bytes, need, other_amounts
from evenhand.judging.tables.shared_limits import SharedLimits
from evenhand.judging.wrong_files import judgement_instead, skill_instead
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import Stopped
from evenhand.work.submission import Submission

# --- many at once


async def nothing() -> None:
    return None


def worked(
    items: list[Any],
    work: Callable[[Any], Any],
    *,
    window: int = 4,
    budget: Budget | None = None,
    close: Callable[[], Any] = nothing,
) -> list[Any]:
    in_order: InOrder[Any, Any] = InOrder(work, budget or Budget(), window=window)
    return [result for batch in in_order.results(items, close=close) for result in batch]


@pytest.mark.parametrize("window", [1, 2, 3, 8, 40])
def test_results_come_in_order_and_never_more_are_under_way_than_the_window(window: int) -> None:
    under_way, most = 0, 0

    async def work(item: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        while most < min(window, 12):  # until as many are under way as there may be
            await asyncio.sleep(0)
        for _ in range(5 - item % 5):  # later ones end sooner
            await asyncio.sleep(0)
        under_way -= 1
        return item * 2

    assert worked(list(range(12)), work, window=window) == [item * 2 for item in range(12)]
    assert most == min(window, 12)


def test_once_the_budget_stops_no_further_item_is_begun_and_all_is_closed() -> None:
    budget = Budget()
    begun: list[int] = []
    closed: list[str] = []

    async def work(item: int) -> int:
        begun.append(item)
        if item == 2:
            budget.stop("enough")
        return item

    async def close() -> None:
        closed.append("closed")

    assert worked(list(range(9)), work, window=2, budget=budget, close=close) == [0, 1, 2]
    assert (begun, closed) == ([0, 1, 2], ["closed"])


def take_all(batches: Iterator[list[Any]], given: list[Any]) -> None:
    for batch in batches:
        given += batch


def test_what_is_done_before_a_failure_is_given_out_first() -> None:
    async def work(item: int) -> int:
        if item == 2:
            raise KeyError("two")
        return item

    in_order: InOrder[int, int] = InOrder(work, Budget(), window=12)
    given: list[int | None] = []
    results = in_order.results(range(6), close=nothing)
    with pytest.raises(KeyError):
        take_all(results, given)
    assert given == [0, 1]


@pytest.mark.parametrize(("window", "first"), [(4, [0]), (8, [0, 1]), (12, [0, 1, 2])])
def test_results_that_are_nearly_ready_are_waited_for_up_to_a_quarter_of_the_window(
    window: int, first: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored together they cost one commit; the others are never waited for, or nothing would be given out early."""
    monkeypatch.setattr(concurrency, "MOMENT", 60)
    waiting = asyncio.Event()

    async def work(item: int) -> int:
        for _ in range(3 * item):
            await asyncio.sleep(0)
        if item >= len(first):
            await waiting.wait()
        return item

    in_order: InOrder[int, int] = InOrder(work, Budget(), window=window)
    results = in_order.results(range(4), close=nothing)
    assert next(results) == first
    waiting.set()
    rest: list[int | None] = []
    take_all(results, rest)
    assert [*first, *rest] == [0, 1, 2, 3]


@pytest.mark.parametrize(("times", "result"), [(1, "done"), (2, None)])
def test_ctrl_c_lets_a_call_in_flight_end_and_a_second_one_cancels_it(times: int, result: str | None) -> None:
    """Nothing further is begun either way."""
    budget = Budget()
    begun: list[int] = []

    async def work(item: int) -> str:
        begun.append(item)
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            while budget.stopped is None:
                await asyncio.sleep(0.001)
        if times == 2:
            await asyncio.sleep(60)  # the second one cancels this
        return "done"

    assert worked(list(range(9)), work, window=1, budget=budget) == [result]
    assert (budget.stopped, begun) == ("interrupted", [0])


def test_leaving_early_cancels_what_is_under_way() -> None:
    ended: list[int] = []

    async def work(item: int) -> int:
        try:
            await asyncio.sleep(0 if item == 0 else 60)
        finally:
            ended.append(item)
        return item

    in_order: InOrder[int, int] = InOrder(work, Budget(), window=3)
    results = in_order.results(range(9), close=nothing)
    assert next(results) == [0]
    results.close()
    assert sorted(ended) == [0, 1, 2]


def arrived(
    items: Iterator[Any], work: Callable[[Any], Any], budget: Budget | None = None
) -> tuple[list[Any], list[str]]:
    abandoned: list[str] = []
    in_order: InOrderOfArrival[Any, Any] = InOrderOfArrival(
        work, budget or Budget(), window=3, abandon=lambda: abandoned.append("abandoned")
    )
    return [result for batch in in_order.results(items, close=nothing) for result in batch], abandoned


async def doubled(item: int) -> int:
    await asyncio.sleep(0)
    return 2 * item


def test_items_are_worked_on_while_others_arrive() -> None:
    """The second is made only after the first has been worked on."""
    first_done = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        assert first_done.wait(60)
        yield 2

    async def work(item: int) -> int:
        if item == 1:
            first_done.set()
        return 2 * item

    assert arrived(items(), work) == ([2, 4], [])
    assert arrived(iter(()), doubled) == ([], [])
    assert arrived(iter(range(7)), doubled) == ([0, 2, 4, 6, 8, 10, 12], [])


def test_what_arrived_before_a_failure_is_worked_on_first() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError("three")

    abandoned: list[str] = []
    in_order: InOrderOfArrival[int, int] = InOrderOfArrival(
        doubled, Budget(), window=3, abandon=lambda: abandoned.append("abandoned")
    )
    given: list[int | None] = []
    results = in_order.results(items(), close=nothing)
    with pytest.raises(KeyError):
        take_all(results, given)
    assert (given, abandoned) == ([2, 4], ["abandoned"])


def test_after_a_stop_what_has_not_arrived_is_left() -> None:
    budget = Budget()
    source = iter(range(9))

    async def work(item: int) -> int:
        if item == 1:
            budget.stop("enough")
        return item

    given, _ = arrived(source, work, budget)
    assert given[:2] == [0, 1] and len(given) + len(list(source)) >= 7


# --- limits of many machines


class Kept(dict[str, str]):
    def put(self, key: str, reply: str) -> None:
        self[key] = reply


def asked(limits: SharedLimits, action: str, *words: Any) -> Any:
    return asyncio.run(getattr(limits, f"do_{action}")("w", *words))


def test_what_workers_reserve_is_settled_once() -> None:
    budget = Budget(max_cost=Decimal(10))
    limits = SharedLimits(budget, None)
    assert asked(limits, "reserve", "4") is False  # nobody is known by this name
    assert budget._reserved == 0
    limits._reserved["w"] = []
    assert asked(limits, "reserve", "4") is True and asked(limits, "reserve", None) is True
    assert budget._reserved == 4 and limits._reserved["w"] == [Decimal(4), Decimal(0)]
    before = budget.any_reply
    assert asked(limits, "settle", "4", "1.5", False) is True
    assert (budget._reserved, budget.cost, before, budget.any_reply) == (Decimal(0), Decimal("1.5"), False, True)
    asked(limits, "settle", "4", "1.5", False)
    assert budget.cost == Decimal("1.5")  # settled already
    limits._reserved["w"] = [Decimal(2)]
    other = SharedLimits(Budget(), None)
    other._reserved["w"] = [Decimal(0)]
    asked(other, "settle", None, None, True)
    assert other.budget.any_reply is False and other.budget.cost == 0


def test_calls_are_counted_and_stopped_for_all() -> None:
    budget = Budget(max_calls=2)
    limits = SharedLimits(budget, None)
    assert asked(limits, "retry") is True and budget.calls == 1
    assert asked(limits, "stop", "lost", True) is True
    assert (budget.stopped, budget.broken) == ("lost", True)


def test_replies_are_shared_where_they_are_kept() -> None:
    replies: Any = Kept()
    limits = SharedLimits(Budget(), replies)
    assert asked(limits, "put", "k", "text") is True
    assert (asked(limits, "get", "k"), asked(limits, "get", "other")) == ("text", None)
    without = SharedLimits(Budget(), None)
    assert asked(without, "put", "k", "text") is True and asked(without, "get", "k") is None


def test_a_rate_is_kept_by_name_and_corrected_once() -> None:
    limits = SharedLimits(Budget(), None)
    first, second = asked(limits, "take", "a", 100, 10.0), asked(limits, "take", "b", 100, 10.0)
    assert (first, second) == (1, 2) and set(limits._paces) == {"a", "b"}
    assert asked(limits, "correct", first, 5.0) is True
    assert set(limits._entries) == {2}
    assert asked(limits, "correct", first, 5.0) is True


# --- tables


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("100MB", 10**8),
        ("1.5GiB", 3 * 2**29),
        ("2 gb", 2 * 10**9),
        ("1T", 10**12),
        ("200000000", 2 * 10**8),
        ("200000KiB", 200_000 * 1024),
    ],
)
def test_an_amount_of_memory(text: str, amount: int) -> None:
    assert memory_bytes(text) == amount


@pytest.mark.parametrize("text", ["99MB", "99999999", "", "x", "1PB", "-1GB", "1..5GB"])
def test_what_is_not_an_amount_of_memory_or_too_little(text: str) -> None:
    with pytest.raises(InputError, match="`memory`"):
        memory_bytes(text)


def test_a_missing_package_is_named() -> None:
    need("json", "os")
    with pytest.raises(
        InputError, match=r"this needs nowhere_a and nowhere_b; install with: pip install 'evenhand\[batch\]'"
    ):
        need("nowhere_a", "json", "nowhere_b")


def test_flags_of_other_amounts_are_named_for_a_table_that_counts_them() -> None:
    terms = batch_rubric("default").terms
    plain = {id: flag._replace(deduction=Decimal("0.50")) for id, flag in terms.red_flags.items()}
    assert other_amounts(terms._replace(red_flags=plain)) is None
    first = next(iter(plain))
    odd = plain | {first: plain[first]._replace(deduction=Decimal("1.00"))}
    warning = other_amounts(terms._replace(red_flags=odd))
    assert (
        warning is not None and f"gives other amounts to {first}: give the ids" in warning and "takes 0.50;" in warning
    )
    assert batch_rubric(None).terms.rubric == "default"


# --- files that are named


def test_an_output_is_read_beside_its_judgement_or_where_it_is_allowed(tmp_path: Path) -> None:
    base, other = tmp_path / "base", tmp_path / "other"
    for folder in (base, other):
        folder.mkdir()
        (folder / "o.md").write_text(folder.name)
    assert read_output("o.md", base, ()) == "base"
    assert read_output("../other/o.md", base, (other,)) == "other"
    with pytest.raises(JudgementError, match=r"the output .*: lies outside the judgement's folder; allow it with"):
        read_output("../other/o.md", base, ())
    (base / "link.md").symlink_to(other / "o.md")
    with pytest.raises(JudgementError, match="lies outside"):
        read_output("link.md", base, ())
    with pytest.raises(JudgementError) as error:
        read_output("absent.md", base, ())
    assert error.value.problems[0].path == ("output",)
    (base / "o.md").write_text("changed")
    assert is_inside(str(base), [base]) and not is_inside(str(tmp_path), [base, other])


# --- rubrics


def test_which_rubric_a_submission_is_judged_with() -> None:
    from evenhand.work.submission import Event

    event = Event("message", "user", "x", Place("f", 1))
    choice = RubricChoice()
    assert choice.for_submission(Submission("x")).rubric.name == "default"
    assert choice.for_submission(Submission("x", skill="devops")).rubric.name == "devops"
    assert choice.for_submission(Submission("x", skill="no-such-skill")).rubric.name == "default"
    assert choice.for_submission(Submission("x", events=(event,))).rubric.name == "agent-run"
    assert choice.for_submission(Submission("x", skill="devops", events=(event,))).rubric.name == "devops"
    assert RubricChoice("devops").for_submission(Submission("x", skill="code-review")).rubric.name == "devops"
    assert choice.for_submission(Submission("x")) is choice.for_submission(Submission("y"))


def test_which_rubric_a_judgement_is_scored_with(tmp_path: Path) -> None:
    def written(**more: Any) -> Any:
        return judgement_from({"scores": seven(8), **more})

    choice, asked_for = RubricChoice(), RubricChoice("devops")
    assert choice.for_judgement(written(), tmp_path).rubric.name == "default"
    assert choice.for_judgement(written(skill="devops"), tmp_path).rubric.name == "devops"
    assert choice.for_judgement(written(skill="devops", rubric="code-review"), tmp_path).rubric.name == "code-review"
    assert asked_for.for_judgement(written(rubric="devops"), tmp_path).warnings == ()
    assert asked_for.for_judgement(written(), tmp_path).warnings == ()
    (note,) = asked_for.for_judgement(written(rubric="code-review"), tmp_path).warnings
    assert note == "scored with rubric devops as asked; the judgement names code-review"


def test_a_rubric_with_errors_is_listed_once_and_then_named(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_text("# Bad\n\n## Dimensions\n\n### Correctness (0,30)\n\n### Unknown thing (30%)\n")
    choice = RubricChoice()
    judgement = judgement_from({"scores": seven(8), "rubric": "bad.md"})
    counts = []
    for _ in range(3):
        with pytest.raises(JudgementError) as error:
            choice.for_judgement(judgement, tmp_path)
        counts.append(len(error.value.problems))
    assert counts[0] > 1 and counts[1:] == [1, 1]
    assert f"the rubric bad.md has {counts[0]} errors, which are listed once above; not scored" in str(error.value)
    assert error.value.problems[0].path == ("rubric",)


def test_rubric_files_may_be_kept_to_some_folders(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    judgement = judgement_from({"scores": seven(8), "rubric": "../bad.md"})
    with pytest.raises(JudgementError, match="lies outside the folders that may be read; give a rubric's name"):
        RubricChoice(folders=[tmp_path / "in"]).for_judgement(judgement, tmp_path / "in")
    named = judgement_from({"scores": seven(8), "rubric": "devops"})
    assert RubricChoice(folders=[tmp_path]).for_judgement(named, tmp_path).rubric.name == "devops"


# --- warnings


def test_quotes_that_are_not_there_are_counted() -> None:
    def verified(*quotes: str) -> Any:
        scores: dict[str, Any] = seven(8)
        scores["safety"] = {"score": 8, "evidence": list(quotes)}
        card = evenhand.score({"scores": scores}, output="A text that is quoted here.")
        return [warning for warning in card.warnings if "quote" in warning]

    assert verified("A text that is") == []
    assert verified("Not there") == ["1 quote is not in the output as written; see the marked evidence"]
    assert verified("Not there", "nor this") == ["2 quotes are not in the output as written; see the marked evidence"]
    assert about_reading(judgement_from({"scores": seven(8)}), None) == ()


def test_what_a_judge_did_not_see_is_reported() -> None:
    def unread(submission: Submission) -> tuple[str, ...]:
        return about_reading(judgement_from({"scores": seven(8)}), submission)

    problems = tuple(Problem(f"fault {n}", "f", n) for n in (1, 2))
    assert unread(Submission("x")) == ()
    assert unread(Submission("x", problems=problems[:1])) == (
        "only partly judged, because the file is damaged: f:1: fault 1",
    )
    assert unread(Submission("x", problems=problems))[0].endswith("f:1: fault 1 (the first of 2 problems)")
    kinds = {f"k{n}": n for n in range(1, 8)}
    assert unread(Submission("x", unknown=dict(list(kinds.items())[:5]))) == (
        "not recognised, so not judged: k1 (1), k2 (2), k3 (3), k4 (4), k5 (5)",
    )
    assert unread(Submission("x", unknown=kinds))[0].endswith("k5 (5) and 2 more kinds")
    assert unread(Submission("x", warnings=(Problem("a warning", "f", 3),))) == ("f:3: a warning",)


def test_red_flags_without_a_reason_are_named() -> None:
    def flagged(*flags: Any) -> Any:
        return judgement_from({"scores": seven(8), "red_flags": list(flags)})

    assert unexplained(flagged({"id": "a", "explanation": "why"})) == ()
    assert unexplained(flagged("a")) == ("no explanation was given for the red flag a",)
    assert unexplained(flagged("a", {"id": "b", "explanation": " "})) == (
        "no explanation was given for the red flags a, b",
    )


# --- the wrong kind of file


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        (
            '{"scores": {"correctness": 1, "completeness": 2, "adherence": 3, "actionability": 4}}',
            "f.json",
            "judgement",
        ),
        ('{"scores": {"correctness": 1, "completeness": 2, "adherence": 3}}', "f.json", None),
        ("scores:\n  correctness: 1\n  completeness: 2\n  adherence: 3\n  safety: 4\n", "f.md", "judgement"),
        ("scores: [\ncorrectness: 1\ncompleteness: 2\nsafety: 3\n", "f.yaml", "judgement"),
        ("scores: [\ncorrectness: 1\ncompleteness: 2\nsafety: 3\n", "f.md", None),
        ("scores: [\ncorrectness: 1\ncompleteness: 2\n", "f.yaml", None),
        ("The scores of the game were even.", "f.md", None),
    ],
)
def test_a_judgement_is_not_judged(text: str, name: str, kind: str | None) -> None:
    error = judgement_instead(Submission(text, source=name, format="text"))
    assert (error is None) is (kind is None)
    if error is not None:
        assert f"looks like a {kind}, not an output; to score it: evenhand score {name}" in str(error)


# --- agents as judges


@pytest.mark.parametrize(
    ("name", "full"),
    [
        (None, "agent:me"),
        ("", "agent:me"),
        ("claude", "agent:claude"),
        (" agent: claude ", "agent:claude"),
        ("agent:", "agent:me"),
    ],
)
def test_an_agent_is_named_as_one(name: str | None, full: str) -> None:
    assert judge_name(name, "me") == full


WORK = "A first sentence that can be quoted. A second sentence that can be quoted too."


def test_what_an_agent_must_fix_is_listed_with_its_place() -> None:
    assignment = assign(Submission(WORK, task="Write.", skill="notes"), rubric="default")
    assert assignment.code in instructions(assignment) and "Read the rest" not in instructions(assignment)
    scores: dict[str, Any] = seven(5)
    scores["safety"] = {"score": 7}
    scores["efficiency"] = {"score": 9, "evidence": ["not in the work at all, word for word"]}
    scores["adherence"] = {"score": 8, "evidence": ["A first"]}
    with pytest.raises(JudgementError) as error:
        evaluate(assignment, {"scores": scores, "red_flags": ["nope"]}, "agent:x")
    said = [(problem.path, problem.message) for problem in error.value.problems]
    paths = [path for path, _ in said]
    assert ("scores", "safety") in paths and ("scores", "efficiency", "evidence", 0) in paths
    messages = " ".join(message for _, message in said)
    assert "safety: a score of 7 needs a quote from the work" in messages
    assert "is not in the work as written; copy it character for character" in messages
    assert "proves nothing: it is shorter than 20 characters" in messages
    scores = seven(6.99) | {"safety": {"score": 7, "evidence": ["A first sentence that can be quoted."]}}
    done = evaluate(assignment, {"scores": scores}, "agent:x")
    assert (done.card.judge["name"], done.card.skill, done.card.task) == ("agent:x", "notes", "Write.")


# --- keeping


def test_a_store_that_fails_is_not_used_again(tmp_path: Path) -> None:
    class Broken:
        url = "x"

        def secret(self) -> bytes:
            raise StoreUnavailable("gone")

    store: Any = Broken()
    keeper = Keeper(store)
    assert len(keeper.secret()) == 32 and str(keeper.failure) == "gone"
    assert len(keeper.secret()) == 32
    with pytest.raises(StoreUnavailable, match="gone"):
        keeper.raise_if_not_kept()
    Keeper(None).raise_if_not_kept()


# --- clusters, without one


class Cluster:
    """A session on a cluster, as far as it is asked for anything before the work begins."""

    defaultParallelism = 4  # noqa: N815 (as Spark names it)

    def __init__(self, host: str | None = None) -> None:
        self.sparkContext = self
        self._host = host

    def getConf(self) -> dict[str, Any]:
        return {"spark.driver.host": self._host}


@pytest.fixture
def masters(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The masters that sessions were opened on."""
    opened: list[str] = []

    @contextmanager
    def spark_session(master: str) -> Iterator[Cluster]:
        opened.append(master)
        yield Cluster()

    sessions: Any = SimpleNamespace(spark_session=spark_session)
    monkeypatch.setitem(sys.modules, "evenhand.engine.spark_session", sessions)
    return opened


@pytest.mark.parametrize(("rejected", "counted"), [(0, False), (3, True)])
def test_a_table_on_a_cluster_is_summed_up(
    monkeypatch: pytest.MonkeyPatch, masters: list[str], rejected: int, counted: bool
) -> None:
    calls: list[Any] = []

    def score_parquet(session: Any, *words: Any, **more: Any) -> tuple[int, int, bool]:
        calls.append((words[:2], more))
        return 5, rejected, counted

    files: Any = SimpleNamespace(score_parquet=score_parquet)
    monkeypatch.setitem(sys.modules, "evenhand.engine.spark_files", files)
    wanted = BatchOptions(renamed={"safety": "s"}, rank=False, rank_by="team", history=False)
    made = batch_files("in.parquet", "out", rubric="devops", wanted=wanted, overwrite=True, engine="spark")
    assert calls == [
        (
            ("in.parquet", "out"),
            {"overwrite": True, "renamed": {"safety": "s"}, "rank": False, "rank_by": "team", "history": False},
        )
    ]
    assert (made.rows, made.scored, made.rejected) == (5 + rejected, 5, rejected)
    assert (made.engine, made.rubric, made.input, made.output) == ("spark", "devops", "in.parquet", "out")
    assert made.rejects == ("out.rejected" if rejected else None) and masters == ["local[*]"]
    assert bool(made.warnings) is (counted and other_amounts(batch_rubric("devops").terms) is not None)
    with pytest.raises(InputError, match="`memory` is for one machine; a cluster has its own settings"):
        batch_files("in", "out", rubric=None, wanted=wanted._replace(memory=1), engine="spark", master="spark://x:1")


def test_rows_are_judged_on_the_cluster_that_is_named(
    monkeypatch: pytest.MonkeyPatch, masters: list[str], tmp_path: Path
) -> None:
    """Calls in flight are shared out among executors; checks alone need no shared limits."""
    runs: list[Any] = []

    def run(*words: Any) -> str:
        runs.append(words)
        return "done"

    monkeypatch.setattr(spark, "_run", run)
    monkeypatch.setattr(spark, "_refuse_early", lambda work: runs.append("refused early"))
    options = ModelOptions(concurrency=10, max_calls=7)
    made: Any = spark.judge_table("in", "out", judges=["checks"], options=options, secret=lambda: b"s")
    assert made == "done" and runs[0][3].address is None and masters == ["local[*]"] and runs[0][5] is False
    spark.judge_table(
        "in", "out", judges=["openai:m"], options=options, secret=lambda: b"s", master="spark://x:1", overwrite=True
    )
    _, early, (_, source, target, work, budget, overwrite) = runs
    assert (early, source, target, overwrite, masters[1]) == ("refused early", "in", "out", True, "spark://x:1")
    assert work.address is not None and work.address.host == "127.0.0.1" and work.secret == b"s"
    assert work.options.concurrency == 2 and budget._max_calls == 7  # 10 calls among 4 at once
    with pytest.raises(InputError, match="judging needs a regular Spark session"):
        spark.judge_table("in", "out", judges=["checks"], options=options, secret=lambda: b"s", master="sc://x")


@pytest.mark.parametrize(
    ("row", "submission"),
    [
        ({"output": "x", "expect": None}, Submission("x")),
        ({"output": "", "task": None}, Submission("")),
        ({"output": 7}, Submission("7")),
        ({"output": "x", "expect": '[{"contains": "y"}]'}, Submission("x", expect=[{"contains": "y"}])),
        ({"output": None}, "the row has no output"),
        ({"output": "x", "expect": "{"}, "the column expect is not JSON"),
    ],
)
def test_a_row_is_a_submission_or_says_why_not(row: dict[str, Any], submission: Submission | str) -> None:
    made = spark._submission(row)
    assert str(made).startswith(submission) if isinstance(submission, str) else made == submission


def test_a_host_that_cannot_be_served_on_is_named() -> None:
    with pytest.raises(StoreUnavailable, match=r"executors cannot reach this machine at 192\.0\.2\.1: "):
        SharedLimits(Budget(), None).served("192.0.2.1").__enter__()


# --- rescoring


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def rescored(names: list[str], store: Any, **more: Any) -> list[Any]:
    return list(rescore_each(names, store, Rescorer("devops"), **more))


def test_a_damaged_evaluation_of_a_skill_is_an_error_in_its_place(store: Any) -> None:
    for number in range(3):
        evenhand.score({"scores": seven(8), "skill": "s"}, rubric="default", id=f"c{number}", store=store)
    with store.transaction():
        store._write("UPDATE evaluations SET scorecard = '[]' WHERE id = ?", [("c1",)])
    first, damaged, third = rescored(["s"], store)
    assert (first.before.id, third.before.id) == ("c0", "c2")
    assert isinstance(damaged, InputError) and "the stored scorecard c1 is damaged" in str(damaged)
    assert [entry.before.id for entry in rescored(["s"], store, last=1)] == ["c2"]
    (unknown,) = rescored(["nowhere"], store)
    assert f"nowhere: no such file, and {store.url} has no evaluation or skill of this name" in str(unknown)
    (without,) = rescored(["nowhere"], None)
    assert str(without) == "nowhere: no such file; see: evenhand history"


def test_a_file_that_cannot_be_opened_is_one_error_and_the_next_is_read(tmp_path: Path, store: Any) -> None:
    import json

    card = evenhand.score({"scores": seven(8)}, rubric="default", id="a")
    good = tmp_path / "good.json"
    good.write_text(json.dumps(evenhand.document(card)))
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "judgement.json").write_text('{"scores": {}}')
    bad, judgement, fine = rescored([str(tmp_path / "bad.json"), str(tmp_path / "judgement.json"), str(good)], None)
    assert isinstance(bad, InputError) and "not a scorecard; a judgement is scored with" in str(judgement)
    assert fine.before.id == "a" and fine.card.rescored_from == "a"


def test_what_is_rescored_is_kept_beside_the_original_and_once(store: Any) -> None:
    evenhand.score({"scores": seven(8), "skill": "s"}, rubric="default", id="a", store=store)
    (first,) = rescored(["a"], store, keeper=Keeper(store))
    (again,) = rescored(["s"], store, keeper=Keeper(store))
    assert first.card.id == again.card.id and [record.id for record in store.evaluations("s")] == ["a", first.card.id]
    (same,) = list[Any](rescore_each(["a"], store, Rescorer("default"), keeper=Keeper(store)))
    assert same.card == same.before and len(list(store.evaluations("s"))) == 2


# --- a panel that judges


class FakePanel:
    """A panel whose one judge does as it is told, submission by submission."""

    window = 1

    def __init__(self, **does: Callable[[FakePanel], Any]) -> None:
        self.budget = Budget()
        self.does = does
        self.closed = 0

    async def ask(self, rubric: Any, submission: Submission) -> Any:
        result = self.does[submission.output](self)
        if isinstance(result, Exception):
            raise result
        return result

    async def close(self) -> None:
        self.closed += 1


class AskedOf:
    def __init__(self, panel: FakePanel) -> None:
        self.judge = panel.ask
        self.identity = {"name": "m"}


def judging(**does: Callable[[FakePanel], Any]) -> tuple[FakePanel, PanelJudging]:
    made: Any = FakePanel(**does)
    made.judge = AskedOf(made)
    return made, PanelJudging(made, Steps("default"))


def scored(panel: FakePanel | None = None) -> Any:
    return judgement_from({"scores": seven(8), "judge": "m"})


def unscored(panel: FakePanel | None = None) -> Any:
    return judgement_from({"scores": {name: {"unscored": "no reply"} for name in seven(8)}, "judge": "m"})


def failed(panel: FakePanel) -> Any:
    panel.budget.failure = "wrong key"
    return unscored()


def replied(panel: FakePanel) -> Any:
    panel.budget.any_reply = True
    return unscored()


def finals(judging: PanelJudging, *outputs: str | InputError) -> list[Any]:
    given = [output if isinstance(output, InputError) else Submission(output) for output in outputs]
    results = judging.results(given)
    return [str(result) if isinstance(result, InputError) else result.final for result in results]


def test_while_no_judge_ever_replied_nothing_is_shown() -> None:
    panel, run = judging(a=failed, b=failed)
    assert finals(run, "a", "b") == []
    assert (panel.budget.stopped, panel.budget.broken, panel.closed) == ("wrong key", True, 1)


def test_what_was_held_back_counts_once_a_judge_replies() -> None:
    panel, run = judging(a=failed, b=replied, c=scored)
    assert finals(run, "a", "b", "c") == [None, None, Decimal("8.00")]
    assert panel.budget.stopped is None


def test_a_score_or_an_error_among_them_is_shown_at_once() -> None:
    _, run = judging(a=failed, b=scored)
    assert finals(run, "a", "b") == [None, Decimal("8.00")]
    _, run = judging(a=failed)
    assert finals(run, "a", InputError("unreadable")) == [None, "unreadable"]
    _, run = judging(a=unscored)
    assert finals(run, "a") == [None]  # nothing failed: the judge would not score it


def test_what_a_stop_or_an_outage_leaves_unjudged_is_not_shown() -> None:
    def outage(panel: FakePanel) -> Any:
        panel.budget.stop("server gone", broken=True)
        return unscored()

    def limit(panel: FakePanel) -> Any:
        panel.budget.stop("spent")
        return unscored()

    _, run = judging(a=lambda _: Stopped("spent"), b=scored)
    assert finals(run, "a", "b") == [Decimal("8.00")]
    _, run = judging(a=outage)
    assert finals(run, "a") == []
    _, run = judging(a=limit)
    assert finals(run, "a") == [None]


def test_several_are_judged_in_the_callers_loop_each_with_a_tick() -> None:
    ticks: list[int] = []
    refused: Any = InputError("refused")
    _, run = judging(a=scored, c=lambda _: Stopped("spent"))
    given: list[Any] = [Submission("a"), refused, Submission("c")]
    first, second, third = asyncio.run(run.evaluate_all(given, lambda: ticks.append(1)))
    assert first is not None and not isinstance(first, InputError) and first.card.final == Decimal("8.00")
    assert str(second) == "refused" and third is None and len(ticks) == 3
    with pytest.raises(InputError, match="refused"):
        asyncio.run(run.cards(given))
    cards = asyncio.run(run.cards([given[0], given[2]]))
    assert cards[0] is not None and cards[1] is None


# --- checks beside a written judgement


@pytest.mark.parametrize(
    ("judge", "checks", "are_run"),
    [
        ("agent:me", None, True),
        ("human:ana", None, False),
        ("agent:me", False, False),
        ("human:ana", True, True),
    ],
)
def test_checks_run_beside_an_agents_own_scores_by_default(judge: str, checks: bool | None, are_run: bool) -> None:
    """A person's scores stand alone unless checks are asked for."""
    judgement = judgement_from({"judge": judge, "scores": seven(8)})
    card = Steps("default", checks=checks).evaluate_written(judgement, submission=Submission(output="Cats sleep.")).card
    assert (card.checked is not None) is are_run


def test_a_skill_given_as_an_output_is_refused_with_its_file() -> None:
    error = skill_instead("skills/notes/SKILL.md", Submission(output="Write notes.", format="text"))
    assert error is not None
    (problem,) = error.problems
    assert problem.source == "skills/notes/SKILL.md"
    assert problem.message.startswith("is a skill: instructions for an agent, not an output of one.")
    assert "--skill notes --judge auto --set judge.skill_file=skills/notes/SKILL.md" in problem.message
    assert skill_instead("notes.md", Submission(output="Write notes.", format="text")) is None
