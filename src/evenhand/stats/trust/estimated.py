"""An estimate, and what it estimates. Immutable; nothing here computes."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evenhand.stats.trust.estimates import Estimate
from evenhand.stats.trust.pass_rate import PassRate

What = Literal["mean", "pass-rate", "difference"]


class Estimated(NamedTuple):
    """An estimate, and what it estimates."""

    what: What
    subject: str
    result: Estimate | PassRate
    labels: int
    unlabelled: int
    precision: float | None
    """The half-width of the interval that was asked for."""
    labels_needed: int | None
    """How many labels would bring it; None when none was wished for, or when not enough items are judged."""
