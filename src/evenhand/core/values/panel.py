"""What a panel said, judge by judge, and how far its judges agree: values, as in `model`; nothing here computes.

Only judgements by models need them, so that no other command waits for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

from evenhand.core.values.opinion import Distribution, Evidence, Unscored


class Member(NamedTuple):
    """One judge of a panel, and what it said."""

    judge: Mapping[str, str]
    scores: Mapping[str, Decimal | Unscored]
    """By dimension; one that was not asked of this judge is missing."""
    distributions: Mapping[str, Distribution] = {}
    """By dimension, where known."""
    red_flags: tuple[str, ...] = ()
    """The ids it raised with a verified quote."""
    bonuses: tuple[str, ...] = ()
    abstained: str | None = None
    """Why it said nothing of red flags and bonuses: how the question failed, or `NOT_ASKED`; None when it answered."""


NOT_ASKED = "not asked"
"""Why a judge that was asked about a few dimensions only abstains from red flags and bonuses."""


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
    saved_calls: int
    """The calls to it that were not needed."""


class Condensed(NamedTuple):
    """A transcript that was too long for a judge's window, and what of it was shown."""

    judge: str
    kept: int
    """Events shown whole."""
    shortened: int
    """Events shown with their middle left out."""
    elided: int
    """Events left out, each marked where it stood."""
    why: str
    """The procedure and the size that made it necessary, in a sentence."""


class Calls(NamedTuple):
    """What asking took."""

    asked: int = 0
    """Replies that came over the wire in this run."""
    stored: int = 0
    """Replies taken from the store of replies, not paid for again."""
    repairs: int = 0
    """How many of all those were second requests after an answer that could not be used."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None
    """In US dollars for the calls asked in this run; None when a price is unknown."""


class Panel(NamedTuple):
    """How models came to a judgement: everything the official scores were made from."""

    members: tuple[Member, ...]
    """One for each judge, also when there is only one."""
    quorum: int | None
    """How many judges must have scored a dimension for it to have an official score; None is more than half of those
    that were asked about it."""
    discounted: tuple[Discounted, ...] = ()
    escalation: Escalation | None = None
    condensed: tuple[Condensed, ...] = ()
    calls: Calls = Calls()
    criteria: Mapping[str, str] = {}
    """A checksum of each criterion, red flag and bonus as the judges were shown it, by name; filled in by scoring."""


class Agreement(NamedTuple):
    """How far a panel agrees, and how sure the grade is."""

    spread: Mapping[str, Decimal]
    """By dimension: the highest score less the lowest."""
    disputed: tuple[str, ...]
    """The dimensions on which judges differ by 2 or more."""
    decisive: tuple[str, ...]
    """The names of judges without whom the grade would be another."""
    member_grades: tuple[str | None, ...]
    """The grade each judge alone would give, in the panel's order; None when it left a dimension unscored."""
    grades: Mapping[str, float]
    """The probability of each letter grade, best first, those of 0 left out; empty when a dimension is unscored."""
    deductions: Mapping[str, Decimal] = {}
    """What each red flag takes away that some judge raised; those that were outvoted too."""
