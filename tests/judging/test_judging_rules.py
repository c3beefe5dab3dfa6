"""Single rules of judging: order and limits of work at once, what is read and refused, what a scorecard warns about."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import seven

from evenhand.judges.models.budget import Budget
from evenhand.judges.written import judgement_from
from evenhand.judging.panels.concurrency import InOrder
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.steps import Steps
from evenhand.work.submission import Submission

# --- many at once


async def nothing() -> None:
    return None


def worked(
    items: list[Any],
    work: Callable[[Any], Any],
    *,
    window: int = 4,
    budget: Budget | None = None,
    close: Callable[[], Any] = nothing,
) -> list[Any]:
    in_order: InOrder[Any, Any] = InOrder(work, budget or Budget(), window=window)
    return [result for batch in in_order.results(items, close=close) for result in batch]


@pytest.mark.parametrize(("times", "result"), [(1, "done"), (2, None)])
def test_ctrl_c_lets_a_call_in_flight_end_and_a_second_one_cancels_it(times: int, result: str | None) -> None:
    """Nothing further is begun either way."""
    budget = Budget()
    begun: list[int] = []

    async def work(item: int) -> str:
        begun.append(item)
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            while budget.stopped is None:
                await asyncio.sleep(0.001)
        if times == 2:
            await asyncio.sleep(60)  # the second one cancels this
        return "done"

    assert worked(list(range(9)), work, window=1, budget=budget) == [result]
    assert (budget.stopped, begun) == ("interrupted", [0])


# --- clusters, without one


class Cluster:
    """A session on a cluster, as far as it is asked for anything before the work begins."""

    defaultParallelism = 4  # noqa: N815 (as Spark names it)

    def __init__(self, host: str | None = None) -> None:
        self.sparkContext = self
        self._host = host

    def getConf(self) -> dict[str, Any]:
        return {"spark.driver.host": self._host}


@pytest.fixture
def masters(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The masters that sessions were opened on."""
    opened: list[str] = []

    @contextmanager
    def spark_session(master: str) -> Iterator[Cluster]:
        opened.append(master)
        yield Cluster()

    sessions: Any = SimpleNamespace(spark_session=spark_session)
    monkeypatch.setitem(sys.modules, "evenhand.tables.spark_session", sessions)
    return opened


# --- a panel that judges


class FakePanel:
    """A panel whose one judge does as it is told, submission by submission."""

    window = 1

    def __init__(self, **does: Callable[[FakePanel], Any]) -> None:
        self.budget = Budget()
        self.does = does
        self.closed = 0

    async def ask(self, rubric: Any, submission: Submission) -> Any:
        result = self.does[submission.output](self)
        if isinstance(result, Exception):
            raise result
        return result

    async def close(self) -> None:
        self.closed += 1


class AskedOf:
    def __init__(self, panel: FakePanel) -> None:
        self.judge = panel.ask
        self.identity = {"name": "m"}


def judging(**does: Callable[[FakePanel], Any]) -> tuple[FakePanel, PanelJudging]:
    made: Any = FakePanel(**does)
    made.judge = AskedOf(made)
    return made, PanelJudging(made, Steps("default"))


def unscored(panel: FakePanel | None = None) -> Any:
    return judgement_from({"scores": {name: {"unscored": "no reply"} for name in seven(8)}, "judge": "m"})


# --- checks beside a written judgement
