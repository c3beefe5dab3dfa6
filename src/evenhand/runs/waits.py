"""Work that waits in between, as generators: one in a thread of its own, or many in one thread.

A generator yields what it waits for and is sent which descriptors are ready.
"""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Generator, Sequence
from math import ceil
from typing import Any, Generic, NamedTuple, TypeVar

from evenhand import clock

Result = TypeVar("Result")


class Wait(NamedTuple):
    """Wait until one of the descriptors can be read, or at most some seconds."""

    descriptors: Sequence[int]
    seconds: float


Work = Generator[Wait, Sequence[int], Result]
"""It is sent the descriptors that are ready."""


class _Task(NamedTuple):
    """Work that waits."""

    work: Work[Any]
    descriptors: Sequence[int]
    until: float


class Together(Generic[Result]):
    """Does several pieces of work by turns. What one of them raises, `add` and `step` raise."""

    def __init__(self) -> None:
        self._tasks: list[_Task] = []
        self._done: deque[Result] = deque()
        self._poll = select.poll()

    def __len__(self) -> int:
        """The number of tasks that have not ended."""
        return len(self._tasks) + len(self._done)

    def add(self, work: Work[Result]) -> None:
        """Begin some work."""
        self._go_on(work, None)

    def step(self) -> list[Result]:
        """Wait until something can go on, let it, and return the results there are."""
        if self._tasks and not self._done:
            left = min(task.until for task in self._tasks) - clock.elapsed()
            ready = {descriptor for descriptor, _ in self._poll.poll(max(0, ceil(1000 * left)))}
            now = clock.elapsed()
            # What goes on may wait again, and then joins `_tasks` behind those that were not ready. If one raises, the
            # others must not be lost: they are closed later, by whoever closes this.
            waiting, self._tasks = self._tasks, []
            while waiting:
                task = waiting.pop()
                descriptors = [descriptor for descriptor in task.descriptors if descriptor in ready]
                if descriptors or task.until <= now:
                    try:
                        self._forget(task)
                        self._go_on(task.work, descriptors)
                    except BaseException:
                        self._tasks += waiting
                        raise
                else:
                    self._tasks.append(task)
        results = list(self._done)
        self._done.clear()
        return results

    def close(self) -> None:
        """Give up what is not done."""
        while self._tasks:
            task = self._tasks.pop()
            self._forget(task)
            task.work.close()

    def _go_on(self, work: Work[Result], ready: Sequence[int] | None) -> None:
        try:
            wait = next(work) if ready is None else work.send(ready)
        except StopIteration as end:
            self._done.append(end.value)
            return
        for descriptor in wait.descriptors:
            self._poll.register(descriptor, select.POLLIN)
        self._tasks.append(_Task(work, wait.descriptors, clock.elapsed() + wait.seconds))

    def _forget(self, task: _Task) -> None:
        for descriptor in task.descriptors:
            self._poll.unregister(descriptor)
