"""A panel's results, judge by judge, and how far its judges agree. Immutable values; nothing here computes.

Only judgements by models need them, so no other command has to load them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import hundredths, plain, points, score, shown
from evenhand.core.basics.published import Json, Score
from evenhand.core.values.opinion import Answer, Distribution, Evidence, Unscored

DISPUTED = Decimal(2)
"""Judges who differ by this much in a dimension disagree."""


class _Verdicts(TypedDict):
    """Scores by dimension, null where `unscored` says why."""

    scores: dict[str, Score | None]
    unscored: dict[str, str]
    intervals: NotRequired[dict[str, list[Score]]]
    """Where a score lies of which only some criteria could not be told: the lowest and the highest."""


def _write_verdicts(verdicts: Mapping[str, Decimal | Unscored]) -> dict[str, Any]:
    given = {name: None if isinstance(verdict, Unscored) else plain(verdict) for name, verdict in verdicts.items()}
    reasons = {name: verdict.reason for name, verdict in verdicts.items() if isinstance(verdict, Unscored)}
    intervals = {
        name: [plain(end) for end in verdict.interval]
        for name, verdict in verdicts.items()
        if isinstance(verdict, Unscored) and verdict.interval is not None
    }
    return {"scores": given, "unscored": reasons} | ({"intervals": intervals} if intervals else {})


def _read_verdicts(document: Mapping[str, Any]) -> dict[str, Decimal | Unscored]:
    scores, reasons = document["scores"], document["unscored"]
    if any(type(value) not in (int, float, type(None)) for value in scores.values()):
        raise TypeError("a score is a number or null")
    if not all(isinstance(reason, str) for reason in reasons.values()):
        raise TypeError("a reason is text")
    intervals = {name: (score(low), score(high)) for name, (low, high) in document.get("intervals", {}).items()}
    return {
        name: Unscored(reasons[name], intervals.get(name)) if scores[name] is None else score(scores[name])
        for name in _in_order(scores)
    }


def _write_distributions(distributions: Mapping[str, Distribution]) -> dict[str, dict[str, int]]:
    return {
        name: {shown(points(place)): parts for place, parts in distribution.items()}
        for name, distribution in distributions.items()
    }


def _read_distributions(document: Mapping[str, Any]) -> dict[str, Distribution]:
    return {name: _distribution(document[name]) for name in _in_order(document)}


def _distribution(document: Mapping[str, Any]) -> Distribution:
    counts = {hundredths(score(place)): parts for place, parts in document.items()}
    if not any(counts.values()) or any(type(parts) is not int or parts < 0 for parts in counts.values()):
        raise ValueError("whole numbers of 0 or more, not all 0")
    return dict(sorted(counts.items()))


def _in_order(document: Mapping[str, Any]) -> list[str]:
    """The dimensions a document has something for, in their order."""
    if not set(document) <= set(DIMENSIONS):
        raise ValueError("by dimension")
    return [name for name in DIMENSIONS if name in document]


def _identity(value: Any) -> dict[str, str]:
    if not all(isinstance(part, str) for pair in value.items() for part in pair) or "name" not in value:
        raise ValueError("an object of texts with a name")
    return dict(value)


Verdicts = Annotated[
    Mapping[str, Decimal | Unscored], Json(flat={}, shape=_Verdicts, write=_write_verdicts, read=_read_verdicts)
]
Variant = Literal[
    "first",
    "excerpt",
    "masked",
    "masked-further",
    "sample",
    "sample-masked",
    "settled",
]
Count = Annotated[int, Json(least=0)]


class Member(NamedTuple):
    """One judge of a panel, with its scores and claims."""

    judge: Annotated[Mapping[str, str], Json(shape=dict[str, str], write=dict, read=_identity)]
    scores: Verdicts
    """By dimension; one that was not asked of this judge is missing."""
    distributions: Annotated[
        Mapping[str, Distribution],
        Json(shape=dict[str, dict[str, int]], write=_write_distributions, read=_read_distributions),
    ] = {}
    """By dimension, where known."""
    red_flags: tuple[str, ...] = ()
    """The ids it raised with a verified quote."""
    bonuses: tuple[str, ...] = ()
    abstained: str | None = None
    """Why it did not vote on red flags and bonuses: how the call failed, or `NOT_ASKED`; None when it voted."""
    verdicts: Annotated[Mapping[str, Answer], Json(optional=True)] = {}
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
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()


class Escalation(NamedTuple):
    """A stronger judge asked only where it was needed."""

    to: str
    """The stronger judge's name."""
    asked: Mapping[str, str]
    """The dimensions it was asked about, each with why."""
    saved_calls: Count
    """The calls to it that were not needed."""


class Condensed(NamedTuple):
    """A transcript that was too long for a judge's window, and how much of it was shown."""

    judge: str
    kept: Count
    """Events shown whole."""
    shortened: Count
    """Events shown with their middle left out."""
    elided: Count
    """Events left out, each replaced by a marker."""
    why: str
    """The procedure and the size that made it necessary, in a sentence."""


class Reading(NamedTuple):
    """One of several readings of the same work by the same judge."""

    variant: Variant
    """`first`; `masked` and `masked-further` (with words of the suspect passages masked); `excerpt` (a part of the work
    as it is); `sample` and `sample-masked` (the passages in a sample of ours); `settled` (what counts, by
    dimension)."""
    scores: Verdicts
    """By dimension."""


class Influence(NamedTuple):
    """Passages that may address a judge, and whether they have any power over it."""

    judge: str
    passages: Annotated[int, Json(least=1)]
    """How many there are."""
    readings: tuple[Reading, ...]
    """In the order in which they were asked for."""
    counts: Variant | None
    """The variant of the reading that counts; None when none does, and the dimensions are unscored."""
    why: str
    """In a sentence."""
    power: Annotated[Literal["upward", "downward", "none"] | None, Json(optional=True)] = None
    """Where the passages moved a neutral sample of ours; None when that was not tried."""


class Calls(NamedTuple):
    """The model calls of a run."""

    asked: Count = 0
    """Replies received from a provider in this run."""
    stored: Count = 0
    """Replies taken from the store of replies, not paid for again."""
    repairs: Count = 0
    """How many of those were repeat requests after an unusable answer."""
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost: Decimal | None = None
    """In US dollars for the calls asked in this run; None when a price is unknown."""
    cached_tokens: Annotated[int, Json(least=0, optional=True)] = 0
    """The input tokens that servers had in their caches."""
    estimated: Annotated[int, Json(least=0, optional=True)] = 0
    """Replies whose tokens the server did not count, so that they are estimated."""
    served: Annotated[tuple[str, ...], Json(optional=True)] = ()
    """The models that answered, as their servers name them."""


class Panel(NamedTuple):
    """How models reached a judgement: everything the official scores are computed from."""

    members: tuple[Member, ...]
    """One for each judge, also when there is only one."""
    quorum: Count | None
    """How many judges must score a dimension for it to have an official score; None means more than half of those
    asked about it."""
    discounted: tuple[Discounted, ...] = ()
    escalation: Escalation | None = None
    condensed: tuple[Condensed, ...] = ()
    calls: Calls = Calls()
    criteria: Mapping[str, str] = {}
    """A checksum of each criterion, red flag and bonus as the judges were shown it, by name; filled in by scoring."""
    influence: Annotated[tuple[Influence, ...], Json(optional=True)] = ()
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
