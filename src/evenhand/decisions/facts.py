"""What is described beside a verdict and not claimed: a variant by itself, and where two differ part by part. Pure.

Of a case with n tries and c passes, a draw of k tries without replacement has a pass with chance 1 - C(n-c,k)/C(n,k),
and passes only with chance C(c,k)/C(n,k). Both are averaged over cases by their weights. The cases are the sample, so
the intervals are those of a mean over cases; cases of a cluster count as one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import comb, sqrt

from evenhand.decisions.decision import Detail, Missing, Passes, Share, TriggerPrompt, Triggers, VariantFacts
from evenhand.decisions.suite import SHOULD, SHOULD_NOT
from evenhand.decisions.table import ResultsTable, Row
from evenhand.stats.paired import MOST_FREEDOM, quantile

LEAST_FOR_DETAILS = 10
"""Cases with which the parts of a score are compared by themselves; with fewer, chance alone is seen in them."""

MOST_DETAILS = 200

MOST_TRIES = 10
"""The largest k that is computed."""

_LEVEL = 0.05
_Z = 1.959963984540054
"""The normal quantile of a 95 % interval."""


def variant_facts(table: ResultsTable, variant: str) -> VariantFacts:
    """What is known of one variant by itself."""
    rows = table.of_variant(variant)
    by_case: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_case[row.case].append(row)
    known = {case: [row.ends(table.scale)[0] for row in some if not row.is_unscored] for case, some in by_case.items()}
    known = {case: values for case, values in known.items() if values}
    weights = {case: Fraction(some[0].weight) for case, some in by_case.items()}

    def mean(values: Mapping[str, Sequence[Fraction]]) -> float | None:
        total = sum((weights[case] for case in values), Fraction(0))
        parts = (weights[case] * sum(runs) / len(runs) for case, runs in values.items())
        return float(sum(parts, Fraction(0)) / total) if total else None

    ends = {case: [row.ends(table.scale) for row in some] for case, some in by_case.items() if some[0].counts}
    reasons: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row.value is None or row.lost:
            reasons["lost" if row.lost else "unscored", row.lost or row.unscored or "no reason given"] += 1
    faults: Counter[str] = Counter(severity for row in rows for _, severity in row.faults)
    seconds = [row.seconds for row in rows if row.seconds is not None]
    tokens = [row.tokens for row in rows if row.tokens is not None]
    costs = [row.cost for row in rows if row.cost is not None]
    judging = [row.judging_cost for row in rows if row.judging_cost is not None]
    return VariantFacts(
        name=variant,
        runs=len(rows),
        valued=sum(row.value is not None and not row.lost for row in rows),
        cases=len(known),
        mean=mean(known),
        lost=sum(bool(row.lost) for row in rows),
        unscored=sum(row.is_unscored for row in rows),
        missing=tuple(
            Missing(kind, reason, runs)  # type: ignore[arg-type]
            for (kind, reason), runs in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        ),
        met=sum(row.met for row in rows),
        expectations=sum(row.expectations for row in rows),
        faults=dict(sorted(faults.items())),
        seconds=float(sum(seconds) / len(seconds)) if seconds else None,
        tokens=sum(tokens) / len(tokens) if tokens else None,
        cost=sum(costs, Decimal(0)) if costs else None,
        cost_known=len(costs),
        judging_cost=sum(judging, Decimal(0)) if judging else None,
        low=mean({case: [end[0] for end in some] for case, some in ends.items()}),
        high=mean({case: [end[1] for end in some] for case, some in ends.items()}),
        passes=repeated_passes(list(by_case.values())),
        triggers=triggers(by_case),
    )


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
        # Only runs that finished: one that did not has neither activated the skill nor passed it over. What another
        # variant lacks takes a row's value, since both sides are compared by the same, but not what is known of it.
        known = [row for row in rows if row.finished and row.passed is not None]
        if not known or not {SHOULD, SHOULD_NOT} & tags:
            continue
        wanted = SHOULD in tags
        as_wanted = sum(row.passed is True for row in known)
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


def details(sides: Mapping[str, tuple[Sequence[Row], Sequence[Row]]]) -> list[Detail]:
    """Where two variants differ, by kind; within a kind the largest differences first. Only parts of enough cases."""
    values: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    checks = {check for both in sides.values() for rows in both for row in rows for check, _ in row.faults}
    for first, second in sides.values():
        means = [_part_means(rows) for rows in (first, second)]
        for key in means[0].keys() & means[1].keys():
            values[key].append(means[1][key] - means[0][key])
        finished = [[row for row in rows if row.finished] for rows in (first, second)]
        if all(finished):
            for check in checks:
                values["finding", check].append(_share(finished[1], check) - _share(finished[0], check))
    for name, (first, second) in sides.items():
        known = [[Fraction(row.value) for row in rows if row.value is not None] for rows in (first, second)]
        if all(known):
            difference = Fraction(sum(known[1])) / len(known[1]) - Fraction(sum(known[0])) / len(known[0])
            for tag in {tag for row in sides[name][1] for tag in row.tags}:
                values["tag", tag].append(difference)
    found_parts = [
        Detail(kind, name, len(found), float(sum(found) / len(found)))  # type: ignore[arg-type]
        for (kind, name), found in values.items()
        if len(found) >= LEAST_FOR_DETAILS and any(found)
    ]
    kinds = ("tag", "dimension", "criterion", "finding")
    ordered = sorted(found_parts, key=lambda detail: (kinds.index(detail.kind), -abs(detail.mean), detail.name))
    return [detail for kind in kinds for detail in [one for one in ordered if one.kind == kind][:MOST_DETAILS]]


def _part_means(rows: Sequence[Row]) -> dict[tuple[str, str], Fraction]:
    values: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    for row in rows:
        for part in row.parts:
            values[part.kind, part.name].append(part.value)
    return {key: sum(some, Fraction(0)) / len(some) for key, some in values.items()}


def _share(rows: Sequence[Row], check: str) -> Fraction:
    return Fraction(sum(any(name == check for name, _ in row.faults) for row in rows), len(rows))
