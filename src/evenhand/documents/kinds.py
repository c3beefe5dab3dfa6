"""What a field of a scorecard's document is: its published type, how it is written, how it is read back. Pure.

A field is declared once, in `fields`. The writer, the reader, the checksums and the JSON Schema all
walk those declarations, so that a new field is one entry there and its value on the scorecard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, TypeVar

from evenhand.core.numbers import HIGHEST_SCORE, LOWEST_SCORE, cents, exact
from evenhand.core.receipt import canonical_text, names_text, number_text, quoted
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec

Origin = Literal["scorecard", "judgement", "checks", "rubric", "parts", "receipt", "computed"]
"""Where a field's value comes from, and with that how it is restored and what vouches for it:

scorecard  made with the scorecard, and kept as it is; the receipt has its checksum
judgement  the same, and part of the judgement that is scored again
checks     the same, and together what programs contributed to the judgement
rubric     the same, and part of the terms it is scored with
parts      several values of the judgement and the rubric, each with its own checksum
receipt    the hashes themselves
computed   follows from the other fields; it is computed again, and never read"""


class Kind(NamedTuple):
    """A type of value: what the schema calls it, and the way to text and back."""

    shape: str
    """Its type in the JSON Schema; the names are those of `shapes.scorecard`. Text: scoring needs no types."""
    write: Callable[[Any], Any]
    """The value as canonical text. Parts give the receipt's entries for them too, each a path and its checksum."""
    read: Callable[[Any, str], Any] | None = None
    """The value from what the document says at a path, or DocumentError; None when it is never read."""
    checksums: Callable[[Any], dict[str, str]] | None = None
    """For parts only: the checksums of what a document says, by their path."""


class Field(NamedTuple):
    """One field of a document or of a line in it."""

    name: str
    kind: Kind
    origin: Origin = "computed"
    get: Callable[[Any], Any] | None = None
    """How the value is got where it is not the one of this name."""
    optional: bool = False
    """Left out when the value is None."""
    on_request: bool = False
    """Left out unless asked for."""

    def value_of(self, card: Any) -> Any:
        """The value of a scorecard for this field."""
        return getattr(card, self.name) if self.get is None else self.get(card)

    @property
    def checksummed(self) -> bool:
        """Whether the receipt holds a checksum of the whole field: nothing else vouches for it, or that it is there."""
        return self.on_request or self.origin in ("scorecard", "judgement", "checks", "rubric")

    def restored(self, document: Mapping[str, Any], where: str) -> Any:
        """The value a document states for this field."""
        assert self.kind.read is not None, f"{self.name} is computed"
        if self.optional and self.name not in document:
            return None
        return self.kind.read(document.get(self.name), where + self.name)


class Line:
    """An object with fixed fields: a dimension, a red flag, a total. Written in canonical form, its keys sorted."""

    def __init__(self, shape: str, summary: str, names: tuple[str, ...], *fields: Field) -> None:
        self.shape = shape
        self.summary = summary
        self.fields = fields
        ordered = sorted(fields, key=lambda field: field.name)
        self._steps = [
            (f'"{field.name}":', names.index(field.name), field.kind.write, field.optional) for field in ordered
        ]
        self._read = [field for field in fields if field.kind.read is not None]

    def write(self, value: Any) -> str:
        """Canonical text."""
        texts = []
        for key, place, write, optional in self._steps:
            part = value[place]
            if part is not None or not optional:
                texts.append(key + write(part))
        return "{" + ",".join(texts) + "}"

    def read(self, document: Any, where: str) -> dict[str, Any]:
        """The values that are not computed, by name."""
        stated = table(document, where)
        return each((field.name, partial(field.restored, stated, f"{where}.")) for field in self._read)


NOT_WHOLE = "not a whole scorecard"


def malformed(field: str, valid: str) -> DocumentError:
    """What is wrong with a document that should be a scorecard."""
    return DocumentError(Problem(f"{NOT_WHOLE}: {field} must be {valid}", path=codec.field_path(field)))


_Value = TypeVar("_Value")


def each(reads: Iterable[tuple[str, Callable[[], _Value]]]) -> dict[str, _Value]:
    """What each of some readings gives, by its name. DocumentError with everything that is wrong in any of them."""
    values: dict[str, _Value] = {}
    problems: list[Problem] = []
    for name, read in reads:
        try:
            values[name] = read()
        except DocumentError as error:
            problems += error.problems
    if problems:
        raise DocumentError(problems)
    return values


def record_json(record: Any) -> str:
    """A dataclass, or null, as canonical text."""
    return "null" if record is None else canonical_text(codec.document(record))


def table(value: Any, where: str) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise malformed(where, "an object")
    return value


def rows(value: Any, where: str) -> list[dict[str, Any]]:
    """A list of objects, each with a different id."""
    if not isinstance(value, list) or not all(
        isinstance(row, dict) and isinstance(row.get("id"), str) for row in value
    ):
        raise malformed(where, "a list of objects with an id")
    if len({row["id"] for row in value}) != len(value):
        raise malformed(where, "a list without repeated ids")
    return value


def listed(texts: list[str]) -> str:
    """A list of what is text already."""
    return f"[{','.join(texts)}]"


def _read_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise malformed(where, "text")
    return value


def _read_texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise malformed(where, "a list of texts")
    return tuple(value)


def _read_number(value: Any, where: str) -> Decimal:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise malformed(where, "a number")
    return exact(value)


def _read_cents(value: Any, where: str) -> Decimal:
    return cents(_read_number(value, where))


def _read_score(value: Any, where: str) -> Decimal | None:
    if value is None:
        return None
    number = _read_number(value, where)
    if not LOWEST_SCORE <= number <= HIGHEST_SCORE:
        raise malformed(where, f"a number from {LOWEST_SCORE} to {HIGHEST_SCORE}")
    return cents(number)


@lru_cache(maxsize=4096)
def _number_or_null(number: Decimal | None) -> str:
    return "null" if number is None else number_text(number)


def _write_texts(texts: tuple[str, ...]) -> str:
    return listed([quoted(text) for text in texts]) if texts else "[]"


YES_NO = {True: "true", False: "false", None: "null"}

TEXT = Kind("str", quoted, _read_text)
TEXTS = Kind("list[str]", _write_texts, _read_texts)
NAMES = Kind("dict[str, str]", names_text, table)
NUMBER = Kind("Number", number_text)
NUMBER_OR_NULL = Kind("Number | None", _number_or_null)
AMOUNT = Kind("Number", number_text, _read_cents)
WEIGHT = Kind("Weight", number_text, _read_number)
PASS_MARK = Kind("Score", number_text, _read_cents)
SCORE_OR_NULL = Kind("Score | None", _number_or_null, _read_score)
YES_NO_OR_NULL = Kind("bool | None", YES_NO.__getitem__)
