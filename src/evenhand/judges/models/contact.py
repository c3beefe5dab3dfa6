"""What is known of a provider while it is asked: whether it answers at all, and whether its replies can be read.

Shared by all who ask it. The first call of a run is sent ahead of all others: then they find instructions and rubric in
the server's cache. Until a reply could be read, few works are asked about at once, because a model that keeps to no
form would otherwise be paid for many of them before anyone knows.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Final

from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.ladders import refuses_this_text
from evenhand.providers.limits import place_in_line

MAY_BE_THE_TEXT = (400, 403, 422)
"""Statuses of a refusal that may be about one text, or about all of them."""

MOST_REFUSED = 20
"""After this many refusals with one of these statuses, and no reply, all texts seem to be refused."""

MOST_UNREAD: Final = 3
"""Works in a row of which nothing could be read, after which a run stops; and works at once until something is."""


class Contact:
    """The contact with one provider."""

    def __init__(self, *, answered: bool) -> None:
        self._answered = self.any_reply = answered
        self.failure = ""
        """Why the most recent call failed, as long as there is no reply at all, new or stored."""
        self._refused = 0

    def replied(self, *, now: bool) -> None:
        """Note a reply: to a call made now, or a stored one."""
        self._answered = self._answered or now
        self.any_reply = True
        self.failure = ""

    def failed(self, failure: CallFailed) -> bool:
        """Note a failure; whether the judge cannot be asked at all, which one refused text does not show."""
        if not self.any_reply:
            self.failure = str(failure)
        if self._answered or failure.kind not in ("rejected", "unreachable") or refuses_this_text(failure):
            return False
        if getattr(failure, "status", 0) in MAY_BE_THE_TEXT:
            self._refused += 1
            return self._refused >= MOST_REFUSED
        return True


class Opening:
    """Lets works in: one until its first call has ended, a few until a reply could be read, then all. One a provider.

    Works may be judged in several event loops, each in its own thread.
    """

    def __init__(self, *, at_once: bool) -> None:
        self._replied = at_once
        self._read = at_once
        self._inside = 0
        self._places = count(1)
        self._unread = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._changing = threading.Lock()

    @asynccontextmanager
    async def work(self) -> AsyncIterator[None]:
        """Within this, one work may be asked about."""
        while (turn := self._enter()) is not None:
            await turn
        place_in_line.set(next(self._places))
        try:
            yield
        finally:
            with self._changing:
                self._inside -= 1
                self._replied = True
                self._wake()

    def replied(self, *, readable: bool) -> None:
        """Note that a call has ended, and whether its reply could be read."""
        if not self._replied or (readable and not self._read):
            with self._changing:
                self._replied, self._read = True, self._read or readable
                self._wake()

    @property
    def was_read(self) -> bool:
        """Whether any reply of this model could be read."""
        return self._read

    def judged(self, *, read: bool, paid: bool) -> bool:
        """Note whether anything of a work could be read; whether that makes too many in a row that could not."""
        with self._changing:
            self._unread = 0 if read else self._unread + paid
            return self._unread >= MOST_UNREAD

    def _enter(self) -> asyncio.Future[None] | None:
        with self._changing:
            # A work that could not be read keeps its place, so that no other is paid for in its stead. After the last
            # of them the run stops: whoever comes in then finds that out.
            taken = self._inside + self._unread if self._unread < MOST_UNREAD else 0
            if self._read or taken < (MOST_UNREAD if self._replied else 1):
                self._inside += 1
                return None
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            return turn

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in (turn for turn in waiting if not turn.done()):
            turn.get_loop().call_soon_threadsafe(_end, turn)


def _end(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)
