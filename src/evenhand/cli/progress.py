"""A progress line on standard error during long runs, if that is a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from evenhand.in_words import stopwatch

Item = TypeVar("Item")

_PATIENCE = 1.0
"""Seconds before anything is shown: quick work needs no counter."""

_TICK = 0.5
"""Seconds between two lines while nothing is finished."""


def with_progress(items: Iterable[Item], *, quiet: bool = False) -> Iterator[Item]:
    """Pass items on, and show how many and how fast on a terminal."""
    return Counter(quiet=quiet).count(items)


class Counter:
    """Counts items on a line that also moves while nothing is finished.

    It has the time left if the total is known, what the caller adds, and before the first item what is going on.
    """

    def __init__(
        self,
        total: Callable[[], int | None] = lambda: None,
        *,
        quiet: bool = False,
        more: Callable[[], str] | None = None,
        activity: Callable[[], str] | None = None,
    ) -> None:
        self._total = total
        self._more = more
        self._activity = activity
        self._quiet = quiet or not sys.stderr.isatty()
        self._longest = 0
        self._begun = 0.0
        self._number = 0
        self._written = False
        self._busy = threading.Lock()
        """Held while an item is being printed, or a line of progress is."""

    def count(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass items on, and show progress until the last one."""
        if self._quiet:
            yield from items
            return
        self._begun = time.monotonic()
        total = self._total()
        over = threading.Event()
        ticking = threading.Thread(target=self._tick, args=(over, total), daemon=True)
        ticking.start()
        try:
            for item in items:
                with self._busy:
                    self._clear()
                    self._number += 1
                    yield item
        finally:
            over.set()
            ticking.join()
            self._clear()
        seconds = time.monotonic() - self._begun
        if self._number > 1 and seconds > _PATIENCE:
            print(f"{self._number:,} done in {seconds:.1f} s{self._extra()}", file=sys.stderr)

    def _tick(self, over: threading.Event, total: int | None) -> None:
        wait = _PATIENCE
        while not over.wait(wait):
            wait = _TICK
            if self._busy.acquire(blocking=False):
                seconds = time.monotonic() - self._begun
                if self._activity is None or self._number or (total or 0) > 1:
                    line = self._line(total, seconds)
                else:
                    line = self._activity()
                self._write(f"{line}{self._extra()}, {stopwatch(seconds)}")
                self._written = True
                self._busy.release()

    def _line(self, total: int | None, seconds: float) -> str:
        rate = self._number / seconds
        of = f" of {total:,}" if total is not None else ""
        left = ""
        if total is not None and total > self._number > 0:
            left = f", {stopwatch((total - self._number) / rate)} left"
        return f"{self._number:,}{of} done, {rate:,.1f} per second{left}"

    def _extra(self) -> str:
        return f", {self._more()}" if self._more is not None else ""

    def _clear(self) -> None:
        if self._written:
            self._write("")
            self._written = False

    def _write(self, line: str) -> None:
        self._longest = max(self._longest, len(line))
        print(f"\r{line:<{self._longest}}", end="\r" if not line else "", file=sys.stderr, flush=True)
