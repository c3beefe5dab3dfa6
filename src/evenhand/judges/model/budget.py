"""How many calls a run may make, how much it may spend, and whether it has stopped."""

from __future__ import annotations

from decimal import Decimal

from evenhand.judges.providers.exchange import Stopped

NOTHING = Decimal(0)


class Budget:
    """Shared by all judges of a run. The most a call may cost is reserved before it is made, so the limit holds however
    many are in flight."""

    def __init__(self, *, max_calls: int | None = None, max_cost: Decimal | None = None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._reserved = NOTHING
        self.calls = 0
        """Calls made, including those in flight."""
        self.cost: Decimal | None = NOTHING
        """The cost of the replies so far; None once one has an unknown price."""
        self.stopped: str | None = None
        """Why no further calls are made; None while they are."""
        self.broken = False
        """Whether a fault stopped it, rather than a limit or the user."""

    def stop(self, reason: str, *, broken: bool = False) -> None:
        """Make no further calls; those in flight finish."""
        if self.stopped is None:
            self.stopped, self.broken = reason, broken

    def reserve(self, most: Decimal | None) -> None:
        """Reserve the most a call may cost; Stopped when that is more than is left."""
        if self.stopped is None and self._max_calls is not None and self.calls >= self._max_calls:
            self.stop(f"the limit of {self._max_calls} calls is reached")
        if self.stopped is None and self._max_cost is not None:
            spent = (self.cost or NOTHING) + self._reserved + (most or NOTHING)
            if spent > self._max_cost:
                self.stop(f"the next call could go beyond the limit of ${self._max_cost}")
        if self.stopped is not None:
            raise Stopped(self.stopped)
        self.calls += 1
        self._reserved += most or NOTHING

    def settle(self, most: Decimal | None, cost: Decimal | None, *, failed: bool = False) -> None:
        """Replace the reservation with the true cost; a failed call adds no known cost."""
        self._reserved -= most or NOTHING
        if not failed and self.cost is not None:
            self.cost = None if cost is None else self.cost + cost
