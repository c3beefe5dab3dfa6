"""What command agents spend, counted against the same limit as judges and models."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal

from evenhand.judges.models.budget import Budget
from evenhand.runs.limited_process import Interrupted

_PATIENCE = 0.05
"""Seconds until someone who waits for money looks again."""


class AgentSpending:
    """Lets a run begin only if it would stay within the limit at the price of its variant's dearest run so far.

    What an agent will cost is not known before it has run once. So the first run of each variant is made alone, and a
    limit is exceeded by no more than one run of each variant that costs more than all before it.
    """

    def __init__(self, budget: Budget, notice: Callable[[str], None] | None) -> None:
        self._budget = budget
        self._notice = notice
        self._dearest: dict[str, Decimal] = {}
        self._first: set[str] = set()
        """Variants whose first run is under way."""
        self._unpriced: set[str] = set()
        self._changing = threading.Lock()

    def reserved(self, variant: str, stop: threading.Event) -> Decimal | None:
        """What is set aside for a run of a variant; None when there is not enough, and no run may begin."""
        while not stop.is_set():
            with self._changing:
                most = self._dearest.get(variant)
                is_turn = most is not None or variant not in self._first
                taken = self._budget.begin_run(most or Decimal(0)) if is_turn else None
                if taken is False:
                    return None
                if taken:
                    self._first.add(variant)
                    return most or Decimal(0)
            stop.wait(_PATIENCE)
        raise Interrupted

    def settle(self, variant: str, reserved: Decimal, cost: Decimal | None) -> None:
        """Replace what was set aside by what a run has cost; None when that is not known."""
        self._budget.settle(reserved, cost or Decimal(0))
        with self._changing:
            self._dearest[variant] = max(self._dearest.get(variant, Decimal(0)), cost or Decimal(0))
            is_news = cost is None and variant not in self._unpriced
            self._unpriced |= {variant} if is_news else set()
        if is_news and self._notice is not None:
            self._notice(f"`max_cost` does not count what {variant} spends: its runs do not state it")
