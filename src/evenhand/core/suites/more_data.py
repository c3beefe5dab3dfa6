"""How many more cases, or more runs of each, would show a relevant difference. Pure; estimated from the data's scatter.

More cases shrink the standard error by the root of their number. More runs of each case shrink only the part of the
scatter that comes from run to run; see `core.history.repeats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log, sqrt
from statistics import NormalDist

from evenhand.core.history.pairs import POWER
from evenhand.core.history.repeats import CaseScores, scatter
from evenhand.core.history.weighted import fewest, quantile
from evenhand.core.values.decision import Difference, MoreData

MOST_REPEATS = 50
"""Nobody runs a case more often than this to settle a question."""

_SMALL = 200
"""Up to this many cases Student's quantiles are used; beyond, the normal ones are as good."""


def more_data(
    difference: Difference, cases: Sequence[CaseScores], level: float, share: float, relevant: float
) -> MoreData:
    """What would detect a difference of `relevant` four times in five, two-sided at `level`.

    Where all cases are ties, as many as rule out that a `share` of all cases is none.
    """
    if difference.cases >= fewest(level) and difference.detectable is None:
        return MoreData(None, None)
    if difference.cases < 2 or not difference.error:
        is_tie = difference.cases > 1 and not difference.mean
        enough = ceil(log(level) / log(1 - share)) if is_tie else fewest(level)
        missing = enough - difference.cases
        return MoreData(_about(missing) if missing > 0 else None, None)
    enough = _cases_needed(difference.error * sqrt(difference.cases), level, relevant)
    return MoreData(_about(max(1, enough - difference.cases)), _repeats_needed(difference, cases, level, relevant))


def _cases_needed(deviation: float, level: float, relevant: float) -> int:
    normal = NormalDist()
    reach = normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)
    number = max(ceil((reach * deviation / relevant) ** 2), fewest(level), 2)
    while number < _SMALL and _reach(number - 1, level) * deviation / sqrt(number) > relevant:
        number += 1
    return number


def _repeats_needed(difference: Difference, cases: Sequence[CaseScores], level: float, relevant: float) -> int | None:
    parts = scatter(cases)
    if parts is None or difference.error is None or difference.cases < fewest(level):
        return None
    # Unequal numbers of runs count by their harmonic mean: that is what the variance of a mean depends on.
    now = 2 * len(cases) / sum(1 / len(case.first) + 1 / len(case.second) for case in cases)
    variance = parts.between + parts.within / now
    if variance == 0:
        return None
    reach = _reach(difference.cases - 1, level)
    for repeats in range(int(now) + 1, MOST_REPEATS + 1):
        if reach * difference.error * sqrt((parts.between + parts.within / repeats) / variance) <= relevant:
            return repeats
    return None


def _reach(freedom: int, level: float) -> float:
    return quantile(level / 2, freedom) + quantile(1 - POWER, freedom)


def _about(number: int) -> int:
    """Rounded up to two digits: more would pretend to know."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit
