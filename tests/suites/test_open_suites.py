"""One run of a suite from outside: what is refused, planned, asked and said, and when it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evenhand import InputError, Submission
from evenhand.core.curve import Calibration
from evenhand.decisions.suite import Case, Command, Limits, Model, Recorded, Skill, Suite, Variant
from evenhand.findings.expectations.expectation import Surroundings
from evenhand.judging.panels.concurrency import INTERRUPTED
from evenhand.options.model_options import ModelOptions
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.planned import PlannedRun, Planner
from evenhand.runs.run_document import Aftermath
from evenhand.suites import suite_run
from evenhand.suites.execution.agent_runs import Reuse
from evenhand.suites.judgement.run_submissions import Handle
from evenhand.suites.judgement.suite_program import SuiteProgram
from evenhand.suites.suite_plan import PlannedSuite, SuitePlan, _LooksAtExisting, _tenths
from evenhand.suites.suite_run import OpenSuite, SuiteOptions
from evenhand.work.agent_run import AgentRun, RunId

OLD, NEW = Variant("old", Command(("true",))), Variant("new", Command(("false",)))
SUITE = Suite("s", (Case("a", "Prompt a"), Case("b", "Prompt b")), (OLD, NEW))


@contextmanager
def opened(
    tmp_path: Path, suite: Suite = SUITE, options: SuiteOptions | None = None, **more: Any
) -> Iterator[OpenSuite]:
    with OpenSuite(suite, tmp_path / "runs", options or SuiteOptions(), **more) as running:
        yield running


def test_a_suite_is_run_one_at_a_time_to_its_end_with_keys_by_default() -> None:
    usual = SuiteOptions()
    assert (usual.jobs, usual.stop_early, usual.needs_keys) == (1, False, True)
    assert (usual.reuse, usual.models) == (Reuse(fresh=False, retry_failed=False), ModelOptions())


def recorded(tmp_path: Path, cases: int = 2) -> Suite:
    """Outputs of two variants that exist already."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        for number in range(cases):
            (tmp_path / name / f"c{number}.md").write_text(f"The answer of {name}.")
    variants = tuple(Variant(name, Recorded(str(tmp_path / name / "{case}.md"))) for name in ("old", "new"))
    return Suite("s", tuple(Case(f"c{number}", "P") for number in range(cases)), variants)


# --- what is refused


@pytest.mark.parametrize(
    ("field", "inside", "says"),
    [("reads", "runs", "could read the answers in"), ("writes", ".", "could change what judges it in")],
)
def test_what_would_undo_the_confinement_is_refused_by_name(field: str, inside: str, says: str, tmp_path: Path) -> None:
    """The kept runs listed under `reads`, a folder that holds them under `writes`; another folder is fine."""
    variant = OLD._replace(limits=Limits(**{field: (str(tmp_path / inside),)}))  # type: ignore[arg-type]
    with opened(tmp_path, SUITE._replace(variants=(variant, NEW))) as running:
        with pytest.raises(InputError) as caught:
            next(running.results())
        (problem,) = caught.value.problems
        assert problem.message.startswith(f'the variant "old" {says} ')
    (tmp_path / "elsewhere").mkdir()
    outside = OLD._replace(limits=Limits(**{field: (str(tmp_path / "elsewhere"),)}))  # type: ignore[arg-type]
    with opened(tmp_path, SUITE._replace(variants=(outside, NEW))) as running:
        assert list(running._open_folders()) == []


# --- stopping


@pytest.mark.parametrize(
    ("judges", "reason", "said", "stops"),
    [
        (("openai:m",), "enough", ["no more models are asked: enough"], False),
        (("checks",), "enough", [], False),
        (("openai:m",), INTERRUPTED, [], True),
        (("checks",), INTERRUPTED, [], True),
    ],
)  # fmt: skip
def test_ctrl_c_ends_the_runs_and_a_limit_leaves_them_to_finish(
    judges: tuple[str, ...], reason: str, said: list[str], stops: bool, tmp_path: Path
) -> None:
    """Who asks no models need not hear that none are asked."""
    notices: list[str] = []
    with opened(tmp_path, SUITE._replace(judges=judges), notice=notices.append) as running:
        running.budget.stop(reason)
        assert (notices, running.runs.stop.is_set()) == (said, stops)
    with opened(tmp_path, SUITE._replace(judges=judges)) as silent:
        silent.budget.stop("with nobody to tell")


def test_runs_are_counted_as_they_are_judged(tmp_path: Path) -> None:
    with opened(tmp_path, recorded(tmp_path)) as running:
        counts = [(running.judged, judged.run.id.variant) for judged in running.results()]
    assert [count for count, _ in counts] == [1, 2, 3, 4]
    assert running.has_judges is False


@pytest.mark.parametrize(("stops_after", "cases"), [(None, 8), (1, 4)])
def test_a_run_that_may_stop_early_ends_at_a_look_when_the_budget_is_spent(
    stops_after: int | None, cases: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight cases without expectations never give a clear answer: both looks are taken, unless it has to stop."""
    monkeypatch.setattr(suite_run, "looks_of", lambda suite: (4, 8))
    with opened(tmp_path, recorded(tmp_path, 8), SuiteOptions(stop_early=True)) as running:
        total, seen = running.runs.activity.total, set()
        for number, judged in enumerate(running.results(), start=1):
            seen.add(judged.run.id.case)
            if number == stops_after:
                running.budget.stop("enough")
    assert (total, len(seen)) == (16, cases)
    assert running.runs.activity.outcomes["finished"] == 2 * cases, "the blocks count together"


# --- calibrations and limits


def test_a_store_may_know_that_a_calibration_no_longer_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked about the suite's own, and about none where there is none."""
    loaded: Any = SimpleNamespace(judge="m")
    asked: list[Any] = []

    def stale(calibration: Calibration) -> str | None:
        asked.append(calibration)
        return "the judge has moved"

    monkeypatch.setattr(suite_run, "load_calibration", lambda path: loaded)
    with opened(tmp_path, SUITE._replace(calibration="c.json"), stale=stale) as running:
        assert running.out_of_date == "the judge has moved" and asked == [loaded]
        assert len(running.notes) == 1
    with opened(tmp_path, SUITE._replace(calibration="c.json")) as unknown:
        assert (unknown.out_of_date, unknown.notes) == (None, [])
    with opened(tmp_path, stale=stale) as without:
        assert (without.out_of_date, len(asked)) == (None, 1)


@pytest.mark.parametrize(("most", "is_limited"), [(Decimal(3), True), (None, False)])
def test_commands_are_held_to_a_limit_of_cost_where_there_is_one(
    most: Decimal | None, is_limited: bool, tmp_path: Path
) -> None:
    options = SuiteOptions(3, Reuse(fresh=True), ModelOptions(max_cost=most, max_calls=7))
    with opened(tmp_path, options=options) as running:
        assert (running.runs._spending is not None) is is_limited
        assert (running.runs._jobs, running.runs._reuse, running.runs._ask_model) == (3, Reuse(fresh=True), None)
        assert (running.budget._max_cost, running.budget._max_calls) == (most, 7)


def test_models_among_the_variants_are_opened_and_closed_with_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with whether its price and its key are needed."""
    noted: list[Any] = []

    class Models:
        def __init__(self, models: list[Model], budget: object, *, limited: bool, needs_keys: bool) -> None:
            noted.append(([model.spec for model in models], limited, needs_keys))

        def ask(self, planned: PlannedRun) -> AgentRun:
            raise AssertionError

        def close(self) -> None:
            noted.append("closed")

    monkeypatch.setattr(suite_run, "SuiteModels", Models)
    suite = SUITE._replace(variants=(OLD, Variant("m", Model("openai:one"))))
    for most, keys in ((Decimal(1), True), (None, False)):
        options = SuiteOptions(models=ModelOptions(max_cost=most), needs_keys=keys)
        with opened(tmp_path, suite, options) as running:
            assert running.runs._ask_model is not None
    assert noted == [(["openai:one"], True, True), "closed", (["openai:one"], False, False), "closed"]


def test_a_panel_is_opened_with_everything_that_the_suite_was_opened_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks are not among the judges that are asked, and look at the runs beside them."""
    made: list[tuple[Any, Any, dict[str, Any]]] = []
    monkeypatch.setattr(suite_run, "OpenPanel", lambda judges, models, **more: made.append((judges, models, more)))
    secret, notice = (lambda: b"s"), (lambda text: None)
    models = ModelOptions()
    suite = SUITE._replace(judges=("checks", "openai:m"))
    program: Any = object()
    with opened(
        tmp_path, suite, SuiteOptions(models=models, needs_keys=False), secret=secret, notice=notice
    ) as running:
        assert running.has_judges
        running._panel(program)
        running._panel()
        expected = {"notice": notice, "secret": secret, "budget": running.budget}
        expected |= {"needs_key": False, "only_criteria": False}
    assert made == [
        (["openai:m"], models, {"program": program, **expected}),
        (["openai:m"], models, {"program": None, **expected}),
    ]


@pytest.mark.parametrize("runs_scripts", [True, False])
def test_scripts_of_expectations_run_where_commands_may(runs_scripts: bool, tmp_path: Path) -> None:
    with opened(tmp_path, options=SuiteOptions(models=ModelOptions(run_commands=runs_scripts))) as running:
        assert running._program()._run_scripts is runs_scripts


def test_commands_of_expectations_run_in_the_workspace_and_scripts_only_when_allowed(tmp_path: Path) -> None:
    """A suite's own commands are its author's; scripts often come from elsewhere."""
    (tmp_path / "made.txt").write_text("x")
    given: list[Surroundings] = []

    @contextmanager
    def workspace(handle: Handle) -> Iterator[Surroundings]:
        given.append(Surroundings(tmp_path))
        yield given[-1]

    expect = [{"command": {"run": ["test", "-f", "made.txt"]}}, {"script": {"python": "True"}}]
    submission = Submission("x", id=json.dumps(Handle("", "", "a", "old", 1)), expect=expect)
    checked, _ = SuiteProgram(workspace).look(submission)
    assert checked is not None
    assert [entry.result for entry in checked.expectations] == ["met", "undecided"]


# --- plans


def test_a_plan_names_what_is_left_out_of_each_skill_once(tmp_path: Path) -> None:
    """Two variants with the same skill: its evals belong to the suite. A skill with nothing left out is not named."""
    for name in ("greet", "plain"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text("Greet.")
    (tmp_path / "greet" / "evals").mkdir()
    (tmp_path / "greet" / "evals" / "evals.json").write_text("[]")
    greet, plain = Skill(str(tmp_path / "greet")), Skill(str(tmp_path / "plain"))
    variants = (OLD._replace(skill=greet), NEW._replace(skill=greet), Variant("third", Command(("x",)), plain))
    with opened(tmp_path, SUITE._replace(variants=variants)) as running:
        plan = running.plan()
    assert (plan.left_out, plan.runs, plan.kept, plan.keys, plan.looks) == ((("greet", ("evals",)),), 6, 0, (), ())


@pytest.mark.parametrize("stop_early", [True, False])
def test_a_plan_has_looks_only_where_the_run_may_stop_early(
    stop_early: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite_run, "looks_of", lambda suite: (1, 2))
    with opened(tmp_path, options=SuiteOptions(stop_early=stop_early)) as running:
        assert running.plan().looks == ((1, 2) if stop_early else ())


def test_a_plan_counts_kept_runs_and_takes_time_from_those_to_be_made_again(tmp_path: Path) -> None:
    """Of four runs one is kept, of ten seconds; made anew, four are taken to be like it. Two jobs halve the time."""
    plan_of = Planner(SUITE.variants, tmp_path / "revisions").plan
    with KeptRuns(tmp_path / "runs") as kept:
        planned = plan_of(SUITE.cases[0], OLD, 1)
        run = AgentRun(planned.id, planned.key, "finished", output="x", seconds=Decimal(10), cost=Decimal("0.5"))
        kept.keep(kept.new(), run, Aftermath())
    with opened(tmp_path, options=SuiteOptions(2)) as running:
        plan = running.plan()
    assert (plan.runs, plan.kept, plan.seconds, plan.cost, plan.unpriced) == (4, 1, 15, Decimal("0.5"), 2)
    with opened(tmp_path, options=SuiteOptions(2, Reuse(fresh=True))) as running:
        plan = running.plan()
    assert (plan.runs, plan.kept, plan.seconds, plan.cost, plan.unpriced) == (4, 0, 20, 1, 2)


def test_a_run_that_cannot_start_is_planned_as_one_to_be_made(tmp_path: Path) -> None:
    suite = recorded(tmp_path)
    (tmp_path / "new" / "c1.md").unlink()
    with opened(tmp_path, suite) as running:
        plan = running.plan()
    assert (plan.runs, plan.kept) == (4, 3)


def test_a_published_plan_has_seconds_in_tenths() -> None:
    assert (_tenths(Decimal("1.26")), _tenths(None)) == (1.3, None)
    bare = SuitePlan(1, 0, None, Decimal(0), 1)
    assert (bare.judges, bare.pairs, bare.assumed, bare.left_out, bare.keys, bare.looks) == ((), (), (), (), (), ())


def todo(case: Case, variant: Variant = OLD, repeat: int = 1) -> PlannedRun:
    return PlannedRun(RunId(case.id, variant.name, repeat), case, variant, "k" * 64)


def stand_ins(*runs: PlannedRun, skill: str | None = None) -> list[Submission]:
    """What the plans of judges are made with, where nothing is kept."""
    planned = PlannedSuite(SUITE._replace(skill=skill), None)
    for run in runs:
        planned.add(run, None, None)
    return list(planned._submissions({entry.variant: entry for entry in planned._assumed()}))


def test_what_stands_in_for_an_output_is_as_long_as_it_is_taken_to_be() -> None:
    """1,000 tokens where there is nothing to go by, those of its beginning included; with all that its case says."""
    case = Case("a", "Prompt a", reference="ref")
    (made,) = stand_ins(todo(case, repeat=3), skill="greet")
    start = "a old 3:"
    assert made.output.startswith(f"{start} and and")
    words = made.output.removeprefix(start).split(" and")
    assert set(words) == {""} and 995 <= len(words) - 1 < 1000
    assert (made.task, made.skill, made.reference) == ("Prompt a", "greet", "ref")
    assert made.id == json.dumps(["", "", "a", "old", 3])
    told, untold = stand_ins(todo(case._replace(task="Really.")), todo(case._replace(task="")))
    assert (told.task, untold.task) == ("Really.", None)


def test_pairs_are_planned_for_the_first_runs_of_each_case() -> None:
    """Two repeats of two variants on two cases: two pairs. One variant alone has none."""
    planned = PlannedSuite(SUITE, None)
    for repeat in (1, 2):
        for case in SUITE.cases:
            for variant in (OLD, NEW):
                planned.add(todo(case, variant, repeat), None, None)
    assumed = {entry.variant: entry for entry in planned._assumed()}
    matched = planned._pairs(assumed)
    assert matched is not None and len(matched.pairs) == 2
    assert [(name, entry.runs, entry.tokens) for name, entry in assumed.items()] == [
        ("old", 4, 1000), ("new", 4, 1000),
    ]  # fmt: skip
    alone = PlannedSuite(SUITE, None)
    alone.add(todo(SUITE.cases[0]), None, None)
    assert alone._pairs({entry.variant: entry for entry in alone._assumed()}) is None


@pytest.mark.parametrize(("card", "looks"), [("card", True), ("", False)])
def test_checks_look_at_outputs_that_exist_and_not_at_what_stands_in(card: str, looks: bool) -> None:
    seen: list[Submission] = []

    def look(submission: Submission) -> tuple[None, tuple[str, ...]]:
        seen.append(submission)
        return None, ("seen",)

    program: Any = SimpleNamespace(look=look, identity={}, name="checks")
    submission = Submission("x", id=json.dumps(Handle(card, "", "a", "old", 1)))
    assert _LooksAtExisting(program).look(submission) == (None, ("seen",) if looks else ())
    assert bool(seen) is looks
