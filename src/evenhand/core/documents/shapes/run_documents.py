"""The published shapes for runs: the plan for asking models, and the summary of a scored table. Nothing here runs."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from evenhand.core.basics.published import AtLeast, Number

Count = Annotated[int, AtLeast(0)]
Dollars = Annotated[Number, AtLeast(0)]


class JudgePlanDocument(TypedDict):
    """The calls and tokens one judge would need; the cost is null when its price is unknown."""

    judge: str
    calls: Count
    stored: Count
    input_tokens: Count
    cached_tokens: Count
    output_tokens_at_most: Count
    cost_at_most: Dollars | None


class PlanDocument(TypedDict):
    """What a run would need, per judge and in total, without repairs; written by `--dry-run`."""

    schema: Literal["evenhand/plan/v1"]
    submissions: Count
    pairs: NotRequired[Count]
    readings: NotRequired[Count]
    judges: list[JudgePlanDocument]
    calls: Count
    stored: Count
    input_tokens: Count
    cached_tokens: Count
    output_tokens_at_most: Count
    cost_at_most: Dollars | None
    escalation_calls: Count


class AssumedDocument(TypedDict):
    """How much judges are taken to read of each of a variant's runs that are not made yet, and what that rests on."""

    variant: str
    runs: Count
    tokens: Count
    basis: Literal["its kept runs", "other variants' kept runs", "its model's limit", "nothing is kept"]


class LeftOutDocument(TypedDict):
    """What is not copied of a skill's folder because it belongs to the suite, by its paths in that folder."""

    skill: str
    paths: list[str]


class SuitePlanDocument(TypedDict):
    """What running a suite would take; written by `evenhand run --dry-run`. Time and cost are those of the runs."""

    schema: Literal["evenhand/suite-plan/v1"]
    runs: Count
    kept: Count
    seconds: Annotated[Number, AtLeast(0)] | None
    cost: Dollars
    runs_without_cost: Count
    judges: list[JudgePlanDocument]
    pairs: list[JudgePlanDocument]
    assumed: list[AssumedDocument]
    left_out: list[LeftOutDocument]


class BatchDocument(TypedDict):
    """The summary of a scored table, as `evenhand batch` writes it."""

    schema: Literal["evenhand/batch/v1"]
    input: str
    output: str
    rejects: str | None
    rows: Count
    scored: Count
    rejected: Count
    rubric: str
    sha256: str
    engine: Literal["duckdb", "spark"]
    warnings: list[str]
    methodology: str


class JudgedTableDocument(TypedDict):
    """The summary of a judged table, as `evenhand judge IN OUT --engine spark` writes it."""

    schema: Literal["evenhand/judged-table/v1"]
    input: str
    output: str
    rows: Count
    judged: Count
    problems: Count
    calls: Count
    cost: Dollars | None
    stopped: str | None
    broken: bool
