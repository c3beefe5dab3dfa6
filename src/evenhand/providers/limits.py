"""How much a provider is asked at once and per minute, and how long it is waited for.

A call about a work that was begun earlier gets the next free place. So works end in the order in which they were begun:
of a run that is stopped, or that has spent its budget, most works are then either judged or not begun, rather than all
of them half judged.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from evenhand import clock


class Timeouts(NamedTuple):
    """Seconds. Replies are not streamed: the first byte arrives when the model has finished, so that one is long."""

    connect: float = 10.0
    """For the DNS lookup, the connection and the TLS handshake."""
    first_byte: float = 120.0
    """For the reply to begin, and between any two parts of it."""
    total: float = 300.0
    """For a whole attempt, even while data keeps arriving."""


class Limits(NamedTuple):
    """How many requests a provider gets at once, per minute and per call."""

    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    tries: int = 5
    """Failed attempts before a call is given up, not counting those the server deferred (429)."""
    timeout_tries: int = 2
    """Failed attempts that timed out before a call is given up: they may have been billed."""
    patience: float = 600.0
    """Seconds after a call's first attempt beyond which no further attempt starts."""
    not_ready: float = 300.0
    """Seconds to wait for a server that says it is not ready (503), as while it loads its model."""
    largest: int = 8 * 1024 * 1024
    """The most bytes read of a reply."""


MINUTE = 60.0


class Timing(NamedTuple):
    """The clock and the random source; tests supply their own."""

    elapsed: Callable[[], float] = clock.elapsed
    epoch_seconds: Callable[[], float] = clock.epoch_seconds
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = clock.chance


class Pace:
    """At most `limit` units (requests, or tokens) in any minute. A larger amount waits for an empty minute."""

    def __init__(self, limit: int, timing: Timing) -> None:
        self._limit = limit
        self._timing = timing
        self._taken: deque[list[float]] = deque()  # [moment, amount], oldest first
        self._sum = 0.0
        self._turn = asyncio.Lock()

    async def take(self, amount: float = 1) -> list[float]:
        """Wait until `amount` may be used; returns the entry, for `correct`."""
        # The lock is held while waiting: otherwise small amounts would pass a large one for ever.
        async with self._turn:
            while (wait := self._wait(amount)) > 0:
                await self._timing.sleep(wait)
            entry = [self._timing.elapsed(), amount]
            self._taken.append(entry)
            self._sum += amount
            return entry

    def correct(self, entry: list[float], amount: float) -> None:
        """Record what was actually used, once known."""
        if entry[0] > self._timing.elapsed() - MINUTE:
            self._sum += amount - entry[1]
            entry[1] = amount

    def _wait(self, amount: float) -> float:
        now = self._timing.elapsed()
        while self._taken and self._taken[0][0] <= now - MINUTE:
            self._sum -= self._taken.popleft()[1]
        if not self._taken or self._sum + amount <= self._limit:
            return 0.0
        # Rounding could wake us just before the moment and make this loop spin.
        return max(self._taken[0][0] + MINUTE - now, 0.001)


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
