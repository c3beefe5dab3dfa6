"""The values of the methodology: what a judge says, a rubric's terms, and what follows. Nothing here computes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from operator import mul
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, NotRequired, TypedDict, TypeVar

from evenhand.core.numbers import hundredths, plain, points, score, shown
from evenhand.core.rules import DIMENSIONS, GRADES, HIGHEST, LOWEST, TIE_BREAKS, WINDOW, Grade
from evenhand.errors import Problem

# --- document --------------------------------------------------------------------------------------------------------
# What annotations say of a field's published form; `files.codec` says which facts there are.


ALWAYS: Final = {"always": True}
SCORE: Final = {"minimum": LOWEST // 100, "maximum": HIGHEST // 100}
_CENTS: Final = {**SCORE, "places": 2}
_BARE: Final = {"point": False}
SHARE: Final = {"minimum": 0, "maximum": 1}
LETTERS: Final = {"enum": tuple(grade.letter for grade in GRADES)}
SOURCE: Final = {"file": "source", "line": "source_line"}
"""A place in the transcript's file, beside a quote from it."""
EVENT: Final = {"file": "event_source", "line": "event_line"}
"""The place of the event that contradicts a quote."""

Count = Annotated[int, {"minimum": 0}]
DOLLARS: Final = {"minimum": 0}
SIX_PLACES: Final = {"places": 6}
SixPlaces = Annotated[float, SIX_PLACES]

_Getter = TypeVar("_Getter", bound=Callable[[Any], Any])


def published(getter: _Getter) -> _Getter:
    """Marks a property that is published beside the fields; it is computed, and never read."""
    getter.published = True  # type: ignore[attr-defined]
    return getter


def _dimension(value: object) -> str:
    if not isinstance(value, str) or value not in DIMENSIONS:
        raise ValueError(f"it must be one of the dimensions: {', '.join(DIMENSIONS)}")
    return value


Dimension = Annotated[str, {"read": _dimension}]


def _at_least(low: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if type(value) is not int or value < low:
            raise ValueError(f"it must be a whole number from {low}")
        return value

    return read


# --- opinion ---------------------------------------------------------------------------------------------------------
# A judge's opinion on one point: a score or why there is none, a claim, the quotes behind it.
#
# `Unscored` replaces a score the judge did not give: it never becomes a zero or a middle score.


PERSON: Final = "human:"
"""How the name of every person who judges begins."""


class Evidence(NamedTuple):
    """A verbatim quote, and whether and where it is in the output."""

    quote: str
    """Verbatim from the work."""
    verified: Annotated[bool | None, {"always": True}] = None
    """True or False once checked against the output; None when there was no output to check."""
    line: Annotated[int | None, {"unless": "source"}] = None
    """The line of the output the quote starts on, from 1."""
    offset: Annotated[int | None, {"unless": "source"}] = None
    """The character of the output the quote starts at, from 0."""
    source: str | None = None
    """Where it is when not in the output: the transcript's file and line."""

    def problems(self) -> Iterator[Problem]:
        """What is wrong with it as a document: a verified quote must have its place."""
        if self.verified and self.source is None and (self.line is None or self.offset is None):
            yield Problem("{name} is verified and has no place; it must have a line and an offset, or a source")


Distribution = Mapping[int, int]
"""A probability distribution over scores: hundredths of a point, each with its whole-number share."""


class Unscored(NamedTuple):
    """A judge could not score a dimension."""

    reason: str
    interval: tuple[Decimal, Decimal] | None = None
    """Where its score lies, when only some of its criteria could not be told; None for anywhere from 1 to 10."""

    def __repr__(self) -> str:
        """Without the interval where there is none."""
        interval = "" if self.interval is None else f", interval={self.interval!r}"
        return f"Unscored(reason={self.reason!r}{interval})"


Answer = Literal["yes", "no", "partly", "does not apply", "cannot tell"]
"""What a criterion is answered with."""


class Verdict(NamedTuple):
    """The answer to one criterion."""

    answer: Answer
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    by: str = ""
    """What decided it: a program such as `check no-secrets`, `prerequisite` when it was not asked, `no answer` when no
    usable one came; empty for the judge."""
    votes: Mapping[str, int] = {}
    """How the samples of a judge, or the judges of a panel, voted, by answer; empty when there was one voice."""


class Opinion(NamedTuple):
    """A judge's opinion on one dimension."""

    score: Decimal | Unscored
    justification: str = ""
    evidence: tuple[Evidence, ...] = ()
    distribution: Mapping[int, int] = {}
    """The judge's probability distribution over scores, if known; the score is then its mean."""
    verdicts: Mapping[str, Verdict] = {}
    """The answer to each of the dimension's criteria, by id; empty where it has none. The score follows from them."""


class Claim(NamedTuple):
    """A red flag raised or a bonus earned."""

    id: str
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()


# --- criterion -------------------------------------------------------------------------------------------------------
# Criteria under a dimension, and what a judge answered to each. Immutable values; nothing here computes.
#
# A dimension's criteria are a tree: leaves are criteria with points, nodes are groups with a weight, nested to any
# depth. Few rubrics have any, so nothing on the way of `score` loads this before one does.


YES: Final = "yes"
NO: Final = "no"
PARTLY: Final = "partly"
DOES_NOT_APPLY: Final = "does not apply"
CANNOT_TELL: Final = "cannot tell"
ANSWERS: Final[tuple[Answer, ...]] = (YES, NO, PARTLY, DOES_NOT_APPLY, CANNOT_TELL)

UNANSWERED: Final = "no answer"
"""What stands as the decider of a verdict where no usable answer came: the judge broke, and did not say cannot tell."""

HALF: Final = Fraction(1, 2)


def answer_from(value: object) -> Answer:
    """One of the five answers. ValueError when it is none of them."""
    for answer in ANSWERS:
        if value == answer:
            return answer
    raise ValueError(f"one of {', '.join(ANSWERS)}")


class Criterion(NamedTuple):
    """One concrete statement about the work that a judge answers: yes, no, partly, does not apply, cannot tell."""

    id: str
    """Unique in the whole rubric, groups included."""
    sentence: str
    points: Fraction
    """What it is worth among its siblings; below 0 it takes points away when it is true. 0 counts for nothing."""
    requires: tuple[str, ...] = ()
    """The criteria, of any dimension, that must be met before this one is asked."""
    unmet: Literal["no", "does not apply"] = NO
    """What it counts as when one of those is not met."""
    applies_when: str = ""
    """The condition under which it is asked, in words; empty for always."""
    check: str = ""
    """The check that decides it without a model."""
    expect: Mapping[str, object] | None = None
    """The expectation that decides it without a model, as a suite writes it."""
    notes: Mapping[str, object] = {}
    """What another tool's file says of it and that has no meaning here; kept to be written back."""

    @property
    def asked(self) -> bool:
        """Whether a judge is asked; a program decides the others."""
        return not self.check and self.expect is None


class Group(NamedTuple):
    """Criteria that count together, with one weight among their siblings."""

    id: str
    title: str
    weight: Fraction
    """Not negative: only criteria take points away."""
    children: "tuple[Criterion | Group, ...]"
    notes: Mapping[str, object] = {}


class Tree(NamedTuple):
    """The criteria of one dimension; they give its score."""

    children: tuple[Criterion | Group, ...]
    partly: Fraction = HALF
    """What `partly` is worth."""

    def criteria(self) -> Iterator[Criterion]:
        """Every criterion in the order of the rubric."""
        return _criteria(self.children)


def _criteria(children: tuple[Criterion | Group, ...]) -> Iterator[Criterion]:
    for child in children:
        if isinstance(child, Group):
            yield from _criteria(child.children)
        else:
            yield child


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


# --- rubric ----------------------------------------------------------------------------------------------------------
# What good means in a domain, and the part of it the arithmetic uses. Immutable values; nothing here computes.


RAW: Final = "raw"
CALIBRATED: Final = "calibrated"
OFFICIAL: Final = (RAW, CALIBRATED)
"""Which final score a rubric can make official: the one by the judge's own scores, or the one people would give."""


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
    tree: Annotated[Tree | None, {"hidden": True}] = None
    """The criteria that give its score; None where judges give it by the bands, which are otherwise guidance."""


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
    pass_mark: Annotated[Decimal, _CENTS]
    pass_mark_reason: str
    dimensions: Mapping[str, Criteria]
    red_flags: tuple[RedFlag, ...]
    bonuses: tuple[Bonus, ...]
    official: Annotated[str, {"enum": ("calibrated",)}] = RAW
    """Which final score is graded, compared and ranked; one of `OFFICIAL`."""


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
    """Checksums of everything a judge is asked about, by name: each dimension's bands, each flag, each bonus."""
    official: str = RAW
    """Which final score is the official one; one of `OFFICIAL`."""
    trees: Mapping[str, Tree] = {}
    """The criteria of each dimension that has some; they give its score."""


# --- finding ---------------------------------------------------------------------------------------------------------
# What checks and expectations found in a submission. Immutable values; nothing here computes.


class Place(NamedTuple):
    """A place in a file."""

    file: str
    """As the user named it; for an archive, followed by a colon and the member's name."""
    line: Annotated[int | None, ALWAYS] = None
    """From 1; None where the file has no lines."""
    offset: Annotated[int | None, ALWAYS] = None
    """The byte the line or value starts at, from 0."""


Severity = Literal["minor", "major", "critical"]


class Finding(NamedTuple):
    """One thing a check looked at: a fault, or something that is fine."""

    check: str
    """The check's id."""
    dimension: Dimension
    severity: Severity | None
    """How bad the fault is; None when there is no fault."""
    message: str
    """One sentence: what was found and why it matters."""
    quote: str = ""
    """Verbatim from the output, or from the transcript; empty when the fault is that something is missing."""
    place: Annotated[Place | None, {"flat": SOURCE}] = None
    """Where the quote is in the transcript's file; None when it is in the output."""
    offset: Annotated[int | None, {"unless": "place"}] = None
    """The character of the output the quote starts at; None lets the first occurrence count."""
    line: Annotated[int | None, {"unless": "place"}] = None
    """The line of the output it starts on, once checked."""
    verified: Annotated[bool | None, {"beside": "quote", "always": True}] = None
    """Whether the quote was found where the check says; None before that, or without a quote."""
    precise: Annotated[bool, ALWAYS] = False
    """Whether its check is known to be right often enough to cap the scores of those who read the work."""
    flag: Annotated[str, {"name": "red_flag"}] = ""
    """The red flag it raised through `detect:`; it is charged there and bounds nothing."""
    note: bool = False
    """Whether it is only a note: it is likely at best. It bounds nothing and raises no flag."""
    shown: Annotated[str, {"name": "event"}] = ""
    """What the transcript shows in place of what the quote says, in the event's own words."""
    shown_at: Annotated[Place | None, {"flat": EVENT}] = None
    """Where that event is in the transcript's file."""

    @property
    def is_fault(self) -> bool:
        """Whether it counts: neither something that is fine nor a note."""
        return self.severity is not None and not self.note


class Ended(NamedTuple):
    """How one consequential thing in the transcript ended: a run of tests, a deployment, a message, an edited file."""

    thing: str
    """Its kind: tests, build, deploy, send, file and so on."""
    what: str
    """The command, the call or the file, in words."""
    outcome: Literal["done", "failed", "refused", "timed out", "cut off", "held", "unknown"]
    quote: str = ""
    """The words of the result that say so."""
    place: Annotated[Place | None, {"flat": SOURCE}] = None
    """Where the event is in the transcript's file."""
    open: bool = False
    """Whether it ended badly and nothing later made up for it."""


class Lifted(NamedTuple):
    """A fault that no longer counts, and why."""

    finding: str
    """The finding's id."""
    by: str
    """The readers who refuted it, or the person who waived it."""
    reason: str


NO_TRANSCRIPT = "there is no transcript"
"""How the reason begins why something cannot be decided without one."""


AMBIGUOUS = "in the output, none labelled"
"""How the reason ends why an output with several numbers is not decided upon."""


NEEDS_A_READER = "only a reader can decide it"
"""The message of an expectation that is a sentence, as long as no judge was asked."""


class Expected(NamedTuple):
    """A case's expectation, and whether it was met."""

    words: Annotated[str, {"name": "expectation"}]
    """The expectation in one line."""
    result: Literal["met", "unmet", "undecided"]
    dimension: Dimension
    severity: Severity
    """How bad it is when unmet."""
    message: str
    """What was found, or why it cannot be decided."""
    quote: str = ""
    place: Annotated[Place | None, {"flat": SOURCE}] = None
    """Where the quote is in the transcript's file; None when it is in the output."""
    offset: Annotated[int | None, {"unless": "place"}] = None
    by: str = ""
    """The judges that decided it; empty when a program did. What a model decides bounds and caps nothing."""
    votes: Mapping[str, int] = {}
    """How samples or judges voted, by answer; empty when there was one voice."""
    line_of_quote: Annotated[int | None, {"name": "line", "unless": "place"}] = None
    """The line of the output that the quote starts on, once a judge gave it."""

    @property
    def line(self) -> str:
        """The expectation and what was found."""
        return f"{self.words.rstrip('.')}: {self.message}"


class Checked(NamedTuple):
    """The results of checks and expectations in a judgement."""

    checks: str
    """A hash of the set of checks that ran."""
    findings: tuple[Finding, ...] = ()
    coverage: tuple[str, ...] = ()
    """The ids of the checks that had something to look at."""
    expectations: tuple[Expected, ...] = ()
    lifted: tuple[Lifted, ...] = ()
    uncapped: Mapping[str, Decimal] = {}
    """The readers' score of each dimension that a fault capped."""
    endings: tuple[Ended, ...] = ()
    """How each consequential thing ended, in order; without a transcript there are none."""


class Bound(NamedTuple):
    """The highest score that the faults found in a dimension leave possible."""

    at_most: Annotated[Decimal, _CENTS]
    checks: tuple[str, ...]
    """What set it: checks, or `expectation`."""


# --- panel -----------------------------------------------------------------------------------------------------------
# A panel's results, judge by judge, and how far its judges agree. Immutable values; nothing here computes.
#
# Only judgements by models need them, so no other command has to load them.


DISPUTED = Decimal(2)
"""Judges who differ by this much in a dimension disagree."""


class _Verdicts(TypedDict):
    """Scores by dimension, null where `unscored` says why."""

    scores: dict[str, Annotated[Decimal | None, _CENTS]]
    unscored: dict[str, str]
    intervals: NotRequired[dict[str, list[Annotated[Decimal, _CENTS]]]]
    """Where a score lies of which only some criteria could not be told: the lowest and the highest."""


def verdicts_document(verdicts: Mapping[str, Decimal | Unscored]) -> dict[str, Any]:
    given = {name: None if isinstance(verdict, Unscored) else plain(verdict) for name, verdict in verdicts.items()}
    reasons = {name: verdict.reason for name, verdict in verdicts.items() if isinstance(verdict, Unscored)}
    intervals = {
        name: [plain(end) for end in verdict.interval]
        for name, verdict in verdicts.items()
        if isinstance(verdict, Unscored) and verdict.interval is not None
    }
    return {"scores": given, "unscored": reasons} | ({"intervals": intervals} if intervals else {})


def _read_verdicts(document: Mapping[str, Any]) -> dict[str, Decimal | Unscored]:
    scores, reasons, intervals = document["scores"], document["unscored"], document.get("intervals", {})
    return {name: scores[name] or _unscored(name, reasons, intervals) for name in _in_order(scores)}


def _unscored(name: str, reasons: Mapping[str, str], intervals: Mapping[str, Sequence[Decimal]]) -> Unscored:
    if name not in reasons:
        raise ValueError(f"it has no score for {name}, and no reason for that in unscored")
    if name not in intervals:
        return Unscored(reasons[name])
    if len(intervals[name]) != 2:
        raise ValueError(f"it must have two ends in intervals.{name}")
    low, high = intervals[name]
    return Unscored(reasons[name], (low, high))


def distributions_document(distributions: Mapping[str, Distribution]) -> dict[str, dict[str, int]]:
    return {
        name: {shown(points(place)): parts for place, parts in distribution.items()}
        for name, distribution in distributions.items()
    }


def _read_distributions(document: Mapping[str, Any]) -> dict[str, Distribution]:
    return {name: _distribution(document[name]) for name in _in_order(document)}


def _distribution(document: Mapping[str, int]) -> Distribution:
    counts = {hundredths(score(place)): parts for place, parts in document.items()}
    if not any(counts.values()) or any(parts < 0 for parts in counts.values()):
        raise ValueError("it must hold whole numbers from 0, not all 0")
    return dict(sorted(counts.items()))


def _in_order(document: Mapping[str, Any]) -> list[str]:
    """The dimensions a document has something for, in their order."""
    if not set(document) <= set(DIMENSIONS):
        raise ValueError(f"it must have dimensions as keys: {', '.join(DIMENSIONS)}")
    return [name for name in DIMENSIONS if name in document]


def _identity(value: Mapping[str, str]) -> Mapping[str, str]:
    if "name" not in value:
        raise ValueError("it has no name")
    return value


Verdicts = Annotated[
    Mapping[str, Decimal | Unscored],
    {"flat": {}, "shape": _Verdicts, "write": verdicts_document, "read": _read_verdicts},
]
Variant = Literal["first", "masked", "first-again", "masked-again"]
_Counted = Annotated[int, {"read": _at_least(0)}]


class Member(NamedTuple):
    """One judge of a panel, with its scores and claims."""

    judge: Annotated[Mapping[str, str], {"shape": dict[str, str], "read": _identity}]
    scores: Verdicts
    """By dimension; one that was not asked of this judge is missing."""
    distributions: Annotated[
        Mapping[str, Distribution],
        {
            "shape": dict[str, dict[str, int]],
            "write": distributions_document,
            "read": _read_distributions,
            "always": True,
        },
    ] = {}
    """By dimension, where known."""
    red_flags: Annotated[tuple[str, ...], ALWAYS] = ()
    """The ids it raised with a verified quote."""
    bonuses: Annotated[tuple[str, ...], ALWAYS] = ()
    abstained: Annotated[str | None, ALWAYS] = None
    """Why it did not vote on red flags and bonuses: how the call failed, or `NOT_ASKED`; None when it voted."""
    verdicts: Mapping[str, Answer] = {}
    """Its answer to each criterion, by id, prerequisites considered; empty where the rubric has none."""


NOT_ASKED = "not asked"
"""Why a judge asked only about some dimensions abstains from red flags and bonuses."""


class Discounted(NamedTuple):
    """A claim of a judge that does not count, and why."""

    kind: Literal["red_flag", "bonus", "observation"]
    """An observation is something the judge noticed that the rubric does not list."""
    id: str
    """Empty for an observation."""
    judge: str
    """The judge's name."""
    reason: Literal["unverified", "unlisted", "outvoted"]
    explanation: Annotated[str, ALWAYS] = ""
    evidence: Annotated[tuple[Evidence, ...], ALWAYS] = ()


class Escalation(NamedTuple):
    """A stronger judge asked only where it was needed."""

    to: str
    """The stronger judge's name."""
    asked: Mapping[str, str]
    """The dimensions it was asked about, each with why."""
    saved_calls: _Counted
    """The calls to it that were not needed."""


class Condensed(NamedTuple):
    """A transcript that was too long for a judge's window, and how much of it was shown."""

    judge: str
    kept: _Counted
    """Events shown whole."""
    shortened: _Counted
    """Events shown with their middle left out."""
    elided: _Counted
    """Events left out, each replaced by a marker."""
    why: str
    """The procedure and the size that made it necessary, in a sentence."""


class Reading(NamedTuple):
    """One of several readings of the same work by the same judge."""

    variant: Variant
    """`first` (the work as it is), `masked` (with the passages masked), and both once more where they were apart."""
    scores: Verdicts
    """By dimension."""


class Influence(NamedTuple):
    """Passages that may address a judge, and whether they have any power over it."""

    judge: str
    passages: Annotated[int, {"read": _at_least(1)}]
    """How many there are."""
    readings: tuple[Reading, ...]
    """In the order in which they were asked for."""
    counts: Variant | None
    """The variant of the reading that counts; None when none does, and the dimensions are unscored."""
    why: str
    """In a sentence."""


class Calls(NamedTuple):
    """The model calls of a run."""

    asked: Annotated[_Counted, ALWAYS] = 0
    """Replies received from a provider in this run."""
    stored: Annotated[_Counted, ALWAYS] = 0
    """Replies taken from the store of replies, not paid for again."""
    repairs: Annotated[_Counted, ALWAYS] = 0
    """How many of those were repeat requests after an unusable answer."""
    input_tokens: Annotated[_Counted, ALWAYS] = 0
    output_tokens: Annotated[_Counted, ALWAYS] = 0
    cost: Annotated[Decimal | None, ALWAYS] = None
    """In US dollars for the calls asked in this run; None when a price is unknown."""
    cached_tokens: _Counted = 0
    """The input tokens that servers had in their caches."""
    estimated: _Counted = 0
    """Replies whose tokens the server did not count, so that they are estimated."""
    served: tuple[str, ...] = ()
    """The models that answered, as their servers name them."""


class Panel(NamedTuple):
    """How models reached a judgement: everything the official scores are computed from."""

    members: tuple[Member, ...]
    """One for each judge, also when there is only one."""
    quorum: Annotated[int | None, {"read": _at_least(0)}]
    """How many judges must score a dimension for it to have an official score; None means more than half of those
    asked about it."""
    discounted: Annotated[tuple[Discounted, ...], ALWAYS] = ()
    escalation: Annotated[Escalation | None, ALWAYS] = None
    condensed: Annotated[tuple[Condensed, ...], ALWAYS] = ()
    calls: Annotated[Calls, ALWAYS] = Calls()
    criteria: Annotated[Mapping[str, str], ALWAYS] = {}
    """A checksum of each criterion, red flag and bonus as the judges were shown it, by name; filled in by scoring."""
    influence: tuple[Influence, ...] = ()
    """For each judge that read the work more than once, because passages in it may address a judge."""


class Agreement(NamedTuple):
    """How far a panel agrees, and how sure the grade is."""

    spread: Mapping[str, Decimal]
    """By dimension: the highest score less the lowest."""
    disputed: tuple[str, ...]
    """The dimensions on which judges differ by 2 or more."""
    decisive: tuple[str, ...]
    """The names of judges without whom the grade would change."""
    member_grades: tuple[str | None, ...]
    """The grade each judge alone would give, in the panel's order; None when it left a dimension unscored."""
    grades: Mapping[str, float]
    """The probability of each letter grade, best first, those of 0 left out; empty when a dimension is unscored."""
    deductions: Mapping[str, Decimal] = {}
    """The deduction of each red flag that some judge raised, outvoted ones included."""


# --- judgement -------------------------------------------------------------------------------------------------------
# One judge's seven opinions, and the flags and bonuses it claims.


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
    """The rubric the judge names; the caller may choose another."""
    output: str | None = None
    """The output's file as the judge names it."""
    task: str | None = None
    reference: str | None = None
    """The reference answer that the judge was shown."""
    panel: Panel | None = None
    """When models judged: each judge's scores and claims, what did not count, and the calls made."""
    checked: Checked | None = None
    """The results of the checks; None when they did not run."""
    warnings: tuple[str, ...] = ()
    """What a reader of the scorecard should know: what was not looked at, text addressed to the judge."""


# --- calibration -----------------------------------------------------------------------------------------------------
# A calibration of a judge, and a scorecard's scores as people would give them. Immutable; nothing here computes.


Method = Literal["line", "monotone"]

Use = Literal["compare", "level", "gate"]
"""What a judge is used for: to put two outputs of a case in order, to give a level, to pass and fail."""
UseAnswer = Literal["yes", "no", "not-shown"]


class UseVerdict(NamedTuple):
    """Whether a judge can be used for something."""

    use: Use
    verdict: UseAnswer
    value: Annotated[float | None, SIX_PLACES]
    """Compare: the net share of pairs in people's order; level: the correlation; gate: Youden's index."""
    low: Annotated[float | None, SIX_PLACES]
    high: Annotated[float | None, SIX_PLACES]
    labels: int
    """How many labels, or for `compare` pairs of them, it rests on."""
    says: str
    """The evidence in words."""
    more: int | None = None
    """How many more labels would tell if it goes on like this; None where it is told, or no number would do."""


class Curve(NamedTuple):
    """A judge's scores mapped to people's, for one dimension or for the final score."""

    method: Method
    knots: tuple[tuple[float, float], ...]
    """A judge's score, and the people's score that belongs to it."""
    low: Annotated[float, {"hidden": True}]
    """The lowest judge score that has a label."""
    high: Annotated[float, {"hidden": True}]
    labels: int
    bias: float
    """The judge's mean error before: its score minus people's."""
    raw_error: float
    """The mean absolute error of the judge's own scores."""
    error: float
    """The mean absolute error of calibrated scores, cross-validated."""
    reach: float
    """Half the width of the interval around a calibrated score."""
    confidence: Annotated[float, SHARE]
    constant_error: float
    """The mean absolute error of giving every output the same score, cross-validated."""
    agreement: float | None = None
    """Spearman's rank correlation of the judge's scores with people's; None where either gave one score only."""

    @property
    @published
    def range(self) -> list[float]:
        """The lowest and the highest judge score that has a label."""
        return [round(self.low, 4), round(self.high, 4)]


class Calibration(NamedTuple):
    """What a calibration file holds."""

    judge: Mapping[str, str]
    """The judge's identity, as its scorecards have it."""
    rubric: Annotated[str, {"hidden": True}]
    rubric_sha256: Annotated[str, {"hidden": True}]
    created: str
    raters: tuple[str, ...]
    curves: Annotated[Mapping[str, Curve], {"hidden": True}]
    left_out: Mapping[str, str]
    sha256: str
    """Of everything else in the file."""
    served: tuple[str, ...] = ()
    """The models that answered when the labelled outputs were judged, as their servers name them; empty if unknown."""
    clusters: int | None = None
    """How many cases or tasks the labelled outputs come from, where they belong together."""
    skills: tuple[str, ...] = ()
    """The skills that the labelled outputs are of; empty where numbers came from a table."""
    seen: Mapping[str, tuple[float, ...]] = {}
    """What the labelled outputs were like, lowest first: the judge's scores by field, and `length` in characters."""
    uses: tuple[UseVerdict, ...] = ()
    """What the judge can be used for, by these labels."""


class CalibratedScore(NamedTuple):
    """What people would give, and the interval that holds what one of them says."""

    value: Annotated[Decimal, {"name": "calibrated", **_CENTS}]
    low: Annotated[Decimal, _CENTS]
    high: Annotated[Decimal, _CENTS]


class CalibratedScores(NamedTuple):
    """The calibrated scores of one scorecard, beside its own. Only a rubric can make the final one official."""

    sha256: str
    """Of the calibration file."""
    confidence: Annotated[Decimal, SHARE]
    labels: int
    """How many labelled outputs the calibration of the final score was made from; 0 when it has none."""
    scores: Mapping[str, CalibratedScore]
    """By dimension, and `final`."""
    left_out: Mapping[str, str]
    """What could not be calibrated, and why."""
    uses: Mapping[str, UseAnswer] = {}
    """What the judge can be used for, by the labels behind the calibration."""


# --- comparison ------------------------------------------------------------------------------------------------------
# A scorecard against its skill's earlier ones, as values: the window it was compared with, and the result.


MOST_LEFT_OUT = 1000
"""The most evaluations outside a history that are counted."""

REACH = 64
"""How many evaluations the moving average looks back; what lies further weighs less than a millionth."""

KEPT, OF = 4, 5
"""The moving average keeps four fifths of what it was with each evaluation; the new one counts the rest."""

_WEIGHTS = [KEPT**age * OF ** (REACH - 1 - age) for age in range(REACH)]
"""What each of the newest scores counts in the moving average, in whole numbers."""

_NO_SCORES = (0,) * len(DIMENSIONS)


class Past(NamedTuple):
    """The parts of an earlier evaluation that a comparison needs."""

    scores: tuple[int, ...]
    """Hundredths, in the order of the dimensions."""
    rubric: str
    """The rubric's hash."""
    judge: str
    """The judge's identity, as canonical text."""


Sums = Sequence[tuple[int, int]]
"""For each dimension the scores of a window added up, and their squares, in hundredths."""


class Timeline(NamedTuple):
    """A skill's completed evaluations before one, as far as a comparison looks."""

    window: Sequence[Past]
    """The newest ten (R13)."""
    baseline: Sequence[int]
    """The final scores of the first ten, in hundredths."""
    since: Sequence[int]
    """The final scores after the baseline, newest first, up to `REACH` of them."""
    last: int | None = None
    """When the newest was completed."""
    left_out: int = 0
    """How many evaluations of the skill do not belong to its history, counted up to `MOST_LEFT_OUT`."""
    known_sums: Sums | None = None
    """The sums of the window where they are known; `sums` adds them up otherwise."""
    known_recent: int | None = None
    """`recent` where it is known."""

    @property
    def sums(self) -> Sums:
        """The scores of the window, added up."""
        if self.known_sums is not None:
            return self.known_sums
        columns = list(zip(*(past.scores for past in self.window), strict=True)) or [()] * len(DIMENSIONS)
        return [(sum(column), sum(map(mul, column, column))) for column in columns]

    @property
    def recent(self) -> int:
        """The final scores of a whole reach, weighted as the moving average weights them and added up."""
        return sum(map(mul, _WEIGHTS, self.since)) if self.known_recent is None else self.known_recent

    def followed_by(self, past: Past, final: int, completed: int) -> "Timeline":
        """The timeline with one more evaluation, the newest of all."""
        window = [past, *self.window[: WINDOW - 1]]
        dropped = self.window[-1].scores if len(self.window) == WINDOW else _NO_SCORES
        # Ten scores and their weighted finals need not be added up again for each line of a long file.
        sums = [
            (total + new - old, squares + new * new - old * old)
            for (total, squares), new, old in zip(self.sums, past.scores, dropped, strict=True)
        ]
        if len(self.baseline) < WINDOW:
            return Timeline(window, [*self.baseline, final], self.since, completed, self.left_out, sums)
        recent = None
        if len(self.since) == REACH:  # every weight becomes the next one; the oldest score drops out
            recent = final * _WEIGHTS[0] + (self.recent - self.since[-1] * _WEIGHTS[-1]) * KEPT // OF
        since = [final, *self.since[: REACH - 1]]
        return Timeline(window, self.baseline, since, completed, self.left_out, sums, recent)


@dataclass(frozen=True, slots=True)
class DimensionComparison:
    """One dimension against its window."""

    mean: Annotated[float, _BARE]
    """Of the earlier scores."""
    deviation: Annotated[float | None, _BARE]
    """The sample deviation; null with a single earlier evaluation."""
    delta: Annotated[float, _BARE]
    """The score less the mean."""
    flagged: bool
    """Whether it lies more than two deviations off (R14)."""
    provisional: bool
    """Whether the window is shorter than ten, so that a flag means less."""
    reason: str
    """Why it is flagged, or not, in words."""
    strength: Annotated[float | None, {"digits": 4}]
    """The probability of a score at least this far off in any of the seven dimensions, had nothing changed."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Where the skill's final scores are heading, against its first ten."""

    alarm: bool
    """Whether the average lies further off than the limit."""
    baseline: Annotated[float, _BARE]
    """The mean of the first ten final scores."""
    deviation: Annotated[float, _BARE]
    """Their sample deviation."""
    average: Annotated[float, _BARE]
    """The exponentially weighted moving average of the final scores since the baseline."""
    limit: Annotated[float, _BARE]
    """How far the average may lie from the baseline before the alarm is raised."""
    since: int
    """How many evaluations came after the baseline, counted up to the reach of the average."""


@dataclass(frozen=True, slots=True)
class Change:
    """A circumstance that differs from one evaluation to the next, or between two sets of them."""

    what: str
    """`skill version`, `rubric`, a part of the judge's identity, or `model as served`."""
    before: str
    """What it was."""
    after: str
    """What it is."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A scorecard against the window of its skill's earlier ones."""

    n: int
    """How many earlier evaluations are in the window."""
    dimensions: Mapping[str, DimensionComparison]
    """Each scored dimension against its window."""
    other_rubric: int
    """How many of the window were scored with another rubric (R18)."""
    other_judge: int
    """How many of the window were judged by another judge (R18)."""
    drift: Drift | None
    """Null until the baseline is complete."""
    left_out: int = 0
    """Earlier evaluations of the skill that do not count: no one read the output, or there was no final score."""
    changes: tuple[Change, ...] | None = None
    """What changed since the evaluation before; looked up where a dimension is flagged or the drift alarm is raised."""

    @property
    @published
    def flags(self) -> tuple[str, ...]:
        """The dimensions that the literal rule flags."""
        return tuple([name for name, line in self.dimensions.items() if line.flagged])


# --- review ----------------------------------------------------------------------------------------------------------
# A person's review of an evaluation: which round it belongs to, and how likely it was to be chosen. Immutable.


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


# --- scorecard -------------------------------------------------------------------------------------------------------
# The result: a scorecard with its lines, totals and receipt. Immutable, made by keyword; nothing here computes.
#
# Values are named tuples where they are made by the million, and because those are quick to import. Annotations in this
# file are evaluated, not kept as text, which a named tuple would compile one by one at every start. Numbers a person
# reads are `Decimal` with two places.


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
    uncapped: Decimal | None = None
    """The readers' score, when a fault that a check found capped it."""
    interval: tuple[Decimal, Decimal] | None = None
    """Where the score lies, when some of its criteria could not be told and the others could."""
    criteria: ScoredCriteria | None = None
    """The criteria that give the score, with the verdict on each; None where the rubric has none."""


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

    methodology: str
    """The version of the methodology."""
    rubric: str
    """Of all of the rubric that can shape a judgement or a score."""
    judgement: str
    """Of what the judge said."""
    submission: str | None
    """Of what was judged; null when no output was given."""
    calibration: str | None = None
    """Of the calibration behind the official score; none when that is the raw one."""


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


# --- ranking ---------------------------------------------------------------------------------------------------------
# Scorecards in order, as values.


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """One place of a ranking."""

    rank: int
    """From 1; equal ones share a rank."""
    id: str
    """Of the scorecard, or the name of its file."""
    skill: str
    """What made the output."""
    final: Annotated[Decimal, SCORE]
    """The final score."""
    grade: Annotated[str, LETTERS]
    """The letter of the final score."""
    equivalent_to: tuple[str, ...]
    """The others on the same rank."""
    decided_by: Annotated[str | None, {"enum": ("final", *TIE_BREAKS, "red_flags", "bonuses", "equivalent")}]
    """The rule that put this entry above the next one; null on the last."""


@dataclass(frozen=True, slots=True)
class Unranked:
    """A scorecard without a final score has no place."""

    id: str
    """Of the scorecard, or the name of its file."""
    skill: str
    """What made the output."""
    reason: str
    """Why there is no final score."""
    at_best: Annotated[Decimal | None, SCORE, {"always": True}] = None
    """The highest final score it can still have; null when anything is possible."""
    below: Annotated[int, {"always": True}] = 0
    """How many ranked entries are certainly better."""
    above: Annotated[int, {"always": True}] = 0
    """How many ranked entries are certainly worse."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scorecards in order, best first."""

    SCHEMA: ClassVar = "evenhand/ranking/v1"

    entries: tuple[RankedEntry, ...]
    """Those with a final score, best first."""
    unranked: tuple[Unranked, ...]
    """Those without, by id."""
    warnings: tuple[str, ...]
    """Such as that the scorecards follow different rubrics."""


# --- recommendation --------------------------------------------------------------------------------------------------
# What would help an output most, and what each change would be worth. Immutable values; nothing here computes.


class Effect(NamedTuple):
    """What changes on a scorecard, exactly: with caps, floor, ceiling, and the calibration where that is official."""

    gain: Decimal
    """How much the final score rises; its lower end, when a dimension is unscored."""
    best_gain: Decimal
    """How much its upper end rises; otherwise the same as `gain`."""
    final: Decimal | None
    """The final score reached; null when a dimension is unscored."""
    grade: str | None
    """The grade reached, where it is another one than now; null otherwise."""
    passes: bool
    """Whether this turns an output that does not pass, or might not, into one that passes."""


class Recommendation(NamedTuple):
    """One change: a dimension raised, or a red flag avoided."""

    kind: Literal["dimension", "red_flag"]
    """What is changed: a dimension is raised, or a red flag avoided."""
    name: str
    """The dimension, or the id of the red flag."""
    score: Annotated[Decimal | None, SCORE]
    """The dimension's score now; null for a red flag."""
    target: Annotated[Decimal | None, SCORE]
    """The score to reach; null for a red flag."""
    criterion: str
    """What the rubric asks for at the target, or the description of the red flag; empty where the rubric's text is not
    at hand."""
    found_by: Literal["judge", "check"]
    """Who gave the reason: a fault that a check found can keep a score down whatever the judge says."""
    reason: str
    """Why it is as it is now; empty where no reason was given."""
    evidence: Evidence | None
    """A quote behind the reason that is in the output; null without one."""
    worth: Decimal
    """What it adds before the floor and the ceiling, but after the cap of deductions."""
    effect: Effect
    """What this change alone does."""
    clears_flag: bool
    """Whether the dimension is flagged for review now and would not be at the target."""


class Advice(NamedTuple):
    """The changes that would help most, in order."""

    recommendations: tuple[Recommendation, ...]
    together: Effect | None
    """What all of them do together; None with fewer than two."""
    below_floor: Decimal
    """How far the composite less deductions lies below the floor; the final score rises only after that. 0 above it."""
    raw: bool
    """Whether the effects are those on the raw score, because the official one cannot be told."""
