"""Long arrays in blocks that fit into a processor's cache, on all processors at once."""

from __future__ import annotations

from collections.abc import Callable
from os import cpu_count

BLOCK = 1 << 14
"""Rows in a block: a few columns of them stay in the cache nearest to a processor."""


def blocks_of(rows: int) -> list[slice]:
    """A range of rows in blocks."""
    return [slice(start, min(start + BLOCK, rows)) for start in range(0, rows, BLOCK)]


def each_block(work: Callable[[slice], None], rows: int) -> None:
    """Have every block worked on, in any order; threads serve, since arrays need no lock of Python's."""
    blocks = blocks_of(rows)
    if len(blocks) < 4:
        for block in blocks:
            work(block)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(cpu_count()) as pool:
        for _ in pool.map(work, blocks):
            pass
