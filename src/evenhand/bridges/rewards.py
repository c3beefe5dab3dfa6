"""Scorecards as rewards for training: outputs in batches, each distinct one judged once, within one budget for all.

A reward is a tenth of the final score, or what the criteria are worth; a red flag is a veto. What nobody could score
has no reward: None, never a zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

from evenhand.core.rubric import NO, PARTLY, YES, Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.judges.models.budget import Budget
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.program import CHECKS, open_program
from evenhand.judging.steps import Steps
from evenhand.options.model_options import options_from
from evenhand.reports.scorecard import verdict
from evenhand.rubrics.resolved import resolve
from evenhand.work.submission import Submission

MOST_KEPT: Final = 10_000
"""Rewards that are remembered; the oldest are forgotten first."""


class Work(NamedTuple):
    """An output to judge."""

    output: str
    task: str | None = None
    reference: str | None = None


class Reward(NamedTuple):
    """What an output earns."""

    value: float | None
    """From 0.1 to 1, or the veto; None when nobody could score it."""
    reason: str
    """The grade in words, the flags behind a veto, or why there is no value."""
    dimensions: Mapping[str, float] = {}
    red_flags: tuple[str, ...] = ()
    criteria: Mapping[str, float] = {}
    """What each criterion is worth, by id or sentence: 1, 0, or the part that `partly` counts; without those that do
    not apply or cannot be told."""


class Rewards:
    """Judges outputs and gives rewards. One object serves a whole training run."""

    def __init__(
        self,
        judges: str | Sequence[str],
        *,
        rubric: str | Path | Rubric | None = None,
        veto: float | None = 0.0,
        criteria: bool | Sequence[str] = False,
        **options: Any,
    ) -> None:
        """`veto` is the reward of an output with a red flag; None takes the flags' deductions only.

        With `criteria=True` the reward is what the rubric's criteria are worth, from 0 to 1, point by point; several
        dimensions count by their weights. With a list of sentences it is the share that is met; without a rubric,
        nothing else is asked. Where a criterion cannot be told there is no reward.

        `max_calls` and `max_cost` are for all calls of this object together. The other options are the fields
        of `evenhand.ModelOptions`, such as `replies`, the file that keeps replies from run to run.
        """
        self._judges = (judges,) if isinstance(judges, str) else tuple(judges)
        if not set(self._judges) - {CHECKS}:
            raise InputError("a reward needs a judge that reads the output, such as openai:MODEL; checks give no score")
        self._options = options_from(options)
        self._rubric = None if rubric is None else resolve(rubric).rubric
        self._veto = veto
        self._sentences = () if isinstance(criteria, bool) else tuple(criteria)
        self._by_criteria = bool(criteria)
        if criteria is True and not (self._rubric and any(part.tree for part in self._rubric.dimensions.values())):
            raise InputError("criteria=True needs a rubric with criteria; or give a list of sentences")
        self._budget = Budget(max_calls=self._options.max_calls, max_cost=self._options.max_cost)
        self._known: dict[Work, Reward] = {}

    async def of(self, works: Sequence[Work]) -> list[Reward]:
        """A reward for each output, in their order."""
        new = [work for work in dict.fromkeys(works) if work not in self._known]
        judged = dict(zip(new, await self._judged(new), strict=True)) if new else {}
        rewards = [self._known.get(work) or judged[work] for work in works]
        for work, reward in judged.items():
            if reward.value is not None:
                self._known[work] = reward
        while len(self._known) > MOST_KEPT:
            del self._known[next(iter(self._known))]
        return rewards

    async def _judged(self, works: Sequence[Work]) -> list[Reward]:
        program, budget = open_program(self._judges, criteria=self._sentences), self._open_budget()
        only = bool(self._sentences) and self._rubric is None
        panel = OpenPanel(self._judges, self._options, program=program, budget=budget, only_criteria=only)
        submissions = [Submission(output=work.output, task=work.task, reference=work.reference) for work in works]
        async with panel:
            evaluated = await PanelJudging(panel, Steps(self._rubric)).evaluate_all(submissions)
        return [self._reward(entry, panel.stopped) for entry in evaluated]

    def _open_budget(self) -> Budget:
        """The remaining budget. A provider that cannot be reached ends one batch, not the run; a limit ends the run."""
        budget = self._budget
        if budget.broken:
            calls, cost = self._options.max_calls, self._options.max_cost
            self._options = replace(
                self._options,
                max_calls=None if calls is None else max(0, calls - budget.calls),
                max_cost=None if cost is None else max(Decimal(0), cost - (budget.cost or 0)),
            )
            self._budget = Budget(max_calls=self._options.max_calls, max_cost=self._options.max_cost)
        return self._budget

    def _reward(self, evaluated: Evaluated | InputError | None, stopped: str | None) -> Reward:
        if evaluated is None:
            return Reward(None, f"not judged: {stopped}")
        if isinstance(evaluated, InputError):
            return Reward(None, f"not judged: {evaluated}")
        return reward_of(evaluated.card, veto=self._veto, criteria=self._by_criteria)


def reward_of(card: Scorecard, *, veto: float | None = 0.0, criteria: bool = False) -> Reward:
    """The reward of a scorecard; with `criteria`, what those are worth."""
    reward = _by_score(card, veto)
    if not criteria:
        return reward
    values, worth, why = _by_criteria(card)
    vetoed = bool(reward.red_flags) and veto is not None
    if worth is not None and vetoed:
        return reward._replace(criteria=values)
    return reward._replace(value=None if worth is None else float(worth), reason=why, criteria=values)


def _by_criteria(card: Scorecard) -> tuple[dict[str, float], Fraction | None, str]:
    """What each criterion is worth, all of them together, and that in words."""
    values: dict[str, float] = {}
    worth: list[tuple[Fraction, Fraction]] = []
    undecided = []
    for name, line in card.dimensions.items():
        if line.criteria is None:
            continue
        worths = {YES: 1.0, NO: 0.0, PARTLY: float(line.criteria.tree.partly)}
        answers = {id: verdict.answer for id, verdict in line.criteria.verdicts.items()}
        values |= {id: worths[answer] for id, answer in answers.items() if answer in worths}
        if line.score is None:
            undecided.append(line.unscored or name)
        else:
            value = line.criteria.value
            exact = (Fraction(line.score) - 1) / 9 if value is None else min(max(value.low, Fraction(0)), Fraction(1))
            worth.append((Fraction(line.weight), exact))
    expected = [] if card.checked is None else [one for one in card.checked.expectations if one.by]
    undecided += [one.line for one in expected if one.result == "undecided"]
    values |= {one.words: float(one.result == "met") for one in expected if one.result != "undecided"}
    if expected and not worth:
        worth = [(Fraction(1), Fraction(one.result == "met")) for one in expected]
    whole = sum((weight for weight, _ in worth), Fraction(0))
    if undecided or not whole:
        return values, None, f"not told: {undecided[0]}" if undecided else "no criterion was answered"
    total = sum((weight * value for weight, value in worth), Fraction(0)) / whole
    return values, total, f"criteria worth {total} of 1"


def _by_score(card: Scorecard, veto: float | None) -> Reward:
    dimensions = {name: float(line.score / 10) for name, line in card.dimensions.items() if line.score is not None}
    flags = tuple(flag.id for flag in card.red_flags)
    if card.final is None:
        return Reward(None, verdict(card), dimensions, flags)
    if flags and veto is not None:
        return Reward(veto, f"vetoed by {', '.join(flags)}", dimensions, flags)
    return Reward(float(card.final / 10), verdict(card), dimensions, flags)
