"""The values that pass between the rooms. Immutable, made by keyword; nothing here computes.

They are named tuples because those are quick to make by the million and quick to import: a frozen
dataclass costs ten times as much at start-up. Numbers a person reads are `Decimal` with two places.
`Unscored` stands where a judge gave no number: it is never a zero and never a middle.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evenhand.core.methodology import Grade
from evenhand.errors import Problem

if TYPE_CHECKING:
    from evenhand.core.consistency import Comparison
    from evenhand.core.panel import Agreement, Panel

# --- what is judged, and by what -----------------------------------------------------------------


class Place(NamedTuple):
    """Where something stands in a file."""

    file: str
    """As the user named it; with the member's name behind a colon when it stands in an archive."""
    line: int | None = None
    """From 1; None where the file has no lines."""
    offset: int | None = None
    """The byte the line or value starts at, from 0."""


class ToolCall(NamedTuple):
    """A tool an agent called, with what came back."""

    name: str
    arguments: Any
    """A plain JSON value; the raw text when it is not valid JSON."""
    id: str = ""
    result: str | None = None
    """The text that came back; None when nothing did."""
    failed: bool = False
    """Whether the result says it is an error."""
    result_place: Place | None = None


class Event(NamedTuple):
    """One thing that happened, in the order it happened."""

    kind: Literal["message", "tool_call", "reasoning", "error"]
    role: str
    """user, assistant, system or tool."""
    text: str
    """The words; empty for a tool call."""
    place: Place
    call: ToolCall | None = None
    """Set for a tool call."""
    agent: str = ""
    """The sub-agent it belongs to; empty for the main one."""
    model: str = ""
    time: str = ""


class Usage(NamedTuple):
    """Tokens as the transcript counts them; each request once."""

    input: int = 0
    output: int = 0
    cached: int = 0


class Submission(NamedTuple):
    """What is judged: an output alone, or a whole transcript with its final output."""

    output: str
    """The text that was produced; of a transcript, the agent's final answer."""
    task: str | None = None
    """What was asked for."""
    source: str | None = None
    """Where the output came from, as the user named it."""
    skill: str | None = None
    id: str | None = None
    format: str = "text"
    """The format it was read as."""
    events: tuple[Event, ...] = ()
    """Everything that happened; empty for an output alone."""
    usage: Usage | None = None
    models: tuple[str, ...] = ()
    """The models that wrote it, in order of appearance."""
    started: str = ""
    ended: str = ""
    unknown: Mapping[str, int] = {}
    """Kinds of lines or entries that were not understood, with how many of each; never dropped silently."""
    problems: tuple[Problem, ...] = ()
    """Lines that could not be read, each with its number."""


class Band(NamedTuple):
    """What earns the scores from `low` to `high`."""

    low: int
    high: int
    criteria: str


class Criteria(NamedTuple):
    """What one dimension means in a rubric's domain."""

    measures: str
    bands: tuple[Band, ...]
    """Best first."""


class RedFlag(NamedTuple):
    """A fault that costs points whatever the scores say."""

    id: str
    description: str
    deduction: Decimal
    detect: str = ""
    """The check that may raise it without a reader; empty when only a reader can tell."""


class Bonus(NamedTuple):
    """A merit beyond the bands."""

    id: str
    description: str
    detect: str = ""
    """The check that may give it without a reader; empty when only a reader can tell."""


class Rubric(NamedTuple):
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


class Terms(NamedTuple):
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
    criteria: Mapping[str, str] = {}
    """A checksum of each thing a judge is asked about, by name: each dimension's bands, each flag, each bonus."""


# --- what a judge says ---------------------------------------------------------------------------


class Evidence(NamedTuple):
    """A verbatim quote, and whether and where it stands in the output."""

    quote: str
    verified: bool | None = None
    """True or False once checked against the output; None when there was no output to check."""
    line: int | None = None
    """The line of the output the quote starts on, from 1."""
    offset: int | None = None
    """The character of the output the quote starts at, from 0."""
    source: str | None = None
    """Where it stands when not in the output: the transcript's file and line."""


Distribution = Mapping[int, int]
"""How probability lies over scores: hundredths of a score, each with its whole parts of the sum of all parts."""


class Unscored(NamedTuple):
    """A judge could not score a dimension."""

    reason: str


class Opinion(NamedTuple):
    """What a judge says of one dimension."""

    score: Decimal | Unscored
    justification: str = ""
    evidence: tuple[Evidence, ...] = ()
    distribution: Mapping[int, int] = {}
    """How the judge's probability lies over the scores, where it is known; the score is its mean then."""


class Claim(NamedTuple):
    """A red flag raised or a bonus earned."""

    id: str
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()


class Judgement(NamedTuple):
    """One judge's seven opinions, and the flags and bonuses it claims."""

    opinions: Mapping[str, Opinion]
    """One for each dimension, in their order."""
    judge: Mapping[str, str]
    """Who judged: at least a `name`."""
    skill: str
    red_flags: tuple[Claim, ...] = ()
    bonuses: tuple[Claim, ...] = ()
    id: str | None = None
    rubric: str | None = None
    """The rubric the judge names; the door decides which one is used."""
    output: str | None = None
    """The output's file as the judge names it."""
    task: str | None = None
    evidence_share: Decimal | None = None
    """The part of the weight that rests on something checked; only from a judge that cannot read."""
    panel: Panel | None = None
    """How it came about, when models judged: what each judge said, what did not count, what was asked."""
    warnings: tuple[str, ...] = ()
    """What a reader of the scorecard should know: what was not looked at, text addressed to the judge."""


# --- what comes out ------------------------------------------------------------------------------


class ScoredDimension(NamedTuple):
    """One line of a scorecard."""

    score: Decimal | None
    """None when the judge could not score it; `unscored` says why."""
    unscored: str | None
    weight: Decimal
    points: Decimal | None
    """Score times weight, half up to two decimals for show; the composite is summed exactly."""
    justification: str
    evidence: tuple[Evidence, ...]


class Deduction(NamedTuple):
    """A red flag that was raised, with its nominal amount."""

    id: str
    description: str
    explanation: str
    evidence: tuple[Evidence, ...]
    deduction: Decimal


class Award(NamedTuple):
    """A bonus that was earned, with its nominal amount."""

    id: str
    description: str
    explanation: str
    evidence: tuple[Evidence, ...]
    bonus: Decimal


class Total(NamedTuple):
    """What a list of flags or bonuses comes to, before and after its cap (R9)."""

    nominal: Decimal
    applied: Decimal


class Interval(NamedTuple):
    """Where the final score can lie when a dimension is unscored: all of them at 1, and all at 10."""

    low: Decimal
    high: Decimal
    grades: tuple[str, str]


class NextStep(NamedTuple):
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


class AuditLine(NamedTuple):
    """One line of the arithmetic, with the rule that asks for it."""

    rule: str
    text: str


class Receipt(NamedTuple):
    """The hashes from which a scorecard can be recomputed. SHA-256 over canonical bytes."""

    methodology: str
    rubric: str
    judgement: str
    submission: str | None
    """None when no output was given."""


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
    """None when a dimension is unscored; then `interval` stands in."""
    grade: Grade | None
    interval: Interval | None
    pass_mark: Decimal
    passed: bool | None
    """Whether the final score reaches the pass mark; None when an interval straddles it."""
    next_step: NextStep | None
    warnings: tuple[str, ...]
    receipt: Receipt
    evidence_share: Decimal | None = None
    """The part of the weight that rests on something checked; None from a judge that reads."""
    history: Comparison | None = None
    """How it stands to the skill's earlier ones; None when there is no store. It changes no score (R16)."""
    panel: Panel | None = None
    """How models came to the judgement; None when none was asked."""
    agreement: Agreement | None = None
    """What follows from the panel: spread, disputes, the probability of each grade. It changes no score."""
    rescored_from: str | None = None
    """The id of the scorecard whose judgement this is, when it was scored again under another rubric."""


class RankedEntry(NamedTuple):
    """One place of a ranking."""

    rank: int
    id: str
    skill: str
    final: Decimal
    grade: str
    equivalent_to: tuple[str, ...]
    decided_by: str | None
    """The rule that put this entry above the next one; None on the last."""


class Unranked(NamedTuple):
    """A scorecard without a final score has no place."""

    id: str
    skill: str
    reason: str


class Ranking(NamedTuple):
    """Scorecards in order, best first."""

    entries: tuple[RankedEntry, ...]
    unranked: tuple[Unranked, ...]
    warnings: tuple[str, ...]
