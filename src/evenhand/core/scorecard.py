"""The result: a scorecard with its lines, totals and receipt. Immutable, made by keyword; nothing here computes.

Values are named tuples where they are made by the million, and because those are quick to import. Annotations in these
files are evaluated, not kept as text, which a named tuple would compile one by one at every start. Numbers a person
reads are `Decimal` with two places.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final, NamedTuple

from evenhand.core.comparison import Comparison
from evenhand.core.curve import CalibratedScores, Calibration
from evenhand.core.finding import Bound, Checked
from evenhand.core.judgement import Agreement, Evidence, Panel, Verdict
from evenhand.core.numbers import plain, score
from evenhand.core.published import CENTS, LETTERS, NO_NUL, SCORE, SHARE
from evenhand.core.rubric import Tree
from evenhand.core.rules import Grade


class Span(NamedTuple):
    """The least and the greatest value; equal unless a verdict is `cannot tell`."""

    low: Fraction
    high: Fraction


class ScoredCriteria(NamedTuple):
    """The criteria behind one line of a scorecard."""

    tree: Tree
    verdicts: Mapping[str, Verdict]
    """By id, one for each criterion: what counted, prerequisites considered."""
    value: Span | None
    """What the tree is worth, not clipped; None when nothing applies, or when several judges answered: each has its
    own value, and the score is the median of theirs."""


SAMPLE: Final = "sample"
"""Chosen at random, every item with the same probability."""


DOUBT: Final = "doubt"
"""Chosen among the doubtful, with a probability in proportion to the number of doubts."""


@dataclass(frozen=True, slots=True)
class Review:
    """What makes an evaluation a review. No review enters a skill's history: the work it judges is in there already."""

    round: str
    """The id of the round of reviews."""
    of: str
    """The id of the evaluation that was reviewed."""
    method: str
    """`sample` or `doubt`."""
    probability: Annotated[Decimal, {"minimum": 0, "maximum": 1}]
    """How likely the item was to be chosen for the round: above 0, at most 1."""
    corrects: str | None = None
    """The id of the same person's earlier decision that this one replaces; it was made after seeing the others'."""


@dataclass(frozen=True, slots=True)
class SuitePlace:
    """Which run of a suite an evaluation belongs to. No such evaluation enters a skill's history."""

    run: str
    """The id of the suite's run."""
    case: str
    """The id of the case."""
    variant: str
    """The variant that ran."""
    repeat: int
    """Which time, from 1."""


def _ends(interval: tuple[Decimal, Decimal]) -> dict[str, int | float]:
    return {"low": plain(interval[0]), "high": plain(interval[1])}


def _ends_from(value: Any) -> tuple[Decimal, Decimal]:
    try:
        low, high = score(value["low"]), score(value["high"])
        if low < high:
            return low, high
    except (ValueError, TypeError, KeyError):
        pass
    raise ValueError("it must be two different scores, the lower one first")


class ScoredDimension(NamedTuple):
    """One dimension of a scorecard."""

    score: Annotated[Decimal | None, CENTS]
    """None when the judge could not score it; `unscored` says why."""
    unscored: Annotated[str | None, {"always": False}]
    uncapped: Annotated[Decimal | None, CENTS, {"always": False}]
    """The readers' score, when a fault that a check found capped it."""
    weight: Annotated[Decimal, SHARE]
    points: Annotated[Decimal | None, {"computed": True}]
    """Score times weight, half up to two decimals for show; the composite is summed exactly."""
    justification: str
    evidence: tuple[Evidence, ...]
    interval: Annotated[tuple[Decimal, Decimal] | None, {"write": _ends, "read": _ends_from}] = None
    """Where the score lies, when some of its criteria could not be told and the others could."""
    criteria: Annotated[ScoredCriteria | None, {"hidden": True}] = None
    """The criteria that give the score, with the verdict on each; None where the rubric has none."""


class Deduction(NamedTuple):
    """A red flag that was raised."""

    id: str
    description: str
    explanation: str
    evidence: tuple[Evidence, ...]
    deduction: Annotated[Decimal, {"places": 2}]
    """Before the cap."""


class Award(NamedTuple):
    """A bonus that was earned."""

    id: str
    description: str
    explanation: str
    evidence: tuple[Evidence, ...]
    bonus: Annotated[Decimal, {"computed": True}]
    """Before the cap."""


@dataclass(frozen=True, slots=True)
class Total:
    """The total of the flags or bonuses, before and after its cap (R9)."""

    nominal: Decimal
    """Before the cap."""
    applied: Decimal
    """After it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the final score can lie when a dimension is unscored: all of them at 1, and all at 10."""

    low: Annotated[Decimal, SCORE]
    """With every unscored dimension at 1."""
    high: Annotated[Decimal, SCORE]
    """With every unscored dimension at 10."""
    grades: Annotated[tuple[str, str], {"items": LETTERS}]
    """The grades of both."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """The way to the next grade; what would help most on it is said by the recommendations."""

    next_grade: Annotated[str | None, LETTERS]
    """The grade above the present one; null at the best grade."""
    distance: Decimal
    """How far the final score is below the next grade; 0 at the best grade."""


class RawResult(NamedTuple):
    """What the judge's own scores give, where the calibrated score is the official one."""

    final: Decimal | None
    grade: Grade | None
    passed: bool | None
    interval: Interval | None


class Official(NamedTuple):
    """How a scorecard got its official score, where its rubric makes the calibrated one official."""

    raw: RawResult
    unscored: str | None
    """Why there is no official score; None when there is one, or when a dimension is unscored."""
    calibration: Calibration | None = None
    """What turned the raw score into the official one."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line of the arithmetic, with the rule behind it."""

    rule: str
    """Its number in the methodology."""
    text: str
    """The arithmetic."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The hashes from which a scorecard can be recomputed. SHA-256 over canonical bytes."""

    methodology: Annotated[str, NO_NUL]
    """The version of the methodology."""
    rubric: Annotated[str, NO_NUL]
    """The hash of everything in the rubric that can affect a judgement or a score."""
    judgement: Annotated[str, NO_NUL]
    """The hash of what the judge said."""
    submission: Annotated[str | None, NO_NUL]
    """The hash of what was judged; null when no output was given."""
    calibration: Annotated[str | None, NO_NUL] = None
    """The hash of the calibration behind the official score; none when that is the raw one."""


class Scorecard(NamedTuple):
    """The methodology applied to one judgement."""

    id: str
    skill: str
    created: str
    """RFC 3339, in UTC."""
    rubric: str
    judge: Mapping[str, str]
    task: str | None
    output: str | None
    dimensions: Mapping[str, ScoredDimension]
    composite: Decimal | None
    red_flags: tuple[Deduction, ...]
    deduction: Total
    after_deductions: Decimal | None
    bonuses: tuple[Award, ...]
    bonus: Total
    final: Decimal | None
    """The official one. None when a dimension is unscored, or where a rubric makes the calibrated score official and
    there is none; `interval` is set instead."""
    grade: Grade | None
    interval: Interval | None
    pass_mark: Decimal
    passed: bool | None
    """Whether the final score reaches the pass mark; None when an interval straddles it."""
    next_step: NextStep | None
    warnings: tuple[str, ...]
    receipt: Receipt
    checked: Checked | None = None
    """The results of the checks; None when they did not run."""
    bounds: Mapping[str, Bound] = {}
    """By dimension: the highest score that the faults found leave possible."""
    history: Comparison | None = None
    """The comparison with the skill's earlier scorecards; None without a store. It changes no score (R16)."""
    panel: Panel | None = None
    """How models reached the judgement; None when no model was asked."""
    agreement: Agreement | None = None
    """How far the panel agrees: spread, disputes, the probability of each grade. It changes no score."""
    rescored_from: str | None = None
    """The id of the scorecard whose judgement this is, when it was scored again under another rubric."""
    reference: str | None = None
    """The reference answer that judges compared the output with."""
    calibration: CalibratedScores | None = None
    """What people would give, by a calibration of the judge; None without one. It changes no score, unless the rubric
    makes the calibrated one official."""
    review: Review | None = None
    """Which evaluation this is a review of, chosen how; None when it is not a review."""
    suite: SuitePlace | None = None
    """Which run of a suite this is of; None outside suites."""
    official: Official | None = None
    """The raw result, where the rubric makes the calibrated score official; None where the raw score is."""
    case: str | None = None
    """The id that was given; a later evaluation of the same case has another `id`. None when none was given."""
    rubric_version: str | None = None
    """The version that the rubric states; None when it states none. Its hash is in the receipt."""
    skill_version: str | None = None
    """The version or commit of the skill whose work was judged; None when it is not known."""

    @property
    def unread(self) -> bool:
        """Whether only checks ran: no one has read the output, so no one grades it."""
        return self.checked is not None and all(line.score is None for line in self.dimensions.values())

    @property
    def raw_final(self) -> Decimal | None:
        """The final score by the judge's own scores, whichever is official."""
        return self.final if self.official is None else self.official.raw.final

    @property
    def no_official(self) -> str | None:
        """Why the rubric's calibrated score is missing; None when the final score is there or a dimension's is not."""
        return None if self.official is None else self.official.unscored

    def __repr__(self) -> str:
        """Short, for a prompt or a log: `<Scorecard code-review B 7.80 (id run-1)>`. All of it is in `document`."""
        letter = f" {self.grade.letter}" if self.grade is not None else ""
        span = f"{self.interval.low} to {self.interval.high}" if self.interval is not None else "unscored"
        skill, id = (text if text.isprintable() else repr(text) for text in (self.skill, self.id))
        return f"<Scorecard {skill}{letter} {span if self.final is None else self.final} (id {id})>"
