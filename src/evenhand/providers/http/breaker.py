"""The circuit breaker: pause calls to a provider that keeps failing.

After `THRESHOLD` failures in a row, nothing is sent for a cool-down; then one call goes first, as a probe, and the
others follow if it succeeds. Calls wait out a short outage, within their own deadlines. They do not wait out a long
one: after `WAITED_FOR` failed probes, or if the provider never answered in this run, calls fail at once until a probe
succeeds. A provider that states itself how long it will be unavailable is not asked again before that.
"""

from __future__ import annotations

import asyncio

from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.pace import Timing

THRESHOLD = 10
COOL_DOWN = 15.0
LONGEST = 60.0
WAITED_FOR = 3


class Breaker:
    """One per provider."""

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
        self._stated = False  # whether the provider itself said that it is unavailable
        self._changed = asyncio.Event()

    async def enter(self, deadline: float) -> bool:
        """Wait until a call may be sent; True if it is the probe. CallFailed when waiting would not help."""
        while self._open_until is not None:
            now = self._timing.elapsed()
            if now >= self._open_until and not self._probing:
                self._probing = True
                return True
            if not self._answered or self._probes_failed >= WAITED_FOR or self._open_until > deadline:
                raise self._refusal()
            # Woken or not, the loop looks again: the probe may have failed, or another call may have become the probe.
            if self._probing:
                await self._changed.wait()
            else:
                await self._timing.sleep(self._open_until - now)
        return False

    def success(self) -> None:
        """A reply arrived: close the breaker."""
        self._in_a_row = 0
        self._answered = True
        if self._open_until is not None:
            self._open_until = None
            self._stated = False
            self._probes_failed = 0
            self._release_waiters()

    def failure(self, reason: str, *, probe: bool = False) -> None:
        """An attempt failed."""
        self._in_a_row += 1
        self._reason = reason
        if probe:
            self._probes_failed += 1
        if probe or (self._open_until is None and self._in_a_row >= self._threshold):
            pause = min(self._cool_down * 2**self._probes_failed, LONGEST)
            self._open_until = self._timing.elapsed() + pause
            self._release_waiters()

    def trip(self, reason: str, seconds: float = 0.0) -> None:
        """Open at once, for as long as the provider asked, because further calls would have to wait as well."""
        self._stated = True
        self._reason = reason
        until = self._timing.elapsed() + max(seconds, self._cool_down)
        self._open_until = max(until, self._open_until or until)
        self._release_waiters()

    def abandon(self) -> None:
        """A probe was cancelled without a result; the next call becomes the probe."""
        self._release_waiters()

    def _release_waiters(self) -> None:
        # A new event for those who come later: one that was cleared again could be missed by a waiter that has not run.
        self._probing = False
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self) -> CallFailed:
        if self._stated:
            return CallFailed(f"{self._name}: not asked: {self._reason}", kind="unreachable")
        reason = f"{self._name}: {self._reason} ({self._in_a_row} failures in a row, so it was not asked again)"
        return CallFailed(reason, kind="unreachable")
