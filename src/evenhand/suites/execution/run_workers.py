"""The threads in which runs are made: one for each run at once. The thread that starts a run waits for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from evenhand.runs.limited_process import Interrupted
from evenhand.work.agent_run import AgentRun

Item = TypeVar("Item")


def results_of(
    items: Iterator[Item], make: Callable[[Item], AgentRun], jobs: int, stop: threading.Event
) -> Iterator[AgentRun]:
    """Every run, as it ends; what one of them raises is raised here, after the others were stopped.

    Whoever stops listening stops the runs.
    """
    done: queue.Queue[AgentRun | BaseException | None] = queue.Queue(maxsize=4 * jobs)
    taking = threading.Lock()

    def work() -> None:
        try:
            while not stop.is_set():
                with taking:
                    item = next(items, None)
                if item is None:
                    return
                done.put(make(item))
        except Interrupted:
            return
        except BaseException as error:
            done.put(error)
        finally:
            done.put(None)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    try:
        working = jobs
        while working:
            result = done.get()
            if result is None:
                working -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        stop.set()
        while any(worker.is_alive() for worker in workers):
            try:
                done.get(timeout=0.05)  # or a thread would wait until there is room
            except queue.Empty:
                continue
