"""Places for calls to one provider. A call about a work that was begun earlier goes first.

So works end in the order in which they were begun: of a run that is stopped, or that has spent its budget, most works
are then either judged or not begun, rather than all of them half judged.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count

place_in_line: ContextVar[int] = ContextVar("place_in_line", default=0)
"""The place of the work that a call is about: the lowest goes first."""


class Slots:
    """So many calls at once; used in one event loop, as `async with slots`."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = count()

    async def __aenter__(self) -> None:
        if self._free and not self._waiting:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (place_in_line.get(), next(self._arrivals), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given a place that it will not use
                self._pass_on()
            raise

    async def __aexit__(self, *details: object) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            _, _, turn = heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
