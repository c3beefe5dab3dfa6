"""Work that waits in between: alone or together with other work, and the threads that do it."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque

import pytest

from evenhand.decisions.values.suite import Variant
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.waits import Together, Wait
from evenhand.suite_runs.execution import run_workers as suite_workers
from evenhand.suite_runs.execution.run_workers import SuiteWorkers
from evenhand.work.agent_run import AgentRun, RunId
from finished_work import finish
from suite_values import all_runs, shell, suite_of


def reading(descriptor):
    """Wait for a byte; the result is the byte, or that none came."""
    ready = yield Wait([descriptor], 0.01)
    while not ready:
        ready = yield Wait([descriptor], 60)
    return os.read(descriptor, 1)


def failing():
    """Wait once, then fail."""
    yield Wait((), 0)
    raise ValueError("boom")


def noting(closed, name):
    """Wait for ever; note the end."""
    try:
        yield Wait((), 60)
    finally:
        closed.append(name)


def test_work_goes_on_when_what_it_waits_for_is_there():
    """Alone, and each by itself among others; work that never waits is done at once."""
    (first, write_first), (second, write_second) = os.pipe(), os.pipe()
    together = Together()
    together.add(reading(first))
    together.add(reading(second))
    os.write(write_second, b"b")
    results = []
    while not results:
        results = together.step()
    assert (results, len(together)) == ([b"b"], 1)
    os.write(write_first, b"a")
    assert finish(reading(first)) == b"a"
    together.close()
    assert len(together) == 0
    for descriptor in (first, second, write_first, write_second):
        os.close(descriptor)


def test_a_failure_leaves_the_other_work_to_be_closed():
    """Nothing is forgotten that has something to put away."""
    closed: list[str] = []
    together = Together()
    together.add(noting(closed, "one"))
    together.add(failing())
    together.add(noting(closed, "two"))
    with pytest.raises(ValueError, match="boom"):
        together.step()
    together.close()
    assert sorted(closed) == ["one", "two"]


class Counting:
    """Runs that note how many are under way at once."""

    def __init__(self, runs, seconds=0.0):
        self.left = list(range(runs))
        self.seconds = seconds
        self.under_way = self.most = 0
        self.threads = set()
        self._lock = threading.Lock()

    def next(self):
        """The next run; None when there are no more."""
        return self._run(self.left.pop(0)) if self.left else None

    def _run(self, number):
        with self._lock:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        self.threads.add(threading.get_ident())
        yield Wait((), self.seconds)
        with self._lock:
            self.under_way -= 1
        return AgentRun(RunId(str(number), "v", 1), "", "finished")


@pytest.mark.parametrize("may_gather", [True, False])
def test_every_run_is_made_once_and_never_more_at_once_than_asked(may_gather, monkeypatch):
    """Also while threads that had one run each give way to those with many."""
    monkeypatch.setattr(suite_workers, "SHORT", 1000.0)
    monkeypatch.setattr(suite_workers, "LONG", 4000.0)
    counting = Counting(300)
    workers = SuiteWorkers(8, counting.next, threading.Event(), may_gather=may_gather)
    seen = []
    numbers = sorted(int(run.id.case) for run in workers.results() if not seen.append(workers._are_short))
    assert numbers == list(range(300))
    assert counting.most <= 8
    assert any(seen) is may_gather


def test_runs_that_prove_long_after_short_ones_get_a_thread_each_again(monkeypatch):
    """A suite may begin with kept runs, which take no time: agents must not wait for each other after them."""
    monkeypatch.setattr(suite_workers, "SHORT", 1000.0)
    monkeypatch.setattr(suite_workers, "LONG", 4000.0)
    counting = Counting(200)
    workers = SuiteWorkers(4, counting.next, threading.Event(), may_gather=True)
    results = workers.results()
    while not workers._are_short:
        next(results)
    monkeypatch.setattr(suite_workers, "SHORT", 0.0)
    monkeypatch.setattr(suite_workers, "LONG", 0.0)
    while workers._are_short:
        next(results)
    counting.threads.clear()
    counting.seconds = 0.005
    rest = [run.id.case for run in results]
    assert len(rest) == len(set(rest)) > 0
    assert len(counting.threads) == 4 and counting.most <= 4


def test_long_runs_keep_a_thread_each(monkeypatch):
    """A run that takes its time must not wait while another is prepared in its thread."""
    monkeypatch.setattr(suite_workers, "SHORT", 0.0)
    counting = Counting(24, 0.001)
    workers = SuiteWorkers(6, counting.next, threading.Event(), may_gather=True)
    assert len(list(workers.results())) == 24
    assert workers._are_short is False


def test_results_that_nobody_takes_hold_no_run_up():
    """A slow reader gets all of them in the end, and runs are not begun without bound meanwhile."""
    counting = Counting(100)
    results = SuiteWorkers(8, counting.next, threading.Event(), may_gather=True).results()
    first = next(results)
    assert first.outcome == "finished"
    assert len(list(results)) == 99


@pytest.mark.parametrize("error", [Interrupted, ValueError])
def test_an_error_ends_everything(error):
    """Interrupted is no one's error; others are raised."""
    stop = threading.Event()

    def run():
        yield Wait((), 0)
        raise error

    left = [run()]
    workers = SuiteWorkers(4, lambda: left.pop() if left else None, stop, may_gather=True)
    if error is Interrupted:
        assert list(workers.results()) == []
    else:
        with pytest.raises(error):
            list(workers.results())
    assert stop.is_set()


def test_short_runs_of_a_suite_are_gathered_with_the_same_results(tmp_path, monkeypatch):
    """The same outputs, diffs and limits, whichever thread makes a run."""
    monkeypatch.setattr(suite_workers, "SHORT", 1000.0)
    suite = suite_of(Variant("a", shell('echo "$EVENHAND_CASE"; echo x > file; test $EVENHAND_CASE != c7')), cases=24)
    runs = all_runs(suite, tmp_path / "runs", jobs=6)
    assert {run.id.case: run.output for run in runs} == {f"c{n}": f"c{n}\n" for n in range(1, 25)}
    assert [run.id.case for run in runs if run.outcome == "failed"] == ["c7"]
    assert all(run.changes is not None for run in runs)


def test_a_busy_thread_does_not_wait_until_someone_takes_its_results():
    """Two results, room for one: the other is kept for later, and the runs under way go on."""
    workers = SuiteWorkers(1, Counting(0).next, threading.Event(), may_gather=False)
    workers._done = queue.Queue(maxsize=1)
    waiting = deque(AgentRun(RunId("c", "v", repeat), "k", "finished") for repeat in (1, 2))
    workers._deliver(waiting, is_busy=True)
    assert [run.id.repeat for run in waiting] == [2]
    assert workers._done.get_nowait().id.repeat == 1  # type: ignore[union-attr]
