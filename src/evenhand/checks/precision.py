"""Which checks are right often enough to cap the scores of those who read the work.

`precision.json` counts the true and the false faults of each check on labelled material; `scripts/make_precision.py`
makes it from `benchmarks/findings_labels.jsonl`. A check qualifies when at least 95 % of its faults are true and the
one-sided 95 % Clopper-Pearson limit of that share is at least 0.90. Without a false fault, that takes 29 true ones.
"""

from __future__ import annotations

import json
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

CHANCE: Final = 0.05
"""How often a check whose faults are less often true than its lower limit would do as well as it did."""


@cache
def counts() -> dict[str, tuple[int, int]]:
    """The true and the false faults of each check."""
    text = Path(__file__).with_name("precision.json").read_text(encoding="utf-8")
    return {check: (row["true"], row["false"]) for check, row in json.loads(text).items()}


@cache
def precise() -> frozenset[str]:
    """The ids of the checks that may cap."""
    return frozenset(check for check, (true, false) in counts().items() if qualifies(true, false))


def qualifies(true: int, false: int) -> bool:
    """Whether so many true and false faults are enough; in whole numbers, so that every machine decides alike.

    The lower limit is at least 0.90 when a check of which 9 faults in 10 are true would get so many true ones or more
    at most once in 20 times.
    """
    total = true + false
    tail = sum(comb(total, k) * 9**k for k in range(true, total + 1))
    return total > 0 and 20 * true >= 19 * total and 20 * tail <= 10**total


def lower_limit(true: int, total: int) -> float:
    """The Clopper-Pearson limit: the share of true faults at which so many or more come up once in 20 times."""
    if true == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        tail = sum(comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(true, total + 1))
        low, high = (share, high) if tail < CHANCE else (low, share)
    return low
