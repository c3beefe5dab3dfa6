"""What was worked out for a page, remembered as long as the evaluations it was worked out from are the same.

A stored evaluation never changes, so figures over the same evaluations are the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")

MOST: Final = 32
"""Sets of evaluations whose figures are remembered, of each kind."""


class Remembered(Generic[Value]):
    """Figures by the evaluations they were worked out from."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Value] = {}
        self._lock = Lock()

    def of(self, key: Hashable, work_out: Callable[[], Value]) -> Value:
        """The figures for a key, worked out if they are not known; errors are not remembered."""
        with self._lock:
            if key in self._known:
                return self._known[key]
        value = work_out()
        with self._lock:
            while len(self._known) >= MOST:
                self._known.pop(next(iter(self._known)))
            self._known[key] = value
        return value
