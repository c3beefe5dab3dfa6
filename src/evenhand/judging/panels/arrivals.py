"""Items worked on while further ones are still being made.

The next one is waited for in a thread, so that an agent that takes its time keeps no reply of a model waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from evenhand.judges.models.budget import Budget
from evenhand.judging.panels.concurrency import InOrder, Item, Result


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
