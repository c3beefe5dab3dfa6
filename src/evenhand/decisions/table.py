"""Results of variants on cases, however they were made: what every decision is taken from. Plain values; nothing here
computes a verdict.

Whatever is compared becomes a `ResultsTable` first: runs of a suite, folders of outputs, stored evaluations, files of
scorecards, pairs judged side by side, results of other tools.

    table = ResultsTable(
        [Row("case-1", "old", value=Fraction(7)), Row("case-1", "new", value=Fraction(8))], variants=("old", "new")
    )
    decide(table).contrasts[0].says   # "new against old: undecided: better in 1 of 1 case, ..."
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Literal

MeasureName = Literal["final score", "expectations met", "graders passed", "preferred"]
Number = Fraction | Decimal | int


@dataclass(frozen=True, slots=True)
class Measure:
    """What is compared."""

    name: MeasureName
    worst: Fraction
    """What a lost run counts as."""
    best: Fraction
    margin: Fraction
    """A difference up to this is of no interest, unless told otherwise."""


MEASURES: Mapping[str, Measure] = {
    "final score": Measure("final score", Fraction(1), Fraction(10), Fraction(1, 2)),
    "expectations met": Measure("expectations met", Fraction(0), Fraction(1), Fraction(1, 10)),
    "graders passed": Measure("graders passed", Fraction(0), Fraction(1), Fraction(1, 10)),
    "preferred": Measure("preferred", Fraction(0), Fraction(1), Fraction(1, 10)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of what a run got, by which results can be broken down."""

    kind: Literal["dimension", "criterion", "finding"]
    name: str
    value: Fraction
    """A dimension's score from 1 to 10; how far a criterion is met, from 0 to 1; 1 for a finding that is there."""


@dataclass(frozen=True, slots=True)
class Row:
    """One run of a variant on a case. It has a value, or is `lost`, or is `unscored`."""

    case: str
    variant: str
    repeat: int = 1
    value: Number | None = None
    """In the unit of the table's measure."""
    lost: str = ""
    """How the variant itself failed: its crash, hang or empty output. It counts as the worst value."""
    unscored: str = ""
    """Why there is no value although the variant is not to blame: our judge, a rate limit, the network."""
    low: Number | None = None
    high: Number | None = None
    """For an unscored run: the values between which its own must lie; the ends of the scale where nothing is known."""
    cluster: str = ""
    """What its case has in common with others, such as a document; cases of a cluster are compared as one."""
    weight: Number = 1
    """The weight of its case in a mean."""
    tags: tuple[str, ...] = ()
    passed: bool | None = None
    """Whether it passes by itself; None where that cannot be told."""
    met: int = 0
    expectations: int = 0
    """How many expectations were decided for this run."""
    left_out: tuple[str, ...] = ()
    """The reasons of the expectations that count for no variant on this case."""
    parts: tuple[Part, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()
    """Check and severity of every fault."""
    seconds: Decimal | None = None
    tokens: int | None = None
    cost: Decimal | None = None
    """US dollars."""
    judging_cost: Decimal | None = None
    seen: bool = False
    """Whether it may have seen the answers."""
    finished: bool = True
    """Whether there is an output."""
    counts: bool = True
    """False where nothing can be measured on its case for any variant, such as a case that expects nothing."""

    @property
    def is_lost(self) -> bool:
        """Whether it has no value by its variant's own fault."""
        return bool(self.lost) and self.value is None

    @property
    def is_unscored(self) -> bool:
        """Whether it has no value for another reason."""
        return self.value is None and not self.lost

    def ends(self, measure: Measure) -> tuple[Fraction, Fraction]:
        """The values between which this run's lies; both the same where it is known."""
        if self.value is not None:
            return Fraction(self.value), Fraction(self.value)
        if self.lost:
            return measure.worst, measure.worst
        low = measure.worst if self.low is None else Fraction(self.low)
        return low, measure.best if self.high is None else Fraction(self.high)


@dataclass(frozen=True, slots=True)
class ProposedClusters:
    """Cases that seem to belong together although no one has said so."""

    column: str
    """What they have in common, as a reader would declare it."""
    of_case: Mapping[str, str]
    declare: str = ""
    """How to declare it."""


@dataclass(frozen=True, slots=True)
class ResultsTable:
    """Rows of two or more variants on the same cases; with one variant there is nothing to compare."""

    rows: Sequence[Row]
    variants: tuple[str, ...]
    """In their order; each pair compares the later with the earlier one."""
    reference: str | None = None
    """What all others are compared with; None: every pair is compared."""
    measure: MeasureName = "final score"
    pairs: tuple[tuple[str, str], ...] = ()
    """What is compared, as (variant, reference), where neither of these rules says so."""
    proposed: tuple[ProposedClusters, ...] = ()
    _cells: dict[tuple[str, str], list[Row]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        for row in self.rows:
            self._cells.setdefault((row.case, row.variant), []).append(row)

    @property
    def scale(self) -> Measure:
        """The measure with its ends."""
        return MEASURES[self.measure]

    @property
    def compared(self) -> tuple[tuple[str, str], ...]:
        """Every (variant, reference)."""
        if self.pairs:
            return self.pairs
        if self.reference is not None:
            return tuple((name, self.reference) for name in self.variants if name != self.reference)
        return tuple((later, earlier) for earlier, later in combinations(self.variants, 2))

    @property
    def cases(self) -> list[str]:
        """The cases of all rows, sorted."""
        return sorted({row.case for row in self.rows})

    def cell(self, case: str, variant: str) -> Sequence[Row]:
        """The runs of a variant on a case."""
        return self._cells.get((case, variant), ())

    def of_variant(self, variant: str) -> list[Row]:
        """All runs of a variant."""
        return [row for row in self.rows if row.variant == variant]

    def only(self, cases: Iterable[str]) -> ResultsTable:
        """The table of some of the cases."""
        chosen = set(cases)
        rows = [row for row in self.rows if row.case in chosen]
        return ResultsTable(rows, self.variants, self.reference, self.measure, self.pairs, self.proposed)
