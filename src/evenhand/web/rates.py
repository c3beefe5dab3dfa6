"""How many requests an address may send: a bucket that fills steadily, and only so many buckets."""

from __future__ import annotations

from collections import OrderedDict


class Rate:
    """So many at once, then so many a second."""

    def __init__(self, *, burst: float, per_second: float, addresses: int = 10_000) -> None:
        self._burst = burst
        self._per_second = per_second
        self._addresses = addresses
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What is left in each bucket, and when that was; the address seen last comes last."""

    def wait(self, address: str, now: float) -> float:
        """Take one; 0 if there was one, else the seconds until there is."""
        left, then = self._buckets.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        waiting = 0.0 if left >= 1 else (1 - left) / self._per_second
        self._buckets[address] = (left if waiting else left - 1, now)
        while len(self._buckets) > self._addresses:
            self._buckets.popitem(last=False)
        return waiting
