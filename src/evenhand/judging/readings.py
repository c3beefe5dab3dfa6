"""Outputs judged for what they tell about the judge: nothing of it is kept as an evaluation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.judges.model.together import every
from evenhand.judging.concurrency import ConcurrentJudging
from evenhand.judging.judged import JudgingContext
from evenhand.judging.preferences import PreferenceRun


class FreshRun(PreferenceRun):
    """Judges, opened to judge several sets of submissions one after another."""

    async def read(
        self, submissions: Sequence[Submission], rubric: Rubric, tick: Callable[[], None] = lambda: None
    ) -> list[Scorecard | None]:
        """Each submission's scorecard, in order; None where the run stopped first. `tick` is called after each."""
        context = JudgingContext(rubric)
        judging = ConcurrentJudging(self.judge, self.budget, context, window=self._window())
        places = asyncio.Semaphore(self._window())

        async def one(submission: Submission) -> Scorecard | None:
            async with places:
                judged = None if self.budget.stopped is not None else await judging.judge_one(submission)
            if judged is None:
                return None
            evaluated = context.evaluate(judged)
            if isinstance(evaluated, InputError):
                raise evaluated
            tick()
            return evaluated.card

        return await every(one(submission) for submission in submissions)

    async def close(self) -> None:
        """Close the connections and the file of replies."""
        await self._close()
