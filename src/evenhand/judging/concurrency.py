"""Submissions judged concurrently by asynchronous judges: results in order, never more in flight than a window.

The event loop runs only while waiting for a result; scoring and storing happen in between. The first
Ctrl-C stops new calls, and replies to those in flight are kept. The second cancels them.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice

from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Unscored
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.judges.model.budget import Budget
from evenhand.judges.protocol import AskedJudge
from evenhand.judging.judged import Judged, JudgingContext
from evenhand.judging.keeper import Keeper
from evenhand.providers.exchange import Stopped

INTERRUPTED = "interrupted"
MOMENT = 0.1
"""Seconds that a result may wait for the next ones."""


class ConcurrentJudging:
    """One run of a judge over many submissions."""

    def __init__(
        self, judge: AskedJudge, budget: Budget, context: JudgingContext, *, window: int, keeper: Keeper | None = None
    ) -> None:
        self._judge = judge
        self._budget = budget
        self._context = context
        self._window = window
        self._keeper = keeper
        self._held_back: list[Judged] = []
        self.unjudged = 0
        """Submissions that were started but not judged when the run stopped; another run will judge them."""

    def results(
        self, submissions: Iterable[Submission | InputError], *, close: Callable[[], Awaitable[None]]
    ) -> Iterator[Scorecard | InputError]:
        """Scorecards in the order of the submissions; what cannot be judged is a value in its place."""
        loop = asyncio.new_event_loop()
        waiting = iter(submissions)
        running: deque[asyncio.Task[Judged | None]] = deque()
        self._handle_interrupts(loop, running)
        try:
            while loop.run_until_complete(self._advance(waiting, running)):
                yield from self._shown(_finished(running))
            if self._held_back:
                self._budget.stop(self._budget.failure, broken=True)
                self.unjudged += len(self._held_back)
        finally:
            for task in running:
                task.cancel()
            loop.run_until_complete(_settled(running, close))
            loop.remove_signal_handler(signal.SIGINT)
            loop.close()

    async def _advance(
        self, waiting: Iterator[Submission | InputError], running: deque[asyncio.Task[Judged | None]]
    ) -> bool:
        """Until the first in line is judged; false when there is none."""
        await self._begin(waiting, running)
        if running:
            await first_done(running, self._window // 4)
        return bool(running)

    async def _begin(
        self, waiting: Iterator[Submission | InputError], running: deque[asyncio.Task[Judged | None]]
    ) -> None:
        """Start as many as fit into the window. Each reaches its first call before the next one is read."""
        while self._budget.stopped is None and len(running) < self._window:
            submission = next(waiting, None)
            if submission is None:
                return
            running.append(asyncio.create_task(self.judge_one(submission)))
            await asyncio.sleep(0)

    async def judge_one(self, submission: Submission | InputError) -> Judged | None:
        """Judge one submission; None when the run stopped first."""
        if isinstance(submission, InputError):
            return submission
        judgement: Judgement | None
        try:
            resolved = self._context.resolve(submission)
            judgement = await self._judge.judge(resolved.rubric, submission)
        except InputError as error:
            return error
        except Stopped:
            judgement = None
        if judgement is None or (self._budget.broken and _nothing_scored(judgement)):
            self.unjudged += 1
            return None
        return submission, judgement, resolved

    def _shown(self, judged: list[Judged | None]) -> list[Scorecard | InputError]:
        entries = [*self._held_back, *(entry for entry in judged if entry is not None)]
        if not self._budget.any_reply and self._budget.failure and all(map(_without_a_score, entries)):
            self._held_back = entries  # unless some judge replies after all, there is nothing to show
            return []
        self._held_back = []
        evaluated = [self._context.evaluate(entry) for entry in entries]
        if self._keeper is None:
            return [result if isinstance(result, InputError) else result.card for result in evaluated]
        return self._keeper.keep_batch(evaluated)

    def _handle_interrupts(self, loop: asyncio.AbstractEventLoop, running: deque[asyncio.Task[Judged | None]]) -> None:
        """Ctrl-C stops new calls; a second one cancels those in flight."""

        def interrupted() -> None:
            if self._budget.stopped == INTERRUPTED:
                for task in running:
                    task.cancel()
            self._budget.stop(INTERRUPTED)

        try:
            loop.add_signal_handler(signal.SIGINT, interrupted)
        except (NotImplementedError, RuntimeError, ValueError):  # not in the main thread, or not on this system
            return


def _without_a_score(entry: Judged) -> bool:
    return not isinstance(entry, InputError) and _nothing_scored(entry[1])


def _nothing_scored(judgement: Judgement) -> bool:
    return all(isinstance(opinion.score, Unscored) for opinion in judgement.opinions.values())


async def first_done(running: deque[asyncio.Task[Judged | None]], most: int) -> None:
    """Wait for the first in line, and a moment for those behind it: results stored together cost one commit."""
    await asyncio.wait([running[0]])
    if behind := list(islice(running, 1, most)):
        await asyncio.wait(behind, timeout=MOMENT)


def _finished(running: deque[asyncio.Task[Judged | None]]) -> list[Judged | None]:
    """Remove and return the finished tasks at the front. A failed one stays until those before it are stored."""
    done: list[Judged | None] = []
    while running and running[0].done():
        task = running[0]
        if done and not task.cancelled() and task.exception() is not None:
            break
        running.popleft()
        done.append(None if task.cancelled() else task.result())
    return done


async def _settled(running: Iterable[asyncio.Task[Judged | None]], close: Callable[[], Awaitable[None]]) -> None:
    await asyncio.gather(*running, return_exceptions=True)
    await close()
