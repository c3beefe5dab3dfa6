"""Run several coroutines at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


async def every(awaitables: Iterable[Awaitable[Item]]) -> list[Item]:
    """All results, in order. If one fails, the others finish first: their replies are paid for and stored."""
    waiting = list(awaitables)
    if len(waiting) == 1:
        return [await waiting[0]]
    tasks = [asyncio.ensure_future(awaitable) for awaitable in waiting]
    await asyncio.gather(*tasks, return_exceptions=True)
    return [task.result() for task in tasks]  # an error that is a result, and was not raised, is one
