"""The published shapes of what says how a run will go or went: the plan of asking models, and a table that was scored.
Nothing here runs."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from evenhand.core.documents.shapes.scorecard import AtLeast, Number

Count = Annotated[int, AtLeast(0)]
Dollars = Annotated[Number, AtLeast(0)]


class JudgePlanDocument(TypedDict):
    """What asking one judge would take; the cost is unknown where its price is."""

    judge: str
    calls: Count
    stored: Count
    input_tokens: Count
    output_tokens_at_most: Count
    cost_at_most: Dollars | None


class PlanDocument(TypedDict):
    """What a run would take, each judge and all together, repairs aside; as `evenhand judge --dry-run` writes it."""

    schema: Literal["evenhand/plan/v1"]
    submissions: Count
    judges: list[JudgePlanDocument]
    calls: Count
    stored: Count
    input_tokens: Count
    output_tokens_at_most: Count
    cost_at_most: Dollars | None
    escalation_calls: Count


class BatchDocument(TypedDict):
    """What became of a table, as `evenhand batch` writes it."""

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
