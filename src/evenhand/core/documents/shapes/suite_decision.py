"""The published shapes of a suite's results and of the decision on them. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.core.documents.records import shape_of
from evenhand.core.documents.shapes.comparison import RulingDocument
from evenhand.core.documents.shapes.preferences import PreferencesDocument
from evenhand.core.documents.suite_results import RUN_SCHEMA
from evenhand.core.values.suite_run import SuiteRun

VerdictText = Literal["better", "worse", "no difference shown", "not enough data"]


if TYPE_CHECKING:
    SuiteRunDocument = dict[str, Any]
else:
    SuiteRunDocument = shape_of(SuiteRun, RUN_SCHEMA, pairs=NotRequired[PreferencesDocument])


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
