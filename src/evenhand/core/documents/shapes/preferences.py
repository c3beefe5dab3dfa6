"""The published shape of a comparison of systems, pair by pair. Nothing here runs."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Outcome = Literal["a", "b", "tie", "inconsistent", "undecided"]


class PairQuoteDocument(TypedDict):
    """A quote from one of the two outputs, checked against that output."""

    quote: str
    verified: bool | None
    line: NotRequired[int]


class PairEvidenceDocument(TypedDict):
    """The quotes from each side."""

    a: list[PairQuoteDocument]
    b: list[PairQuoteDocument]


class PairReadingDocument(TypedDict):
    """One judge's answer in one order. Without a verdict, the reason."""

    shown_first: Literal["a", "b"]
    verdict: Literal["first", "second", "tie"] | None
    reason: str
    justification: str
    evidence: PairEvidenceDocument


class PairJudgeDocument(TypedDict):
    """One judge's answers in both orders, and what they come to; `reread` without passages that may address it."""

    judge: str
    outcome: Outcome
    readings: list[PairReadingDocument]
    reread: list[PairReadingDocument]


class PairCallsDocument(TypedDict):
    """The model calls of the run, or of one pair."""

    asked: int
    stored: int
    repairs: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class PairDocument(TypedDict):
    """One item's outputs by two systems."""

    item: str
    a: str
    b: str
    outcome: Outcome
    judges: list[PairJudgeDocument]
    warnings: list[str]
    calls: NotRequired[PairCallsDocument]


class ShareDocument(TypedDict):
    """A share with its 95 % interval."""

    share: float
    low: float
    high: float


class TallyDocument(TypedDict):
    """How often the first of two systems was preferred, and how often neither."""

    a: str
    b: str
    wins: int
    losses: int
    ties: int
    inconsistent: int
    undecided: int
    win_rate: ShareDocument | None


class StrengthDocument(TypedDict):
    """A system's strength in a Bradley-Terry model: logarithms of odds with mean zero."""

    system: str
    strength: float
    standard_error: float
    low: float
    high: float


class PositionDocument(TypedDict):
    """How often a judge preferred what it was shown first, among its verdicts that prefer one."""

    judge: str
    preferences: int
    first: int
    share: ShareDocument | None


class UnmatchedDocument(TypedDict):
    """An item that not all systems have."""

    system: str
    item: str


class RubricUsedDocument(TypedDict):
    """A rubric that pairs were judged by."""

    name: str
    sha256: str


class PreferencesDocument(TypedDict):
    """Which of several systems is preferred. A preference counts only if it survives the swap of the two outputs."""

    schema: Literal["evenhand/preferences/v1"]
    systems: list[str]
    judges: list[dict[str, str]]
    rubrics: list[RubricUsedDocument]
    pairs: list[PairDocument]
    tallies: list[TallyDocument]
    strengths: list[StrengthDocument]
    position: list[PositionDocument]
    unmatched: list[UnmatchedDocument]
    failures: list[str]
    left_out: int
    calls: PairCallsDocument
