"""What a judge says: opinions with quotes, the claims made, and, where models judged, how their panel came to it.

`Unscored` replaces a score the judge did not give: it never becomes a zero or a middle score.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired, TypedDict

from evenhand.core.finding import Checked
from evenhand.core.numbers import hundredths, plain, points, score, shown
from evenhand.core.published import ALWAYS, CENTS, at_least
from evenhand.core.rubric import Answer
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import Problem

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


DISPUTED = Decimal(2)
"""Judges who differ by this much in a dimension disagree."""


class _Verdicts(TypedDict):
    """Scores by dimension, null where `unscored` says why."""

    scores: dict[str, Annotated[Decimal | None, CENTS]]
    unscored: dict[str, str]
    intervals: NotRequired[dict[str, list[Annotated[Decimal, CENTS]]]]
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


_Counted = Annotated[int, {"read": at_least(0)}]


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
    verdicts: Mapping[str, Annotated[Answer, {"noun": "answer"}]] = {}
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
    passages: Annotated[int, {"read": at_least(1)}]
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
    quorum: Annotated[int | None, {"read": at_least(0)}]
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

    def problems(self) -> Iterator[Problem]:
        """What is wrong with it as a document: some judge must have judged, and a reading that counts must be there."""
        if not self.members:
            yield Problem("members must be a list of at least one judge", path=("members",))
        for place, influence in enumerate(self.influence):
            if influence.counts not in (None, *(reading.variant for reading in influence.readings)):
                path = ("influence", place, "counts")
                yield Problem("counts must be one of the readings that are listed", path=path)


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
