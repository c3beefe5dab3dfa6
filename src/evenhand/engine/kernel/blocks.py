"""Long arrays in blocks, on all processors at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from os import cpu_count
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

BLOCK = 1 << 14
"""Rows in a block: a few columns of them stay in the cache nearest to a processor."""

FEW = 4 * BLOCK
"""Rows for which threads are not worth their while."""

LONG_BLOCK = 1 << 17
"""Rows in a block of a loop that goes through them once."""


def blocks_of(rows: int, size: int = BLOCK) -> list[slice]:
    """A range of rows in blocks."""
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def each_block(work: Callable[[slice], None], rows: int, size: int = BLOCK) -> None:
    """Have every block worked on, in any order; threads serve, since arrays and loops need no lock of Python's."""
    blocks = blocks_of(rows, size)
    if rows < FEW:
        for block in blocks:
            work(block)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(cpu_count()) as pool:
        for _ in pool.map(work, blocks):
            pass


def each_ahead(work: Callable[[Given], Made], given: Iterable[Given]) -> Iterator[Made]:
    """What comes of each, in order; the next ones are worked on while one is used."""
    rest = iter(given)
    begun = list(islice(rest, 2))
    if len(begun) < 2:
        yield from map(work, begun)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    processors = cpu_count() or 1
    waiting: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(processors) as pool:
        for item in chain(begun, rest):
            waiting.append(pool.submit(work, item))
            if len(waiting) > processors:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def at_once(
    one: Callable[[], Made] | None, other: Callable[[], Given] | None, rows: int
) -> tuple[Made | None, Given | None]:
    """What two pieces of work give that do not need one another; None for one that is not wanted."""
    if one is None or other is None or rows < FEW:
        return one and one(), other and other()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(one)
        second = other()
        return waiting.result(), second
