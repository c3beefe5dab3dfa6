"""Several things asked at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


async def every(asked: Iterable[Awaitable[Item]]) -> list[Item]:
    """All results, in order. When one fails the others come home first: their replies are paid for and kept."""
    waiting = list(asked)
    if len(waiting) == 1:
        return [await waiting[0]]
    came = await asyncio.gather(*waiting, return_exceptions=True)
    for each in came:
        if isinstance(each, BaseException):
            raise each
    return [each for each in came if not isinstance(each, BaseException)]
