"""Published records: a named tuple declares one, and its JSON, the way back and its schema follow from it. Pure.

The fields are published under their names and in the types that JSON has for them; `Json` in a field's annotation says
what differs, and properties marked with `published` are written too. Nothing is derived before the first document of a
type is written or read.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from evenhand.core.numbers import cents, exact, plain
from evenhand.core.rules import DIMENSIONS
from evenhand.core.values import Evidence
from evenhand.errors import DocumentError, Problem
from evenhand.files.published import DECLARING, Json, Number, Score

_Record = TypeVar("_Record")
_WORDS = {str: "text", int: "a whole number", bool: "true or false"}


class _Wrong(Exception):
    """A value that cannot be read: what is wrong with it, and the steps to it."""

    def __init__(self, problem: str, *steps: str | int) -> None:
        self.problem = problem
        self.steps = steps


class _Codec(NamedTuple):
    """One type: how it is written and read, and its type in the schema."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    shape: Any


class _Field(NamedTuple):
    attribute: str
    key: str
    codec: _Codec
    json: Json
    default: Any
    usual: bool
    """Whether it is always written, under one key."""
    needed: bool
    """Whether every document has it."""


def document_of(record: Any, schema: str = "") -> dict[str, Any]:
    """A record as plain values for JSON, with the name of its schema in front."""
    document: dict[str, Any] = {"schema": schema} if schema else {}
    kind: Any = type(record)
    for attribute, key, codec, json, default, usual, _ in _fields(kind):
        value = getattr(record, attribute)
        if usual:
            document[key] = value if codec.write is _as_it_is else codec.write(value)
            continue
        if json.optional and value == default:
            continue
        if (json.beside and not getattr(record, json.beside)) or (json.unless and getattr(record, json.unless)):
            continue
        if json.flat is None:
            document[key] = codec.write(value)
        elif value is not None:
            parts = codec.write(value)
            names = json.flat or dict(zip(parts, parts, strict=True))
            document |= {names[name]: part for name, part in parts.items() if name in names and part is not None}
    for name in _computed(kind):
        document[name] = getattr(record, name)
    return document


def record_from(kind: type[_Record], document: Any, what: str, where: str = "", **hidden: Any) -> _Record:
    """The record in a document. DocumentError, naming its place, when it is not whole.

    `what` is what it should be, and `hidden` are the fields that are not published as they are.
    """
    try:
        record: _Record = _read(kind, document, **hidden)
    except _Wrong as wrong:
        place = ".".join(map(str, (*([where] if where else []), *wrong.steps)))
        message = f"not a whole {what}: {place or 'it'} {wrong.problem}"
        raise DocumentError(Problem(message, path=field_path(place) if place else ())) from None
    return record


def records_from(kind: type[_Record], documents: Any, what: str, where: str) -> tuple[_Record, ...]:
    """A list of records at a place of a document."""
    if not isinstance(documents, list):
        raise DocumentError(Problem(f"not a whole {what}: {where} must be a list", path=field_path(where)))
    return tuple(record_from(kind, row, what, f"{where}.{place}") for place, row in enumerate(documents))


@lru_cache
def shape_of(kind: Any, schema: str = "", **computed: Any) -> Any:
    """The type of a record in the schema; `computed` are fields that the writer adds."""
    fields: dict[str, Any] = {"schema": Literal[schema]} if schema else {}
    computed = _computed(kind) | computed
    for _, key, codec, json, _, _, needed in _fields(kind):
        if json.flat is not None:
            for name, part in get_type_hints(codec.shape, include_extras=True).items():
                if not json.flat or name in json.flat:
                    choices = [choice for choice in get_args(part) if choice is not type(None)]
                    or_null = get_origin(part) in (Union, types.UnionType) and len(choices) < len(get_args(part))
                    plain_part = Union[tuple(choices)] if or_null else part  # noqa: UP007 (of any number of types)
                    fields[json.flat.get(name, name)] = _needed(plain_part, needed and not or_null)
        else:
            fields[key] = _needed(codec.shape, needed)
    shape: Any = typing.TypedDict(f"{kind.__name__}Document", fields | computed)  # type: ignore[misc]
    shape.__doc__ = kind.__doc__
    return shape


def for_each_dimension(name: str, summary: str, kind: Any) -> Any:
    """The type of an object with a value for each of the seven dimensions."""
    shape: Any = typing.TypedDict(name, dict.fromkeys(DIMENSIONS, kind))  # type: ignore[misc]
    shape.__doc__ = summary
    return shape


def _needed(shape: Any, needed: bool) -> Any:
    return shape if needed or get_origin(shape) is NotRequired else NotRequired[shape]


def _read(kind: Any, document: Any, **values: Any) -> Any:
    if not isinstance(document, Mapping):
        raise _Wrong("must be an object")
    for attribute, key, codec, json, default, _, needed in _fields(kind):
        if json.flat is not None:
            names = json.flat or {name: name for name in codec.shape.__annotations__}
            nulls = dict.fromkeys(codec.shape.__annotations__) if json.flat else {}
            inner = {name: document[outer] for name, outer in names.items() if outer in document}
            values[attribute] = codec.read(nulls | inner) if inner or not json.optional else default
        elif key in document:
            try:
                values[attribute] = codec.read(document[key])
            except _Wrong as wrong:
                raise _Wrong(wrong.problem, key, *wrong.steps) from None
        elif not needed:
            values[attribute] = default
        else:
            raise _Wrong("is missing", key)
    return kind(**values)


@lru_cache
def _fields(kind: Any) -> tuple[_Field, ...]:
    """The declared fields of a record."""
    hints = get_type_hints(kind, localns=DECLARING, include_extras=True)
    defaults = kind._field_defaults
    fields = []
    for name in kind._fields:  # the names of a named tuple
        json = _json_in(hints[name])
        if json.hidden:
            continue
        conditional = json.optional or bool(json.beside or json.unless)
        codec = _codec(hints[name], json)
        fields.append(
            _Field(
                name,
                json.name or name,
                codec,
                json,
                defaults.get(name),
                usual=not conditional and json.flat is None,
                needed=not conditional,
            )
        )
    return tuple(fields)


@lru_cache
def _computed(kind: Any) -> dict[str, Any]:
    """The properties that are published, with their types."""
    getters = {name: part.fget for name, part in vars(kind).items() if isinstance(part, property)}
    marked = {name: getter for name, getter in getters.items() if hasattr(getter, "published")}
    return {name: get_type_hints(getter)["return"] for name, getter in marked.items()}


_AS_IT_IS = Json()


def _json_in(hint: Any) -> Json:
    extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((extra for extra in extras if isinstance(extra, Json)), _AS_IT_IS)


def _codec(hint: Any, json: Json) -> _Codec:
    """How a type is published."""
    if json.write is not None or json.read is not None:
        return _Codec(json.write or _as_it_is, _reading(json.read), json.shape)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _codec(parts[0], json if _json_in(hint) is _AS_IT_IS else _json_in(hint))
    if hint is Evidence:
        return _evidence()
    if origin in (Union, types.UnionType):
        codec = _codec(next(part for part in parts if part is not type(None)), json)
        return codec if json.optional else _or_null(codec)  # what is left out instead is never null
    if origin is Literal:
        return _Codec(_as_it_is, lambda value: _one_of(value, parts), json.shape or hint)
    if origin is tuple:
        return _list(_codec(parts[0], json), len(parts) if parts[-1] is not Ellipsis else None)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(_codec(parts[1], json))
    if hint is float:
        return _Codec(lambda value: round(value, json.places), lambda value: float(_number(value)), json.shape or float)
    if hint is Decimal:
        return _decimal(json)
    if hasattr(hint, "_fields"):
        return _Codec(document_of, lambda value: _read(hint, value), shape_of(hint))
    return _Codec(_as_it_is, lambda value: _plain(value, hint, json.least), json.shape or hint)


def _reading(read: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def guarded(value: Any) -> Any:
        try:
            return value if read is None else read(value)
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
            raise _Wrong(f"must be {error if type(error) is ValueError else 'as it was written'}") from None

    return guarded


def _as_it_is(value: Any) -> Any:
    return value


def _or_null(codec: _Codec) -> _Codec:
    return _Codec(
        _as_it_is if codec.write is _as_it_is else lambda value: None if value is None else codec.write(value),
        lambda value: None if value is None else codec.read(value),
        codec.shape | None,
    )


def _list(codec: _Codec, size: int | None) -> _Codec:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or (size is not None and len(value) != size):
            raise _Wrong("must be a list" if size is None else f"must be a list of {size}")
        return tuple(_inside(codec, place, item) for place, item in enumerate(value))

    write = list if codec.write is _as_it_is else lambda value: [codec.write(item) for item in value]
    return _Codec(write, read, list[codec.shape])  # type: ignore[name-defined]


def _mapping(codec: _Codec) -> _Codec:
    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _Wrong("must be an object")
        return {name: _inside(codec, name, item) for name, item in value.items()}

    write = dict if codec.write is _as_it_is else lambda value: {k: codec.write(item) for k, item in value.items()}
    return _Codec(write, read, dict[str, codec.shape])  # type: ignore[name-defined]


def _inside(codec: _Codec, step: str | int, value: Any) -> Any:
    try:
        return codec.read(value)
    except _Wrong as wrong:
        raise _Wrong(wrong.problem, step, *wrong.steps) from None


def _decimal(json: Json) -> _Codec:
    if json.text:
        return _Codec(str, _decimal_text, str)
    if json.shape is float:
        return _Codec(lambda value: round(float(value), json.places), lambda value: exact(_number(value)), float)
    round_to = cents if json.shape is Score else exact
    return _Codec(plain, lambda value: round_to(exact(_number(value))), json.shape or Number)


def _decimal_text(value: Any) -> Decimal:
    try:
        number = Decimal(value) if isinstance(value, str) else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise _Wrong("must be a decimal number as text")
    return number


def _number(value: Any) -> int | float | Decimal:
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        raise _Wrong("must be a number")
    return value


def _one_of(value: Any, words: tuple[str, ...]) -> Any:
    if value not in words:
        raise _Wrong(f"must be one of {', '.join(map(str, words))}")
    return value


def _plain(value: Any, kind: type[Any], least: int | None) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _Wrong(f"must be {_WORDS[kind]}")
    if least is not None and value < least:
        raise _Wrong(f"must be {least} or more")
    return value


def _evidence() -> _Codec:
    """A quote as scorecards have it: with its line and offset only where it was found, or with its source."""
    return _Codec(evidence_document, _reading(evidence_from), EvidenceDocument)


class EvidenceDocument(typing.TypedDict):
    """A verbatim quote, and whether and where it is in the output."""

    quote: str
    verified: bool | None
    line: NotRequired[int]
    offset: NotRequired[int]
    source: NotRequired[str]


def evidence_from(row: Any) -> Evidence:
    """One quote from its published form; ValueError when it is not one."""
    if not _is_evidence(row):
        raise ValueError("a quote, verified with its line and offset or not verified")
    return Evidence(row["quote"], row["verified"], row.get("line"), row.get("offset"), row.get("source"))


def _is_evidence(row: Any) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("quote"), str):
        return False
    if row.get("verified") is True:
        placed = type(row.get("line")) is int and type(row.get("offset")) is int
        return isinstance(row.get("source"), str) or placed
    return "verified" in row and row["verified"] in (None, False)


def evidence_document(evidence: Evidence) -> dict[str, Any]:
    """A quote in its published form."""
    document: dict[str, Any] = {"quote": evidence.quote, "verified": evidence.verified}
    if evidence.source is not None:
        return document | {"source": evidence.source}
    return document | {"line": evidence.line, "offset": evidence.offset} if evidence.verified else document


def field_path(field: str) -> tuple[str | int, ...]:
    """The path of a value inside a document, from its name with dots."""
    return tuple(int(part) if part.isdecimal() else part for part in field.split("."))
