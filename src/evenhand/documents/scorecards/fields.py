"""The fields of a scorecard's document, each declared once, in the order in which they are written. Pure.

To add a field: its value on `Scorecard`, and one `Field` here; where the value is itself an object, a `Line` for
it in `lines`. The panel and the history are one field each, and what is inside them is written and read in
`documents.panel` and `documents.history`: few scorecards have them, most of a panel is computed from what each judge
said, and nothing in them is read alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any

from evenhand.core.receipt import canonical_text, quoted
from evenhand.core.scorecard import Receipt, Scorecard
from evenhand.documents.kinds import (
    NAMES,
    PASS_MARK,
    SCORE_OR_NULL,
    TEXT,
    TEXTS,
    YES_NO_OR_NULL,
    Field,
    Kind,
    listed,
    record_json,
)
from evenhand.documents.scorecards.lines import BONUS, DIMENSIONS_KIND, RED_FLAG, RUBRIC, claims_kind
from evenhand.files import codec


def _panel_of(card: Scorecard) -> Any:
    return None if card.panel is None or card.agreement is None else (card.panel, card.agreement)


def _rare(name: str) -> Callable[..., Any]:
    """A function of `rare_fields`, which is loaded when a scorecard has such a field: few have any."""

    def call(*values: Any) -> Any:
        from evenhand.documents.scorecards import rare_fields

        return getattr(rare_fields, name)(*values)

    return call


def _read_history(value: Any, where: str) -> Any:
    """What the history said then; it cannot be computed again from the scorecard alone."""
    if value is None:
        return None
    from evenhand.documents.scorecards.history import history_from

    return history_from(value, where)


def _receipt_from(value: Any, where: str) -> Receipt:
    return codec.read(Receipt, value, part_of="scorecard", where=where)


def _of_checks(name: str) -> Callable[[Scorecard], Any]:
    """A part of what programs contributed; None when they did not run or contributed nothing to it."""

    def get(card: Scorecard) -> Any:
        value = None if card.checked is None else getattr(card.checked, name)
        return None if name in ("expectations", "lifted", "endings") and not value else value

    return get


def _bounds_of(card: Scorecard) -> Any:
    return None if card.checked is None else card.bounds


# Lines of which there are few are remembered, not written again.
_TOTAL = Kind("TotalDocument", lru_cache(maxsize=1024)(record_json))
_NEXT_STEP = Kind("NextStepDocument | None", lru_cache(maxsize=4096)(record_json))
_RUBRIC = Kind("RubricNameDocument", lru_cache(maxsize=256)(RUBRIC.write), RUBRIC.read)
_grade_of = attrgetter("grade")

SCHEMA = "evenhand/scorecard/v1"

FIELDS = (
    Field("schema", Kind(f'Literal["{SCHEMA}"]', quoted), get=lambda card: SCHEMA),
    Field("id", TEXT, "scorecard"),
    Field("case", TEXT, "scorecard", optional=True),
    Field("skill", TEXT, "judgement"),
    Field("created", TEXT, "scorecard"),
    Field("rubric", _RUBRIC, "rubric", get=attrgetter("rubric", "receipt.rubric")),
    Field("methodology", TEXT, get=attrgetter("receipt.methodology")),
    Field("judge", NAMES, "judgement"),
    Field("dimensions", DIMENSIONS_KIND, "parts"),
    Field("composite", SCORE_OR_NULL),
    Field("red_flags", claims_kind("red_flags", RED_FLAG), "parts"),
    Field("deduction", _TOTAL),
    Field("after_deductions", SCORE_OR_NULL),
    Field("bonuses", claims_kind("bonuses", BONUS), "parts"),
    Field("bonus", _TOTAL),
    Field("final", SCORE_OR_NULL),
    Field("grade", Kind("Letter | None", lambda grade: quoted(grade.letter) if grade else "null")),
    Field("label", Kind("str | None", lambda grade: quoted(grade.label) if grade else "null"), get=_grade_of),
    Field("pass_mark", PASS_MARK, "rubric"),
    Field("passed", YES_NO_OR_NULL),
    Field("next_step", _NEXT_STEP),
    Field("warnings", TEXTS, "scorecard"),
    Field("task", TEXT, "judgement", optional=True),
    Field("reference", TEXT, "judgement", optional=True),
    Field("output", TEXT, "judgement", optional=True),
    Field("rescored_from", TEXT, "scorecard", optional=True),
    Field("rubric_version", TEXT, "scorecard", optional=True),
    Field("skill_version", TEXT, "scorecard", optional=True),
    Field("history", Kind("HistoryDocument | None", record_json, _read_history), "scorecard"),
    Field(
        "calibration",
        Kind("CalibratedDocument", _rare("calibrated_json"), _rare("calibrated_from")),
        "scorecard",
        optional=True,
    ),
    Field(
        "official",
        Kind("OfficialDocument", _rare("official_json"), _rare("official_from")),
        "rubric",
        optional=True,
    ),
    Field("review", Kind("ReviewDocument", record_json, _rare("review_from")), "scorecard", optional=True),
    Field("suite", Kind("SuitePlaceDocument", record_json, _rare("suite_from")), "scorecard", optional=True),
    Field("checks", TEXT, "checks", get=_of_checks("checks"), optional=True),
    Field(
        "findings",
        Kind("list[FindingDocument]", _rare("findings_json"), _rare("findings_from")),
        "checks",
        get=_of_checks("findings"),
        optional=True,
    ),
    Field("coverage", TEXTS, "checks", get=_of_checks("coverage"), optional=True),
    Field(
        "expectations",
        Kind("list[ExpectationDocument]", _rare("records_json"), _rare("expected_from")),
        "checks",
        get=_of_checks("expectations"),
        optional=True,
    ),
    Field(
        "lifted",
        Kind("list[LiftedDocument]", _rare("records_json"), _rare("lifted_from")),
        "checks",
        get=_of_checks("lifted"),
        optional=True,
    ),
    Field(
        "endings",
        Kind("list[EndedDocument]", _rare("records_json"), _rare("endings_from")),
        "checks",
        get=_of_checks("endings"),
        optional=True,
    ),
    Field("bounds", Kind("dict[str, BoundDocument]", _rare("bounds_json")), get=_bounds_of, optional=True),
    Field("interval", Kind("IntervalDocument", record_json), optional=True),
    Field(
        "audit",
        Kind("list[AuditDocument]", lambda lines: listed([record_json(line) for line in lines])),
        get=_rare("audit"),
        optional=True,
        on_request=True,
    ),
    Field(
        "recommendations",  # put in by `recommending`
        Kind("list[RecommendationDocument]", lambda entries: canonical_text([*map(codec.document, entries)])),
        optional=True,
        on_request=True,
    ),
    Field(
        "panel",
        Kind("PanelDocument", _rare("panel_parts"), _rare("panel_and_deductions"), _rare("panel_checksums")),
        "parts",
        get=_panel_of,
        optional=True,
    ),
    Field("receipt", Kind("ReceiptDocument", record_json, _receipt_from), "receipt"),
)
"""In the order in which they are written; the receipt comes last, since it has the checksums of all others."""
