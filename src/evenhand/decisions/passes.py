"""How often k tries at a case pass, and how well a skill is activated: shares with their intervals. Pure.

Of a case with n tries and c passes, a draw of k tries without replacement has a pass with chance 1 - C(n-c,k)/C(n,k),
and passes only with chance C(c,k)/C(n,k). Both are averaged over cases by their weights. The cases are the sample, so
the intervals are those of a mean over cases; cases of a cluster count as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb, sqrt

from evenhand.decisions.decision import Passes, Share, TriggerPrompt, Triggers
from evenhand.decisions.table import Row
from evenhand.decisions.values.suite import SHOULD, SHOULD_NOT
from evenhand.stats.paired import MOST_FREEDOM, quantile

MOST_TRIES = 10
"""The largest k that is computed."""

_LEVEL = 0.05
_Z = 1.959963984540054
"""The normal quantile of a 95 % interval."""


def repeated_passes(cases: Sequence[Sequence[Row]]) -> tuple[Passes, ...]:
    """Both rates for each k up to the fewest tries of a case; nothing where no try can be said to pass or not."""
    tried = [tries for rows in cases if (tries := [row for row in rows if row.passed is not None])]
    least = min(map(len, tried), default=0)
    return tuple(
        Passes(
            k,
            at_least_one=_over_cases(tried, [1 - _drawn(len(rows) - _passed(rows), len(rows), k) for rows in tried]),
            every=_over_cases(tried, [_drawn(_passed(rows), len(rows), k) for rows in tried]),
        )
        for k in range(1, min(least, MOST_TRIES) + 1)
    )


def _passed(rows: Sequence[Row]) -> int:
    return sum(bool(row.passed) for row in rows)


def _drawn(of_a_kind: int, tried: int, k: int) -> Fraction:
    """The chance that all of k tries drawn are of a kind."""
    return Fraction(comb(of_a_kind, k), comb(tried, k))


def _over_cases(cases: Sequence[Sequence[Row]], values: Sequence[Fraction]) -> Share:
    clusters: dict[tuple[str, int], list[tuple[Fraction, Fraction]]] = defaultdict(list)
    for place, (rows, value) in enumerate(zip(cases, values, strict=True)):
        clusters[rows[0].cluster, -1 if rows[0].cluster else place].append((Fraction(rows[0].weight), value))
    units = []
    for part in clusters.values():
        weight = sum((weight for weight, _ in part), Fraction(0))
        units.append((float(weight), float(sum((share * value for share, value in part), Fraction(0)) / weight)))
    total = sum(weight for weight, _ in units)
    rate = sum(weight * value for weight, value in units) / total
    n = len(units)
    if n < 2:
        return Share(rate)
    effective = total**2 / sum(weight**2 for weight, _ in units)
    error = sqrt(sum((weight * (value - rate)) ** 2 for weight, value in units) * n / (n - 1)) / total
    freedom = max(1, min(n - 1, round(effective) - 1, MOST_FREEDOM))
    # Where all cases agree they show no scatter; some cases like those that were not drawn may differ all the same.
    reach = quantile(_LEVEL / 2, freedom) * error if error else 1 - float(_LEVEL ** (1 / n))
    return Share(rate, max(0.0, rate - reach), min(1.0, rate + reach))


def triggers(cases: Mapping[str, Sequence[Row]]) -> Triggers | None:
    """From the runs of a variant whose activation is known; None when no case is a prompt that tries it.

    A prompt counts once, by the share of its runs in which the skill was activated: runs of one prompt are alike, and
    taking them for independent would make the intervals too narrow.
    """
    prompts = []
    for name, rows in sorted(cases.items()):
        tags = set(rows[0].tags)
        # Only runs that finished: one that did not has neither activated the skill nor passed it over.
        known = [row for row in rows if row.finished and row.value is not None]
        if not known or not {SHOULD, SHOULD_NOT} & tags:
            continue
        wanted = SHOULD in tags
        as_wanted = sum(row.value == 1 for row in known)
        prompts.append(TriggerPrompt(name, wanted, as_wanted if wanted else len(known) - as_wanted, len(known)))
    if not prompts:
        return None
    hits = sum((Fraction(prompt.activated, prompt.runs) for prompt in prompts if prompt.wanted), Fraction(0))
    alarms = sum((Fraction(prompt.activated, prompt.runs) for prompt in prompts if not prompt.wanted), Fraction(0))
    return Triggers(
        recall=_wilson(hits, sum(prompt.wanted for prompt in prompts)),
        precision=_wilson(hits, hits + alarms),
        prompts=tuple(prompts),
    )


def _wilson(some: Fraction, total: Fraction | int) -> Share | None:
    """Wilson's 95 % interval of a share."""
    if not total:
        return None
    share, count = float(some / total), float(total)
    centre = (share + _Z * _Z / (2 * count)) / (1 + _Z * _Z / count)
    width = _Z / (1 + _Z * _Z / count) * sqrt(share * (1 - share) / count + _Z * _Z / (4 * count * count))
    return Share(share, max(0.0, centre - width), min(1.0, centre + width))
