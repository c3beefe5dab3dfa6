"""What is known of a provider while it is asked: whether it answers at all, and which submissions it has seen.

Shared by all who ask it. The first call about a long submission is sent ahead of the others: then they find its prompt
in the server's cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from evenhand.providers.exchange import CallFailed, Reply
from evenhand.providers.http.ladders import refuses_this_text
from evenhand.questions.shown_work import Shown

MAY_BE_THE_TEXT = (400, 403, 422)
"""Statuses of a refusal that may be about one text, or about all of them."""

MOST_REFUSED = 20
"""After this many refusals with one of these statuses, and no reply, all texts seem to be refused."""

LONG: Final = 4_000
"""Characters of task and work from which waiting pays off: about a thousand tokens, the least that services cache."""
_TRIES: Final = 20
"""Calls after a first one, none of them with cached tokens, after which a server is taken to have no cache."""
_REMEMBERED: Final = 4_096


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


class FirstAhead:
    """Which submissions a server has seen. One per provider."""

    def __init__(self, *, never: bool = False) -> None:
        self._never = never
        self._first: dict[str, asyncio.Event] = {}
        """By nonce; set once the first call about that submission has ended, well or not."""
        self._in_vain = 0
        self._caches = False

    def pays_off(self, shown: Shown) -> bool:
        """Whether the submission is long and the server may have a cache."""
        if self._never or (self._in_vain >= _TRIES and not self._caches):
            return False
        return bool(shown.pictures) or sum([len(text or "") for text in shown.fenced]) >= LONG

    @asynccontextmanager
    async def turn(self, nonce: str) -> AsyncIterator[None]:
        """Within this, a call may be sent. All but the first call about a submission wait for the first."""
        ended = self._first.get(nonce)
        if ended is not None:
            # Also set when the first call failed: then the next ones go out uncached, which costs more, but waits less.
            await ended.wait()
            yield
            return
        if len(self._first) >= _REMEMBERED:
            del self._first[next(iter(self._first))]
        ended = self._first[nonce] = asyncio.Event()
        try:
            yield
        finally:
            ended.set()

    def learn(self, nonce: str, reply: Reply) -> None:
        """Note whether a later call about a submission used the cache."""
        ended = self._first.get(nonce)
        if reply.cached_tokens:
            self._caches = True
        elif ended is not None and ended.is_set():
            self._in_vain += 1
