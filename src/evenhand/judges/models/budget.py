"""How many calls a run may make, how much it may spend, and whether it has stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from decimal import Decimal

from evenhand.in_words import counted
from evenhand.providers.exchange import Stopped

NOTHING = Decimal(0)
NAMED = 3
"""Questions named in the line; the others are counted."""


class Budget:
    """Shared by all judges of a run. The most a call may cost is reserved before it is made, so the limit holds however
    many are in flight. A call that might exceed it waits for those in flight: they usually cost less than reserved.

    Calls may come from several event loops, each in its own thread."""

    def __init__(self, *, max_calls: int | None = None, max_cost: Decimal | None = None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._reserved = NOTHING
        self._waiting: list[asyncio.Future[None]] = []
        self._changing = threading.RLock()
        self.calls = 0
        """Requests made, including those in flight and every further attempt of a call."""
        self.cost: Decimal | None = NOTHING
        """The cost of the replies so far; None once one has an unknown price."""
        self.stopped: str | None = None
        """Why no further calls are made; None while they are."""
        self.broken = False
        """Whether a fault stopped it, rather than a limit or the user."""
        self.on_stop: list[Callable[[str], None]] = []
        """Called with the reason when the run stops."""
        self.activity = Activity()
        self.any_reply = False
        """Whether a judge has replied, or the store had a reply."""
        self.failure = ""
        """Why the most recent call to a judge that has never replied failed."""

    def stop(self, reason: str, *, broken: bool = False) -> None:
        """Make no further calls; those in flight finish."""
        with self._changing:
            if self.stopped is not None:
                return
            self.stopped, self.broken = reason, broken
            self._wake()
        for notify in self.on_stop:
            notify(reason)

    async def reserve(self, most: Decimal | None) -> None:
        """Reserve the most a call may cost; Stopped when that is more than is left, and nothing in flight may return
        some of it."""
        # A turn is a hint, not a grant: everyone who waits is woken and tries again, since the call that ended may
        # have left room for several or for none.
        while (turn := self._take(most or NOTHING)) is not None:
            await turn

    def begin_run(self, most: Decimal) -> bool | None:
        """Reserve the most an agent's run is expected to cost, which is not a call. None: wait for calls in flight,
        which may return some of theirs. False: it would go beyond the limit, and everything stops."""
        with self._changing:
            if self._exceeds(most):
                if self._reserved:
                    return None
                self.stop(f"the next run could exceed the limit of ${self._max_cost}")
                return False
            self._reserved += most
            return True

    def retry(self) -> None:
        """Count another attempt of a call; Stopped when none may be made."""
        with self._changing:
            self._check_calls()
            self._count_call()

    def settle(self, most: Decimal | None, cost: Decimal | None, *, failed: bool = False) -> None:
        """Replace the reservation with the true cost; a failed call adds no known cost."""
        with self._changing:
            self._reserved -= most or NOTHING
            if not failed and self.cost is not None:
                self.cost = None if cost is None else self.cost + cost
            self._wake()

    def _take(self, amount: Decimal) -> asyncio.Future[None] | None:
        """Reserve an amount; else the turn to wait for, until a call in flight may have returned some of its own."""
        with self._changing:
            self._check_calls()
            if self.stopped is None and self._exceeds(amount):
                if self._reserved:
                    # Whoever waits here is woken under the same lock that is held now, so that no call can end
                    # between the look at what is reserved and the entry in the list.
                    turn = asyncio.get_running_loop().create_future()
                    self._waiting.append(turn)
                    return turn
                self.stop(f"the next call could exceed the limit of ${self._max_cost}")
            self._count_call()
            self._reserved += amount
        return None

    def _exceeds(self, amount: Decimal) -> bool:
        return self._max_cost is not None and (self.cost or NOTHING) + self._reserved + amount > self._max_cost

    def _check_calls(self) -> None:
        if self._max_calls is not None and self.calls >= self._max_calls:
            self.stop(f"the limit of {counted(self._max_calls or 0, 'call')} is reached")

    def _count_call(self) -> None:
        if self.stopped is not None:
            raise Stopped(self.stopped)
        self.calls += 1

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in (turn for turn in waiting if not turn.done()):
            # A future belongs to its loop, and the call that ended may belong to another loop in another thread.
            turn.get_loop().call_soon_threadsafe(_end, turn)


def _end(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


class Activity:
    """The questions asked so far in a run, and how many are done with."""

    def __init__(self) -> None:
        self.started = 0
        self.done = 0
        self.output_tokens = 0
        """In the replies so far."""
        self._open: dict[str, int] = {}
        """How many questions of each name are not done."""

    def begin(self, name: str) -> None:
        """A question is asked."""
        self.started += 1
        self._open[name] = self._open.get(name, 0) + 1

    def end(self, name: str) -> None:
        """It is done with, answered or not."""
        self.done += 1
        self._open[name] -= 1

    def line(self) -> str:
        """In words: how many questions are done, which are not, and how many tokens the replies have."""
        written = f", {counted(self.output_tokens, 'token')} written" if self.output_tokens else ""
        return f"{self.done} of {self.started} questions done{self._waiting()}{written}"

    def _waiting(self) -> str:
        names = [name for name, count in list(self._open.items()) if count]
        rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return f", waiting for {', '.join(names[:NAMED])}{rest}" if names else ""
