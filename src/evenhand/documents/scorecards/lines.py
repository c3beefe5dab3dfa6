"""The objects that a scorecard's document is made of, each declared once: dimensions, flags, totals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from evenhand.core.receipt import canonical_text, checksum, quoted
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Award, Deduction, ScoredDimension
from evenhand.documents.kinds import (
    AMOUNT,
    NUMBER,
    NUMBER_OR_NULL,
    SCORE_OR_NULL,
    TEXT,
    WEIGHT,
    Field,
    Kind,
    Line,
    each,
    listed,
    rows,
    table,
)
from evenhand.documents.quotes import EVIDENCE


def _criteria(name: str) -> Callable[..., Any]:
    """A function of `documents.criteria`, which is loaded when a dimension has criteria: few have any."""

    def call(*values: Any) -> Any:
        from evenhand.documents import criteria

        return getattr(criteria, name)(*values)

    return call


DIMENSION = Line(
    "DimensionDocument",
    "One dimension of a scorecard.",
    ScoredDimension._fields,
    Field("score", SCORE_OR_NULL),
    Field("unscored", TEXT, optional=True),
    Field("uncapped", SCORE_OR_NULL, optional=True),
    Field("weight", WEIGHT),
    Field("points", NUMBER_OR_NULL),
    Field("justification", TEXT),
    Field("evidence", EVIDENCE),
    Field(
        "interval", Kind("ScoreIntervalDocument", _criteria("interval_json"), _criteria("interval_from")), optional=True
    ),
    Field(
        "criteria",
        Kind("CriteriaDocument", _criteria("scored_criteria_json"), _criteria("scored_criteria_from")),
        optional=True,
    ),
)
_CLAIM = (Field("id", TEXT), Field("description", TEXT), Field("explanation", TEXT), Field("evidence", EVIDENCE))
RED_FLAG = Line(
    "RedFlagDocument", "A red flag that was raised.", Deduction._fields, *_CLAIM, Field("deduction", AMOUNT)
)
BONUS = Line("BonusDocument", "A bonus that was earned.", Award._fields, *_CLAIM, Field("bonus", NUMBER))
RUBRIC = Line(
    "RubricNameDocument", "Which rubric was used.", ("name", "sha256"), Field("name", TEXT), Field("sha256", TEXT)
)
LINES = (DIMENSION, RED_FLAG, BONUS, RUBRIC)


def _write_dimensions(lines: Mapping[str, Any]) -> tuple[str, list[str]]:
    texts = {name: DIMENSION.write(line) for name, line in lines.items()}
    written = ",".join([f'"{name}":{text}' for name, text in texts.items()])
    return "{" + written + "}", [f'"dimensions.{name}":"{checksum(text)}"' for name, text in texts.items()]


def _read_dimensions(value: Any, where: str) -> dict[str, dict[str, Any]]:
    lines = table(value, where)
    return each((name, partial(DIMENSION.read, lines.get(name), f"{where}.{name}")) for name in DIMENSIONS)


def _dimension_checksums(value: Any) -> dict[str, str]:
    lines = value.items() if isinstance(value, dict) else ()
    return {f"dimensions.{name}": checksum(canonical_text(line)) for name, line in lines}


DIMENSIONS_KIND = Kind("DimensionsDocument", _write_dimensions, _read_dimensions, _dimension_checksums)


def claims_kind(name: str, line: Line) -> Kind:
    """A list of lines with ids: red flags, bonuses."""
    start = f"{name}."

    def write(claims: tuple[Any, ...]) -> tuple[str, list[str]]:
        if not claims:
            return "[]", []
        texts = {claim.id: line.write(claim) for claim in claims}
        return listed([*texts.values()]), [f'{quoted(start + id)}:"{checksum(text)}"' for id, text in texts.items()]

    def read(value: Any, where: str) -> list[dict[str, Any]]:
        stated = rows(value, where)
        return [*each((row["id"], partial(line.read, row, f"{where}.{row['id']}")) for row in stated).values()]

    def checksums(value: Any) -> dict[str, str]:
        claims = value if isinstance(value, list) else ()
        named = [row for row in claims if isinstance(row, dict) and isinstance(row.get("id"), str)]
        return {f"{name}.{row['id']}": checksum(canonical_text(row)) for row in named}

    return Kind(f"list[{line.shape}]", write, read, checksums)
