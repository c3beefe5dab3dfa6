"""How often the findings of each check are true, and what follows from it.

`precision.json` counts the true and the false findings of each check on labelled runs, by the family of benchmarks
that the runs are from; `scripts/make_precision.py` makes it from `benchmarks/findings_labels.jsonl`. What can be
pointed at is a fault unless less than 92 % are true in a family where at least 36 findings are labelled. Faults cap the
scores of readers when at least 95 % of all labelled ones are true, they are from two families or more, and the
one-sided 95 % Clopper-Pearson limit of the share that is true is at least 0.90 as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from math import comb
from pathlib import Path
from typing import Final, NamedTuple

CHANCE: Final = 0.05
"""How often a check whose faults are less often true than its lower limit would do as well as it did."""
FEW: Final = 36
"""With fewer labelled findings of a family than this, its share is shown as resting on few."""
FAMILIES_TO_CAP: Final = 2


class Count(NamedTuple):
    """Labelled findings."""

    true: int
    false: int

    @property
    def total(self) -> int:
        return self.true + self.false


def total(families: Mapping[str, Count]) -> Count:
    """The findings of all families together."""
    return Count(sum(count.true for count in families.values()), sum(count.false for count in families.values()))


@cache
def counts() -> dict[str, dict[str, Count]]:
    """The true and the false findings of each check, by family."""
    text = Path(__file__).with_name("precision.json").read_text(encoding="utf-8")
    return {check: {family: Count(**row) for family, row in rows.items()} for check, rows in json.loads(text).items()}


@cache
def too_often_wrong() -> frozenset[str]:
    """The ids of the checks whose findings are notes because they were false too often."""
    return frozenset(check for check, families in counts().items() if is_too_often_wrong(families))


@cache
def precise() -> frozenset[str]:
    """The ids of the checks that may cap."""
    return frozenset(check for check, families in counts().items() if makes_caps(families))


def is_too_often_wrong(families: Mapping[str, Count]) -> bool:
    """Whether a family with enough labels, or all labels together, show less than 92 % true."""
    return any(
        count.total >= FEW and 25 * count.true < 23 * count.total for count in (*families.values(), total(families))
    )


def makes_caps(families: Mapping[str, Count]) -> bool:
    """Whether these labels from these families let a check's faults cap."""
    return len(families) >= FAMILIES_TO_CAP and not is_too_often_wrong(families) and qualifies(*total(families))


def qualifies(true: int, false: int) -> bool:
    """Whether these numbers of true and false faults are enough; in whole numbers, so that every machine decides alike.

    The lower limit is at least 0.90 when a check of which 9 faults in 10 are true would get this many true ones or more
    at most once in 20 times.
    """
    number = true + false
    tail = sum(comb(number, k) * 9**k for k in range(true, number + 1))
    return number > 0 and 20 * true >= 19 * number and 20 * tail <= 10**number


def lower_limit(true: int, number: int) -> float:
    """The Clopper-Pearson limit: the share of true faults at which this many or more come up once in 20 times."""
    if true == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        tail = sum(comb(number, k) * share**k * (1 - share) ** (number - k) for k in range(true, number + 1))
        low, high = (share, high) if tail < CHANCE else (low, share)
    return low
