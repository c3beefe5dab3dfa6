"""The shape of `evenhand agree --format json`."""

from __future__ import annotations

from typing import Literal, TypedDict


class IntervalDocument(TypedDict):
    """A confidence interval."""

    low: float
    high: float
    method: Literal["bca", "binomial"]
    resamples: int


class CoefficientDocument(TypedDict):
    """One coefficient; `value` is null where `reason` says why, `interval` where `no_interval` does."""

    name: str
    title: str
    value: float | None
    interval: IntervalDocument | None
    items: int
    raters: int
    meaning: str
    reason: str | None
    no_interval: str | None


class ConfusionDocument(TypedDict):
    """How often each value of the first rater, in rows, met each of the second."""

    labels: list[str]
    counts: list[list[int]]


class ComparedDocument(TypedDict):
    """Some raters on one field."""

    between: Literal["raters", "people", "judge and people", "judges"]
    field: str
    scale: str
    judge: str | None
    raters: list[str]
    items: int
    values: int
    coefficients: list[CoefficientDocument]
    confusion: ConfusionDocument | None
    differences: list[list[float]]


class AgreementDocument(TypedDict):
    """What `evenhand agree` prints."""

    schema: Literal["evenhand/agreement/v1"]
    source: str
    confidence: float
    resamples: int
    seed: int
    comparisons: list[ComparedDocument]
    notes: list[str]


class PlacedDocument(TypedDict):
    """Something about a row."""

    message: str
    file: str | None
    line: int | None


class LabelImportDocument(TypedDict):
    """What `evenhand labels import` prints."""

    schema: Literal["evenhand/label-import/v1"]
    source: str
    read_as: str
    item_column: str | None
    joined_by: Literal["submission", "id", "text"]
    ignored_columns: list[str]
    items: int
    raters: list[str]
    fields: list[str]
    missing: int
    added: int
    known: int
    problems: list[PlacedDocument]
    unmatched: list[PlacedDocument]
    notes: list[str]
