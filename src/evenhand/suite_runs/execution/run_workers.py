"""The threads in which runs are made: one for each run at once; for runs that prove short, two with many each.

Threads of Python hand the interpreter to each other with every call of the system, which takes longer than all that a
thread has to do for a short run. But a thread that has many runs lets one of them wait while it prepares another, so
that runs that take their time, or start from large files, have a thread each again.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator

from evenhand import clock
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.waits import Together, Work
from evenhand.work.agent_run import AgentRun

GATHERED_IN = 2
"""Threads for short runs: one prepares runs while the other waits for a program to be loaded."""

SHORT = 0.006
"""Seconds from the end of one run to the end of the next, on the average, for runs to be short."""

LONG = 4 * SHORT
"""And for runs to be long again: a suite may begin with kept runs, which take no time."""


class SuiteWorkers:
    """Makes runs, so many at once, until there are no more or it is stopped."""

    def __init__(
        self, jobs: int, next_run: Callable[[], Work[AgentRun] | None], stop: threading.Event, *, may_gather: bool
    ) -> None:
        """`next_run` is called by one thread at a time; `may_gather`: no run blocks its thread while it waits."""
        self._jobs = jobs
        self._next_run = next_run
        self._stop = stop
        self._taking = threading.Lock()
        self._done: queue.Queue[AgentRun | BaseException | None] = queue.Queue(maxsize=4 * jobs)
        self._slots = threading.Semaphore(jobs)
        """Runs that may be begun."""
        self._gathering = threading.Semaphore(GATHERED_IN)
        """Held by the threads that make all short runs."""
        self._are_short = False
        self._are_long = threading.Event()
        """What threads wait for that have nothing to do while runs are short."""
        self._may_gather = may_gather and jobs > GATHERED_IN
        self._noticing = threading.Lock()
        self._ended, self._begun_at = 0, clock.elapsed()

    def results(self) -> Iterator[AgentRun]:
        """Every run, as it ends."""
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(self._jobs)]
        for worker in workers:
            worker.start()
        try:
            working = self._jobs
            while working:
                item = self._done.get()
                if item is None:
                    working -= 1
                elif isinstance(item, BaseException):
                    raise item
                else:
                    yield item
        finally:
            self._stop.set()
            while any(worker.is_alive() for worker in workers):
                self._discard()

    def _work(self) -> None:
        together: Together[AgentRun] = Together()
        try:
            self._work_on(together)
        except Interrupted:
            pass
        except BaseException as error:
            self._done.put(error)
        finally:
            together.close()
            self._done.put(None)

    def _work_on(self, together: Together[AgentRun]) -> None:
        """Begin runs and go on with those that can, until there are no more."""
        gathers, is_last = False, False
        waiting: deque[AgentRun] = deque()
        try:
            while not self._stop.is_set():
                gathers = self._gathers(gathers)
                most = -(-self._jobs // GATHERED_IN) if gathers else 0 if self._are_short else 1
                while len(together) < most and not waiting and not is_last and self._slots.acquire(timeout=0.01):
                    is_last = not self._begin(together)
                if not together and not waiting:
                    if is_last:
                        return
                    if most == 0:
                        self._are_long.wait(0.1)
                        continue
                ended = together.step()
                if ended:
                    self._slots.release(len(ended))
                    waiting += ended
                self._notice(len(ended))
                self._deliver(waiting, is_busy=bool(together))
        finally:
            if gathers:  # nothing is left, or it has failed: the others come to their ends
                with self._noticing:
                    self._may_gather = False
                    self._spread()

    def _gathers(self, did: bool) -> bool:
        """Whether this thread is one of those that make all runs from now on."""
        if self._are_short:
            return did or self._gathering.acquire(blocking=False)
        if did:
            self._gathering.release()
        return False

    def _begin(self, together: Together[AgentRun]) -> bool:
        with self._taking:
            work = self._next_run()
        if work is None:
            self._slots.release()
            return False
        together.add(work)
        return True

    def _deliver(self, waiting: deque[AgentRun], *, is_busy: bool) -> None:
        """Hand over results. When nobody takes them at the moment, runs that are under way come first."""
        while waiting:
            try:
                self._done.put(waiting[0], block=not is_busy)
            except queue.Full:
                return
            waiting.popleft()

    def _notice(self, ended: int) -> None:
        """Whether runs are short or long, by how many ended in which time."""
        with self._noticing:
            self._ended += ended
            taken = clock.elapsed() - self._begun_at
            if self._are_short and taken > LONG * max(self._ended, self._jobs):
                self._spread()
            elif self._ended < self._jobs:
                return
            elif self._may_gather and taken < SHORT * self._ended:
                self._are_short = True
                self._are_long.clear()
            self._ended, self._begun_at = 0, clock.elapsed()

    def _spread(self) -> None:
        """Let every thread make runs again."""
        self._are_short = False
        self._are_long.set()

    def _discard(self) -> None:
        try:
            self._done.get(timeout=0.05)
        except queue.Empty:
            return
