"""The shape of `evenhand trust agree --format json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from evenhand.stats.agreement.agreed import AgreementReport, FieldAgreement
from evenhand.stats.agreement.coefficients import Coefficient
from shapes.record_types import shape_of

if TYPE_CHECKING:
    AgreementDocument = dict[str, Any]
else:
    _Coefficient = shape_of(Coefficient, title=str, raters=int, meaning=str)
    _Compared = shape_of(FieldAgreement, coefficients=list[_Coefficient])
    AgreementDocument = shape_of(AgreementReport, "evenhand/agreement/v1", comparisons=list[_Compared])


class PlacedDocument(TypedDict):
    """Something about a row."""

    message: str
    file: str | None
    line: int | None


class LabelImportDocument(TypedDict):
    """What `evenhand trust labels import` prints."""

    schema: Literal["evenhand/label-import/v1"]
    source: str
    read_as: str
    item_column: str | None
    joined_by: Literal["submission", "id", "text", "file"]
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
