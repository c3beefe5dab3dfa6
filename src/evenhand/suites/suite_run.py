"""`evenhand run`: the runs of a suite made or reused, then judged, as a stream of results; or what that would take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from evenhand.core.curve import Calibration
from evenhand.decisions.looks import is_decided
from evenhand.decisions.preference import Preferences
from evenhand.decisions.suite import Command, Function, Model, Suite
from evenhand.decisions.suite_table import suite_table
from evenhand.errors import InputError, Problem
from evenhand.judges.models.budget import Budget
from evenhand.judges.program import ProgramJudge
from evenhand.judging.calibration import load_calibration, stale_note
from evenhand.judging.panels.concurrency import INTERRUPTED
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.panels.preferences import PairComparison, match_items
from evenhand.judging.program import CHECKS
from evenhand.judging.skill_file import SkillFile, read_skill
from evenhand.options.model_options import ModelOptions
from evenhand.runs.confinement import NOT_CONFINED, sentence
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.known_agents import missing_keys, needed_keys, refused_as_root
from evenhand.runs.planned import Planner
from evenhand.runs.scratch import Scratch
from evenhand.runs.visible_paths import hidden_paths, unreadable, unwritable, workspaces
from evenhand.runs.workspaces.kept_back import kept_back
from evenhand.suites.execution.agent_runs import Activity, Reuse, SuiteWork
from evenhand.suites.execution.agent_spending import AgentSpending
from evenhand.suites.execution.case_blocks import blocks, looks_of
from evenhand.suites.execution.model_variants import SuiteModels
from evenhand.suites.execution.run_order import in_order, run_count
from evenhand.suites.judgement.run_judgements import JudgedRun, SuiteJudging, suite_steps
from evenhand.suites.judgement.seen_answers import AnswerTraces
from evenhand.suites.judgement.suite_program import SuiteProgram, workspaces_of
from evenhand.suites.own_skills import own_skill
from evenhand.suites.results.suite_results import suite_run
from evenhand.suites.suite_plan import PlannedSuite, SuitePlan
from evenhand.work.agent_run import NOT_CONFINED as HEADLINE
from evenhand.work.agent_run import CaseResult
from evenhand.work.submission import Submission


class SuiteOptions(NamedTuple):
    """How a suite is run."""

    jobs: int = 1
    """Runs at once."""
    reuse: Reuse = Reuse()
    models: ModelOptions = ModelOptions()
    """How judges are asked. `max_cost` is for them and for variants that are models or commands together; without
    `run_commands`, the scripts of expectations stay undecided."""
    stop_early: bool = False
    """Whether to stop as soon as the answer is clear."""
    needs_keys: bool = True
    """False where only the plan is wanted."""


class OpenSuite:
    """One run of a suite; use it as a context manager."""

    def __init__(
        self,
        suite: Suite,
        folder: Path,
        options: SuiteOptions,
        *,
        secret: Callable[[], bytes] | None = None,
        notice: Callable[[str], None] | None = None,
        stale: Callable[[Calibration], str | None] | None = None,
    ) -> None:
        """`folder` keeps the runs; `secret` is the store's, so that stored replies of judges are found again.

        `stale` says why a calibration no longer holds, where the store knows.
        """
        self._suite = suite
        self.folder = folder
        self._options = options
        self.budget = Budget(max_calls=options.models.max_calls, max_cost=options.models.max_cost)
        self._judges = [spec for spec in suite.judges if spec != CHECKS]
        self._calibration = None if suite.calibration is None else load_calibration(suite.calibration)
        self.out_of_date = None if self._calibration is None or stale is None else stale(self._calibration)
        """Why the suite's calibration no longer holds; None when it does."""
        self._secret = secret
        self._notice = notice
        is_limited = options.models.max_cost is not None
        self._spending = AgentSpending(self.budget, notice) if is_limited else None
        self._open = ExitStack()
        self._models = self._open_models()
        self._kept = self._open.enter_context(KeptRuns(folder))
        self._scratch = self._open.enter_context(Scratch(workspaces()))
        self.runs = self._block(suite, Activity(run_count(suite)))
        self.judged = 0
        """Runs that have been judged, or need not be."""
        self.budget.on_stop.append(self._judges_stopped)

    def __enter__(self) -> OpenSuite:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def has_judges(self) -> bool:
        """Whether models judge the runs."""
        return bool(self._judges)

    @property
    def notes(self) -> list[str]:
        """What a reader must know of the run as a whole."""
        unconfined = confinement_of(self._suite).startswith(NOT_CONFINED)
        stale = [] if self.out_of_date is None else [stale_note(self.out_of_date)]
        return [HEADLINE, *stale] if unconfined else stale

    def results(self) -> Iterator[JudgedRun]:
        """Every run with its judgement, as they are made; with `stop_early`, only until the answer is clear.

        InputError before the first of them when a known agent would get no key.
        """
        variants = self._suite.variants
        if problems := [
            *missing_keys(variants),
            *refused_as_root(variants),
            *self._unconfined(),
            *self._open_folders(),
        ]:
            raise InputError(problems)
        if not self._options.stop_early:
            yield from self._judged()
            return
        results: list[CaseResult] = []
        head = suite_run(self._suite)._replace(looks=looks_of(self._suite))
        for block in blocks(self._suite, head.looks):
            self.runs = self._block(block, self.runs.activity)
            for judged in self._judged():
                results.append(judged.result)
                yield judged
            if self.budget.stopped is not None or is_decided(suite_table(head, results), head.looks, head.repeats):
                return

    def _unconfined(self) -> Iterator[Problem]:
        """That the suite's gate requires what this machine does not have, before anything is paid for."""
        gate = self._suite.gate
        if gate is not None and gate.require is not None and confinement_of(self._suite).startswith(NOT_CONFINED):
            message = (
                "the gate requires confined runs, and nothing confines them here; install bubblewrap, or run on Linux "
                "6.12 or later"
            )
            yield Problem(message, self._suite.source or None)

    def _open_folders(self) -> Iterator[Problem]:
        """What is listed under `reads` and is nothing but answers, or under `writes` and holds what judges the runs."""
        hidden = hidden_paths(self._suite, [self.folder])
        for variant in self._suite.variants:
            place = variant.place.file or None, variant.place.line
            for path in unreadable(variant.limits.reads or (), hidden):
                message = f'the variant "{variant.name}" could read the answers in {path}; list files without them'
                yield Problem(message, *place)
            for path in unwritable(variant.limits.writes, hidden):
                message = (
                    f'the variant "{variant.name}" could change what judges it in {path}: the answers, evenhand or '
                    "its Python; list folders without them"
                )
                yield Problem(message, *place)

    def _judged(self) -> Iterator[JudgedRun]:
        planner = Planner(self._suite.variants, self._scratch.folder / "traced", kept_back(self._suite))
        judging = SuiteJudging(self._suite, AnswerTraces(hidden_paths(self._suite, [self.folder]), planner))
        if self._judges:
            judged = judging.by_models(self.runs.results(), self._judging(self._program()), abandon=self.runs.stop.set)
        else:
            judged = judging.by_checks(self.runs.results(), self._program())
        for run in judged:
            self.judged += 1
            yield run

    def _block(self, suite: Suite, activity: Activity) -> SuiteWork:
        options = self._options
        return SuiteWork(
            suite,
            self._kept,
            jobs=options.jobs,
            reuse=options.reuse,
            ask_model=None if self._models is None else self._models.ask,
            activity=activity,
            spending=self._spending,
        )

    def compare_pairs(self, outputs: Mapping[str, Mapping[str, Submission]]) -> Preferences | None:
        """The outputs of the variants side by side, by case and in both orders; None when no case has two."""
        if self.budget.stopped is not None or sum(bool(items) for items in outputs.values()) < 2:
            return None
        try:
            sorted_outputs = {variant: dict(sorted(items.items())) for variant, items in outputs.items() if items}
            matched = match_items(sorted_outputs, by_name=True)
        except InputError:  # no case has an output of two variants
            return None
        comparison = self._comparison()
        return comparison.preferences(matched, tuple(comparison.compare(matched.pairs)))

    def plan(self) -> SuitePlan:
        """The plan of a run; nothing is run and no one is asked."""
        planner = Planner(self._suite.variants, self._scratch.folder / "planned", kept_back(self._suite))
        planned = PlannedSuite(self._suite, self._models)
        for case, variant, repeat in in_order(self._suite):
            run = planner.plan(case, variant, repeat)
            done = self.runs.found(run)
            done = None if done is None or done.outcome == "not started" else done
            planned.add(run, done, None if done else self._kept.load(run.key, run.id))
        looks = looks_of(self._suite) if self._options.stop_early else ()
        keys = tuple(needed_keys(self._suite.variants))
        left_out = tuple((Path(skill.path).name, paths) for skill, paths in planner.left_out.items() if paths)
        plan = planned.plan(self._options.jobs)._replace(
            left_out=tuple(dict.fromkeys(left_out)), keys=keys, looks=looks, confined=confinement_of(self._suite)
        )
        if not self._judges:
            return plan
        comparison = self._comparison if self._suite.pairs else None
        return planned.with_judges(plan, self._judging, self._program(), comparison)

    def skill_of(self, variant: str) -> SkillFile | None:
        """The instructions that a variant's outputs can be held against: what judges are shown, or its own skill's."""
        if self._options.models.skill_file is not None:
            return read_skill(self._options.models.skill_file)
        chosen = next(candidate for candidate in self._suite.variants if candidate.name == variant)
        planner = Planner(self._suite.variants, self._scratch.folder / "advised", kept_back(self._suite))
        return own_skill(planner.plan(self._suite.cases[0], chosen, 1))

    def _judges_stopped(self, reason: str) -> None:
        """Ctrl-C ends the runs too; a limit or a fault leaves them to finish, so that only judging is left to do."""
        if reason == INTERRUPTED:
            self.runs.stop.set()
        elif self._judges and self._notice is not None:
            self._notice(f"no more models are asked: {reason}")

    def _program(self) -> SuiteProgram:
        workspace = workspaces_of(self._suite, self._kept, self._scratch.folder / "revisions")
        return SuiteProgram(workspace, run_scripts=self._options.models.run_commands)

    def _comparison(self) -> PairComparison:
        steps = suite_steps(self._suite)
        return PairComparison(self._panel(), steps)

    def _judging(self, program: ProgramJudge) -> PanelJudging:
        """The judging of runs. InputError when the suite's calibration is not of its judges, or not for its rubrics."""
        steps = suite_steps(self._suite, self._calibration, self.out_of_date)
        return PanelJudging(self._panel(program), steps)

    def _panel(self, program: ProgramJudge | None = None) -> OpenPanel:
        return OpenPanel(
            self._judges,
            self._options.models,
            program=program,
            notice=self._notice,
            secret=self._secret,
            budget=self.budget,
            needs_key=self._options.needs_keys,
            only_criteria=self._suite.only_criteria,
        )

    def _open_models(self) -> SuiteModels | None:
        models = [variant.does for variant in self._suite.variants if isinstance(variant.does, Model)]
        if not models:
            return None
        options = self._options
        limited = options.models.max_cost is not None
        asking = SuiteModels(models, self.budget, limited=limited, needs_keys=options.needs_keys)
        self._open.callback(asking.close)
        return asking


def confinement_of(suite: Suite) -> str:
    """How the runs of a suite's commands and functions are confined on this machine; empty without any."""
    limits = (variant.limits for variant in suite.variants if isinstance(variant.does, Command | Function))
    said = {sentence(network=each.network, reads_anything=each.reads is None) for each in limits}
    return "; ".join(sorted(said, key=lambda words: (not words.startswith(NOT_CONFINED), words)))
