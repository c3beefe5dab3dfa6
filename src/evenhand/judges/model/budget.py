"""How many calls a run may make and how much money it may spend, and whether it is ending."""

from __future__ import annotations

from decimal import Decimal

from evenhand.judges.providers.exchange import Stopped

NOTHING = Decimal(0)


class Budget:
    """Shared by all judges of a run. What a call may cost at most is set aside before it is made, so that the
    limit holds however many are in flight."""

    def __init__(self, *, max_calls: int | None = None, max_cost: Decimal | None = None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._reserved = NOTHING
        self.calls = 0
        """Calls made, those in flight included."""
        self.cost: Decimal | None = NOTHING
        """What the replies so far have cost; None once one came whose price is unknown."""
        self.stopped: str | None = None
        """Why no further call is made."""
        self.broken = False
        """Whether that is because something is out of reach, rather than because the user wished it."""

    def stop(self, reason: str, *, broken: bool = False) -> None:
        """Make no further call; those in flight come home."""
        if self.stopped is None:
            self.stopped, self.broken = reason, broken

    def reserve(self, most: Decimal | None) -> None:
        """Set aside what a call may cost at most; Stopped when that is more than there is left."""
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
        """Put the true cost in place of what was set aside; a call that brought nothing cost nothing known."""
        self._reserved -= most or NOTHING
        if not failed and self.cost is not None:
            self.cost = None if cost is None else self.cost + cost
