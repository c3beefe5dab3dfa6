"""A table of results -> a decision. Pure. The order of the rows is irrelevant.

A case's value is the mean of its repeats, a cluster's difference the mean of its cases'. Lost runs count as the worst
value. Unscored ones are carried at both ends of what they may be: the interval holds the intervals of both readings, so
that nothing is concluded that they could turn. All contrasts of a decision share its error rate in equal parts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from evenhand.decisions.decision import (
    CaseDifference,
    Contrast,
    Decision,
    LeftOut,
    MoreData,
    State,
    Verdict,
)
from evenhand.decisions.facts import details, variant_facts
from evenhand.decisions.more_cases import Aim, more_cases
from evenhand.decisions.table import Measure, ProposedClusters, ResultsTable, Row
from evenhand.decisions.words import doubt_all_unscored, doubt_opposite, doubt_unscored, sentence
from evenhand.in_words import counted
from evenhand.stats.paired import Estimated, estimated, held_by_both
from evenhand.stats.sign_test import fewest

LEVEL = 0.05
"""How often chance alone may call any of the variants better or worse."""

COMPARED_ENOUGH = 20
"""Where this many were compared and too few differ for a verdict, no difference is shown."""

Clusters = Mapping[str, str]
Runs = Sequence[tuple[Sequence[Row], Sequence[Row]]]
"""For each case, the runs of the reference and of the variant."""


def decide(
    table: ResultsTable, *, margin: Decimal | float | None = None, level: float = LEVEL, brief: bool = False
) -> Decision:
    """Every comparison of a table of results: better, worse, no difference shown, or undecided.

    `level` is the chance of any false "better" or "worse" among them; a difference up to `margin` is of no interest
    (0.5 points, a tenth of a share). `brief`: no more than the verdicts need, without facts about each variant, details
    and how many more cases it takes.

    >>> from evenhand import ResultsTable, Row
    >>> rows = [Row(f"case {n}", name, value=7 + n % 2 + (name == "new")) for n in range(6) for name in ("old", "new")]
    >>> decide(ResultsTable(rows, ("old", "new"))).contrasts[0].verdict
    'better'
    """
    measure = table.scale
    wanted = measure.margin if margin is None else Fraction(margin)
    pairs = table.compared
    alone = level / max(1, len(pairs))
    contrasting = _Contrasting(table, measure, wanted, alone, brief)
    return Decision(
        measure=measure.name,
        reference=table.reference,
        level=level,
        margin=float(wanted),
        cases=len(table.cases),
        variants=() if brief else tuple(variant_facts(table, name) for name in table.variants),
        contrasts=tuple(contrasting.compare(variant, reference) for variant, reference in pairs),
    )


def undecided(table: ResultsTable, state: State) -> Decision:
    """The facts about each variant, and nothing compared: some of the runs are missing."""
    facts = tuple(variant_facts(table, name) for name in table.variants)
    margin = float(table.scale.margin)
    return Decision(table.measure, table.reference, LEVEL, margin, len(table.cases), facts, (), state)


def verdict_on(low: float | None, high: float | None, margin: float, *, too_few_differ: bool) -> Verdict:
    """What an interval says. `too_few_differ`: many were compared, and too few differ for any interval."""
    if low is None or high is None:
        return "no difference shown" if too_few_differ else "undecided"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "no difference shown" if -margin <= low and high <= margin else "undecided"


@dataclass(frozen=True, slots=True)
class _Case:
    """A case that both sides have: between which ends the difference lies."""

    name: str
    low: Fraction
    high: Fraction
    before: Fraction
    after: Fraction
    weight: Fraction
    cluster: str

    @property
    def middle(self) -> Fraction:
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class _Reading:
    """What units come to."""

    found: Estimated
    verdict: Verdict
    units: tuple[_Case, ...]


@dataclass(frozen=True, slots=True)
class _Contrasting:
    table: ResultsTable
    measure: Measure
    margin: Fraction
    level: float
    brief: bool

    def compare(self, variant: str, reference: str) -> Contrast:
        sides = self._sides(variant, reference)
        cases = [self._case(name, *both) for name, both in sides.items()]
        runs = [(first, second) for first, second in sides.values()]
        contrast = Contrast(
            variant=variant,
            reference=reference,
            verdict="undecided",
            says="",
            claim=None,
            estimate=None,
            low=None,
            high=None,
            level=self.level,
            p_value=None,
            mean=None,
            cases=len(cases),
            units=len(cases),
            unit="case",
            better=0,
            worse=0,
            equal=0,
            open=0,
            unpaired=len({row.case for row in self.table.rows if row.variant in (variant, reference)}) - len(cases),
            lost=sum(row.is_lost for _, second in runs for row in second),
            reference_lost=sum(row.is_lost for first, _ in runs for row in first),
            unscored=sum(row.is_unscored for both in runs for rows in both for row in rows),
            needed=fewest(self.level),
            seen=sum(row.seen for both in runs for rows in both for row in rows),
            expectations=sum(len(row.left_out) + row.expectations for row in _fullest(runs)),
            left_out=_left_out(runs),
        )
        if not cases:
            return self._said(replace(contrast, doubt=self._nothing(variant, reference)))
        declared = {case.name: case.cluster for case in cases}
        reading = self._read(cases, declared)
        contrast = replace(
            contrast,
            claim=reading.found.claim,
            estimate=reading.found.estimate,
            low=reading.found.low,
            high=reading.found.high,
            p_value=reading.found.p_value,
            mean=reading.found.mean,
            verdict=reading.verdict,
            units=len(reading.units),
            unit="case" if len(reading.units) == len(cases) else "cluster",
            better=sum(unit.low > 0 for unit in reading.units),
            worse=sum(unit.high < 0 for unit in reading.units),
            equal=sum(unit.low == unit.high == 0 for unit in reading.units),
            open=sum(unit.low <= 0 <= unit.high and unit.low < unit.high for unit in reading.units),
            differences=() if self.brief else tuple(map(_published, cases)),
            details=() if self.brief else tuple(details(sides)),
        )
        contrast = self._with_doubts(contrast, reading, cases, any(declared.values()))
        if contrast.verdict == "undecided" and not contrast.doubt and not self.brief:
            contrast = replace(contrast, more=self._more(reading))
        return self._said(contrast)

    def _said(self, contrast: Contrast) -> Contrast:
        return replace(contrast, says=sentence(contrast, self.measure.name))

    def _sides(self, variant: str, reference: str) -> dict[str, tuple[Sequence[Row], Sequence[Row]]]:
        """The rows of the reference and of the variant on each case that both have."""
        names = {row.case for row in self.table.rows if row.variant == variant and row.counts}
        names &= {row.case for row in self.table.rows if row.variant == reference and row.counts}
        return {name: (self.table.cell(name, reference), self.table.cell(name, variant)) for name in sorted(names)}

    def _case(self, name: str, first: Sequence[Row], second: Sequence[Row]) -> _Case:
        before, after = self._mean_ends(first), self._mean_ends(second)
        some = [*second, *first]
        cluster = next((row.cluster for row in some if row.cluster), "")
        return _Case(
            name=name,
            low=after[0] - before[1],
            high=after[1] - before[0],
            before=(before[0] + before[1]) / 2,
            after=(after[0] + after[1]) / 2,
            weight=Fraction(some[0].weight),
            cluster=cluster,
        )

    def _mean_ends(self, rows: Sequence[Row]) -> tuple[Fraction, Fraction]:
        ends = [row.ends(self.measure) for row in rows]
        low, high = (Fraction(sum(end[side] for end in ends)) / len(ends) for side in (0, 1))
        return low, high

    def _read(self, cases: Sequence[_Case], cluster_of: Clusters) -> _Reading:
        """The claim about cases, those of a cluster as one; with the interval of both ends of what is missing."""
        units = _clustered(cases, cluster_of)
        weights = [unit.weight for unit in units]
        if all(unit.low == unit.high for unit in units):
            found = estimated([unit.low for unit in units], self.level, weights=weights)
        else:
            low, high, middle = (
                estimated([getattr(unit, end) for unit in units], self.level, weights=weights, can_be_mean=False)
                for end in ("low", "high", "middle")
            )
            found = held_by_both(low, high, middle)
        most = float(self.measure.best - self.measure.worst)
        if found.low is not None and found.high is not None:
            found = replace(found, low=max(found.low, -most), high=min(found.high, most))
        few = len(units) >= COMPARED_ENOUGH and sum(bool(unit.low or unit.high) for unit in units) < fewest(self.level)
        return _Reading(found, verdict_on(found.low, found.high, float(self.margin), too_few_differ=few), units)

    def _with_doubts(
        self, contrast: Contrast, reading: _Reading, cases: Sequence[_Case], is_declared: bool
    ) -> Contrast:
        """With what speaks against relying on it: then it is undecided, and no interval says otherwise."""
        if contrast.verdict != "worse":
            doubt = ""
            if contrast.seen:
                doubt = f"{counted(contrast.seen, 'run')} may have seen the answers, so nothing is concluded"
            elif self.measure.name == "expectations met" and 3 * contrast.counted < 2 * contrast.expectations:
                doubt = (
                    f"only {contrast.counted:,} of {contrast.expectations:,} expectations could be decided on both "
                    "sides, fewer than two thirds, so nothing is concluded"
                )
            if doubt:
                return replace(contrast, verdict="undecided", low=None, high=None, p_value=None, doubt=doubt)
        for proposal in () if is_declared else self.table.proposed:
            other = self._read(cases, proposal.of_case)
            if other.verdict != reading.verdict and len(other.units) < len(reading.units):
                return _of_both(contrast, reading, other, proposal)
        if contrast.verdict != "undecided":
            return contrast
        if self._is_unknown(reading.units):
            return replace(contrast, estimate=None, low=None, high=None, mean=None, doubt=doubt_all_unscored())
        if reading.found.is_widened:
            return replace(contrast, doubt=doubt_opposite())
        if contrast.open and self._is_decided_without_open(cases):
            return replace(contrast, doubt=doubt_unscored())
        return contrast

    def _is_unknown(self, units: Sequence[_Case]) -> bool:
        """Whether in every unit one side's value may be anything on the scale."""
        return all(unit.high - unit.low >= self.measure.best - self.measure.worst for unit in units)

    def _is_decided_without_open(self, cases: Sequence[_Case]) -> bool:
        told = [case for case in cases if case.low == case.high]
        return bool(told) and self._read(told, {case.name: case.cluster for case in told}).verdict != "undecided"

    def _more(self, reading: _Reading) -> MoreData:
        aim = Aim(self.level, float(self.margin), float(self.measure.best - self.measure.worst))
        return more_cases([float(unit.middle) for unit in reading.units], aim)

    def _nothing(self, variant: str, reference: str) -> str:
        """Why there is no case to compare."""
        for name in (variant, reference):
            rows = self.table.of_variant(name)
            if not rows:
                return f"{name} has no runs, so there is nothing to compare"
            if not any(row.counts for row in rows):
                return f"{rows[0].unscored or 'nothing was measured'}, so there is nothing to compare"
        return "no case has runs on both sides, so there is nothing to compare"


def _of_both(contrast: Contrast, first: _Reading, second: _Reading, proposal: ProposedClusters) -> Contrast:
    """A contrast that two readings of which cases belong together answer differently."""
    ends = (first.found.low, first.found.high, second.found.low, second.found.high)
    low = high = None
    if None not in ends:
        low, high = min(ends), max(ends)  # type: ignore[type-var]
    doubt = (
        f"the cases share {proposal.column}, and taken together by it ({counted(len(second.units), 'cluster')}) the "
        f"answer is another, so nothing is concluded; {proposal.declare or f'declare cluster: {proposal.column}'}"
    )
    return replace(contrast, verdict="undecided", low=low, high=high, p_value=None, doubt=doubt)


def _clustered(cases: Sequence[_Case], cluster_of: Clusters) -> tuple[_Case, ...]:
    """The cases of one cluster as one: their weighted means, with the sum of their weights."""
    if not any(cluster_of.get(case.name) for case in cases):
        return tuple(cases)
    parts: dict[tuple[str, str], list[_Case]] = defaultdict(list)
    for case in cases:
        cluster = cluster_of.get(case.name, "")
        parts[("cluster", cluster) if cluster else ("case", case.name)].append(case)
    return tuple(part[0] if len(part) == 1 else _as_one(name, part) for (_, name), part in parts.items())


def _as_one(name: str, part: Sequence[_Case]) -> _Case:
    weight = sum((case.weight for case in part), Fraction(0))

    def mean(field: str) -> Fraction:
        return sum((getattr(case, field) * case.weight for case in part), Fraction(0)) / weight

    return _Case(name, mean("low"), mean("high"), mean("before"), mean("after"), weight, name)


def _published(case: _Case) -> CaseDifference:
    return CaseDifference(
        case.name, float(case.before), float(case.after), float(case.low), float(case.high), case.cluster
    )


def _fullest(runs: Runs) -> list[Row]:
    """For each case, the row with the most expectations: those that its case has."""
    return [max((*first, *second), key=lambda row: row.expectations + len(row.left_out)) for first, second in runs]


def _left_out(runs: Runs) -> tuple[LeftOut, ...]:
    """The expectations that do not count, by reason."""
    reasons = Counter(reason for row in _fullest(runs) for reason in row.left_out)
    return tuple(LeftOut(*entry) for entry in sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0])))
