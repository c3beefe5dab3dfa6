"""The values that pass between the rooms. Frozen, keyword-only; nothing here computes.

Numbers a person reads are `Decimal` with two places. `Unscored` stands where a judge gave no
number: it is never a zero and never a middle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from evenhand.core.methodology import Grade

# --- what is judged, and by what -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What is judged."""

    output: str
    """The text that was produced."""
    task: str | None = None
    """What was asked for."""
    source: str | None = None
    """Where the output came from, as the user named it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """What earns the scores from `low` to `high`."""

    low: int
    high: int
    criteria: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What one dimension means in a rubric's domain."""

    measures: str
    bands: tuple[Band, ...]
    """Best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedFlag:
    """A fault that costs points whatever the scores say."""

    id: str
    description: str
    deduction: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Bonus:
    """A merit beyond the bands."""

    id: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """What good means in a domain."""

    name: str
    title: str
    domain: str
    version: str
    summary: str
    """The prose that introduces the rubric."""
    weights: Mapping[str, Decimal]
    """One for each dimension; they sum to exactly 1 (R6)."""
    pass_mark: Decimal
    pass_mark_reason: str
    dimensions: Mapping[str, Criteria]
    red_flags: tuple[RedFlag, ...]
    bonuses: tuple[Bonus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The part of a rubric that the arithmetic uses. A scorecard carries enough to rebuild it."""

    rubric: str
    sha256: str
    """Of the whole rubric, bands and all."""
    weights: Mapping[str, Decimal]
    pass_mark: Decimal
    red_flags: Mapping[str, RedFlag]
    bonuses: Mapping[str, Bonus]
    units: tuple[int, ...]
    """The weights as whole numbers, in the order of the dimensions; they sum to `scale`."""
    scale: int


# --- what a judge says ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A verbatim quote, and whether and where it stands in the output."""

    quote: str
    verified: bool | None = None
    """True or False once checked against the output; None when there was no output to check."""
    line: int | None = None
    """The line of the output the quote starts on, from 1."""
    offset: int | None = None
    """The character of the output the quote starts at, from 0."""


@dataclass(frozen=True, slots=True)
class Unscored:
    """A judge could not score a dimension."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a judge says of one dimension."""

    score: Decimal | Unscored
    justification: str = ""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A red flag raised or a bonus earned."""

    id: str
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One judge's seven opinions, and the flags and bonuses it claims."""

    opinions: Mapping[str, Opinion]
    """One for each dimension, in their order."""
    red_flags: tuple[Claim, ...] = ()
    bonuses: tuple[Claim, ...] = ()
    judge: Mapping[str, str]
    """Who judged: at least a `name`."""
    skill: str
    id: str | None = None
    rubric: str | None = None
    """The rubric the judge names; the door decides which one is used."""
    output: str | None = None
    """The output's file as the judge names it."""
    task: str | None = None


# --- what comes out ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredDimension:
    """One line of a scorecard."""

    score: Decimal | None
    """None when the judge could not score it; `unscored` says why."""
    unscored: str | None
    weight: Decimal
    points: Decimal | None
    """Score times weight, half up to two decimals for show; the composite is summed exactly."""
    justification: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduction:
    """A red flag that was raised, with its nominal amount."""

    id: str
    description: str
    explanation: str
    evidence: tuple[Evidence, ...]
    deduction: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Award:
    """A bonus that was earned, with its nominal amount."""

    id: str
    description: str
    explanation: str
    evidence: tuple[Evidence, ...]
    bonus: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What a list of flags or bonuses comes to, before and after its cap (R9)."""

    nominal: Decimal
    applied: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where the final score can lie when a dimension is unscored: all of them at 1, and all at 10."""

    low: Decimal
    high: Decimal
    grades: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """The dimension in which one more point moves the final score most, and the way to the next grade."""

    dimension: str | None
    """None when every dimension that has a weight stands at 10."""
    gain: Decimal
    """How much the final score would rise."""
    final: Decimal
    grade: str
    next_grade: str | None
    distance: Decimal
    """How far the final score is below the next grade; 0 at the best grade."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line of the arithmetic, with the rule that asks for it."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The hashes from which a scorecard can be recomputed. SHA-256 over canonical bytes."""

    methodology: str
    rubric: str
    judgement: str
    submission: str | None
    """None when no output was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """The methodology applied to one judgement."""

    id: str
    skill: str
    created: str
    """RFC 3339, in UTC."""
    rubric: str
    judge: Mapping[str, str]
    output: str | None
    dimensions: Mapping[str, ScoredDimension]
    composite: Decimal | None
    red_flags: tuple[Deduction, ...]
    deduction: Total
    after_deductions: Decimal | None
    bonuses: tuple[Award, ...]
    bonus: Total
    final: Decimal | None
    """None when a dimension is unscored; then `interval` stands in."""
    grade: Grade | None
    interval: Interval | None
    pass_mark: Decimal
    passed: bool | None
    """Whether the final score reaches the pass mark; None when an interval straddles it."""
    next_step: NextStep | None
    audit: tuple[AuditLine, ...]
    warnings: tuple[str, ...]
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedEntry:
    """One place of a ranking."""

    rank: int
    id: str
    skill: str
    final: Decimal
    grade: str
    equivalent_to: tuple[str, ...]
    decided_by: str | None
    """The rule that put this entry above the next one; None on the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unranked:
    """A scorecard without a final score has no place."""

    id: str
    skill: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Scorecards in order, best first."""

    entries: tuple[RankedEntry, ...]
    unranked: tuple[Unranked, ...]
    warnings: tuple[str, ...]
