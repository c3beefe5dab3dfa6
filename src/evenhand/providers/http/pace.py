"""Rate limiting: a limited number of units in any minute, first come, first served."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from evenhand import clock

MINUTE = 60.0


class Timing(NamedTuple):
    """The clock and the random source; tests supply their own."""

    elapsed: Callable[[], float] = clock.elapsed
    epoch_seconds: Callable[[], float] = clock.epoch_seconds
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = clock.chance


class PerMinute(Protocol):
    """Keeps a limit per minute."""

    async def take(self, amount: float = 1) -> list[float]: ...

    def correct(self, entry: list[float], amount: float) -> None: ...


class PaceMaker(Protocol):
    """Makes one for a limit; `name` is the same wherever the same limit is meant."""

    def __call__(self, limit: int, timing: Timing, name: str = "") -> PerMinute: ...


class Pace:
    """At most `limit` units (requests, or tokens) in any minute. A larger amount waits for an empty minute."""

    def __init__(self, limit: int, timing: Timing, name: str = "") -> None:
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
