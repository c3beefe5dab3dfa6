"""What was worked out for a page, remembered as long as the evaluations it was worked out from are the same.

A stored evaluation never changes, so figures over the same evaluations are the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Final, Generic, NamedTuple, TypeVar

from evenhand import clock
from evenhand.store.protocol import Store
from evenhand.web.page import Page
from evenhand.web.parameters import Parameters
from evenhand.web.route import MakePage

Value = TypeVar("Value")

MOST: Final = 32
"""Sets of evaluations whose figures are remembered, of each kind."""

AGE: Final = 10.0
"""Seconds that figures over very many evaluations are shown although there are newer ones."""


class Remembered(Generic[Value]):
    """Figures by the evaluations they were worked out from."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Value] = {}
        self._lock = Lock()

    def of(self, key: Hashable, work_out: Callable[[], Value], lasts: Callable[[Value], bool] | None = None) -> Value:
        """The figures for a key, worked out if they are not known; errors and what does not last are not remembered."""
        with self._lock:
            if key in self._known:
                return self._known[key]
        value = work_out()
        if lasts is not None and not lasts(value):
            return value
        with self._lock:
            while len(self._known) >= MOST:
                self._known.pop(next(iter(self._known)))
            self._known[key] = value
        return value


class _Figure(NamedTuple, Generic[Value]):
    state: Hashable
    worked_out: float
    value: Value


class Figures(Generic[Value]):
    """Figures that take long where there are very many evaluations: worked out once for all who wait for them."""

    def __init__(self) -> None:
        self._known: dict[Hashable, _Figure[Value]] = {}
        self._working: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def of(self, store: Store, key: Hashable, work_out: Callable[[], Value], *, many: bool) -> Value:
        """The figures for a key; over very many evaluations they may be `AGE` seconds old."""
        key = (store.url, key)
        with self._lock:
            working = self._working.setdefault(key, Lock())
        with working:
            state = store.state()
            known = self._known.get(key)
            if known is None or (known.state != state and not (many and clock.elapsed() < known.worked_out + AGE)):
                value = work_out()
                with self._lock:
                    while len(self._known) >= MOST:
                        self._known.pop(oldest := next(iter(self._known)))
                        self._working.pop(oldest, None)
                    self._known.pop(key, None)
                    self._known[key] = known = _Figure(state, clock.elapsed(), value)
            return known.value


def of_evaluations(
    make: MakePage,
    *,
    beside: Callable[[Store], Hashable] = lambda store: None,
    lasts: Callable[[Page], bool] | None = None,
) -> MakePage:
    """A page that shows evaluations and nothing else of a store: made again once there are others.

    `beside` tells the state of what else it shows, and `lasts` whether a page can be kept at all.
    """
    pages: Remembered[Page] = Remembered()

    @wraps(make)
    def made(store: Store, parameters: Parameters) -> Page:
        if parameters.text("tag") or parameters.text("q"):  # people put tags on and take them off, and write notes
            return make(store, parameters)
        key = (store.url, parameters.address(), store.state(), beside(store))
        return pages.of(key, lambda: _kept(make(store, parameters)), lasts)

    return made


def _kept(page: Page) -> Page:
    return page._replace(sheet=page.sheet._replace(rows=list(page.sheet.rows)), texts={})
