"""How the runs of a suite are made: what is noted while one is under way, what is kept, paid and put away."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from evenhand import InputError, clock
from evenhand.decisions.values.suite import Model, Variant
from evenhand.judges.model.budget import Budget
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.planned import PlannedRun
from evenhand.runs.run_document import Aftermath
from evenhand.runs.waits import Work
from evenhand.runs.workspaces.run_folders import FolderPool
from evenhand.suite_runs.execution import agent_runs
from evenhand.suite_runs.execution.agent_runs import BEYOND_LIMIT, Activity, SuiteWork
from evenhand.suite_runs.execution.agent_spending import AgentSpending
from evenhand.work.agent_run import AgentRun, RunId
from finished_work import finish
from suite_values import shell, suite_of

MODEL = Variant("m", Model("openai:one"))
COMMAND = Variant("c", shell("true"))


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[KeptRuns]:
    with KeptRuns(tmp_path / "runs") as kept:
        yield kept


def answered(planned: PlannedRun) -> AgentRun:
    return AgentRun(planned.id, planned.key, "finished", output=f"Answer to {planned.id.case}.")


# --- what is going on


def test_a_run_is_under_way_until_it_ends_and_is_counted_by_its_outcome(
    kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of three finish; made again with the same folder, all three are reused and nobody is asked."""
    monkeypatch.setattr(clock, "elapsed", lambda: 12.5)
    under_way: list[dict[RunId, float]] = []
    suite = suite_of(MODEL, cases=3)

    def ask(planned: PlannedRun) -> AgentRun:
        under_way.append(dict(work.activity.running))
        return answered(planned)._replace(outcome="failed" if planned.id.case == "c2" else "finished")

    work = SuiteWork(suite, kept, jobs=1, ask_model=ask)
    assert (work.activity.total, work.activity.running, work.activity.reused) == (3, {}, 0)
    made = list(work.results())
    assert under_way == [{RunId(f"c{number}", "m", 1): 12.5} for number in (1, 2, 3)]
    assert (work.activity.running, work.activity.reused) == ({}, 0)
    assert work.activity.outcomes == Counter(finished=2, failed=1)
    again = SuiteWork(suite, kept, jobs=1, ask_model=lambda planned: pytest.fail("asked again"))
    assert sorted(again.results()) == sorted(made)
    assert (again.activity.reused, again.activity.outcomes) == (3, Counter(finished=2, failed=1))


def test_a_run_that_raises_is_under_way_no_longer(kept: KeptRuns) -> None:
    def ask(planned: PlannedRun) -> AgentRun:
        raise ValueError("boom")

    work = SuiteWork(suite_of(MODEL), kept, jobs=1, ask_model=ask)
    with pytest.raises(ValueError, match="boom"):
        list(work.results())
    assert (work.activity.running, work.activity.outcomes) == ({}, Counter())


def test_several_parts_of_a_suite_share_what_is_shown_of_them(kept: KeptRuns) -> None:
    """Blocks between two looks count on: of four runs two are done after the first block."""
    activity = Activity(4)
    work = SuiteWork(suite_of(MODEL, cases=2), kept, jobs=1, ask_model=answered, activity=activity)
    list(work.results())
    assert work.activity is activity and activity.outcomes == Counter(finished=2)


@pytest.mark.parametrize(("variants", "may_gather"), [((COMMAND,), True), ((COMMAND, MODEL), False), ((MODEL,), False)])
def test_threads_are_shared_only_where_no_run_blocks_its_thread(
    variants: tuple[Variant, ...], may_gather: bool, kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model is waited for in the thread that asks it."""
    made: list[tuple[int, bool]] = []

    class Workers:
        def __init__(self, jobs: int, next_run: object, stop: threading.Event, *, may_gather: bool) -> None:
            assert stop is work.stop
            made.append((jobs, may_gather))

        def results(self) -> list[AgentRun]:
            return []

    monkeypatch.setattr(agent_runs, "SuiteWorkers", Workers)
    work = SuiteWork(suite_of(*variants), kept, jobs=5)
    assert list(work.results()) == []
    assert made == [(5, may_gather)]


def test_a_model_that_nobody_can_ask_is_refused_by_name(kept: KeptRuns) -> None:
    with pytest.raises(InputError, match='the variant "m" is a model, which cannot be asked here'):
        list(SuiteWork(suite_of(MODEL), kept, jobs=1).results())


# --- what is kept of a run


ENDED = AgentRun(RunId("", "", 1), "", "finished", output="Out.", transcript="said.txt", changes="changes.diff")


def execution(monkeypatch: pytest.MonkeyPatch, ended: AgentRun | Exception, *, stops: bool = False) -> list[Path]:
    """Let every command end so, after it has left two files; the folders with these files."""
    written: list[Path] = []

    def execute(planned: PlannedRun, folders: object, into: Path, stop: threading.Event, *_: object) -> Work[Any]:
        into.mkdir()
        written.append(into)
        for name in ("said.txt", "changes.diff"):
            (into / name).write_text(name)
        if stops:
            stop.set()
        if isinstance(ended, Exception):
            raise ended
        return ended._replace(id=planned.id, key=planned.key), Aftermath()
        yield

    monkeypatch.setattr(agent_runs, "execute", execute)
    monkeypatch.setattr(agent_runs, "_MOMENT", 0.0)
    return written


def made(kept: KeptRuns, **options: Any) -> AgentRun:
    (run,) = SuiteWork(suite_of(COMMAND), kept, jobs=1, **options).results()
    return run


def test_what_a_run_left_is_kept_under_its_key(kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    written = execution(monkeypatch, ENDED)
    run = made(kept)
    assert run.transcript == str(kept.folder / run.key / "said.txt")
    assert Path(run.transcript).read_text() == "said.txt"
    assert run.changes == str(kept.folder / run.key / "changes.diff")
    assert kept.load(run.key, run.id) == run
    assert not written[0].exists()


@pytest.mark.parametrize("code", [-signal.SIGINT, 130])
def test_a_run_that_was_interrupted_is_shown_but_not_kept(
    code: int, kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program was, and we were not: what it left is put away, so nothing refers to it."""
    written = execution(monkeypatch, ENDED._replace(outcome="failed", reason=f"exit code {code}", exit_code=code))
    run = made(kept)
    assert (run.outcome, run.transcript, run.changes, run.output) == ("failed", None, None, "Out.")
    assert kept.find(run.key) is None and not written[0].exists()


@pytest.mark.parametrize("code", [-signal.SIGINT, 130])
def test_an_interrupted_run_is_not_a_result_when_we_are_to_stop_too(
    code: int, kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = execution(monkeypatch, ENDED._replace(outcome="failed", exit_code=code), stops=True)
    assert list(SuiteWork(suite_of(COMMAND), kept, jobs=1).results()) == []
    assert not written[0].exists()


@pytest.mark.parametrize("code", [0, 1, 2, -signal.SIGTERM, 129, 131])
def test_other_exit_codes_are_the_agent_s_own(code: int, kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    execution(monkeypatch, ENDED._replace(outcome="failed", exit_code=code))
    run = made(kept)
    assert kept.load(run.key, run.id) == run and run.transcript is not None


def test_a_run_that_did_not_start_is_a_result_and_not_kept(kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    execution(monkeypatch, ENDED._replace(outcome="not started", reason="no such program"))
    run = made(kept)
    assert (run.outcome, run.reason) == ("not started", "no such program") and kept.find(run.key) is None


def test_what_a_run_left_is_put_away_when_something_fails(kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    written = execution(monkeypatch, ValueError("boom"))
    with pytest.raises(ValueError, match="boom"):
        made(kept)
    assert not written[0].exists()


def test_a_command_s_secrets_are_taken_out_and_a_model_s_words_are_left(
    kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable whose name says that it is one, as it is now, whatever it will be when the run ends."""
    monkeypatch.setenv("TEST_API_KEY", "hunter2-hunter2")
    execution(monkeypatch, ENDED._replace(output="key: hunter2-hunter2"))
    command = Variant("c", shell("true", passed=("TEST_API_KEY",)))
    work = SuiteWork(
        suite_of(command, MODEL),
        kept,
        jobs=1,
        ask_model=lambda planned: answered(planned)._replace(output="key: hunter2-hunter2"),
    )
    monkeypatch.setenv("TEST_API_KEY", "changed-later")
    outputs = {run.id.variant: run.output for run in work.results()}
    assert "hunter2" not in str(outputs["c"]) and str(outputs["c"]).startswith("key: ")
    assert outputs["m"] == "key: hunter2-hunter2"


def test_a_run_gets_our_environment_and_never_the_folder_of_kept_runs(
    kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept runs hold the answers of others."""
    given: list[Any] = []

    def execute(planned: PlannedRun, folders: object, into: Path, *rest: Any) -> Work[Any]:
        given.extend(rest)
        return answered(planned), Aftermath()
        yield

    monkeypatch.setattr(agent_runs, "execute", execute)
    monkeypatch.setenv("TEST_COLOUR", "green")
    work = SuiteWork(suite_of(COMMAND), kept, jobs=1)
    list(work.results())
    stop, environment, hidden = given
    assert stop is work.stop and environment["TEST_COLOUR"] == "green"
    assert str(kept.folder) in hidden.answers


def test_the_folders_of_a_run_are_used_again_by_the_next(kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after one that failed to be made."""
    events: list[str] = []

    class Noting(FolderPool):
        def take(self) -> Any:
            events.append("taken")
            return super().take()

        def give_back(self, folders: Any) -> None:
            events.append("given back")
            super().give_back(folders)

    monkeypatch.setattr(agent_runs, "FolderPool", Noting)
    execution(monkeypatch, ValueError("boom"))
    with pytest.raises(ValueError, match="boom"):
        made(kept)
    assert events == ["taken", "given back"]


# --- what a run costs


class Purse:
    """Notes what is set aside and settled."""

    def __init__(self, reserved: Decimal | None = Decimal(2)) -> None:
        self.noted: list[Any] = []
        self.reserves = reserved

    def reserved(self, variant: str, stop: threading.Event) -> Work[Decimal | None]:
        assert not stop.is_set()
        self.noted.append(variant)
        return self.reserves
        yield

    def settle(self, variant: str, reserved: Decimal, cost: Decimal | None) -> None:
        self.noted.append((variant, reserved, cost))


@pytest.mark.parametrize(
    ("ended", "paid"),
    [
        (ENDED._replace(cost=Decimal("0.5")), Decimal("0.5")),
        (ENDED, None),
        (ENDED._replace(outcome="failed", cost=Decimal("0.25")), Decimal("0.25")),
        (ENDED._replace(outcome="not started"), Decimal(0)),
        (ValueError("boom"), Decimal(0)),
    ],
    ids=["stated", "unknown", "failed", "not started", "raised"],
)
def test_what_was_set_aside_for_a_command_is_settled_with_what_it_cost(
    ended: Any, paid: Decimal | None, kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing where it did not begin; None where nobody knows."""
    execution(monkeypatch, ended)
    purse: Any = Purse()
    if isinstance(ended, Exception):
        with pytest.raises(ValueError, match="boom"):
            made(kept, spending=purse)
    else:
        made(kept, spending=purse)
    assert purse.noted == ["c", ("c", Decimal(2), paid)]


def test_a_command_without_money_does_not_start_and_is_tried_again_later(
    kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = execution(monkeypatch, ENDED)
    purse: Any = Purse(None)
    work = SuiteWork(suite_of(COMMAND), kept, jobs=1, spending=purse)
    (run,) = work.results()
    assert (run.outcome, run.reason) == ("not started", BEYOND_LIMIT)
    assert (purse.noted, written, kept.find(run.key), work.activity.reused) == (["c"], [], None, 0)


def test_models_and_kept_runs_are_not_paid_for_here(kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's calls are reserved one by one where they are made."""
    execution(monkeypatch, ENDED)
    made(kept)
    purse: Any = Purse()
    work = SuiteWork(suite_of(COMMAND, MODEL), kept, jobs=1, spending=purse, ask_model=answered)
    assert len(list(work.results())) == 2 and purse.noted == []


def test_a_run_that_another_process_made_meanwhile_is_reused(kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for again once its lock is held."""
    written = execution(monkeypatch, ENDED)
    first = made(kept)
    work = SuiteWork(suite_of(COMMAND), kept, jobs=1)
    found, looks = work.found, list[str]()

    def found_later(planned: PlannedRun) -> AgentRun | None:
        looks.append(planned.id.case)
        return None if len(looks) == 1 else found(planned)

    monkeypatch.setattr(work, "found", found_later)
    assert list(work.results()) == [first]
    assert (len(looks), len(written), work.activity.reused) == (2, 1, 1)


# --- the limit of what commands spend


def spending(limit: str) -> tuple[AgentSpending, Budget, list[str]]:
    budget, notices = Budget(max_cost=Decimal(limit)), list[str]()
    return AgentSpending(budget, notices.append), budget, notices


def test_a_run_is_taken_to_cost_what_its_variant_s_dearest_has_cost() -> None:
    """0.4, then 0.3: 0.4 is set aside for the third. At a limit of 1, 0.7 is spent, and 0.4 more would be too much."""
    purse, budget, _ = spending("1")
    stop = threading.Event()
    assert finish(purse.reserved("v", stop)) == 0
    purse.settle("v", Decimal(0), Decimal("0.4"))
    assert finish(purse.reserved("v", stop)) == Decimal("0.4")
    purse.settle("v", Decimal("0.4"), Decimal("0.3"))
    assert budget.cost == Decimal("0.7")
    assert finish(purse.reserved("v", stop)) is None
    assert finish(purse.reserved("w", stop)) == 0, "a variant that has not run yet is not judged by another"


def test_a_variant_s_first_run_is_made_alone() -> None:
    """A second waits for its price; one of another variant does not."""
    purse, _, _ = spending("1")
    stop = threading.Event()
    assert finish(purse.reserved("v", stop)) == 0
    second = purse.reserved("v", stop)
    wait = next(second)
    assert (wait.descriptors, wait.seconds) == ((), 0.05)
    assert finish(purse.reserved("w", stop)) == 0
    assert next(second) == wait
    purse.settle("v", Decimal(0), Decimal("0.25"))
    with pytest.raises(StopIteration) as end:
        next(second)
    assert end.value.value == Decimal("0.25")


def test_nothing_is_set_aside_once_all_is_to_end() -> None:
    purse, _, _ = spending("1")
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        finish(purse.reserved("v", stop))


def test_a_variant_that_does_not_state_its_cost_is_named_once() -> None:
    """An unknown cost counts as nothing; one that is stated gives no notice, and neither does nobody to tell."""
    purse, budget, notices = spending("1")
    for variant, cost in (("v", None), ("w", Decimal("0.1")), ("v", None), ("x", None), ("w", Decimal(0))):
        purse.settle(variant, Decimal(0), cost)
    says = "`max_cost` does not count what {} spends: its runs do not state it"
    assert notices == [says.format("v"), says.format("x")]
    assert budget.cost == Decimal("0.1")
    AgentSpending(budget, None).settle("v", Decimal(0), None)
