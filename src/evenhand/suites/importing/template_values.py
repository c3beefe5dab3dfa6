"""Values in a nunjucks template, with the rules of JavaScript: what is true, what is equal, and how each is written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from evenhand.core.numbers import plain


class NotRendered(ValueError):
    """A template does something that is not done here in exactly the same way. The message is a noun phrase."""


class Missing:
    """JavaScript's undefined."""


MISSING: Final = Missing()
_BUILT_IN: Final = frozenset(
    "anchor at big blink bold charAt charCodeAt codePointAt concat constructor copyWithin endsWith entries every fill"
    " filter find findIndex findLast findLastIndex fixed flat flatMap fontcolor fontsize forEach hasOwnProperty"
    " includes indexOf isPrototypeOf isWellFormed italics join keys lastIndexOf link localeCompare map match matchAll"
    " normalize padEnd padStart pop propertyIsEnumerable push reduce reduceRight repeat replace replaceAll reverse"
    " search shift slice small some sort splice split startsWith strike sub substr substring sup toExponential toFixed"
    " toLocaleLowerCase toLocaleString toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toString"
    " toUpperCase toWellFormed trim trimEnd trimLeft trimRight trimStart unshift valueOf values with".split()
)
"""Properties that JavaScript's texts, lists and numbers have of their own."""

_SPACE = re.compile(r"[\s\ufeff]+")


def is_true(value: Any) -> bool:
    """Whether JavaScript takes a value for true; empty lists and empty objects count."""
    return True if isinstance(value, list | Mapping) else bool(value) and value is not MISSING


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal; values of different types are not compared here."""
    gone = [value is None or value is MISSING for value in (left, right)]
    if any(gone):
        return all(gone)
    if isinstance(left, list | Mapping) or _kind(left) != _kind(right):
        raise NotRendered("a comparison of different types of values")
    return bool(left == right)


def identical(left: Any, right: Any) -> bool:
    """Whether two values are equal, with undefined and null kept apart."""
    return (left is MISSING) == (right is MISSING) and same(left, right)


def less(left: Any, right: Any) -> bool:
    """Whether a number or a text comes before another."""
    if _kind(left) != _kind(right) or _kind(left) not in ("text", "number"):
        raise NotRendered("a comparison of different types of values")
    return bool(left < right)


def is_contained(item: Any, whole: Any) -> bool:
    """Whether a text is in a text, an element in a list, or a key in an object."""
    if isinstance(whole, str) and isinstance(item, str):
        return item in whole
    if isinstance(whole, list):
        return any(type(item) is type(element) and item == element for element in whole)
    if isinstance(whole, Mapping):
        return text_of(item) in whole
    raise NotRendered('"in" with something other than a list')


def text_of(value: Any) -> str:
    """A value as a template shows it. An object is JSON, where JavaScript would only say that it is an object."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not has_object(value):
        return ",".join(map(text_of, value))
    return as_json(value) if isinstance(value, list | Mapping) else number_text(value)


def has_object(value: Any) -> bool:
    """Whether a value is an object or a list with one, of which JavaScript shows nothing."""
    return isinstance(value, Mapping) or (isinstance(value, list) and any(map(has_object, value)))


def number_text(value: Any) -> str:
    """A number without the zeros at its end."""
    if isinstance(value, Decimal):
        return f"{value:.0f}" if value == value.to_integral_value() else f"{value.normalize():f}"
    return str(value)


def as_json(value: Any, spaces: int = 0) -> str:
    """A value as JSON.stringify writes it."""
    return json.dumps(
        value,
        ensure_ascii=False,
        indent=spaces or None,
        separators=None if spaces else (",", ":"),
        default=_json_number,
    )


def _json_number(value: Any) -> int | float:
    if not isinstance(value, Decimal):
        raise NotRendered("JSON of an undefined variable")
    return plain(value)


def member(value: Any, key: Any) -> Any:
    """`value.key` and `value[key]`."""
    if value is None or value is MISSING:
        return MISSING
    if isinstance(value, Mapping):
        return value.get(text_of(key), MISSING)
    if isinstance(value, list | str) and key == "length":
        return len(value)
    if isinstance(value, list | str) and isinstance(key, int | Decimal) and not isinstance(key, bool):
        return value[int(key)] if key == int(key) and 0 <= key < len(value) else MISSING
    if key in _BUILT_IN:
        raise NotRendered(f"the property {text_of(key)[:40]}")
    return MISSING


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | Decimal):
        return "number"
    return "text" if isinstance(value, str) else "other"


def _text(value: Any) -> str:
    if value is None or value is MISSING:
        return ""
    if not isinstance(value, str):
        raise NotRendered("a filter for texts on another value")
    return value


def _default(value: Any, fallback: Any = MISSING, also_false: Any = False) -> Any:
    if is_true(also_false):
        return value if is_true(value) else fallback
    return fallback if value is MISSING else value


def _length(value: Any) -> int:
    if value is None or value is MISSING:
        return 0
    if not isinstance(value, str | list | Mapping):
        raise NotRendered("the length of a number")
    return len(value)


def _join(value: Any, between: Any = "", key: Any = None) -> str:
    if not isinstance(value, list):
        raise NotRendered("join on something other than a list")
    return text_of(between).join(text_of(item if not key else member(item, key)) for item in value)


def _replace(value: Any, old: Any, new: Any) -> str:
    if not isinstance(value, str) or not isinstance(old, str) or not isinstance(new, str) or not old:
        raise NotRendered("replace with something other than text")
    return value.replace(old, new)


def _end(place: int) -> Callable[[Any], Any]:
    def chosen(value: Any) -> Any:
        if not isinstance(value, str | list):
            raise NotRendered("the first or last of something other than a list")
        return value[place] if value else MISSING

    return chosen


def _indent(value: Any, width: Any = 4, first: Any = False) -> str:
    if not _text(value):
        return ""
    lines = value.split("\n")
    gap = " " * int(width)
    return "\n".join(gap + line if number or is_true(first) else line for number, line in enumerate(lines))


def _capitalize(value: Any) -> str:
    text = _text(value).lower()
    return text[:1].upper() + text[1:]


def _safe(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise NotRendered("the filter safe on something other than text")
    return value


def _string(value: Any) -> str:
    if value is None or value is MISSING:
        raise NotRendered("text of an undefined value")
    return text_of(value)


def _trim(value: Any) -> str:
    if not isinstance(value, str):
        raise NotRendered("a filter for texts on another value")
    start = _SPACE.match(value)
    text = value
    text = text[start.end() :] if start else text
    return text.rstrip(" \t\n\r\f\v\u00a0\u2028\u2029\ufeff")


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "capitalize": _capitalize,
    "d": _default,
    "default": _default,
    "dump": lambda value, spaces=0: as_json(value, int(spaces)),
    "first": _end(0),
    "indent": _indent,
    "join": _join,
    "last": _end(-1),
    "length": _length,
    "lower": lambda value: _text(value).lower(),
    "replace": _replace,
    "safe": _safe,
    "string": _string,
    "title": lambda value: " ".join(map(_capitalize, _text(value).split(" "))),
    "trim": _trim,
    "upper": lambda value: _text(value).upper(),
}
"""The filters that do here exactly what they do in nunjucks."""
