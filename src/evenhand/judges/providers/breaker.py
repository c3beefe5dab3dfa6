"""The circuit breaker: a provider that fails again and again is left alone for a while.

After `THRESHOLD` failures in a row, with no reply between them, nothing is sent for a cool-down; then one call goes
first, as a probe, and the others follow if it succeeds. A short outage is waited for, within each call's own time. A
long one is not: after `WAITED_FOR` failed probes, or if the provider never answered in this run, calls fail at once
until a probe succeeds.
"""

from __future__ import annotations

import asyncio

from evenhand.judges.providers.exchange import CallFailed
from evenhand.judges.providers.pace import Timing

THRESHOLD = 10
COOL_DOWN = 15.0
LONGEST = 60.0
WAITED_FOR = 3


class Breaker:
    """One for each provider."""

    def __init__(self, name: str, timing: Timing, *, threshold: int = THRESHOLD, cool_down: float = COOL_DOWN) -> None:
        self._name = name
        self._timing = timing
        self._threshold = threshold
        self._cool_down = cool_down
        self._in_a_row = 0
        self._answered = False
        self._open_until: float | None = None
        self._probes_failed = 0
        self._probing = False
        self._reason = ""
        self._changed = asyncio.Event()

    async def enter(self, deadline: float) -> bool:
        """Wait until a call may go out; True if it is the probe. CallFailed when waiting is of no use."""
        while self._open_until is not None:
            now = self._timing.elapsed()
            if now >= self._open_until and not self._probing:
                self._probing = True
                return True
            if not self._answered or self._probes_failed >= WAITED_FOR or self._open_until > deadline:
                raise self._refusal(now)
            if self._probing:
                await self._changed.wait()
            else:
                await self._timing.sleep(self._open_until - now)
        return False

    def success(self) -> None:
        """A reply came: everything flows again."""
        self._in_a_row = 0
        self._answered = True
        if self._open_until is not None:
            self._open_until = None
            self._probes_failed = 0
            self._let_go()

    def failure(self, reason: str, *, probe: bool = False) -> None:
        """An attempt failed."""
        self._in_a_row += 1
        self._reason = reason
        if probe:
            self._probes_failed += 1
        if probe or (self._open_until is None and self._in_a_row >= self._threshold):
            pause = min(self._cool_down * 2**self._probes_failed, LONGEST)
            self._open_until = self._timing.elapsed() + pause
            self._let_go()

    def abandon(self) -> None:
        """A probe was given up before it could tell; the next call is one."""
        self._let_go()

    def _let_go(self) -> None:
        self._probing = False
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, now: float) -> CallFailed:
        left = max((self._open_until or now) - now, 0.0)
        again = f"it is tried again in {left:.0f} s" if left >= 1 else "one call is trying it now"
        said = f"{self._name} failed {self._in_a_row} times in a row, at last: {self._reason}; not asked, {again}"
        return CallFailed(said, kind="unreachable")
