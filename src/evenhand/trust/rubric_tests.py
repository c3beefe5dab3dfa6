"""A rubric tested with its golden examples: judges asked about each criterion, and compared with what people say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from evenhand.core.judgement import Verdict
from evenhand.core.rubric import ANSWERS, CANNOT_TELL, UNANSWERED
from evenhand.errors import InputError, Unavailable
from evenhand.in_words import counted
from evenhand.judges.decided_criteria import decided_verdicts
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import Plan, add_plans
from evenhand.judges.models.judge import ModelJudge, trees_of
from evenhand.judges.models.together import every
from evenhand.judging.panels.panel import OpenPanel, run_to_the_end
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import Stopped
from evenhand.rubrics.resolved import resolve
from evenhand.stats.trust.golden import (
    PROGRAM,
    GoldenExample,
    GoldenResult,
    Readings,
    Tested,
    golden_result,
    tested_criteria,
)
from evenhand.trust.golden_examples import golden_examples

NO_ROOM = Verdict(CANNOT_TELL, "the example does not fit into the judge's window", by=UNANSWERED)


class RubricTest:
    """One test of one rubric."""

    def __init__(
        self,
        rubric: str,
        judges: Sequence[str],
        options: ModelOptions,
        *,
        together: int = 1,
        golden: str | None = None,
        min_agreement: Decimal = Decimal(1),
        notice: Callable[[str], None] | None = None,
        needs_key: bool = True,
    ) -> None:
        """InputError when there is nothing to test, or no one to ask.

        With `together`, that many criteria are asked in one call too, to see what that costs.
        """
        resolved = resolve(rubric)
        self._rubric = resolved.rubric
        found = golden_examples(rubric, self._rubric, golden)
        trees = trees_of(self._rubric)
        self._tested = Tested(
            resolved.rubric.name, resolved.terms.sha256, found.sources, trees, found.examples, min_agreement
        )
        self._asked = {
            example.name: [one for one in tested_criteria(example, trees) if one.asked] for example in found.examples
        }
        unasked = {criterion.id for criteria in self._asked.values() for criterion in criteria}
        if unasked and not judges:
            count = counted(len(unasked), "criterion", "criteria")
            raise InputError(f"{count} of {self._rubric.name} need a judge; name one with `judges`")
        self.budget = Budget(max_calls=options.max_calls, max_cost=options.max_cost)
        self._panels: dict[int, OpenPanel] = {}
        for per_call in dict.fromkeys((1, together)) if unasked else ():
            self._panels[per_call] = OpenPanel(
                judges, replace(options, per_call=per_call), budget=self.budget, notice=notice, needs_key=needs_key
            )
        self.per_call = together

    @property
    def questions(self) -> int:
        """How many verdicts are asked for, of all judges and in all ways."""
        judges = sum(len(panel.models) for panel in self._panels.values())
        return judges * sum(map(len, self._asked.values()))

    def plan(self) -> list[tuple[str, Plan]]:
        """What the test takes by judge, without calling a model."""
        plans: dict[str, list[Plan]] = {}
        for panel in self._panels.values():
            for name, judge in _named(panel):
                plans.setdefault(name, []).extend(
                    judge.plan_answers(self._rubric, example.submission, self._asked[example.name], ANSWERS)
                    for example in self._tested.examples
                )
        return [(name, add_plans(of_judge)) for name, of_judge in plans.items()]

    def run(self, tick: Callable[[], None] = lambda: None) -> GoldenResult:
        """Ask everything, and compare. Unavailable when the run stops before the end."""
        return run_to_the_end(self._run(tick))

    async def _run(self, tick: Callable[[], None]) -> GoldenResult:
        readings: dict[int, Readings] = {}
        for per_call, panel in self._panels.items():
            try:
                async with panel:
                    readings[per_call] = await self._read(panel, tick)
            except Stopped:
                raise Unavailable(self.budget.stopped or "the run was stopped") from None
            stopped = self.budget.stopped or (panel.never_answered if _silent(readings[per_call]) else None)
            if stopped is not None:
                raise Unavailable(stopped)
        alone = {**readings.get(1, {}), PROGRAM: self._decided()}
        several = None if self.per_call not in readings or self.per_call == 1 else readings[self.per_call]
        return golden_result(
            self._tested,
            alone,
            None if several is None else (self.per_call, several),
            calls=self.budget.calls,
            cost=self.budget.cost,
        )

    async def _read(self, panel: OpenPanel, tick: Callable[[], None]) -> Readings:
        places = asyncio.Semaphore(panel.window)

        async def verdicts(judge: ModelJudge, example: GoldenExample) -> dict[str, Verdict]:
            criteria = self._asked[example.name]
            async with places:
                answers, _ = await judge.answer(self._rubric, example.submission, criteria, ANSWERS)
            for _ in criteria:
                tick()
            return {criterion.id: answers.get(criterion.id, NO_ROOM) for criterion in criteria}

        wanted = [(name, judge, example) for name, judge in _named(panel) for example in self._tested.examples]
        found = await every(verdicts(judge, example) for _, judge, example in wanted)
        readings: dict[str, dict[str, Mapping[str, Verdict]]] = {}
        for (name, _, example), given in zip(wanted, found, strict=True):
            readings.setdefault(name, {})[example.name] = given
        return readings

    def _decided(self) -> dict[str, Mapping[str, Verdict]]:
        """What programs decide, of the criteria that the examples have a verdict on."""
        decided: dict[str, Mapping[str, Verdict]] = {}
        for example in self._tested.examples:
            decided_ids = {
                criterion.id for criterion in tested_criteria(example, self._tested.trees) if not criterion.asked
            }
            found = decided_verdicts(self._tested.trees, example.submission) if decided_ids else {}
            decided[example.name] = {id: verdict for id, verdict in found.items() if id in decided_ids}
        return decided


def _silent(readings: Readings) -> bool:
    """Whether there is not one answer."""
    verdicts = [verdict for of_judge in readings.values() for given in of_judge.values() for verdict in given.values()]
    return all(verdict.by == UNANSWERED for verdict in verdicts)


def _named(panel: OpenPanel) -> Iterator[tuple[str, ModelJudge]]:
    """The judges, each under a name of its own."""
    seen: dict[str, int] = {}
    for judge in panel.models:
        name = judge.identity["name"]
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name} ({seen[name]})"), judge
