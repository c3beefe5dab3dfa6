"""What agents have begun to judge: each under a handle that can be used once, kept in memory for a day."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from evenhand import clock
from evenhand.errors import InputError
from evenhand.judging.agent_judgement import Assignment

MOST_OPEN: Final = 32
"""Handles that wait for a judgement at once; the oldest gives way to a new one."""

LIFETIME: Final = 24 * 60 * 60
"""Seconds until a handle expires."""

MOST_REMEMBERED: Final = 1_000
"""Handles that were used or have expired, so that the error can say which."""

AGAIN: Final = "begin again with judge_begin"


class _Open(NamedTuple):
    assignment: Assignment
    since: float


class Handles:
    """Assignments by handle. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._in_use: set[str] = set()
        self._gone: OrderedDict[str, str] = OrderedDict()
        """Why each handle can no longer be used."""

    def add(self, assignment: Assignment) -> str:
        """A new handle for an assignment: the code that fences its work."""
        with self._lock:
            self._open[assignment.code] = _Open(assignment, clock.elapsed())
            while len(self._open) > MOST_OPEN:
                oldest = next(iter(self._open))
                self._forget(oldest, f"has expired: more than {MOST_OPEN} are waiting; {AGAIN}")
        return assignment.code

    @contextmanager
    def used(self, handle: str) -> Iterator[Assignment]:
        """The assignment of a handle, while its judgement is scored. It stays open unless `close` is called."""
        with self._lock:
            assignment = self._take(handle)
        try:
            yield assignment
        finally:
            with self._lock:
                self._in_use.discard(handle)

    def close(self, handle: str, id: str) -> None:
        """The judgement is scored and stored; the handle is used up."""
        with self._lock:
            self._forget(handle, f"was used already; its scorecard is {id}. To judge once more, {AGAIN}")

    def _take(self, handle: str) -> Assignment:
        waiting = self._open.get(handle)
        if waiting is not None and clock.elapsed() - waiting.since > LIFETIME:
            self._forget(handle, f"has expired after {LIFETIME // 3600} hours; {AGAIN}")
            waiting = None
        if waiting is None:
            why = self._gone.get(handle, f"is unknown; handles do not survive a restart of the server; {AGAIN}")
            raise InputError(f'the handle "{handle[:64]}" {why}')
        if handle in self._in_use:
            raise InputError(f'the handle "{handle}" is being used by another call; wait for its result')
        self._in_use.add(handle)
        return waiting.assignment

    def _forget(self, handle: str, why: str) -> None:
        self._open.pop(handle, None)
        self._gone[handle] = why
        while len(self._gone) > MOST_REMEMBERED:
            self._gone.popitem(last=False)
