"""Submissions judged while further ones are still being made.

The next one is waited for in a thread, so that an agent that takes its time keeps no reply of a model waiting.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.judges.model.budget import Budget
from evenhand.judges.protocol import AskedJudge
from evenhand.judging.concurrency import ConcurrentJudging, first_done
from evenhand.judging.judged import Judged, JudgingContext


class JudgingArrivals(ConcurrentJudging):
    """One run of a judge over submissions that arrive one by one."""

    def __init__(
        self,
        judge: AskedJudge,
        budget: Budget,
        context: JudgingContext,
        *,
        window: int,
        abandon: Callable[[], None],
    ) -> None:
        """`abandon` makes the submissions end soon; it is called when nobody wants the results any more."""
        super().__init__(judge, budget, context, window=window)
        self._abandon = abandon
        self._thread = ThreadPoolExecutor(1, "arrivals")
        self._arriving: asyncio.Future[Submission | InputError | None] | None = None
        self._have_ended = False
        self._failure: Exception | None = None
        """What ended the submissions before their time; those that had arrived are judged first."""

    def results(
        self, submissions: Iterable[Submission | InputError], *, close: Callable[[], Awaitable[None]]
    ) -> Iterator[Scorecard | InputError]:
        """Scorecards in the order of arrival. After a stop, those that have not arrived are left to the caller."""

        async def end() -> None:
            if self._arriving is not None:
                self._arriving.cancel()
            await close()

        try:
            yield from super().results(submissions, close=end)
            self._thread.shutdown()
        except BaseException:
            self._abandon()
            self._thread.shutdown()
            raise

    async def _advance(
        self, waiting: Iterator[Submission | InputError], running: deque[asyncio.Task[Judged | None]]
    ) -> bool:
        while not (running and running[0].done()):
            is_open = not self._have_ended and self._budget.stopped is None
            if is_open and self._arriving is None and len(running) < self._window:
                loop = asyncio.get_running_loop()
                self._arriving = loop.run_in_executor(self._thread, next, waiting, None)
            if not running and (self._arriving is None or self._budget.stopped is not None):
                break
            await asyncio.wait(self._awaited(running), return_when=asyncio.FIRST_COMPLETED)
            self._take_arrived(running)
            await asyncio.sleep(0)
        if running:
            await first_done(running, self._window // 4)
        elif self._failure is not None:
            raise self._failure
        return bool(running)

    def _awaited(self, running: deque[asyncio.Task[Judged | None]]) -> list[asyncio.Future[Any]]:
        """The first in line and the next arrival."""
        awaited: list[asyncio.Future[Any]] = [] if self._arriving is None else [self._arriving]
        return [*awaited, running[0]] if running else awaited

    def _take_arrived(self, running: deque[asyncio.Task[Judged | None]]) -> None:
        if self._arriving is None or not self._arriving.done():
            return
        arrived, self._arriving = self._arriving, None
        try:
            submission = arrived.result()
        except Exception as error:
            self._failure, submission = error, None
        self._have_ended = submission is None
        if submission is not None and self._budget.stopped is None:
            running.append(asyncio.create_task(self.judge_one(submission)))
