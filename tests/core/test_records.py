"""A published record is declared once: its JSON, the way back and its schema follow from the named tuple."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple, get_type_hints

import pytest

from evenhand.errors import DocumentError
from evenhand.files.published import Json, Score
from evenhand.files.records import document_of, record_from, records_from, shape_of


class Spot(NamedTuple):
    file: str
    line: int | None = None
    unpublished: int | None = None


class Inner(NamedTuple):
    name: str
    share: float


class Record(NamedTuple):
    """A made-up record with every kind of field."""

    words: Annotated[str, Json("text")]
    kind: Literal["a", "b"]
    score: Annotated[Decimal, Json(shape=Score)]
    amount: Annotated[Decimal, Json(text=True)]
    count: Annotated[int, Json(least=1)]  # type: ignore[assignment]
    sure: bool | None
    inner: tuple[Inner, ...]
    named: Mapping[str, Inner | None]
    pair: tuple[float, float]
    hidden: Annotated[int, Json(hidden=True)] = 0
    quote: Annotated[str, Json(optional=True)] = ""
    checked: Annotated[bool | None, Json(beside="quote")] = None
    offset: Annotated[int | None, Json(optional=True, unless="spot")] = None
    spot: Annotated[Spot | None, Json(flat={"file": "source", "line": "source_line"}, optional=True)] = None


FULL = Record(
    "w", "b", Decimal("7.50"), Decimal("0.10"), 1, None, (Inner("x", 0.5),), {"y": None, "z": Inner("q", 1.0)},
    (1.0, 2.5), quote="q", checked=None, offset=0,
)  # fmt: skip
DOCUMENT = {
    "text": "w", "kind": "b", "score": 7.5, "amount": "0.10", "count": 1, "sure": None,
    "inner": [{"name": "x", "share": 0.5}], "named": {"y": None, "z": {"name": "q", "share": 1.0}}, "pair": [1.0, 2.5],
    "quote": "q", "checked": None, "offset": 0,
}  # fmt: skip


def test_a_record_is_written_as_declared_and_read_back():
    """Names, kinds of numbers, what is left out."""
    assert document_of(FULL) == DOCUMENT
    assert record_from(Record, json.loads(json.dumps(DOCUMENT)), "record") == FULL
    assert document_of(FULL, "evenhand/made/v1") == {"schema": "evenhand/made/v1", **DOCUMENT}


def test_what_has_its_default_value_is_left_out_where_it_may_be():
    """With what stands beside it; 0 is a value where the default is None."""
    bare = FULL._replace(quote="", offset=None)
    assert DOCUMENT.keys() - document_of(bare).keys() == {"quote", "checked", "offset"}
    assert record_from(Record, document_of(bare), "record") == bare


@pytest.mark.parametrize("spot", [Spot("run.jsonl", 7), Spot("run.jsonl")])
def test_a_record_inside_can_be_part_of_the_object_around_it(spot):
    """Under other keys; it takes the place of the offset."""
    placed = FULL._replace(spot=spot, offset=None)
    document = document_of(placed._replace(offset=3))
    assert {key: document[key] for key in document.keys() - DOCUMENT.keys()} == {
        "source": "run.jsonl",
        **({"source_line": 7} if spot.line else {}),
    }
    assert "offset" not in document
    read = record_from(Record, document, "record")
    assert read.spot is not None
    assert (read.spot.file, read.spot.line) == (spot.file, spot.line)


def test_binary_numbers_have_four_decimals():
    """So that a document does not depend on the last bit."""
    assert document_of(Inner("x", 1 / 3)) == {"name": "x", "share": 0.3333}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"text": 1}, "text must be text"),
        ({"kind": "c"}, "kind must be one of a, b"),
        ({"score": "7"}, "score must be a number"),
        ({"score": True}, "score must be a number"),
        ({"amount": 0.1}, "amount must be a decimal number as text"),
        ({"amount": "much"}, "amount must be a decimal number as text"),
        ({"amount": "NaN"}, "amount must be a decimal number as text"),
        ({"count": 0}, "count must be 1 or more"),
        ({"count": 1.5}, "count must be a whole number"),
        ({"count": True}, "count must be a whole number"),
        ({"sure": 1}, "sure must be true or false"),
        ({"inner": {}}, "inner must be a list"),
        ({"inner": [{"name": "x"}]}, "inner.0.share is missing"),
        ({"inner": [{"name": "x", "share": 1}, 3]}, "inner.1 must be an object"),
        ({"named": {"z": {"name": 3, "share": 1}}}, "named.z.name must be text"),
        ({"pair": [1]}, "pair must be a list of 2"),
        ({"offset": None}, "offset must be a whole number"),
    ],
)
def test_what_was_not_written_here_is_refused_with_its_place(change, problem):
    """One wrong value in an otherwise whole document."""
    with pytest.raises(DocumentError) as caught:
        record_from(Record, DOCUMENT | change, "record")
    assert str(caught.value) == f"not a whole record: {problem}"
    with pytest.raises(DocumentError) as caught:
        records_from(Record, [DOCUMENT, DOCUMENT | change], "list", "rows")
    assert str(caught.value) == f"not a whole list: rows.1.{problem}"


def test_what_is_not_a_record_at_all_is_refused():
    """With or without a place."""
    with pytest.raises(DocumentError, match=r"^not a whole record: it must be an object$"):
        record_from(Record, 3, "record")
    with pytest.raises(DocumentError, match=r"^not a whole record: rows must be a list$"):
        records_from(Record, {}, "record", "rows")


def test_the_schema_has_the_declared_types():
    """Optional fields are not required, and computed ones are added."""
    shape = shape_of(Record, "evenhand/made/v1", id=str)
    hints = get_type_hints(shape)
    assert (hints["schema"], hints["id"], hints["text"]) == (Literal["evenhand/made/v1"], str, str)
    assert (hints["source"], hints["source_line"], hints["offset"]) == (str, int, int)
    assert hints["checked"] == bool | None
    assert "hidden" not in hints and "unpublished" not in hints
    assert shape.__optional_keys__ == {"quote", "checked", "offset", "source", "source_line"}
