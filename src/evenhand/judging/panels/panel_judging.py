"""Submissions judged by an open panel, several at once: through the steps, and held back while no judge answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from typing import Any

from evenhand.core.judgement import Judgement, Unscored
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import Plan, add_plans
from evenhand.judges.models.together import every
from evenhand.judging.calibration import refuse_misfit
from evenhand.judging.evaluated import Evaluated, Judged
from evenhand.judging.panels.concurrency import InOrder, Item, Result
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.steps import Steps
from evenhand.providers.exchange import Message, Stopped
from evenhand.work.submission import Submission


class PanelJudging:
    """Takes submissions through the steps, with an open panel as the judge."""

    def __init__(self, panel: OpenPanel, steps: Steps) -> None:
        """InputError when the calibration of the steps is of another judge."""
        self.panel = panel
        self._steps = steps
        self._held_back: list[Judged | InputError] = []
        if steps.calibration is not None:
            refuse_misfit(steps.calibration, panel.judge.identity)

    def results(self, submissions: Iterable[Submission | InputError]) -> Iterator[Scorecard | InputError]:
        """Scorecards in submission order, as they finish; what cannot be judged is a value in its place.

        Afterwards the panel's `stopped` says whether any are missing.
        """
        in_order = InOrder[Submission | InputError, Judged | InputError](
            self._judged, self.panel.budget, window=self.panel.window
        )
        return self._kept(in_order.results(submissions, close=self.panel.close))

    def results_of_arrivals(
        self, submissions: Iterable[Submission | InputError], *, abandon: Callable[[], None]
    ) -> Iterator[Scorecard | InputError]:
        """Scorecards of submissions that are still being made, in another thread; `abandon` makes them end soon."""
        in_order = InOrderOfArrival[Submission | InputError, Judged | InputError](
            self._judged, self.panel.budget, window=self.panel.window, abandon=abandon
        )
        return self._kept(in_order.results(submissions, close=self.panel.close))

    async def evaluate_all(
        self, submissions: Sequence[Submission], tick: Callable[[], None] = lambda: None
    ) -> list[Evaluated | InputError | None]:
        """Judge several in the caller's event loop; None in place of those not judged when the panel stopped.

        Nothing is kept, and the panel stays open. `tick` is called after each.
        """
        places = asyncio.Semaphore(self.panel.window)

        async def evaluated(submission: Submission) -> Evaluated | InputError | None:
            async with places:
                judged = await self._judged(submission)
            tick()
            return None if judged is None else self._steps.evaluate_or_error(judged)

        return await every(evaluated(submission) for submission in submissions)

    async def cards(
        self, submissions: Sequence[Submission], tick: Callable[[], None] = lambda: None
    ) -> list[Scorecard | None]:
        """The scorecards alone. InputError when a submission cannot be judged."""
        cards: list[Scorecard | None] = []
        for evaluated in await self.evaluate_all(submissions, tick):
            if isinstance(evaluated, InputError):
                raise evaluated
            cards.append(None if evaluated is None else evaluated.card)
        return cards

    def plan(self, submissions: Iterable[Submission | InputError]) -> tuple[int, list[tuple[str, Plan]], int]:
        """The number of submissions, each judge's plan for them, and the most calls the stronger judge might add."""
        panel = self.panel
        plans = dict.fromkeys(panel.always_asked(), Plan(cost=Decimal(0)))
        count = escalation_calls = 0
        for submission in submissions:
            if isinstance(submission, InputError):
                raise submission
            rubric = panel.panel.asked_about(self._steps.resolve(submission).rubric)
            count += 1
            disputable = panel.panel.disputable(rubric, submission)
            sentences, facts = panel.panel.sentences(submission), panel.panel.facts(submission)
            for judge, plan in plans.items():
                shown = panel.shown(judge, rubric, submission)
                plans[judge] = add_plans([plan, shown.plan(rubric, submission, disputable, sentences, facts)])
            escalation_calls += panel.stronger.calls(rubric) if panel.stronger is not None else 0
        return count, [(judge.identity["name"], plan) for judge, plan in plans.items()], escalation_calls

    def prompts(self, submission: Submission) -> Iterator[tuple[str, str, tuple[Message, ...]]]:
        """Every question as each model gets it: the judge's name, the question's, the messages."""
        panel = self.panel.panel
        rubric, sentences = panel.asked_about(self._steps.resolve(submission).rubric), panel.sentences(submission)
        facts = panel.facts(submission)
        for judge in self.panel.models:
            for name, messages in self.panel.shown(judge, rubric, submission).prompts(
                rubric, submission, sentences, facts
            ):
                yield judge.identity["name"], name, messages

    async def _judged(self, submission: Submission | InputError) -> Judged | InputError | None:
        """Judge one submission; None when the panel stopped first."""
        if isinstance(submission, InputError):
            return submission
        judged: Judged | None
        try:
            judged = await self._steps.ask_models(submission, self.panel.judge)
        except InputError as error:
            return error
        except Stopped:
            judged = None
        # After an outage a judgement without one score says nothing about the submission: it is judged another time.
        if judged is None or (self.panel.budget.broken and _nothing_scored(judged.judgement)):
            return None
        return judged

    def _kept(self, batches: Generator[list[Judged | InputError | None]]) -> Iterator[Scorecard | InputError]:
        """Evaluate and keep what was judged. While no judge has ever replied, judgements without a score are held back:
        with a wrong key there is nothing to show or keep, but if some judge replies after all, they count."""
        budget = self.panel.budget
        with closing(batches):
            for batch in batches:
                self._held_back += [judged for judged in batch if judged is not None]
                if budget.any_reply or not budget.failure or not all(map(_without_a_score, self._held_back)):
                    held_back, self._held_back = self._held_back, []
                    yield from self._steps.keep([self._steps.evaluate_or_error(judged) for judged in held_back])
        if self._held_back:
            budget.stop(budget.failure, broken=True)


def _without_a_score(judged: Judged | InputError) -> bool:
    return not isinstance(judged, InputError) and _nothing_scored(judged.judgement)


def _nothing_scored(judgement: Judgement) -> bool:
    return all(isinstance(opinion.score, Unscored) for opinion in judgement.opinions.values())


# --- Submissions that are still being read ----------------------------------------------------------------------------


class InOrderOfArrival(InOrder[Item, Result]):
    """Items that arrive one by one. After a stop, those that have not arrived are left to the caller."""

    def __init__(
        self,
        work: Callable[[Item], Coroutine[Any, Any, Result | None]],
        budget: Budget,
        *,
        window: int,
        abandon: Callable[[], None],
    ) -> None:
        """`abandon` makes the items end soon; it is called when no one wants the results any more."""
        super().__init__(work, budget, window=window)
        self._abandon = abandon
        self._thread = ThreadPoolExecutor(1, "arrivals")
        self._arriving: asyncio.Future[Item | None] | None = None
        self._have_ended = False
        self._failure: Exception | None = None
        """What ended the items before their time; those that had arrived are worked on first."""

    def results(self, items: Iterable[Item], *, close: Callable[[], Awaitable[None]]) -> Generator[list[Result | None]]:
        """Results in the order of arrival."""

        async def end() -> None:
            if self._arriving is not None:
                self._arriving.cancel()
            await close()

        try:
            yield from super().results(items, close=end)
            self._thread.shutdown()
        except BaseException:
            # The thread may be waiting for an agent; it can be joined only once the agent has been told to end.
            self._abandon()
            self._thread.shutdown()
            raise

    async def _advance(self, waiting: Iterator[Item]) -> bool:
        running = self._running
        while not (running and running[0].done()):
            is_open = not self._have_ended and self._budget.stopped is None
            if is_open and self._arriving is None and len(running) < self._window:
                loop = asyncio.get_running_loop()
                self._arriving = loop.run_in_executor(self._thread, next, waiting, None)
            if not running and (self._arriving is None or self._budget.stopped is not None):
                break
            # Whichever comes first: the result that is next in line, or an item that can be begun meanwhile.
            awaited: list[asyncio.Future[Any]] = [*([self._arriving] if self._arriving else []), *list(running)[:1]]
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            self._take_arrived()
            await asyncio.sleep(0)
        if running:
            await self._first_done()
        elif self._failure is not None:
            raise self._failure
        return bool(running)

    def _take_arrived(self) -> None:
        if self._arriving is None or not self._arriving.done():
            return
        arrived, self._arriving = self._arriving, None
        try:
            item = arrived.result()
        except Exception as error:
            self._failure, item = error, None
        self._have_ended = item is None
        if item is not None and self._budget.stopped is None:
            self._begin(item)
