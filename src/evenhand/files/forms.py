"""What a type's annotation says of a value: how it is written, read and described.

Each class here is one form of values and has these three beside each other. The annotations of a dataclass are walked
once, when its first document is written or read.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from enum import Enum
from functools import cached_property
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from evenhand.errors import NUL, InputError, Path, Problem, shortened_line, unknown

WRONG: Any = object()
"""What reading gives for a value that is wrong; its problem has been reported."""

_OF_VALUES = {"minimum", "maximum", "places", "digits", "enum", "pattern", "empty", "nul", "keys", "items", "single"}
_OF_VALUES |= {"read", "write", "shape", "text", "point"}
_OF_MESSAGES = {"is", "noun", "wrong", "missing", "lacks", "blank", "bounds"}
_OF_FIELDS = {"name", "always", "computed", "hidden", "flat", "beside", "unless"}
_OF_OBJECTS = {"closed", "bare", "elsewhere"}

_Problems = list[Problem]


def kind_of(value: object) -> str:
    """What a plain value is called in messages."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return "text" if value.strip() else "empty text"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return "a number" if isinstance(value, int | float | Decimal) else f"a {type(value).__name__}"


class Form:
    """Any value, as it is."""

    valid = "a value"
    as_it_is = True
    """Whether a value is plain already."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        """`facts` are those of the annotation."""
        if outside := facts.keys() - _OF_VALUES - _OF_MESSAGES - _OF_FIELDS - _OF_OBJECTS:
            raise TypeError(f"not a fact of a document: {', '.join(sorted(outside))}")
        self.facts = facts
        self.valid = facts.get("is", self.valid)
        self.plain = facts.get("write")
        """What makes a value plain where the form alone does not know."""

    def write(self, value: Any) -> Any:
        """The value as JSON has it."""
        return value

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        """The value from what a document says at a path, or WRONG."""
        return value

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        """The value's JSON Schema; objects with a name go to `definitions`."""
        return {}

    def takes(self, value: object) -> bool:
        """Whether a plain value is of this form, right or wrong."""
        return True

    def holds(self, value: object) -> bool:
        """Whether a value in Python is of this form."""
        return True

    def wrong(self, value: object, path: Path, problems: _Problems, what: str = "", why: str = "") -> Any:
        """Report a value, by what the facts say of such a mistake, or in the usual words."""
        usual = f"{{name}} is {{{'shown' if what == 'bounds' else 'kind'}}}; it must be {self.valid}"
        message = self.facts.get(what) or self.facts.get("wrong") or why or usual
        problems.append(Problem(_filled(message, path, value, why), path=path))
        return WRONG


def _filled(message: str, path: Path, value: object = None, why: str = "") -> str:
    """A sentence with its braces filled in."""
    if "{" not in message or message == why:
        return message
    steps = [str(step) for step in path if isinstance(step, str)]
    name, above = (steps or ["it"])[-1], (steps[-2:] or ["it"])[0]
    shown = kind_of(value)
    if isinstance(value, str | int | float | Decimal) and not isinstance(value, bool):
        shown = f'"{shortened_line(value)}"' if isinstance(value, str) else shortened_line(str(value))
    return message.format(name=name, above=above, kind=kind_of(value), shown=shown, why=why)


class Given(Form):
    """A value that the annotation's own functions read and write; the rest is as its type says, or its `shape`."""

    def __init__(self, facts: Mapping[str, Any], form: Form) -> None:
        super().__init__(facts)
        self.form = form
        self.convert = facts.get("read")
        self.valid = form.valid
        self.as_it_is = self.plain is None and form.as_it_is

    def write(self, value: Any) -> Any:
        return self.form.write(value) if self.plain is None else self.plain(value)

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if self.convert is None or (value is None and isinstance(self.form, Either) and self.form.null):
            return self.form.read(value, path, problems)
        if "shape" in self.facts:
            value = self.form.read(value, path, problems)
            if value is WRONG:
                return WRONG
        try:
            return self.convert(value)
        except InputError as error:
            problems += [problem._replace(path=(*path, *problem.path)) for problem in error.problems]
            return WRONG
        except ValueError as error:
            return self.wrong(value, path, problems, why=str(error))

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        return self.form.schema(definitions)

    def takes(self, value: object) -> bool:
        return (self.convert is not None and value is not None) or self.form.takes(value)

    def holds(self, value: object) -> bool:
        return self.form.holds(value)


class Text(Form):
    """Text, of some words only where the annotation lists them."""

    valid = "text"

    def __init__(self, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.words = tuple(facts.get("enum", ()))
        self.strict = bool(facts.keys() & {"nul", "empty", "pattern"})

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if not isinstance(value, str):
            return self.wrong(value, path, problems)
        if self.words and value not in self.words:
            return self.wrong(
                value, path, problems, why=unknown(self.facts.get("noun") or _name(path), value, self.words)
            )
        if not self.strict:
            return value
        if "\0" in value and self.facts.get("nul") is False:
            return self.wrong(value, path, problems, "nul", f"{_name(path)} {NUL}")
        if not value.strip() and self.facts.get("empty") is False:
            return self.wrong(value, path, problems, "blank", f"{_name(path)} is empty; write it, or leave it out")
        if "pattern" in self.facts and not re.search(self.facts["pattern"], value):
            return self.wrong(value, path, problems, "bounds")
        return value

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        more: dict[str, Any] = {"enum": list(self.words)} if self.words else {}
        if self.facts.get("empty") is False:
            more["minLength"] = 1
        return {"type": "string"} | more | _chosen(self.facts, "pattern")

    def takes(self, value: object) -> bool:
        return isinstance(value, str)

    holds = takes


def _name(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "it")


def _chosen(facts: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: facts[name] for name in names if name in facts}


class Words(Text):
    """One of the words of a Literal, or the value of an enum's member."""

    def __init__(self, facts: Mapping[str, Any], words: tuple[Any, ...], kind: type[Enum] | None = None) -> None:
        super().__init__({**facts, "enum": words})
        self.kind = kind
        self.as_it_is = kind is None

    def write(self, value: Any) -> Any:
        return value.value if self.kind else value

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if value not in self.words or isinstance(value, bool):
            if not isinstance(value, str):
                value = shortened_line(str(value))
            said = self.facts.get("noun") or _name(path)
            return self.wrong(value, path, problems, why=unknown(said, value, map(str, self.words)))
        return self.kind(value) if self.kind else value

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        words = [*self.words]
        return {"const": words[0]} if len(words) == 1 else {"enum": words}

    def takes(self, value: object) -> bool:
        return isinstance(value, str) or value in self.words

    def holds(self, value: object) -> bool:
        return isinstance(value, self.kind) if self.kind else value in self.words


class YesNo(Form):
    """True or false."""

    valid = "true or false"

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        return value if isinstance(value, bool) else self.wrong(value, path, problems)

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        return {"type": "boolean"}

    def takes(self, value: object) -> bool:
        return isinstance(value, bool)

    holds = takes


_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)
"""Our own context: a caller's precision or rounding must not reach a document."""
_MOST_DIGITS = 40
"""The most places before or behind the point that a number may have."""


class Number(Form):
    """A number: exact, binary or whole, within the annotation's bounds."""

    def __init__(self, facts: Mapping[str, Any], kind: type) -> None:
        super().__init__(facts)
        self.kind = kind
        self.as_it_is = kind is int
        self.low, self.high = facts.get("minimum"), facts.get("maximum")
        self.text = bool(facts.get("text"))
        self.point = facts.get("point", kind is float and "digits" not in facts)
        self.places = facts.get("places", 4 if kind is float else None)
        if "is" not in facts:
            self.valid = "a decimal number as text" if self.text else "a whole number" if kind is int else "a number"
            if self.low is not None and self.high is not None:
                self.valid += f" from {self.low} to {self.high}"
            elif self.low is not None:
                self.valid += f" from {self.low}"

    def write(self, value: Any) -> Any:
        if self.text:
            return str(value)
        if self.kind is float or self.point:
            digits = self.facts.get("digits")
            value = value if self.kind is float else float(value)
            value = round(value, self.places) if digits is None else round(float(f"{value:.{digits}g}"), 3 * digits)
        return value if self.point else _without_point(value)

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if not self.takes(value):
            return self.wrong(value, path, problems)
        try:
            number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        except InvalidOperation:
            return self.wrong(value, path, problems)
        if not self._fits(number):
            return self.wrong(value, path, problems, "bounds")
        if self.kind is not Decimal:
            return self.kind(number)
        return number if self.places is None else _EXACT.quantize(number, Decimal(1).scaleb(-self.places))

    def _fits(self, number: Decimal) -> bool:
        return (
            number.is_finite()
            and abs(number.adjusted()) <= _MOST_DIGITS
            and (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.kind is not int or number == number.to_integral_value())
        )

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        if self.text:
            return {"type": "string"}
        return {"type": "integer" if self.kind is int else "number"} | _chosen(self.facts, "minimum", "maximum")

    def takes(self, value: object) -> bool:
        return isinstance(value, str) if self.text else self.holds(value)

    def holds(self, value: object) -> bool:
        return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _without_point(number: Decimal | float) -> int | float:
    """A number as JSON shows it: a whole one without a point, others with their own digits."""
    whole = int(number)
    return whole if number == whole else float(number)


class List(Form):
    """A tuple or list, of a fixed length where the tuple's type says so."""

    valid = "a list"
    as_it_is = False

    def __init__(self, facts: Mapping[str, Any], kind: type, items: Form, size: int | None) -> None:
        super().__init__(facts)
        self.kind, self.items, self.size = kind, items, size
        if size is not None and "is" not in facts:
            self.valid = f"a list of {size}"

    def write(self, value: Any) -> Any:
        return [self.items.write(item) for item in value]

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if isinstance(value, str) and self.facts.get("single"):
            item = self.items.read(value, path, problems)
            return WRONG if item is WRONG else self.kind((item,))
        if not isinstance(value, list | tuple) or (self.size is not None and len(value) != self.size):
            return self.wrong(value, path, problems)
        items = [self.items.read(item, (*path, place), problems) for place, item in enumerate(value)]
        return WRONG if any(item is WRONG for item in items) else self.kind(items)

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        sizes = {} if self.size is None else {"minItems": self.size, "maxItems": self.size}
        return {"type": "array", "items": self.items.schema(definitions)} | sizes

    def takes(self, value: object) -> bool:
        return isinstance(value, list | tuple)

    holds = takes


class Table(Form):
    """A mapping from names to values: any names, or exactly the `keys` of the annotation."""

    valid = "an object"
    as_it_is = False

    def __init__(self, facts: Mapping[str, Any], items: Form) -> None:
        super().__init__(facts)
        self.items = items
        self.keys = tuple(facts.get("keys", ()))

    def write(self, value: Any) -> Any:
        return {str(name): self.items.write(item) for name, item in value.items()}

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if not isinstance(value, Mapping) or (not value and self.facts.get("empty") is False):
            return self.wrong(value, path, problems)
        if self.keys and value.keys() != set(self.keys):
            self._refuse_keys(value, path, problems)
        names = [name for name in self.keys if name in value] if self.keys else value
        items = {str(name): self.items.read(value[name], (*path, name), problems) for name in names}
        return WRONG if any(item is WRONG for item in items.values()) else items

    def _refuse_keys(self, value: Mapping[str, Any], path: Path, problems: _Problems) -> None:
        for name in value:
            if name not in self.keys:
                problems.append(Problem(unknown(self.facts.get("noun", "key"), name, self.keys), path=(*path, name)))
        message = self.facts.get("lacks", "{name} is missing")
        for name in self.keys:
            if name not in value:
                problems.append(Problem(_filled(message, (*path, name)), path=path))

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        items = self.items.schema(definitions)
        if not self.keys:
            return {"type": "object", "additionalProperties": items}
        whole = {"type": "object", "properties": dict.fromkeys(self.keys, items), "required": [*self.keys]}
        return whole | ({"additionalProperties": False} if self.facts.get("closed") else {})

    def takes(self, value: object) -> bool:
        return isinstance(value, Mapping)

    holds = takes


class Either(Form):
    """Values of several forms, told apart by what they are."""

    def __init__(self, facts: Mapping[str, Any], forms: tuple[Form, ...], null: bool) -> None:
        super().__init__(facts)
        self.forms, self.null = forms, null
        self.as_it_is = all(form.as_it_is for form in forms)
        if "is" not in facts:
            self.valid = " or ".join(dict.fromkeys([form.valid for form in forms] + ["null"] * null))

    def write(self, value: Any) -> Any:
        if value is None or self.as_it_is:
            return value
        form = self.forms[0] if len(self.forms) == 1 else next(form for form in self.forms if form.holds(value))
        return form.write(value)

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if value is None and self.null:
            return None
        if len(self.forms) == 1:
            return self.forms[0].read(value, path, problems)
        form = next((form for form in self.forms if form.takes(value)), None)
        return self.wrong(value, path, problems) if form is None else form.read(value, path, problems)

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        described = [form.schema(definitions) for form in self.forms] + [{"type": "null"}] * self.null
        return described[0] if len(described) == 1 else {"anyOf": described}

    def takes(self, value: object) -> bool:
        return (value is None and self.null) or any(form.takes(value) for form in self.forms)

    def holds(self, value: object) -> bool:
        return (value is None and self.null) or any(form.holds(value) for form in self.forms)


class Tagged(Form):
    """One of several records, told apart by a word in each: `kind: Literal["file"]`."""

    valid = "an object"
    as_it_is = False

    def __init__(self, facts: Mapping[str, Any], tag: str, records: Mapping[str, Record]) -> None:
        super().__init__(facts)
        self.tag, self.records = tag, records

    def write(self, value: Any) -> Any:
        return next(record for record in self.records.values() if record.holds(value)).write(value)

    def read(self, value: Any, path: Path, problems: _Problems) -> Any:
        if not isinstance(value, Mapping):
            return self.wrong(value, path, problems)
        word = value.get(self.tag)
        if word is None:
            said = f"{self.tag} is missing; it must be one of {', '.join(self.records)}"
            return self.wrong(value, path, problems, "missing", said)
        if word not in self.records:
            return self.wrong(word, (*path, self.tag), problems, why=unknown(self.tag, word, self.records))
        return self.records[word].read(value, path, problems)

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        return {"oneOf": [record.schema(definitions) for record in self.records.values()]}

    def takes(self, value: object) -> bool:
        return isinstance(value, Mapping)

    def holds(self, value: object) -> bool:
        return any(record.holds(value) for record in self.records.values())


@dataclass(frozen=True)
class Field:
    """One field of a record."""

    attribute: str
    key: str
    """Its name in the document."""
    form: Form
    default: Any
    """MISSING where the field is always there."""
    always: bool
    """Whether it is written even where it is the default."""
    facts: Mapping[str, Any]
    """What the annotation says of it."""

    @property
    def needed(self) -> bool:
        """Whether every document has it."""
        return self.always and not self.facts.keys() & {"beside", "unless"}

    @cached_property
    def flat(self) -> dict[str, str] | None:
        """The fields of the object inside that are fields of the one around it, each with its key there."""
        if "flat" not in self.facts:
            return None
        return dict(self.facts["flat"]) or {field.key: field.key for field in self.inner.fields}

    @property
    def inner(self) -> Record:
        """The object inside a field."""
        form = self.form
        while not isinstance(form, Record):
            form = form.forms[0] if isinstance(form, Either) else form.form  # type: ignore[attr-defined]
        return form

    def is_said(self, record: Any) -> bool:
        """Whether it is written, as far as that depends on other fields."""
        beside, unless = self.facts.get("beside"), self.facts.get("unless")
        return not (beside and not getattr(record, beside)) and not (unless and getattr(record, unless))


class Record(Form):
    """An object with declared fields: a dataclass, or a named tuple."""

    valid = "an object"
    as_it_is = False
    _KEY: ClassVar = "schema"

    def __init__(self, kind: Any, facts: Mapping[str, Any] = types.MappingProxyType({})) -> None:
        super().__init__({**getattr(kind, "FACTS", {}), **facts})
        self.kind = kind
        self.name: str = getattr(kind, "SCHEMA", "")
        """The name of its schema."""
        self.closed = bool(self.facts.get("closed"))
        self.checks = hasattr(kind, "problems")

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The declared fields; resolved late, since a record may hold others of its own kind."""
        hints = get_type_hints(self.kind, localns={}, include_extras=True)
        made = (_field(name, default, hints[name]) for name, default in _declared(self.kind))
        return tuple(field for field in made if not field.facts.get("hidden"))

    @cached_property
    def _writers(self) -> list[tuple[str, str, Callable[[Any], Any] | None, Any, bool, Field | None]]:
        """What writing needs of each field, at hand: a scorecard has a hundred. Last a field that has more to say."""
        return [
            (
                field.attribute,
                field.key,
                None if field.form.as_it_is else field.form.write,
                field.default,
                field.always,
                field if field.facts.keys() & {"flat", "beside", "unless"} else None,
            )
            for field in self.fields
        ]

    @cached_property
    def computed(self) -> dict[str, Form]:
        """The properties that are published beside the fields."""
        getters = {name: part.fget for name, part in vars(self.kind).items() if isinstance(part, property)}
        return {
            name: form_of(get_type_hints(getter, include_extras=True)["return"])
            for name, getter in getters.items()
            if getattr(getter, "published", False)
        }

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key that a document may have."""
        own = [key for field in self.fields for key in (field.flat or {field.key: field.key}).values()]
        return frozenset((*own, *self.computed, *((self._KEY,) if self.name else ())))

    @cached_property
    def _bare(self) -> Field | None:
        return next((field for field in self.fields if field.attribute == self.facts.get("bare")), None)

    def write(self, value: Any) -> dict[str, Any]:
        document: dict[str, Any] = {self._KEY: self.name} if self.name else {}
        for attribute, key, write, default, always, special in self._writers:
            part = getattr(value, attribute)
            if not always and part == default:
                continue
            if special is None:
                document[key] = part if write is None else write(part)
            elif special.is_said(value):
                document |= _said(special, part)
        for name, form in self.computed.items():
            document[name] = form.write(getattr(value, name))
        return document

    def read(self, value: Any, path: Path, problems: _Problems, **hidden: Any) -> Any:
        if not isinstance(value, Mapping):
            return self._read_bare(value, path, problems)
        if self.name and value.get(self._KEY, self.name) not in (self.name, None):
            shown = shortened_line(str(value[self._KEY]))
            noun = self.name.split("/")[1]
            message = f'"{shown}" is not a {noun}; its schema is "{self.name}"'
            problems.append(Problem(message, path=(*path, self._KEY)))  # of another kind: nothing else about it matters
            return WRONG
        if self.closed and not value.keys() <= self.keys:
            self._refuse_keys(value, path, problems)
        count = len(problems)
        values = hidden
        for field in self.fields:
            if field.flat is not None:
                values |= _read_flat(field, value, path, problems)
                continue
            if field.facts.get("computed"):
                if field.default is MISSING:
                    values[field.attribute] = None
                continue
            part = value.get(field.key)
            missing, loose = field.key not in value, field.default is not MISSING and not field.needed
            if missing and not loose:
                field.form.wrong(None, (*path, field.key), problems, "missing", _missing(field))
                continue
            if loose and (missing or (part is None and (field.default is None or not field.form.takes(None)))):
                if field.facts.get("always") is False:
                    values[field.attribute] = None
                continue
            values[field.attribute] = field.form.read(part, (*path, field.key), problems)
        if len(problems) > count:
            return WRONG
        return self._whole(values, path, problems)

    def _read_bare(self, value: Any, path: Path, problems: _Problems) -> Any:
        """A value in place of the object: that of one field."""
        field = self._bare
        if field is None or not field.form.takes(value):
            return self.wrong(value, path, problems)
        inner: _Problems = []
        read = field.form.read(value, (*path, field.key), inner)
        problems += [p._replace(path=path) if p.path == (*path, field.key) else p for p in inner]
        return WRONG if inner else self._whole({field.attribute: read}, path, problems)

    def _whole(self, values: dict[str, Any], path: Path, problems: _Problems) -> Any:
        record = self.kind(**values)
        if not self.checks or not (found := [*record.problems()]):
            return record
        problems += [p._replace(path=(*path, *p.path), message=_filled(p.message, path)) for p in found]
        return WRONG

    def _refuse_keys(self, value: Mapping[str, Any], path: Path, problems: _Problems) -> None:
        elsewhere: Mapping[str, str] = self.facts.get("elsewhere", {})
        valid = [name for name in (self._KEY, *(field.key for field in self.fields)) if name in self.keys]
        for name in value:
            if name not in self.keys:
                message = elsewhere.get(name) or unknown(self.facts.get("noun", "key"), name, valid)
                problems.append(Problem(message, path=(*path, name)))

    def schema(self, definitions: dict[str, Any]) -> dict[str, Any]:
        title = self.kind.__name__
        if title not in definitions:
            definitions[title] = {}  # one that holds itself finds it there
            definitions[title] = self._described(title, definitions)
        reference = {"$ref": f"#/$defs/{title}"}
        if self._bare is None:
            return reference
        return {"anyOf": [_not_null(self._bare, definitions), reference]}

    def _described(self, title: str, definitions: dict[str, Any]) -> dict[str, Any]:
        from evenhand.files.docstrings import sentences_of, summary_of  # only schemas need the source

        sentences = sentences_of(self.kind)
        properties: dict[str, Any] = {self._KEY: {"const": self.name}} if self.name else {}
        for field in self.fields:
            if field.attribute not in sentences:
                raise TypeError(f"{title}.{field.attribute} needs a sentence below it: its document is published")
            properties[field.key] = {"description": sentences[field.attribute]} | _not_null(field, definitions)
        for name, form in self.computed.items():
            properties[name] = {"description": sentences[name]} | form.schema(definitions)
        needed = [field.key for field in self.fields if field.needed] + [*self.computed]
        whole: dict[str, Any] = {"description": summary} if (summary := summary_of(self.kind)) else {}
        whole |= {"type": "object", "properties": properties}
        if self.name and not self.closed:
            needed.insert(0, self._KEY)
        if needed:
            whole["required"] = needed
        return whole | ({"additionalProperties": False} if self.closed else {})

    def takes(self, value: object) -> bool:
        return isinstance(value, Mapping) or (self._bare is not None and self._bare.form.takes(value))

    def holds(self, value: object) -> bool:
        return isinstance(value, self.kind)


class Keyed(Record):
    """An object as JSON has it, of a TypedDict: what other functions make a value of."""

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        hints = get_type_hints(self.kind, localns={}, include_extras=True)
        loose = {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is NotRequired}
        return tuple(_field(name, None if name in loose else MISSING, hint) for name, hint in (hints | loose).items())

    def write(self, value: Any) -> dict[str, Any]:
        return dict(value)

    def holds(self, value: object) -> bool:
        return isinstance(value, Mapping)


def _said(field: Field, part: Any) -> dict[str, Any]:
    """What is written of a field, by key."""
    if field.flat is None:
        return {field.key: field.form.write(part)}
    parts = {} if part is None else field.form.write(part)
    return {field.flat[name]: said for name, said in parts.items() if name in field.flat and said is not None}


def _read_flat(field: Field, value: Mapping[str, Any], path: Path, problems: _Problems) -> dict[str, Any]:
    """The object that is part of the one around it; nothing where none of it is there and it may be missing."""
    names = field.flat or {}
    stated = {name: value[key] for name, key in names.items() if key in value}
    if not stated and field.default is not MISSING:
        return {}
    unsaid = {part.key: None for part in field.inner.fields if part.default is None}  # None is not written there
    inner: _Problems = []
    read = field.form.read(unsaid | stated, path, inner)
    for problem in inner:
        step = problem.path[len(path) : len(path) + 1]
        outer = tuple(names.get(str(name), str(name)) for name in step)
        problems.append(problem._replace(path=(*path, *outer, *problem.path[len(path) + 1 :])))
    return {field.attribute: read}


def _missing(field: Field) -> str:
    return f"{field.key} is missing; it must be {field.form.valid}"


def _not_null(field: Field, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field: what is left out where it is None is never null."""
    form = field.form.form if isinstance(field.form, Given) else field.form
    if isinstance(form, Either) and form.null and field.default is None and not field.always:
        form = Either(form.facts, form.forms, null=False)
    return form.schema(definitions)


def is_record(kind: Any) -> bool:
    """Whether a class declares fields: a dataclass, a named tuple or a TypedDict."""
    return is_dataclass(kind) or (isinstance(kind, type) and (hasattr(kind, "_field_defaults") or _is_keyed(kind)))


def _is_keyed(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "__total__")  # a TypedDict, also of typing_extensions


def _declared(kind: Any) -> list[tuple[str, Any]]:
    """The names of a record's fields, each with its default, or MISSING."""
    if not is_dataclass(kind):
        return [(name, kind._field_defaults.get(name, MISSING)) for name in kind._fields]
    return [
        (field.name, field.default if field.default_factory is MISSING else field.default_factory())
        for field in fields(kind)
        if field.init
    ]


def _field(name: str, default: Any, hint: Any) -> Field:
    facts = _facts_of(hint)
    if facts.get("always") is False:
        default = None
    always = default is MISSING or bool(facts.get("always"))
    return Field(name, facts.get("name", name), form_of(hint), default, always, facts)


def _facts_of(hint: Any) -> dict[str, Any]:
    """The facts in an annotation, of later mappings first."""
    parts = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return {name: fact for part in parts if isinstance(part, Mapping) for name, fact in part.items()}


_RECORDS: dict[Any, Record] = {}


def record_of(kind: Any) -> Record:
    """The form of a dataclass or a named tuple, made once."""
    if kind not in _RECORDS:
        _RECORDS[kind] = (Keyed if _is_keyed(kind) else Record)(kind)
    return _RECORDS[kind]


def form_of(hint: Any, facts: Mapping[str, Any] = types.MappingProxyType({})) -> Form:
    """The form of an annotation."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return form_of(parts[0], {**_facts_of(hint), **facts})
    if facts.keys() & {"read", "write", "shape"}:
        others = {name: fact for name, fact in facts.items() if name not in ("read", "write", "shape")}
        return Given(facts, form_of(facts["shape"]) if "shape" in facts else form_of(hint, others))
    if origin in (Union, types.UnionType):
        return _either(parts, facts)
    if origin is Literal:
        return Words(facts, parts)
    if origin in (tuple, list):
        size = len(parts) if origin is tuple and parts[-1] is not Ellipsis else None
        return List(facts, origin, form_of(parts[0], facts.get("items", {})), size)
    if origin is not None and issubclass(origin, Mapping):
        return Table(facts, form_of(parts[1]))
    if is_record(hint):
        return Record(hint, facts) if facts else record_of(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Words(facts, tuple(member.value for member in hint), hint)
    if hint in (int, float, Decimal):
        return Number(facts, hint)
    simple: dict[Any, type[Form]] = {str: Text, bool: YesNo, Any: Form, object: Form}
    if hint not in simple:
        raise TypeError(f"a document cannot hold a {hint}")
    return simple[hint](facts)


def _either(parts: tuple[Any, ...], facts: Mapping[str, Any]) -> Form:
    """A union: of a type with null, of records with a word that tells them apart, of a text and a number."""
    kinds = [part for part in parts if part is not type(None) and not (part is int and float in parts)]
    null = len(kinds) < len(parts)
    if len(kinds) > 1 and all(map(is_record, kinds)):
        tag = _tag([record_of(kind) for kind in kinds])
        return Either(facts, (tag,), null) if null else tag
    of_values = facts if len(kinds) == 1 else _chosen(facts, "minimum", "maximum", "places")
    return Either(facts, tuple(form_of(kind, of_values) for kind in kinds), null)


def _tag(records: list[Record]) -> Tagged:
    for field in records[0].fields:
        forms = [next((f.form for f in record.fields if f.key == field.key), None) for record in records]
        if all(isinstance(form, Words) and len(form.words) == 1 for form in forms):
            words = [form.words[0] for form in forms if isinstance(form, Words)]
            return Tagged({}, field.key, dict(zip(words, records, strict=True)))
    raise TypeError(f"{', '.join(record.kind.__name__ for record in records)} need a field that tells them apart")
