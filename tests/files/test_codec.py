"""The codec: what is declared is written, read back, described, and every mistake in a document is told at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from evenhand.core.published import published
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec


class Colour(Enum):
    """A made-up enum."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was opened."""

    kind: Literal["opened"]
    """Which it is."""
    file: Annotated[str, {"nul": False, "empty": False}]
    """Its path."""


@dataclass(frozen=True, slots=True)
class Called:
    """A tool that was called."""

    kind: Literal["called"]
    """Which it is."""
    times: Annotated[int, {"minimum": 1}] = 1
    """How often."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A score; a bare number is one."""

    FACTS: ClassVar = {"bare": "score", "closed": True}

    score: Annotated[Decimal, {"minimum": 1, "maximum": 10, "places": 2}]
    """From 1 to 10."""
    why: str = ""
    """In words."""

    def problems(self) -> Iterator[Problem]:
        """A mark of 1 needs words."""
        if self.score == 1 and not self.why:
            yield Problem("{name} is 1; say why", path=("score",))


@dataclass(frozen=True, slots=True)
class Whole:
    """A made-up document with every kind of field."""

    SCHEMA: ClassVar = "evenhand/whole/v1"
    FACTS: ClassVar = {"closed": True, "elsewhere": {"first": "first belongs under marks"}}

    text: Annotated[str, {"name": "words"}]
    """Under another key."""
    sure: bool | None
    """Null when it is not known."""
    share: float
    """With four decimals."""
    marks: Annotated[Mapping[str, Mark], {"keys": ("first", "second"), "noun": "mark", "closed": True}]
    """One for each."""
    events: tuple[Opened | Called, ...] = ()
    """What happened."""
    colour: Colour = Colour.RED
    """One of two."""
    keep: Literal["text", "hash"] = "text"
    """What is kept."""
    pair: tuple[float, float] | None = None
    """Two numbers."""
    names: Annotated[tuple[str, ...], {"single": True}] = ()
    """One or more."""
    id: Annotated[str | None, {"read": lambda value: str(value), "write": lambda value: value}] = None
    """Of any kind."""
    raw: Any = None
    """Kept as it is."""
    inner: Whole | None = None
    """Another one."""


FULL = Whole(
    "w", None, 0.123449, {"first": Mark(Decimal("7.50")), "second": Mark(Decimal("8.00"), "why")},
    events=(Opened("opened", "a"), Called("called", 2)), colour=Colour.BLUE, keep="hash", pair=(1.0, 2.5), names=("n",),
    id="7", raw={"x": [1, None]}, inner=Whole("i", True, 1.0, {"first": Mark(Decimal(2)), "second": Mark(Decimal(3))}),
)  # fmt: skip
WRITTEN = {
    "schema": "evenhand/whole/v1", "words": "w", "sure": None, "share": 0.1234,
    "marks": {"first": {"score": 7.5}, "second": {"score": 8, "why": "why"}},
    "events": [{"kind": "opened", "file": "a"}, {"kind": "called", "times": 2}], "colour": "blue", "keep": "hash",
    "pair": [1.0, 2.5], "names": ["n"], "id": "7", "raw": {"x": [1, None]},
    "inner": {
        "schema": "evenhand/whole/v1", "words": "i", "sure": True, "share": 1.0,
        "marks": {"first": {"score": 2}, "second": {"score": 3}},
    },
}  # fmt: skip


def test_a_record_is_written_in_the_order_of_its_fields_and_read_back():
    """Names, kinds of numbers, what is left out because it is the default."""
    written = codec.document(FULL)
    assert written == WRITTEN
    assert list(written) == list(WRITTEN)
    assert codec.document(codec.read(Whole, written)) == written
    assert codec.read(Whole, written) == replace(FULL, share=0.1234)


def test_what_is_written_fits_its_schema_and_the_schema_has_the_sentences():
    """One declaration."""
    schema = codec.schema(Whole)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(WRITTEN)
    assert schema["properties"]["words"] == {"description": "Under another key.", "type": "string"}
    assert schema["required"] == ["words", "sure", "share", "marks"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("change", [{"colour": "green"}, {"marks": {}}, {"extra": 1}, {"pair": [1]}, {"share": "x"}])
def test_reader_and_schema_refuse_the_same(change):
    """They come from one declaration."""
    assert not Draft202012Validator(codec.schema(Whole)).is_valid(WRITTEN | change)
    with pytest.raises(DocumentError):
        codec.read(Whole, WRITTEN | change)


def problems(value, kind=Whole):
    with pytest.raises(DocumentError) as caught:
        codec.read(kind, value)
    return [(problem.path, problem.message) for problem in caught.value.problems]


def test_every_problem_is_reported_at_once():
    """Each with its place, what it is and what is valid."""
    wrong = {
        "wrods": "w",
        "first": 3,
        "sure": "yes",
        "marks": {"first": 11, "secnd": 8, "third": {"score": 8, "wy": ""}},
        "events": [{"kind": "opend"}, {"kind": "opened", "file": ""}, {"kind": "called", "times": 0}, 3],
        "colour": "rde",
        "keep": True,
        "names": [3],
        "pair": [1],
    }
    assert problems(wrong) == [
        (("wrods",), problems({"wrods": 1})[0][1]),
        (("first",), "first belongs under marks"),
        (("words",), "words is missing; it must be text"),
        (("sure",), "sure is text; it must be true or false"),
        (("share",), "share is missing; it must be a number"),
        (("marks", "secnd"), 'unknown mark "secnd"; did you mean second? valid: first, second'),
        (("marks", "third"), 'unknown mark "third"; valid: first, second'),
        (("marks",), "second is missing"),
        (("marks", "first"), "score is 11; it must be a number from 1 to 10"),
        (("events", 0, "kind"), 'unknown kind "opend"; did you mean opened? valid: opened, called'),
        (("events", 1, "file"), "file is empty; write it, or leave it out"),
        (("events", 2, "times"), "times is 0; it must be a whole number from 1"),
        (("events", 3), "events is a number; it must be an object"),
        (("colour",), 'unknown colour "rde"; did you mean red? valid: red, blue'),
        (("keep",), 'unknown keep "True"; valid: text, hash'),
        (("pair",), "pair is a list; it must be a list of 2"),
        (("names", 0), "names is a number; it must be text"),
    ]


def test_what_no_field_shows_alone_is_reported_too():
    """At its place, with the name under which it stands."""
    marks = {"first": {"score": 1}, "second": 8}
    assert problems(WRITTEN | {"marks": marks}) == [(("marks", "first", "score"), "first is 1; say why")]


def test_a_document_of_another_schema_is_refused_before_anything_else():
    """Nothing else about it matters."""
    said = '"evenhand/x/v1" is not a whole; its schema is "evenhand/whole/v1"'
    assert problems({"schema": "evenhand/x/v1"}) == [(("schema",), said)]


def test_a_placed_problem_has_its_file_and_line_and_comes_in_the_order_of_lines():
    """Whoever has the text knows the lines."""
    lines = {"sure": 9, "words": 2}

    def place(problem: Problem) -> Problem:
        return problem._replace(source="f.yaml", line=lines[str(problem.path[0])])

    with pytest.raises(DocumentError) as caught:
        codec.read(Whole, WRITTEN | {"sure": 1, "words": 2}, place=place)
    assert str(caught.value) == (
        "f.yaml:2: words is a number; it must be text\nf.yaml:9: sure is a number; it must be true or false"
    )


def test_null_and_a_missing_key_are_the_default_where_there_is_one():
    """And nothing else is filled in."""
    few = {name: WRITTEN[name] for name in ("words", "sure", "share", "marks")}
    assert codec.read(Whole, few | {"events": None, "keep": None, "id": None}) == codec.read(Whole, few)
    assert codec.read(Whole, few | {"names": "one"}).names == ("one",)


@given(st.decimals(1, 10, places=2))
def test_two_decimals_are_exact(number):
    """No binary digits on the way out or in."""
    written = codec.document(Mark(number, "w"))
    assert codec.read(Mark, written).score == number
    assert repr(written["score"]) == repr(int(number) if number == int(number) else float(number))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), Decimal("1e999999999"), Decimal("1e-999999999"), True])
def test_rejects_what_is_not_a_number(number):
    """Without counting its digits."""
    assert problems({"score": number, "why": ""}, Mark)[0][0] == ("score",)


def test_a_misspelt_fact_and_a_field_without_a_sentence_are_mistakes_of_ours():
    """Found when the schema is made, and by the first document."""

    @dataclass(frozen=True)
    class Misspelt:
        number: Annotated[int, {"minimun": 1}]

    @dataclass(frozen=True)
    class Silent:
        number: int

    with pytest.raises(TypeError, match="minimun"):
        codec.document(Misspelt(1))
    with pytest.raises(TypeError, match="needs a sentence"):
        codec.schema(Silent)


# --- records that share an object, or say a value in another form ----------------------------------------------------


class Spot(NamedTuple):
    """A place in a file."""

    file: str
    line: int | None = None
    unpublished: Annotated[int | None, {"hidden": True}] = None


class Count(TypedDict):
    """How often something was seen."""

    seen: int
    missed: NotRequired[int]


def _read_counts(rows: list[Count]) -> tuple[int, ...]:
    if any(row["seen"] < 0 for row in rows):
        raise ValueError("it must count from 0")
    return tuple(row["seen"] for row in rows)


class Row(NamedTuple):
    """A made-up record with every fact of a field."""

    words: Annotated[str, {"name": "text"}]
    amount: Annotated[Decimal, {"text": True}]
    share: float
    counts: Annotated[
        tuple[int, ...],
        {"shape": list[Count], "write": lambda counts: [{"seen": seen} for seen in counts], "read": _read_counts},
    ]
    hidden: Annotated[int, {"hidden": True}]
    tags: Annotated[tuple[str, ...], {"always": True}] = ()
    quote: str = ""
    checked: Annotated[bool | None, {"beside": "quote", "always": True}] = None
    offset: Annotated[int | None, {"unless": "spot"}] = None
    spot: Annotated[Spot | None, {"flat": {"file": "source", "line": "source_line"}}] = None

    @property
    @published
    def long(self) -> bool:
        """Whether it has many words."""
        return len(self.words) > 9


ROW = Row("w", Decimal("0.10"), 1 / 3, (1, 2), 7, quote="q", offset=0)
ROW_DOCUMENT = {
    "text": "w", "amount": "0.10", "share": 0.3333, "counts": [{"seen": 1}, {"seen": 2}], "tags": [], "quote": "q",
    "checked": None, "offset": 0, "long": False,
}  # fmt: skip


def test_a_named_tuple_is_a_document_too():
    """Decimals as text, values in another form, keys of their own; what is hidden is given by who reads it."""
    assert codec.document(ROW) == ROW_DOCUMENT
    assert list(codec.document(ROW, "evenhand/row/v1"))[:2] == ["schema", "text"]
    assert codec.read(Row, ROW_DOCUMENT, hidden=7) == ROW._replace(share=0.3333)
    assert json.dumps(codec.document(ROW._replace(share=4.0))["share"]) == "4.0"


def test_a_field_is_left_out_beside_or_unless_another():
    """A quote's check needs the quote; a place takes that of the offset."""
    bare = codec.document(ROW._replace(quote=""))
    assert ROW_DOCUMENT.keys() - bare.keys() == {"quote", "checked"}
    placed = codec.document(ROW._replace(spot=Spot("run.jsonl", 7), offset=3))
    assert (placed["source"], placed["source_line"], "offset" in placed) == ("run.jsonl", 7, False)
    assert codec.read(Row, placed, hidden=7).spot == Spot("run.jsonl", 7)
    assert "source_line" not in codec.document(ROW._replace(spot=Spot("run.jsonl")))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"text": 1}, "text is a number; it must be text"),
        ({"amount": 0.1}, "amount is a number; it must be a decimal number as text"),
        ({"amount": "much"}, "amount is text; it must be a decimal number as text"),
        ({"amount": "NaN"}, 'amount is "NaN"; it must be a decimal number as text'),
        ({"counts": [{"seen": "1"}]}, "counts.0.seen is text; it must be a whole number"),
        ({"counts": [{}]}, "counts.0.seen is missing; it must be a whole number"),
        ({"counts": [{"seen": -1}]}, "counts must count from 0"),
        ({"tags": None}, "tags is null; it must be a list"),
        ({"source": 3}, "source: file is a number; it must be text"),
        ({"source_line": 3}, "source: file is missing; it must be text"),
    ],
)
def test_a_part_of_a_document_is_refused_with_the_whole_way_to_it(change, problem):
    """And with what it is a part of, since there may be no line to name."""
    with pytest.raises(DocumentError) as refused:
        codec.read(Row, ROW_DOCUMENT | change, part_of="scorecard", where="rows.1", hidden=7)
    assert str(refused.value) == f"not a whole scorecard: rows.1.{problem}"
    assert refused.value.problems[0].path[:2] == ("rows", 1)


def test_what_is_always_written_may_not_be_missing():
    """A document that lacks it is not whole; what people leave out has its default."""
    with pytest.raises(DocumentError, match=r"^tags is missing; it must be a list$"):
        codec.read(Row, {key: value for key, value in ROW_DOCUMENT.items() if key != "tags"}, hidden=7)


def test_all_problems_of_a_list_are_reported_at_once():
    """Each with its place."""
    spots = [{"file": "a"}, 3, {"file": 1}]
    assert codec.read_list(Spot, spots[:1], "card", "spots") == (Spot("a"),)
    with pytest.raises(DocumentError) as refused:
        codec.read_list(Spot, spots, "card", "spots")
    assert [problem.path for problem in refused.value.problems] == [("spots", 1), ("spots", 2, "file")]
