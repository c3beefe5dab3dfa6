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
    results = await asyncio.gather(*waiting, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
