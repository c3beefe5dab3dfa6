"""How a field of a record is published in JSON, where its name and its type do not say it; bounded numbers. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar

from evenhand.core.rules import DIMENSIONS, GRADES, HIGHEST, LOWEST


class AtLeast:
    """A bound for the JSON Schema; the generator asks every annotation for its part."""

    def __init__(self, low: int) -> None:
        self._bounds = {"minimum": low}

    def __get_pydantic_json_schema__(self, shape: Any, handler: Any) -> Any:
        return handler(shape) | self._bounds


class Between(AtLeast):
    """Bounds on both sides."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low)
        self._bounds["maximum"] = high


Number = int | float
"""A JSON number with at most two decimals; weights may have more."""

SCORE = {"minimum": LOWEST // 100, "maximum": HIGHEST // 100}
"""What holds of a score in a dataclass that is a document: `Annotated[Decimal | None, SCORE]`."""
LETTERS = {"enum": tuple(grade.letter for grade in GRADES)}
"""The same of a grade's letter."""

Score = Annotated[Number, Between(LOWEST // 100, HIGHEST // 100)]
Weight = Annotated[Number, Between(0, 1)]
Whole = Annotated[int, AtLeast(0)]
Letter = Literal["A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "F"]


@dataclass(frozen=True, slots=True)
class Json:
    """Stands in the annotation of a field: `flag: Annotated[str, Json("red_flag", optional=True)]`."""

    name: str = ""
    """Its key, where that is not the field's name."""
    optional: bool = False
    """Left out when it is the field's default; None then has no place in the schema."""
    beside: str = ""
    """Left out unless this other field has a value."""
    unless: str = ""
    """Left out when this other field has a value."""
    flat: Mapping[str, str] | None = None
    """The fields of the record inside are fields of the object around it, under these keys or their own."""
    hidden: bool = False
    """Not published as it is: what writes the document adds it in another form, or it follows from the rest."""
    shape: Any = None
    """The published type, where it is narrower than that of the field: `Score` for a number from 1 to 10."""
    least: int | None = None
    """The smallest whole number that is read."""
    places: int = 4
    """The decimals of a binary number."""
    text: bool = False
    """Whether a decimal number is written as text."""
    write: Callable[[Any], Any] | None = None
    """The published value, where it is of another kind than the field's."""
    read: Callable[[Any], Any] | None = None
    """The field's value from the published one; ValueError says what it must be."""


Count = Annotated[int, Json(shape=Whole)]
Dollars = Annotated[Decimal, Json(shape=Annotated[Number, AtLeast(0)])]

_Getter = TypeVar("_Getter", bound=Callable[[Any], Any])


def published(getter: _Getter) -> _Getter:
    """Marks a property that is published beside the fields; it is computed, and never read."""
    getter.published = True  # type: ignore[attr-defined]
    return getter


def _dimension(value: object) -> str:
    if not isinstance(value, str) or value not in DIMENSIONS:
        raise ValueError("one of the seven dimensions")
    return value


Dimension = Annotated[str, Json(shape=str, read=_dimension)]
SixPlaces = Annotated[float, Json(places=6)]
DecidedBy = Literal[
    "final",
    "correctness",
    "safety",
    "completeness",
    "actionability",
    "adherence",
    "efficiency",
    "consistency",
    "red_flags",
    "bonuses",
    "equivalent",
]


class PictureFacts(TypedDict):
    """A picture: what it is, or why it could not be read."""

    media: NotRequired[str]
    bytes: NotRequired[int]
    sha256: NotRequired[str]
    problem: NotRequired[str]


def picture_facts(images: Sequence[Any]) -> list[PictureFacts]:
    """What is published of pictures in place of their data."""
    return [
        {"problem": image.problem}
        if image.problem
        else {"media": image.media, "bytes": len(image.data), "sha256": image.sha256}
        for image in images
    ]


def _finite(value: Any) -> Any:
    """A value without numbers that JSON cannot express, such as 1e999."""
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return {key: _finite(item) for key, item in value.items()} if isinstance(value, dict) else value


Finite = Annotated[Any, Json(shape=Any, write=_finite)]
Pictures = Json(optional=True, shape=list[PictureFacts], write=picture_facts)
SOURCE = {"file": "source", "line": "source_line"}
"""A place in the transcript's file, beside a quote from it."""
EVENT = {"file": "event_source", "line": "event_line"}
"""The place of the event that contradicts a quote."""

DECLARING = {
    "DecidedBy": DecidedBy,
    "Dimension": Dimension,
    "Finite": Finite,
    "Json": Json,
    "Letter": Letter,
    "Pictures": Pictures,
    "EVENT": EVENT,
    "SOURCE": SOURCE,
    "Score": Score,
    "Tree": Any,  # written and read in `documents.criteria`
    "Weight": Weight,
}
"""What annotations of records name. Modules on the way of `score` import it for types alone: it is found here later."""
