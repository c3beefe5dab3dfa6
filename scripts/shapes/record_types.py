"""The type of a record's document, for schemas that are generated from types: a TypedDict, as pydantic reads it.

Such a schema joins what is derived from records with what other types declare by hand, which `codec.schema` cannot.
"""

from __future__ import annotations

import typing
from functools import lru_cache
from typing import Annotated, Any, Literal, NotRequired, Union

from evenhand.core.published import LETTERS, SCORE, SHARE
from evenhand.core.rules import DIMENSIONS
from evenhand.files.forms import Either, Field, Form, Given, Keyed, List, Record, Table, Text, Words, YesNo, record_of
from evenhand.files.forms import Number as NumberForm


class Keywords:
    """Further keywords for the JSON Schema; the generator asks every annotation for its part."""

    def __init__(self, **keywords: Any) -> None:
        self._keywords = keywords

    def __get_pydantic_json_schema__(self, shape: Any, handler: Any) -> Any:
        return handler(shape) | self._keywords


Number = int | float
"""A JSON number with at most two decimals; weights may have more."""

Score = Annotated[Number, Keywords(**SCORE)]
Weight = Annotated[Number, Keywords(**SHARE)]
Whole = Annotated[int, Keywords(minimum=0)]
Letter: Any = Literal[LETTERS["enum"]]


@lru_cache
def shape_of(kind: Any, schema: str = "", title: str = "", /, **added: Any) -> Any:
    """The type of a record's document; `added` are fields that the writer adds, or writes in another form."""
    record = record_of(kind)
    fields: dict[str, Any] = {"schema": Literal[schema]} if schema else {}
    for field in record.fields:
        if field.flat is None:
            fields[field.key] = _needed(_left_out(field), field.needed)
            continue
        always = field.always and not isinstance(field.form, Either)
        inner = {part.key: part for part in field.inner.fields}
        for name, key in field.flat.items():
            form = inner[name].form
            needed = always and inner[name].needed and not (isinstance(form, Either) and form.null)
            fields[key] = _needed(_type_of(form, null=False), needed)
    computed = {name: _type_of(form) for name, form in record.computed.items()}
    shape: Any = typing.TypedDict(title or f"{kind.__name__}Document", fields | computed | added)  # type: ignore[misc]
    shape.__doc__, shape.__module__ = kind.__doc__, "evenhand"  # where two have one name, a schema shows the module
    return shape


def for_each_dimension(name: str, summary: str, kind: Any) -> Any:
    """The type of an object with a value for each of the seven dimensions."""
    shape: Any = typing.TypedDict(name, dict.fromkeys(DIMENSIONS, kind))  # type: ignore[misc]
    shape.__doc__ = summary
    return shape


def _needed(shape: Any, needed: bool) -> Any:
    return shape if needed else NotRequired[shape]


def _left_out(field: Field) -> Any:
    """The type of a field: what is left out where it is None is never null."""
    return _type_of(field.form, null=field.always or field.default is not None)


def _type_of(form: Form, *, null: bool = True) -> Any:
    if isinstance(form, Given):
        return form.facts.get("shape") or _type_of(form.form, null=null)
    if isinstance(form, Either):
        kinds = [_type_of(part) for part in form.forms] + [None] * (form.null and null)
        return Union[tuple(kinds)]  # noqa: UP007 (of any number of types)
    if isinstance(form, List):
        return list[_type_of(form.items)]  # type: ignore[misc]
    if isinstance(form, Table):
        return dict[str, _type_of(form.items)]  # type: ignore[misc]
    if isinstance(form, Keyed):
        return form.kind
    if isinstance(form, Record):
        return shape_of(form.kind)
    if isinstance(form, NumberForm):
        return _number(form)
    if isinstance(form, Words | Text) and form.words:
        return Literal[form.words]
    return str if isinstance(form, Text) else bool if isinstance(form, YesNo) else Any


def _number(form: NumberForm) -> Any:
    bounds = {name: form.facts[name] for name in ("minimum", "maximum") if name in form.facts}
    if form.text:
        return str
    if form.kind is int:
        kind: Any = int
    else:
        kind = Number if bounds or not form.point else float
    return Annotated[kind, Keywords(**bounds)] if bounds else kind
