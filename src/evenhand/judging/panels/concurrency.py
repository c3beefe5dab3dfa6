"""Many submissions or pairs at once: results in order, never more in flight than a window.

The event loop runs only while waiting for a result; scoring and storing happen in between. The first
Ctrl-C stops new calls, and replies to those in flight are kept. The second cancels them.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from evenhand.judges.models.budget import Budget

INTERRUPTED = "interrupted"
MOMENT = 0.1
"""Seconds that a result may wait for the next ones."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class InOrder(Generic[Item, Result]):
    """Does one thing with many items at once. What a stop leaves undone has the result None."""

    def __init__(
        self, work: Callable[[Item], Coroutine[Any, Any, Result | None]], budget: Budget, *, window: int
    ) -> None:
        self._work = work
        self._budget = budget
        self._window = window
        self._running: deque[asyncio.Task[Result | None]] = deque()
        """In the order of the items. The first in line is the next result, whichever ends first."""

    def results(self, items: Iterable[Item], *, close: Callable[[], Awaitable[None]]) -> Generator[list[Result | None]]:
        """Results as they come, those that are ready together in one list. Once the budget stops, no item is begun."""
        loop = asyncio.new_event_loop()
        waiting = iter(items)
        self._handle_interrupts(loop)
        try:
            while loop.run_until_complete(self._advance(waiting)):
                yield self._finished()
        finally:
            for task in self._running:
                task.cancel()
            loop.run_until_complete(self._settled(close))
            loop.remove_signal_handler(signal.SIGINT)
            loop.close()

    async def _advance(self, waiting: Iterator[Item]) -> bool:
        """Until the first in line is done; false when there is none."""
        while self._budget.stopped is None and len(self._running) < self._window:
            item = next(waiting, None)
            if item is None:
                break
            self._begin(item)
            # Each reaches its first call before the next item is read, so that what stops the first one, such as a
            # spent budget, keeps the next one from being begun.
            await asyncio.sleep(0)
        if self._running:
            await self._first_done()
        return bool(self._running)

    def _begin(self, item: Item) -> None:
        self._running.append(asyncio.create_task(self._work(item)))

    async def _first_done(self) -> None:
        """Wait for the first in line, and a moment for those behind it: results stored together cost one commit."""
        await asyncio.wait([self._running[0]])
        if behind := list(islice(self._running, 1, self._window // 4)):
            await asyncio.wait(behind, timeout=MOMENT)

    def _finished(self) -> list[Result | None]:
        """Remove and return the finished tasks at the front. A failed one stays until those before it are stored."""
        done: list[Result | None] = []
        while self._running and self._running[0].done():
            task = self._running[0]
            if done and not task.cancelled() and task.exception() is not None:
                break
            self._running.popleft()
            done.append(None if task.cancelled() else task.result())
        return done

    async def _settled(self, close: Callable[[], Awaitable[None]]) -> None:
        await asyncio.gather(*self._running, return_exceptions=True)
        await close()

    def _handle_interrupts(self, loop: asyncio.AbstractEventLoop) -> None:
        """Ctrl-C stops new calls; a second one cancels those in flight."""

        def interrupted() -> None:
            if self._budget.stopped == INTERRUPTED:
                for task in self._running:
                    task.cancel()
            self._budget.stop(INTERRUPTED)

        try:
            loop.add_signal_handler(signal.SIGINT, interrupted)
        except (NotImplementedError, RuntimeError, ValueError):  # not in the main thread, or not on this system
            return
