"""Which checks are right often enough for their findings to be faults, and which to cap the scores of readers.

`precision.json` counts the true and the false findings of each check on labelled runs, by the source of the runs;
`scripts/make_precision.py` makes it from `benchmarks/findings_labels.jsonl`. A check's findings are faults when at
least 12 are labelled, from two sources or more, and 95 % are true; otherwise they are notes. Its faults cap when they
are from three sources or more and the one-sided 95 % Clopper-Pearson limit of the share that is true is at least 0.90
as well. Without a false one, that takes 29 true ones.
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
FEWEST: Final = 12
"""Labelled findings without which nothing is known."""
SOURCES: Final = 2
"""Sources of runs that a fault needs: what is right about the runs of one may be peculiar to them."""
SOURCES_TO_CAP: Final = 3


class Count(NamedTuple):
    """Labelled findings."""

    true: int
    false: int

    @property
    def total(self) -> int:
        return self.true + self.false


def total(sources: Mapping[str, Count]) -> Count:
    """The findings of all sources together."""
    return Count(sum(count.true for count in sources.values()), sum(count.false for count in sources.values()))


@cache
def counts() -> dict[str, dict[str, Count]]:
    """The true and the false findings of each check, by source."""
    text = Path(__file__).with_name("precision.json").read_text(encoding="utf-8")
    return {check: {source: Count(**row) for source, row in rows.items()} for check, rows in json.loads(text).items()}


@cache
def measured() -> frozenset[str]:
    """The ids of the checks whose findings are faults."""
    return frozenset(check for check, sources in counts().items() if makes_faults(sources))


@cache
def precise() -> frozenset[str]:
    """The ids of the checks that may cap."""
    return frozenset(check for check, sources in counts().items() if makes_caps(sources))


def makes_faults(sources: Mapping[str, Count]) -> bool:
    """Whether so many labels from these sources make a check's findings faults."""
    true, false = total(sources)
    return len(sources) >= SOURCES and true + false >= FEWEST and _mostly_true(true, false)


def makes_caps(sources: Mapping[str, Count]) -> bool:
    """Whether so many labels from these sources let a check's faults cap."""
    return len(sources) >= SOURCES_TO_CAP and makes_faults(sources) and qualifies(*total(sources))


def qualifies(true: int, false: int) -> bool:
    """Whether so many true and false faults are enough; in whole numbers, so that every machine decides alike.

    The lower limit is at least 0.90 when a check of which 9 faults in 10 are true would get so many true ones or more
    at most once in 20 times.
    """
    number = true + false
    tail = sum(comb(number, k) * 9**k for k in range(true, number + 1))
    return number > 0 and _mostly_true(true, false) and 20 * tail <= 10**number


def _mostly_true(true: int, false: int) -> bool:
    return 20 * true >= 19 * (true + false)


def lower_limit(true: int, number: int) -> float:
    """The Clopper-Pearson limit: the share of true faults at which so many or more come up once in 20 times."""
    if true == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        tail = sum(comb(number, k) * share**k * (1 - share) ** (number - k) for k in range(true, number + 1))
        low, high = (share, high) if tail < CHANCE else (low, share)
    return low
