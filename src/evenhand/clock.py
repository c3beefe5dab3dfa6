"""The only place that reads the clock and draws random bits."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_lock = threading.Lock()
_last = 0


def now() -> str:
    """The current time, RFC 3339 in UTC to the millisecond."""
    return _written(time.time_ns() // 1_000_000)


@lru_cache(maxsize=1)
def _written(milliseconds: int) -> str:
    """A moment as text. Cached, because a batch makes many scorecards within a millisecond."""
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def days_ago(days: int) -> str:
    """The moment a number of days ago, written like `now`."""
    return _written(time.time_ns() // 1_000_000 - days * 86_400_000)


def microseconds(moment: str) -> int:
    """An RFC 3339 time as microseconds since 1970. ValueError when it is invalid or has no time zone."""
    read = datetime.fromisoformat(moment)
    if read.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return (read - _EPOCH) // timedelta(microseconds=1)


def new_id() -> str:
    """Sorts by the time it was made, also within a millisecond of one process.

    Laid out as a UUIDv7, but marked as version 8, which is for an application's own use: so an id that someone gave is
    told from one that was made here.
    """
    global _last
    with _lock:
        # 48 bits of milliseconds, then 12 bits that count on within the millisecond.
        nanoseconds = time.time_ns()
        _last = max(_last + 1, (nanoseconds // 1_000_000 << 12) | (nanoseconds % 1_000_000 * 4096 // 1_000_000))
        stamp = _last
    head = stamp >> 12 << 16 | 8 << 12 | stamp & 0xFFF
    tail = int.from_bytes(os.urandom(8), "big") & (1 << 62) - 1 | 1 << 63
    text = (head << 64 | tail).to_bytes(16, "big").hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_new_id(text: str) -> bool:
    """Whether an id has the form that `new_id` gives it."""
    parts = text.split("-")
    return [len(part) for part in parts] == [8, 4, 4, 4, 12] and parts[2][0] == "8" and set("".join(parts)) <= _HEX


_HEX = frozenset("0123456789abcdef")

elapsed = time.monotonic
"""A monotonic clock in seconds, for measuring durations."""

epoch_seconds = time.time
"""Seconds since 1970, for comparing with times from another machine."""


def chance() -> float:
    """A random number from 0 up to 1: jitter, so that waiting clients do not all retry at once."""
    return int.from_bytes(os.urandom(6), "big") / (1 << 48)
