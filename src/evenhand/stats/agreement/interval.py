"""A confidence interval of a coefficient; `resampling` makes it. Immutable."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

RESAMPLES: Final = 2_000
CONFIDENCE: Final = 0.95


class Interval(NamedTuple):
    """A confidence interval, and how it was made."""

    low: Annotated[float, {"places": 17}]
    high: Annotated[float, {"places": 17}]
    method: Annotated[str, {"enum": ("bca", "binomial")}]
    """`bca` or `binomial`."""
    resamples: int
    """How many; 0 for an exact interval."""
