"""A line that counts on standard error while something long runs, if anybody is looking."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

_PATIENCE = 1.0
"""Seconds before anything is shown: quick work needs no counter."""


def counted(items: Iterable[Item], *, quiet: bool = False) -> Iterator[Item]:
    """Hand items on, and show how many and how fast on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    begun = shown = time.monotonic()
    number = 0
    for number, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - begun > _PATIENCE and now - shown > 0.2:
            shown = now
            print(f"\r{number:,} done, {number / (now - begun):,.0f} a second ", end="", file=sys.stderr, flush=True)
    if shown > begun:
        print(f"\r{number:,} done in {time.monotonic() - begun:.1f} s{'':20}", file=sys.stderr)
