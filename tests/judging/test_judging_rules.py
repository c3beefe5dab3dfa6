"""Single rules of judging: order and limits of work at once, what is read and refused, what a scorecard warns about."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from evenhand.judges.models.budget import Budget
from evenhand.judging.panels.concurrency import InOrder

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
