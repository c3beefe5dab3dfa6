"""Scorecards as rewards for training: outputs in batches, each distinct one judged once, within one budget for all.

A reward is a tenth of the final score; a red flag is a veto. What nobody could score has no reward: None, never a zero.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

from evenhand.core.values.model_options import options_from
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.judges.model.budget import Budget
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.panel import OpenPanel
from evenhand.judging.panel_judging import PanelJudging
from evenhand.judging.program import CHECKS, open_program
from evenhand.judging.steps import Steps
from evenhand.reports.document import card_report
from evenhand.rubrics.resolved import resolve

MOST_KEPT: Final = 10_000
"""Rewards that are remembered; the oldest are forgotten first."""
MOMENT: Final = 0.02
"""Seconds that a single output waits for others to be judged with."""


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


class Rewards:
    """Judges outputs and gives rewards. One object serves a whole training run."""

    def __init__(
        self,
        judges: str | Sequence[str],
        *,
        rubric: str | Path | Rubric | None = None,
        veto: float | None = 0.0,
        **options: Any,
    ) -> None:
        """`veto` is the reward of an output with a red flag; None takes the flags' deductions only.

        `max_calls` and `max_cost` are for all calls of this object together. The other options are the fields
        of `evenhand.ModelOptions`, such as `replies`, the file that keeps replies from run to run.
        """
        self._judges = (judges,) if isinstance(judges, str) else tuple(judges)
        if not set(self._judges) - {CHECKS}:
            raise InputError("a reward needs a judge that reads the output, such as openai:MODEL; checks give no score")
        self._options = options_from(options)
        self._rubric = None if rubric is None else resolve(rubric).rubric
        self._veto = veto
        self._budget = Budget(max_calls=self._options.max_calls, max_cost=self._options.max_cost)
        self._known: dict[Work, Reward] = {}
        self._waiting: dict[Work, asyncio.Future[Reward]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

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

    async def of_one(self, work: Work) -> Reward:
        """The reward of one output; those asked for at the same moment are judged together."""
        future = self._waiting.get(work)
        if future is None:
            future = self._waiting[work] = asyncio.get_running_loop().create_future()
            if len(self._waiting) == 1:
                task = asyncio.create_task(self._judge_together())
                self._tasks.add(task)  # or it could be collected while it runs
                task.add_done_callback(self._tasks.discard)
        return await future

    async def _judge_together(self) -> None:
        await asyncio.sleep(MOMENT)
        waiting, self._waiting = self._waiting, {}
        try:
            for future, reward in zip(waiting.values(), await self.of(list(waiting)), strict=True):
                if not future.done():
                    future.set_result(reward)
        except BaseException as error:
            for future in waiting.values():
                if not future.done():
                    future.set_exception(error)
            if not isinstance(error, Exception):
                raise

    async def _judged(self, works: Sequence[Work]) -> list[Reward]:
        program, budget = open_program(self._judges), self._open_budget()
        panel = OpenPanel(self._judges, self._options, program=program, budget=budget)
        submissions = [Submission(output=work.output, task=work.task, reference=work.reference) for work in works]
        async with panel:
            evaluated = await PanelJudging(panel, Steps(self._rubric)).evaluate_all(submissions)
        return [self._reward(entry, panel.stopped) for entry in evaluated]

    def _open_budget(self) -> Budget:
        """What is left. A provider that was out of reach ends one batch, not the run; a limit ends all of it."""
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
        return reward_of(evaluated.card, veto=self._veto)


def reward_of(card: Scorecard, *, veto: float | None = 0.0) -> Reward:
    """The reward of a scorecard."""
    dimensions = {name: float(line.score / 10) for name, line in card.dimensions.items() if line.score is not None}
    flags = tuple(flag.id for flag in card.red_flags)
    if card.final is None:
        return Reward(None, card_report(card).verdict, dimensions, flags)
    if flags and veto is not None:
        return Reward(veto, f"vetoed by {', '.join(flags)}", dimensions, flags)
    return Reward(float(card.final / 10), card_report(card).verdict, dimensions, flags)
