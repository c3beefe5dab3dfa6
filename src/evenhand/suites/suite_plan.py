"""What running a suite would take: runs, their time and cost, and what judges would be asked. Nothing is run or asked.

The outputs of runs that are not made yet are unknown. They are taken to be as long as those of the runs that are kept,
and the plan names the length and what it rests on.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import Annotated, Literal, NamedTuple

from evenhand.core.finding import Checked
from evenhand.core.numbers import plain
from evenhand.core.published import ALWAYS, Count
from evenhand.decisions.suite import Model, Suite
from evenhand.errors import InputError
from evenhand.judges.models.call_plan import Plan
from evenhand.judges.models.questions.shown_work import show
from evenhand.judges.program import AroundProgram, ProgramJudge
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.panels.preferences import Matched, PairComparison, match_items
from evenhand.providers.tokens import expected_tokens
from evenhand.runs.planned import PlannedRun
from evenhand.runs.run_environment import whole_prompt
from evenhand.suites.execution.model_variants import SuiteModels
from evenhand.suites.judgement.run_judgements import SuiteJudging
from evenhand.suites.judgement.run_submissions import Handle, handle_of
from evenhand.work.agent_run import AgentRun
from evenhand.work.submission import Submission

USUAL_TOKENS = 1_000
"""How long an output is taken to be when there is nothing to go by."""

Basis = Literal["its kept runs", "other variants' kept runs", "its model's limit", "nothing is kept"]
"""What the length of outputs that do not exist yet is taken from."""


class Assumed(NamedTuple):
    """How long the outputs of a variant's runs that are not made yet are taken to be."""

    variant: str
    runs: Count
    tokens: Count
    basis: Basis


def _tenths(seconds: Decimal | None) -> float | None:
    return None if seconds is None else round(float(seconds), 1)


class SuitePlan(NamedTuple):
    """What running a suite would take."""

    runs: Count
    kept: Count
    """How many of them need not be made."""
    seconds: Annotated[Decimal | None, {"minimum": 0, "write": _tenths}]
    """About how long the others would take, by the runs that are kept; None when there is none to go by."""
    cost: Annotated[Decimal, {"minimum": 0, "write": lambda cost: plain(round(cost, 6))}]
    """About what the others would cost in US dollars, as far as that is known."""
    unpriced: Annotated[int, {"name": "runs_without_cost", "minimum": 0}]
    """Runs to be made whose cost is unknown."""
    judges: Annotated[tuple[tuple[str, Plan], ...], {"hidden": True}] = ()
    """What each judge would be asked about the runs one by one."""
    pairs: Annotated[tuple[tuple[str, Plan], ...], {"hidden": True}] = ()
    """What each judge would be asked about outputs side by side."""
    assumed: Annotated[tuple[Assumed, ...], ALWAYS] = ()
    """What the plans of judges assume of outputs that do not exist yet; empty without judges."""
    left_out: Annotated[tuple[tuple[str, tuple[str, ...]], ...], {"hidden": True}] = ()
    """By the name of a skill's folder, the paths in it that are not copied: they belong to the suite."""
    keys: Annotated[tuple[tuple[str, str], ...], {"hidden": True}] = ()
    """Variants that are known agents, and the variable of the key that each needs."""
    confined: str = ""
    """How the runs of commands and functions are confined on this machine; empty without any."""
    looks: tuple[int, ...] = ()
    """After how many cases the results are looked at, of a run that may stop early."""


class PlannedSuite:
    """A suite's runs: those that need not be made, and the others."""

    def __init__(self, suite: Suite, models: SuiteModels | None) -> None:
        self._suite = suite
        self._models = models
        self._judging = SuiteJudging(suite)
        self._done: list[AgentRun] = []
        self._missing: list[PlannedRun] = []
        self._examples: dict[str, list[AgentRun]] = defaultdict(list)
        """By variant, the kept runs that others are taken to be like."""

    def add(self, planned: PlannedRun, done: AgentRun | None, kept: AgentRun | None) -> None:
        """Add one run: `done` need not be made; `kept` is like it, but is to be made again."""
        if done is None:
            self._missing.append(planned)
        else:
            self._done.append(done)
        example = done or kept
        if example is not None:
            self._examples[planned.variant.name].append(example)

    def plan(self, jobs: int) -> SuitePlan:
        """The plan without the judges."""
        seconds = [self._mean(run, "seconds") for run in self._missing]
        costs = [self._cost(run) for run in self._missing]
        total = sum((time for time in seconds if time is not None), Decimal(0))
        return SuitePlan(
            runs=len(self._done) + len(self._missing),
            kept=len(self._done),
            seconds=None if None in seconds else total / min(jobs, max(1, len(seconds))),
            cost=sum((cost for cost in costs if cost is not None), Decimal(0)),
            unpriced=costs.count(None),
        )

    def with_judges(
        self,
        plan: SuitePlan,
        judging: Callable[[ProgramJudge], PanelJudging],
        program: ProgramJudge,
        comparison: Callable[[], PairComparison] | None,
    ) -> SuitePlan:
        """The plan with what the judges would be asked; `comparison` opens them for pairs, if pairs are wanted."""
        assumed = {entry.variant: entry for entry in self._assumed()}
        judges = judging(_LooksAtExisting(program)).plan(self._submissions(assumed))[1]
        pairs: list[tuple[str, Plan]] = []
        matched = None if comparison is None else self._pairs(assumed)
        if comparison is not None and matched is not None:
            pairs = comparison().plan_pairs(matched.pairs)
        return plan._replace(judges=tuple(judges), pairs=tuple(pairs), assumed=tuple(assumed.values()))

    def _submissions(self, assumed: dict[str, Assumed], *, repeats: int | None = None) -> Iterator[Submission]:
        done = (run for run in self._done if repeats is None or run.id.repeat <= repeats)
        missing = (run for run in self._missing if repeats is None or run.id.repeat <= repeats)
        return chain(self._judging.submissions(done), (self._stand_in(run, assumed) for run in missing))

    def _pairs(self, assumed: dict[str, Assumed]) -> Matched | None:
        """The first runs of each case side by side; None when no case has two."""
        outputs: dict[str, dict[str, Submission]] = {variant.name: {} for variant in self._suite.variants}
        for submission in self._submissions(assumed, repeats=1):
            handle = handle_of(submission)
            outputs[handle.variant][handle.case] = submission
        try:
            return match_items({variant: items for variant, items in outputs.items() if items})
        except InputError:
            return None

    def _stand_in(self, run: PlannedRun, assumed: dict[str, Assumed]) -> Submission:
        """A submission as long as a run's is taken to be, unlike any whose judging is stored already."""
        start = f"{run.id.case} {run.id.variant} {run.id.repeat}:"
        words = max(0, assumed[run.variant.name].tokens - expected_tokens(start))
        return Submission(
            start + " and" * words,  # a common word is one token
            id=json.dumps(Handle("", "", *run.id)),
            task=whole_prompt(run.case) if run.case.task is None else run.case.task or None,
            skill=self._suite.skill,
            reference=run.case.reference,
        )

    def _assumed(self) -> Iterator[Assumed]:
        everything = [run for runs in self._examples.values() for run in runs]
        for variant in self._suite.variants:
            runs = sum(run.variant.name == variant.name for run in self._missing)
            if not runs:
                continue
            of_variant, others = self._mean_tokens(self._examples[variant.name]), self._mean_tokens(everything)
            if of_variant is not None:
                yield Assumed(variant.name, runs, of_variant, "its kept runs")
            elif others is not None:
                yield Assumed(variant.name, runs, others, "other variants' kept runs")
            elif isinstance(variant.does, Model) and self._models is not None:
                yield Assumed(variant.name, runs, self._models.most_tokens(variant.does), "its model's limit")
            else:
                yield Assumed(variant.name, runs, USUAL_TOKENS, "nothing is kept")

    def _mean_tokens(self, runs: Sequence[AgentRun]) -> int | None:
        """How much a judge reads of such runs: of an agent's transcript more than the output."""
        lengths = [
            expected_tokens(show(submission, window_tokens=None).text) for submission in self._judging.submissions(runs)
        ]
        return round(sum(lengths) / len(lengths)) if lengths else None

    def _mean(self, run: PlannedRun, field: Literal["seconds", "cost"]) -> Decimal | None:
        """The mean over the kept runs of its variant; of the time, over those of other variants where it has none."""
        known = _known(self._examples[run.variant.name], field)
        if not known and field == "seconds":
            known = _known((example for runs in self._examples.values() for example in runs), field)
        return sum(known, Decimal(0)) / len(known) if known else None

    def _cost(self, run: PlannedRun) -> Decimal | None:
        mean = self._mean(run, "cost")
        if mean is None and self._models is not None and isinstance(run.variant.does, Model):
            return self._models.most_cost(run)
        return mean


class _LooksAtExisting(AroundProgram):
    """Checks for outputs that exist; stand-ins for the others have no faults to ask about."""

    def look(self, submission: Submission) -> tuple[Checked | None, tuple[str, ...]]:
        return self._program.look(submission) if handle_of(submission).card else (None, ())


def _known(runs: Iterable[AgentRun], field: Literal["seconds", "cost"]) -> list[Decimal]:
    return [value for run in runs if (value := getattr(run, field)) is not None]
