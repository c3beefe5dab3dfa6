"""Long arrays in blocks that fit into a processor's cache, on all processors at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from os import cpu_count
from typing import TypeVar

BLOCK = 1 << 14
"""Rows in a block: a few columns of them stay in the cache nearest to a processor."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def blocks_of(rows: int, size: int = BLOCK) -> list[slice]:
    """A range of rows in blocks."""
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def each_block(work: Callable[[slice], None], rows: int) -> None:
    """Have every block worked on, in any order."""
    blocks = blocks_of(rows)
    if len(blocks) < 4:
        for block in blocks:
            work(block)
        return
    for _ in ahead(work, blocks):
        pass


def ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The results in order, a few of them worked out ahead; threads serve, since arrays need no lock of Python's."""
    from concurrent.futures import Future, ThreadPoolExecutor

    processors = cpu_count() or 1
    waiting: deque[Future[Result]] = deque()
    todo = iter(items)
    with ThreadPoolExecutor(processors) as pool:
        waiting.extend(pool.submit(work, item) for item in islice(todo, 2 * processors))
        while waiting:
            done = waiting.popleft().result()
            waiting.extend(pool.submit(work, item) for item in islice(todo, 1))
            yield done
