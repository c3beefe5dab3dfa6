"""Threads that read the store, each with its own connection, so that no request waits for the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, local
from typing import Final, TypeVar

from evenhand.errors import StoreUnavailable
from evenhand.store.protocol import Store

THREADS: Final = 6
WRITING_THREADS: Final = 2
"""Separate threads for jobs that write, so that a draft does not wait for readers."""

MOST_WAITING: Final = 200
"""Requests that wait for a thread; more are turned away."""

Result = TypeVar("Result")


class Busy(Exception):
    """Too many requests are waiting already."""


class Workers:
    """Run jobs on the store."""

    def __init__(self, open: Callable[[], Store], threads: int = THREADS) -> None:
        self._open = open
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="evenhand-web")
        self._writers = ThreadPoolExecutor(WRITING_THREADS, thread_name_prefix="evenhand-web-writing")
        self._own = local()
        self._lock = Lock()
        self._stores: list[Store] = []
        self._waiting = 0

    async def run(self, job: Callable[[Store], Result]) -> Result:
        """The job's result. One that fails because the connection was lost is run again; it must not have written."""
        if self._waiting >= MOST_WAITING:
            raise Busy
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._attempt, job)
        finally:
            self._waiting -= 1

    async def write(self, job: Callable[[Store], Result]) -> Result:
        """Run a job that writes, exactly once."""
        return await asyncio.get_running_loop().run_in_executor(self._writers, lambda: job(self._store()))

    def close(self) -> None:
        """Wait for running jobs, then close the store."""
        self._writers.shutdown(wait=True)
        self._pool.shutdown(wait=True, cancel_futures=True)
        for store in self._stores:
            store.close()

    def _attempt(self, job: Callable[[Store], Result]) -> Result:
        store = self._store()
        try:
            return job(store)
        except StoreUnavailable:
            store.close()
            return job(store)

    def _store(self) -> Store:
        if not hasattr(self._own, "store"):
            self._own.store = self._open()
            with self._lock:
                self._stores.append(self._own.store)
        store: Store = self._own.store
        return store
