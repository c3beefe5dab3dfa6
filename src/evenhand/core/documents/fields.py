"""The fields of a scorecard's document, each declared once, in the order in which they are written. Pure.

To add a field: its value on `Scorecard`, and one `Field` here. Where the value is an object of its own,
declare a `Line` for it. Two things are written and read by hand instead, beside each other all the same:
evidence, below, of which a scorecard has the most; and the panel (`documents.panel`), whose parts mostly
follow from what each judge said, so that there is little a declaration could say.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from evenhand.core.basics.canonical import canonical_text, checksum, quoted
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.documents.kinds import (
    AMOUNT,
    LETTER,
    LETTER_OR_NULL,
    LETTERS,
    NAMES,
    NUMBER,
    NUMBER_OR_NULL,
    PASS_MARK,
    SCORE,
    SCORE_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    WEIGHT,
    YES_NO,
    YES_NO_OR_NULL,
    Field,
    Kind,
    Line,
    listed,
    malformed,
    rows,
    table,
)
from evenhand.core.values.opinion import Evidence
from evenhand.core.values.scorecard import (
    AuditLine,
    Award,
    Deduction,
    Interval,
    NextStep,
    Receipt,
    Scorecard,
    ScoredDimension,
    Total,
)


class Version(NamedTuple):
    """One published version of the scorecard's document."""

    schema: str
    fields: tuple[Field, ...]


# --- evidence


def _write_evidence(evidence: tuple[Evidence, ...]) -> str:
    return listed([_quote(quote) for quote in evidence]) if evidence else "[]"


def _quote(evidence: Evidence) -> str:
    quote, verified, line, offset, source = evidence
    if source is not None:
        return f'{{"quote":{quoted(quote)},"source":{quoted(source)},"verified":{YES_NO[verified]}}}'
    place = f'"line":{line},"offset":{offset},' if verified else ""
    return f'{{{place}"quote":{quoted(quote)},"verified":{YES_NO[verified]}}}'


def _read_evidence(value: Any, where: str) -> tuple[Evidence, ...]:
    value = [] if value is None else value
    if not isinstance(value, list) or not all(map(_is_evidence, value)):
        raise malformed(where, "a list of quotes, each verified with its line and offset or not verified")
    return tuple(
        Evidence(row["quote"], row["verified"], row.get("line"), row.get("offset"), row.get("source")) for row in value
    )


def _is_evidence(row: Any) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("quote"), str):
        return False
    if row.get("verified") is True:
        placed = type(row.get("line")) is int and type(row.get("offset")) is int
        return isinstance(row.get("source"), str) or placed
    return "verified" in row and row["verified"] in (None, False)


EVIDENCE = Kind("list[EvidenceDocument]", _write_evidence, _read_evidence)

# --- lines

DIMENSION = Line(
    "DimensionDocument",
    "One dimension of a scorecard.",
    ScoredDimension,
    Field("score", SCORE_OR_NULL, repeats=True),
    Field("unscored", TEXT, optional=True, repeats=True),
    Field("weight", WEIGHT, repeats=True),
    Field("points", NUMBER_OR_NULL, repeats=True),
    Field("justification", TEXT),
    Field("evidence", EVIDENCE),
)
_CLAIM = (Field("id", TEXT), Field("description", TEXT), Field("explanation", TEXT), Field("evidence", EVIDENCE))
RED_FLAG = Line("RedFlagDocument", "A red flag that was raised.", Deduction, *_CLAIM, Field("deduction", AMOUNT))
BONUS = Line("BonusDocument", "A bonus that was earned.", Award, *_CLAIM, Field("bonus", NUMBER))
TOTAL = Line(
    "TotalDocument", "A sum before and after its cap.", Total, Field("nominal", NUMBER), Field("applied", NUMBER)
)
INTERVAL = Line(
    "IntervalDocument",
    "Where the final score can lie.",
    Interval,
    Field("low", SCORE),
    Field("high", SCORE),
    Field("grades", LETTERS),
)
NEXT_STEP = Line(
    "NextStepDocument",
    "What would raise the score most.",
    NextStep,
    Field("dimension", TEXT_OR_NULL),
    Field("gain", NUMBER),
    Field("final", NUMBER),
    Field("grade", LETTER),
    Field("next_grade", LETTER_OR_NULL),
    Field("distance", NUMBER),
)
AUDIT = Line("AuditDocument", "One line of the arithmetic.", AuditLine, Field("rule", TEXT), Field("text", TEXT))


class RubricName(NamedTuple):
    """Which rubric was used."""

    name: str
    sha256: str


RUBRIC = Line("RubricNameDocument", "Which rubric was used.", RubricName, Field("name", TEXT), Field("sha256", TEXT))
RECEIPT = Line(
    "ReceiptDocument",
    "The hashes a scorecard can be recomputed from.",
    Receipt,
    Field("methodology", TEXT),
    Field("rubric", TEXT),
    Field("judgement", TEXT),
    Field("submission", TEXT_OR_NULL),
)
"""The receipt's own hashes; the writer adds the checksums of all fields as `fields`."""

LINES = (DIMENSION, RED_FLAG, BONUS, TOTAL, INTERVAL, NEXT_STEP, AUDIT, RUBRIC)

# --- parts


def _write_dimensions(lines: Mapping[str, Any]) -> tuple[str, list[str]]:
    write = DIMENSION.write
    texts = {name: write(line) for name, line in lines.items()}
    written = ",".join([f'"{name}":{text}' for name, text in texts.items()])
    return "{" + written + "}", [f'"dimensions.{name}":"{checksum(text)}"' for name, text in texts.items()]


def _read_dimensions(value: Any, where: str) -> dict[str, dict[str, Any]]:
    lines = table(value, where)
    return {name: DIMENSION.read(lines.get(name), f"{where}.{name}") for name in DIMENSIONS}


def _dimension_checksums(value: Any) -> dict[str, str]:
    lines = value.items() if isinstance(value, dict) else ()
    return {f"dimensions.{name}": checksum(canonical_text(line)) for name, line in lines}


def _claims(name: str, line: Line) -> Kind:
    """A list of lines with ids: red flags, bonuses."""
    start = f"{name}."

    def write(claims: tuple[Any, ...]) -> tuple[str, list[str]]:
        if not claims:
            return "[]", []
        texts = [line.write(claim) for claim in claims]
        paths = [quoted(start + claim.id) for claim in claims]
        return listed(texts), [f'{path}:"{checksum(text)}"' for path, text in zip(paths, texts, strict=True)]

    def read(value: Any, where: str) -> list[dict[str, Any]]:
        return [line.read(row, f"{where}.{row['id']}") for row in rows(value, where)]

    def checksums(value: Any) -> dict[str, str]:
        claims = value if isinstance(value, list) else ()
        named = [row for row in claims if isinstance(row, dict) and isinstance(row.get("id"), str)]
        return {f"{name}.{row['id']}": checksum(canonical_text(row)) for row in named}

    return Kind(f"list[{line.shape}]", write, read, checksums)


def _panel_of(card: Scorecard) -> Any:
    return None if card.panel is None or card.agreement is None else (card.panel, card.agreement)


def _write_panel(panel: Any) -> tuple[str, list[str]]:
    from evenhand.core.documents.panel import panel_json  # only where models judged

    text, checksums = panel_json(*panel)
    return text, [f'"{path}":"{digest}"' for path, digest in checksums.items()]


def _read_panel(value: Any, where: str) -> Any:
    """How models came to the judgement, and what each flag takes away that one of them raised."""
    from evenhand.core.documents.panel import deductions_from, panel_from

    stated = table(value, where)
    try:
        return panel_from(stated), deductions_from(stated)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise malformed(where, "as it was written") from None


def _panel_checksums(value: Any) -> dict[str, str]:
    from evenhand.core.documents.panel import panel_checksums

    return panel_checksums(value)


# --- the rest


def _write_history(history: Any) -> str:
    if history is None:
        return "null"
    from evenhand.core.documents.history import history_json  # only where there is a store

    return history_json(history)


def _read_history(value: Any, where: str) -> Any:
    """What the history said then; it cannot be computed again from the scorecard alone."""
    if value is None:
        return None
    from evenhand.core.documents.history import history_from

    try:
        return history_from(value)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise malformed(where, "as it was written") from None


def _audit_of(card: Scorecard) -> Any:
    from evenhand.core.method.audit import audit  # few scorecards are explained

    return audit(card)


# Lines of which there are few are remembered, not written again.
_TOTAL = Kind("TotalDocument", lru_cache(maxsize=1024)(lambda total: TOTAL.write(total)))
_NEXT_STEP = Kind("NextStepDocument | None", lru_cache(maxsize=4096)(NEXT_STEP.or_null))
_RUBRIC = Kind("RubricNameDocument", lru_cache(maxsize=256)(lambda names: RUBRIC.write(names)), RUBRIC.read)
_DIMENSIONS = Kind("DimensionsDocument", _write_dimensions, _read_dimensions, _dimension_checksums)
_grade_of = attrgetter("grade")

_V1 = "evenhand/scorecard/v1"

V1 = Version(
    _V1,
    (
        Field("schema", Kind(f'Literal["{_V1}"]', quoted), get=lambda card: _V1),
        Field("id", TEXT, "scorecard"),
        Field("skill", TEXT, "judgement"),
        Field("created", TEXT, "scorecard"),
        Field("rubric", _RUBRIC, "rubric", get=attrgetter("rubric", "receipt.rubric")),
        Field("methodology", TEXT, get=attrgetter("receipt.methodology")),
        Field("judge", NAMES, "judgement"),
        Field("dimensions", _DIMENSIONS, "parts"),
        Field("composite", SCORE_OR_NULL),
        Field("red_flags", _claims("red_flags", RED_FLAG), "parts"),
        Field("deduction", _TOTAL),
        Field("after_deductions", SCORE_OR_NULL),
        Field("bonuses", _claims("bonuses", BONUS), "parts"),
        Field("bonus", _TOTAL),
        Field("final", SCORE_OR_NULL),
        Field("grade", Kind("Letter | None", lambda grade: quoted(grade.letter) if grade else "null")),
        Field("label", Kind("str | None", lambda grade: quoted(grade.label) if grade else "null"), get=_grade_of),
        Field("pass_mark", PASS_MARK, "rubric"),
        Field("passed", YES_NO_OR_NULL),
        Field("next_step", _NEXT_STEP),
        Field("warnings", TEXTS, "scorecard"),
        Field("task", TEXT, "judgement", optional=True),
        Field("output", TEXT, "judgement", optional=True),
        Field("evidence_share", WEIGHT, "judgement", optional=True),
        Field("rescored_from", TEXT, "scorecard", optional=True),
        Field("history", Kind("HistoryDocument | None", _write_history, _read_history), "scorecard"),
        Field("interval", Kind("IntervalDocument", lambda interval: INTERVAL.write(interval)), optional=True),
        Field(
            "audit",
            Kind("list[AuditDocument]", lambda lines: listed([AUDIT.write(line) for line in lines])),
            get=_audit_of,
            optional=True,
            on_request=True,
        ),
        Field(
            "panel",
            Kind("PanelDocument", _write_panel, _read_panel, _panel_checksums),
            "parts",
            get=_panel_of,
            optional=True,
        ),
        Field("receipt", Kind("ReceiptDocument", lambda receipt: RECEIPT.write(receipt), RECEIPT.read), "receipt"),
    ),
)

VERSIONS = {version.schema: version for version in (V1,)}
"""Every version that can be read, by the `schema` its documents name."""
