"""The published shapes of a suite's results and of the decision on them. Nothing here runs."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from evenhand.core.documents.shapes.comparison import RulingDocument
from evenhand.core.documents.shapes.preferences import PreferencesDocument

VerdictText = Literal["better", "worse", "no difference shown", "not enough data"]


class SuiteGateDocument(TypedDict):
    """When the suite is red; numbers are decimal text."""

    baseline: str | None
    margin: str
    min_score: str | None
    max_failed: str | None
    no_fault: str | None


class SuiteRunDocument(TypedDict):
    """The first line of a file of results: what all of them share."""

    schema: Literal["evenhand/suite-run/v1"]
    id: str
    suite: str
    sha256: str
    created: str
    variants: list[str]
    reference: str
    repeats: int
    cases: int
    skill: str | None
    judges: list[str]
    gate: SuiteGateDocument | None
    notes: list[str]
    watched: NotRequired[str | None]
    pairs: NotRequired[PreferencesDocument]


class SuiteResultDocument(TypedDict):
    """One run with its judgement in numbers: scores in hundredths, other numbers as decimal text."""

    schema: Literal["evenhand/suite-result/v1"]
    case: str
    variant: str
    repeat: int
    outcome: Literal["finished", "failed", "timed out", "stopped by a limit", "not started"]
    reason: str
    tags: list[str]
    weight: str
    final: int | None
    low: int | None
    high: int | None
    grade: str | None
    dimensions: dict[str, int | None]
    met: int
    expectations: int
    faults: list[list[str]]
    evaluation: str | None
    unscored: str
    tokens: int | None
    key: str
    notes: NotRequired[list[str]]
    seconds: str | None
    cost: str | None
    judging_cost: str | None


class DifferenceDocument(TypedDict):
    """A mean difference over cases, variant minus reference: points, or a share."""

    cases: int
    mean: float | None
    low: float | None
    high: float | None
    p_value: float | None
    test: Literal["sign-flip", "t", "anytime", "none"]
    detectable: float | None
    error: float | None


class WhatIfDocument(TypedDict):
    """The verdict if runs without a value had been losses."""

    losses: Literal["this variant's", "the reference's", "everybody's"]
    verdict: VerdictText
    difference: DifferenceDocument


class DetailDocument(TypedDict):
    """An exploratory difference in one part of the results."""

    kind: Literal["tag", "dimension", "finding"]
    name: str
    difference: DifferenceDocument
    adjusted: float | None


class MoreDataDocument(TypedDict):
    """What would be enough; null where it cannot be told or would not help."""

    cases: int | None
    repeats: int | None


class ContrastDocument(TypedDict):
    """A variant against its reference."""

    variant: str
    reference: str
    verdict: VerdictText
    difference: DifferenceDocument
    adjusted: float | None
    more: MoreDataDocument | None
    what_if: list[WhatIfDocument]
    details: list[DetailDocument]
    unpaired: int


class MissingDocument(TypedDict):
    """Runs without a value."""

    outcome: str
    reason: str
    runs: int


class VariantDocument(TypedDict):
    """What is known of a variant by itself."""

    name: str
    runs: int
    valued: int
    failed: int
    cases: int
    mean: float | None
    missing: list[MissingDocument]
    met: int
    expectations: int
    faults: dict[str, int]
    seconds: float | None
    tokens: float | None
    cost: float | None
    cost_known: int
    judging_cost: float | None


class SuiteDecisionDocument(TypedDict):
    """Every variant of a suite against the reference, or against a baseline.

    Where `state` is not complete, some runs are missing, and contrasts and rulings are empty. No state means complete.
    """

    schema: Literal["evenhand/suite-decision/v1"]
    run: SuiteRunDocument
    measure: Literal["final score", "expectations met"]
    reference: str
    level: float
    relevant: float
    cases: int
    variants: list[VariantDocument]
    contrasts: list[ContrastDocument]
    rulings: list[RulingDocument]
    state: NotRequired[Literal["complete", "interrupted", "stopped", "shard"]]
    pairs: NotRequired[PreferencesDocument]
