"""Watching for new evaluations: one task looks at the store for all who wait, and only while someone does."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from evenhand.errors import Unavailable
from evenhand.store.tables.browsed_lists import Key
from evenhand.web.parameters import key_text
from evenhand.web.refusal import Refused
from evenhand.web.server.workers import Busy, Workers

PATIENCE: Final = 25.0
"""Seconds that a question waits for its answer; proxies cut a silent connection after 30 or 60."""

INTERVAL: Final = 1.0
"""Seconds between two looks at the store."""

MOST_WATCHING: Final = 200


class Watch:
    """The newest evaluation, and who waits for a newer one."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._newest: Key | None = None
        self._changed = asyncio.Condition()
        self._watching = 0
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def after(self, key: str) -> str:
        """The newest evaluation: as soon as it differs from this one, or unchanged after a while."""
        if self._watching >= MOST_WATCHING:
            raise Refused(
                503, "Too many pages wait for updates.", "Reload the page to see what is new.", retry_after=30
            )
        self._watching += 1
        try:
            if self._task is None or self._task.done():
                await self._look()
                self._task = asyncio.create_task(self._watch())
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE), self._changed:
                    await self._changed.wait_for(lambda: self._closed or key_text(self._newest) != key)
            return key_text(self._newest)
        finally:
            self._watching -= 1

    async def close(self) -> None:
        """Answer everyone who waits, and stop looking."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        async with self._changed:
            self._changed.notify_all()

    async def _watch(self) -> None:
        while self._watching:
            await asyncio.sleep(INTERVAL)
            await self._look()

    async def _look(self) -> None:
        with suppress(Unavailable, Busy):  # the pages themselves say so
            newest = await self._workers.run(lambda store: store.newest())
            if newest != self._newest:
                async with self._changed:
                    self._newest = newest
                    self._changed.notify_all()
