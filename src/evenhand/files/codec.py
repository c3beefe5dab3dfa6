"""One codec: a frozen dataclass is a document's type, its JSON and YAML form, its reader, writer and JSON Schema.

    @dataclass(frozen=True, slots=True)
    class Side:
        \"\"\"One of two evaluations that are compared.\"\"\"

        id: str
        \"\"\"Of the scorecard.\"\"\"
        final: Annotated[Decimal | None, {"minimum": 1, "maximum": 10}]
        \"\"\"None when it was not scored.\"\"\"
        warnings: tuple[str, ...] = ()
        \"\"\"What a reader should know.\"\"\"

    document(Side("a", Decimal("7.80")))      -> {"id": "a", "final": 7.8}
    read(Side, {"id": "a", "final": 12})      -> DocumentError: final is 12; it must be a number from 1 to 10

How to declare one, all of it in the class:

- The sentence about a field stands below it, as a docstring: editors show it beside the field's name, and it needs no
  quotes inside a call. It is read from the source, and only to make a schema, which needs one for each field.
- What the type does not say stands in a plain mapping in `Annotated`, in JSON Schema's words where it has some, and
  around a union, not inside. A mapping needs no import: `core`, which does not know this room, declares its documents
  as all others do. A misspelt fact is a TypeError.
- A field with a default is left out of what is written while it has that value, and may be missing, or null, in what
  is read; others are always there.
- `SCHEMA: ClassVar = "evenhand/ranking/v1"` names the document, `FACTS: ClassVar = {...}` says what holds of the whole
  object. A property marked as `published` is written after the fields, and never read.
- A method `problems` yields what is wrong with the whole although each field is right: `Problem`s whose path starts at
  the object, and whose message may have `{name}` for the key under which it stands.

Facts of a value:
    minimum, maximum, enum, pattern     as in JSON Schema
    places      decimals that are kept; 4 for a float unless stated
    point       whether a whole number is written as 4.0, not 4: so are floats unless stated, and no decimals
    text        a decimal number is written as text
    digits      of a float, the digits that count, where a small one must not look like zero
    empty, nul  False: must not be empty, must not hold U+0000
    keys        a mapping has exactly these
    items       the facts of each member of a list
    single      one text stands for a list of it
    read        a function from the plain value to the field's; its ValueError says what is wrong
    write       the way back
    shape       the type of that plain value, where it is not the field's; it is checked before `read` gets it
Facts of a field:
    name        its key in the document
    always      in every document: written also while it is the default, and missed where it is not there; False: left
                out while it is None, though it has no default
    computed    follows from the others: written and described, never read; None in what is read, or its default
    beside      left out unless this other field has a value
    unless      left out where this other field has a value
    flat        the fields of the object inside are fields of the one around it, under these keys or their own
    hidden      not published as it is: what writes the document adds it in another form, and reads it
Facts of an object:
    closed      an unknown key is a mistake, as in all that people write
    bare        the field for which a value stands that is not an object
    elsewhere   keys that belong to another place, each with its message
Facts for messages:
    is          what is valid, in words
    noun        what an unknown word is called
    wrong, missing, lacks, blank, bounds
                a whole sentence about a value that is wrong, is not there, lacks a key, is empty, is out of bounds;
                with {name}, {above} (the key above), {kind}, {shown}, {why}
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from evenhand.errors import DocumentError, InputError, Path, Problem
from evenhand.files.forms import form_of, record_of

_Record = TypeVar("_Record")


def document(record: Any, schema: str = "") -> dict[str, Any]:
    """A record as plain values for JSON or YAML: the name of its schema, then its fields in their order.

    A named tuple cannot hold the name of its schema, so `schema` gives it."""
    written = record_of(type(record)).write(record)
    return {"schema": schema} | written if schema else written


def read(
    kind: type[_Record],
    value: object,
    *,
    part_of: str = "",
    where: str = "",
    place: Callable[[Problem], Problem] | None = None,
    error: type[InputError] = DocumentError,
    **hidden: Any,
) -> _Record:
    """The record in a plain value. Raises `error` with every problem; `place` gives each its file and line.

    Without a file, messages name what the value is `part_of`, such as a scorecard, and the whole way to it, which
    starts at `where`. `hidden` are the fields that are not published as they are.
    """
    problems: list[Problem] = []
    record: _Record = record_of(kind).read(value, field_path(where), problems, **hidden)
    if problems:
        if part_of:
            problems = [not_whole(part_of, problem) for problem in problems]
        placed = problems if place is None else sorted(map(place, problems), key=lambda problem: problem.line or 0)
        raise error(placed)
    return record


def read_list(kind: type[_Record], value: object, part_of: str, where: str) -> tuple[_Record, ...]:
    """The records in a list at a place of a document. DocumentError with every problem."""
    problems: list[Problem] = []
    records: Any = form_of(tuple[kind, ...]).read(value, field_path(where), problems)  # type: ignore[valid-type]
    if problems:
        raise DocumentError(not_whole(part_of, problem) for problem in problems)
    return tuple(records)


def not_whole(part_of: str, problem: Problem) -> Problem:
    """A problem with the whole way to it instead of its name: the document may have no lines."""
    said, place = problem.message, ".".join(map(str, problem.path)) or "it"
    name = next((step for step in reversed(problem.path) if isinstance(step, str)), "it")
    subject = next((word for word in (name, "it") if said.startswith(f"{word} ")), None)
    said = f"{place}: {said}" if subject is None else place + said.removeprefix(subject)
    return problem._replace(message=f"not a whole {part_of}: {said}")


def field_path(field: str) -> Path:
    """The path of a value inside a document, from its name with dots."""
    return tuple(int(part) if part.isdecimal() else part for part in field.split(".")) if field else ()


def schema(kind: Any) -> dict[str, Any]:
    """The JSON Schema of a document; its descriptions are the sentences in the class."""
    definitions: dict[str, Any] = {}
    form = record_of(kind)
    form.schema(definitions)
    own = definitions[kind.__name__]
    if f'"#/$defs/{kind.__name__}"' not in json.dumps(definitions):  # one that holds itself stays among them
        del definitions[kind.__name__]
    identity = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": form.name}
    whole: dict[str, Any] = identity | ({"$defs": definitions} if definitions else {}) | own
    return whole
