"""Long arrays in blocks, on all processors at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from os import cpu_count
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

BLOCK = 1 << 14
"""Rows in a block: a few columns of them fit into the L1 cache."""

FEW = 4 * BLOCK
"""Below this many rows, threads do not pay off."""

LONG_BLOCK = 1 << 17
"""Rows in a block of a loop that goes through them once."""


def blocks_of(rows: int, size: int = BLOCK) -> list[slice]:
    """A range of rows in blocks."""
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def each_block(work: Callable[[slice], None], rows: int, size: int = BLOCK) -> None:
    """Process every block, in any order, in threads: array operations and our loops release the GIL."""
    blocks = blocks_of(rows, size)
    if rows < FEW:
        for block in blocks:
            work(block)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(cpu_count()) as pool:
        for _ in pool.map(work, blocks):
            pass


def each_ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The result for each item, in order; the next ones are computed while one is used."""
    rest = iter(items)
    begun = list(islice(rest, 2))
    if len(begun) < 2:
        yield from map(work, begun)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    processors = cpu_count() or 1
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(processors) as pool:
        for item in chain(begun, rest):
            waiting.append(pool.submit(work, item))
            if len(waiting) > processors:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def at_once(
    background: Callable[[], Result] | None, foreground: Callable[[], Item] | None, rows: int
) -> tuple[Result | None, Item | None]:
    """The results of two independent pieces of work, either of which may be None."""
    if background is None or foreground is None or rows < FEW:
        return background and background(), foreground and foreground()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(background)
        result = foreground()
        return waiting.result(), result
