"""One budget, one rate limit and one file of replies for judges on many machines: the server that keeps them.

It runs in a thread of the machine that started the run. A worker keeps one connection open as long as it lives; when it
is lost, whatever the worker had reserved counts as spent, because its calls may have been billed.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.errors import StoreUnavailable
from evenhand.judges.models.asking import Replies
from evenhand.judges.models.budget import NOTHING, Budget
from evenhand.providers.exchange import Stopped
from evenhand.providers.limits import MINUTE, Pace, Timing

if TYPE_CHECKING:
    from aiohttp import web

LARGEST = 64 * 1024 * 1024
"""The most bytes of a request: a reply with the probabilities of every token is long."""


class Address(NamedTuple):
    """Where the server is, and the token without which it answers nobody."""

    host: str
    port: int
    token: str


class SharedLimits:
    """The state that all workers of a run share."""

    def __init__(self, budget: Budget, replies: Replies | None) -> None:
        self.budget = budget
        self._replies = replies
        self._paces: dict[str, Pace] = {}
        self._entries: dict[int, tuple[Pace, list[float]]] = {}
        """What was taken in the last minute, oldest first: only that can be corrected."""
        self._numbers = count(1)
        self._reserved: dict[str, list[Decimal]] = {}
        """What each worker has reserved and not settled."""

    @contextmanager
    def served(self, host: str) -> Iterator[Address]:
        """Serve on a free port of this host until the block ends."""
        token = secrets.token_urlsafe(32)
        loop = asyncio.new_event_loop()
        ready: list[int | OSError] = []
        started = threading.Event()

        def run() -> None:
            asyncio.set_event_loop(loop)
            try:
                ready.append(loop.run_until_complete(self._start(host, token)))
                started.set()
                loop.run_forever()
            except OSError as error:
                ready.append(error)
                started.set()
            loop.run_until_complete(self._runner.cleanup())
            loop.close()

        thread = threading.Thread(target=run, name="shared limits", daemon=True)
        thread.start()
        started.wait()
        if isinstance(ready[0], OSError):
            thread.join()
            raise StoreUnavailable(f"executors cannot reach this machine at {host}: {ready[0]}; set spark.driver.host")
        try:
            yield Address(host, ready[0], token)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    async def _start(self, host: str, token: str) -> int:
        from aiohttp import web

        @web.middleware
        async def known(request: web.Request, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            if not hmac.compare_digest(request.headers.get("Authorization", ""), f"Bearer {token}"):
                return web.Response(status=401)
            return await handler(request)

        application = web.Application(middlewares=[known], client_max_size=LARGEST)
        application.router.add_post("/{action}", self._answer)
        application.router.add_get("/worker", self._watch)
        self._runner = web.AppRunner(application, shutdown_timeout=1.0, access_log=None, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, 0)
        await site.start()
        return int(self._runner.addresses[0][1])

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        """Open as long as a worker lives."""
        from aiohttp import web

        worker = request.headers["Worker"]
        self._reserved.setdefault(worker, [])
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"here\n")
        try:
            await asyncio.Event().wait()
        finally:
            # The connection is the worker's sign of life. What it had reserved counts as spent: the calls may have been
            # billed although no one is left to say so.
            for amount in self._reserved.pop(worker, []):
                self.budget.settle(amount, amount)
        return response

    async def _answer(self, request: web.Request) -> web.Response:
        from aiohttp import web

        body = json.loads(await request.read())
        try:
            result = await getattr(self, f"do_{request.match_info['action']}")(request.headers["Worker"], **body)
        except Stopped:
            result = None
        except StoreUnavailable as error:
            self.budget.stop(str(error), broken=True)
            result = None
        state = {"stopped": self.budget.stopped, "broken": self.budget.broken, "any_reply": self.budget.any_reply}
        return web.json_response({"result": result, **state})

    async def do_reserve(self, worker: str, most: str | None) -> bool:
        """Reserve the most that a call may cost."""
        amount = NOTHING if most is None else Decimal(most)
        await self.budget.reserve(amount)
        if worker not in self._reserved:  # it was lost while it waited
            self.budget.settle(amount, None, failed=True)
            return False
        self._reserved[worker].append(amount)
        return True

    async def do_retry(self, worker: str) -> bool:
        """Count another attempt."""
        self.budget.retry()
        return True

    async def do_settle(self, worker: str, most: str | None, cost: str | None, failed: bool) -> bool:
        """Replace a reservation with the true cost."""
        amount = NOTHING if most is None else Decimal(most)
        # Not for a worker that was given up: what it had reserved is settled already, and would be counted twice.
        if amount in self._reserved.get(worker, ()):
            self._reserved[worker].remove(amount)
            self.budget.settle(amount, None if cost is None else Decimal(cost), failed=failed)
            self.budget.any_reply = self.budget.any_reply or not failed
        return True

    async def do_stop(self, worker: str, reason: str, broken: bool) -> bool:
        """Make no further calls anywhere."""
        self.budget.stop(reason, broken=broken)
        return True

    async def do_take(self, worker: str, name: str, limit: int, amount: float) -> int:
        """Wait until so much may be used."""
        pace = self._paces.setdefault(name, Pace(limit, Timing()))
        entry = await pace.take(amount)
        while self._entries and next(iter(self._entries.values()))[1][0] < entry[0] - MINUTE:
            self._entries.pop(next(iter(self._entries)))
        number = next(self._numbers)
        self._entries[number] = pace, entry
        return number

    async def do_correct(self, worker: str, entry: int, amount: float) -> bool:
        """Record what was actually used."""
        if (known := self._entries.pop(entry, None)) is not None:
            known[0].correct(known[1], amount)
        return True

    async def do_get(self, worker: str, key: str) -> str | None:
        """The stored reply."""
        return None if self._replies is None else self._replies.get(key)

    async def do_put(self, worker: str, key: str, reply: str) -> bool:
        """Store a reply; it is safe when this returns."""
        if self._replies is not None:
            self._replies.put(key, reply)
        return True
