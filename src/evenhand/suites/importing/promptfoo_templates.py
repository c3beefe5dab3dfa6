"""promptfoo's templates: variables, conditions, loops and a few filters, as nunjucks shows them.

nunjucks is a port of Jinja, so a sandboxed Jinja renders them, with values that behave as in JavaScript where the two
differ. What they would read differently raises NotRendered: no import means another thing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from jinja2 import ChainableUndefined, Template, TemplateError, nodes
from jinja2.sandbox import SandboxedEnvironment

from evenhand.core.numbers import plain

_OPENING = re.compile(r"\{\{|\{%|\{#")
_PARTIAL = re.compile(r"(?m)\{%[^%]*$|\{\{[^}]*$|\{#[^#]*$")
"""promptfoo takes a text with a tag that is not closed on its line as it is."""

_NOT_ALIKE = re.compile(
    r"\{%-\s*(?:end)?raw\b|\b(?:end)?raw\s*-%\}|\{[{%]\+|\{[{%][^%}]*\\[^ntr'\"\\]|\{\{\{"
    r"|\{[{%][^%}'\"]*\b(?:True|False|None)\b"
)
"""What Jinja accepts, and nunjucks does not or reads in another way."""

_LARGEST = 1_000_000
"""The most characters that a template may make."""

_RETURN = "\ufdd0"
"""Stands for a carriage return, which Jinja would take for the end of a line."""

_KNOWN = (
    nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem,
    nodes.Filter, nodes.Test, nodes.CondExpr, nodes.And, nodes.Or, nodes.Not, nodes.Compare, nodes.Operand,
)  # fmt: skip
_TESTED = (nodes.Name, nodes.Getattr, nodes.Getitem)
"""What `not` and `is` bind to alike in both."""


class NotRendered(ValueError):
    """A template uses a feature that evenhand does not render in exactly the same way. The message is a noun phrase."""


class _List(list[Any]):
    """A list, which is true in JavaScript however short it is."""

    def __bool__(self) -> bool:
        return True


class _Object(dict[str, Any]):
    """An object, which is true, and over which a loop with one variable makes no round."""

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Any:
        raise NotRendered("a loop over an object")


def rendered(text: str, variables: Mapping[str, Any]) -> str:
    """A template with its variables; one that is not there is empty, as in promptfoo."""
    if not _is_template(text):
        return text
    pieces: list[str] = []
    length = 0
    try:
        for piece in _parsed(text).generate({name: _as_javascript(value) for name, value in variables.items()}):
            pieces.append(piece)
            length += len(piece)
            if length > _LARGEST:
                raise NotRendered("a text of more than a million characters")
    except (TemplateError, TypeError, ArithmeticError, RecursionError) as error:
        raise NotRendered(f"an error ({str(error)[:60].rstrip('.')})") from None
    return "".join(pieces).replace(_RETURN, "\r")


def check_template(text: str) -> None:
    """Raise NotRendered for a template with other things in it."""
    if _is_template(text):
        _parsed(text)


def _is_template(text: str) -> bool:
    return bool(_OPENING.search(text)) and not _PARTIAL.search(text)


def text_of(value: Any) -> str:
    """A value as a template shows it. An object is JSON, where JavaScript would only say that it is an object."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, ChainableUndefined):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not has_object(value):
        return ",".join(map(text_of, value))
    return _json(value) if isinstance(value, list | Mapping) else number_text(value)


def has_object(value: Any) -> bool:
    """Whether a value is an object or a list with one, of which JavaScript shows nothing."""
    return isinstance(value, Mapping) or (isinstance(value, list) and any(map(has_object, value)))


def number_text(value: Any) -> str:
    """A number without the zeros at its end."""
    if isinstance(value, Decimal):
        return f"{value:.0f}" if value == value.to_integral_value() else f"{value.normalize():f}"
    return str(value)


def _as_javascript(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _Object((key, _as_javascript(item)) for key, item in value.items())
    return _List(map(_as_javascript, value)) if isinstance(value, list) else value


def _json(value: Any, spaces: int = 0) -> str:
    """A value as JSON.stringify writes it."""

    def plainly(part: Any) -> Any:
        if isinstance(part, Mapping):
            return {key: plainly(item) for key, item in part.items()}
        if isinstance(part, ChainableUndefined):
            raise NotRendered("JSON of an undefined variable")
        return [plainly(item) for item in part] if isinstance(part, list) else plain(part) if _is_number(part) else part

    marks = None if spaces else (",", ":")
    return json.dumps(plainly(value), ensure_ascii=False, indent=spaces or None, separators=marks)


def _is_number(value: Any) -> bool:
    return isinstance(value, Decimal)


def _of(kinds: type | tuple[type, ...], action: Callable[..., Any]) -> Callable[..., Any]:
    """A filter for some kinds of values; nunjucks says something of others too."""

    def filtered(value: Any, *arguments: Any) -> Any:
        if not isinstance(value, kinds):
            raise NotRendered("a filter on another kind of value")
        return action(value, *arguments)

    return filtered


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:].lower()


def _replaced(text: str, old: str, new: str) -> str:
    if not old or not isinstance(new, str):
        raise NotRendered("replace with something other than text")
    return text.replace(old, new)


_FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "capitalize": _of(str, _capitalized),
    "dump": lambda value, spaces=0: _json(value, spaces),
    "first": _of((str, list), lambda value: value[0] if value else ""),
    "join": _of(list, lambda value, between="": text_of(between).join(map(text_of, value))),
    "last": _of((str, list), lambda value: value[-1] if value else ""),
    "length": _of((str, list, Mapping), len),
    "lower": _of(str, str.lower),
    "replace": _of(str, _replaced),
    "safe": _of(str, str),
    "title": _of(str, lambda text: " ".join(map(_capitalized, text.split(" ")))),
    "trim": _of(str, str.strip),
    "upper": _of(str, str.upper),
}
"""The filters that do here what they do in nunjucks, beside `default`, which both have."""


class _Environment(SandboxedEnvironment):
    """Nothing of Python can be reached by a name: a value's parts are those that JSON gave it."""

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, ChainableUndefined) or obj is None:
            return self.undefined(name=str(argument))
        if isinstance(obj, Mapping):
            return obj.get(text_of(argument), self.undefined(name=str(argument)))
        if isinstance(obj, list | str) and argument == "length":
            return len(obj)
        if isinstance(obj, list | str) and type(argument) is int:
            return obj[argument] if 0 <= argument < len(obj) else self.undefined(name=str(argument))
        raise NotRendered(f"the property {str(argument)[:40]}")

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj).__name__ == "LoopContext":
            return super().getattr(obj, attribute)
        return self.getitem(obj, attribute)


_ENVIRONMENT = _Environment(
    keep_trailing_newline=True, autoescape=False, undefined=ChainableUndefined, finalize=text_of, cache_size=0
)
_ENVIRONMENT.filters = {"default": _ENVIRONMENT.filters["default"], "d": _ENVIRONMENT.filters["d"], **_FILTERS}
_ENVIRONMENT.globals = {"null": None}


@lru_cache(maxsize=256)
def _parsed(text: str) -> Template:
    """The template, with nothing in it that is not done here."""
    if match := _NOT_ALIKE.search(text):
        raise NotRendered(f'"{match[0][:40]}"')
    try:
        tree = _ENVIRONMENT.parse(text.replace("\r", _RETURN))
        for node in tree.find_all(nodes.Node):
            _refuse_unknown(node)
        return _ENVIRONMENT.from_string(tree)
    except (TemplateError, SyntaxError) as error:
        raise NotRendered(f"an error ({str(error)[:60].rstrip('.')})") from None
    except (RecursionError, MemoryError):
        raise NotRendered("nesting that is too deep") from None


def _refuse_unknown(node: nodes.Node) -> None:
    match node:
        case nodes.Filter(name=name) if name not in _ENVIRONMENT.filters or node.kwargs or node.dyn_args:
            raise NotRendered(f"the filter {name[:40]}")
        case nodes.Filter(node=inner) if isinstance(inner, nodes.Not | nodes.Test):
            raise NotRendered("an expression inside another")
        case nodes.Test(name=name) if name not in ("defined", "undefined") or not isinstance(node.node, _TESTED):
            raise NotRendered(f"the test {name[:40]}")
        case nodes.Not() if not isinstance(node.node, _TESTED):
            raise NotRendered('"not" before more than a name')
        case nodes.Name(name="env" | "True" | "False" | "None" as name):
            raise NotRendered(name)
        case nodes.Compare() if not _is_of_words(node):
            raise NotRendered("a comparison with something other than words")
        case nodes.For() if node.test is not None or node.recursive or not isinstance(node.target, nodes.Name):
            raise NotRendered("a loop with a condition, or with more than one variable")
        case nodes.CondExpr() if any(isinstance(child, nodes.CondExpr) for child in node.iter_child_nodes()):
            raise NotRendered("a condition inside another")
    if not isinstance(node, _KNOWN):
        raise NotRendered(f"{{% {type(node).__name__.lower()} %}}")


def _is_of_words(node: nodes.Compare) -> bool:
    """Whether a text that is not a number is compared with a name: JavaScript compares others in its own way."""
    sides = (node.expr, *(operand.expr for operand in node.ops))
    words = [
        side for side in sides if isinstance(side, nodes.Const) and re.fullmatch(r"(?s).*[^\W\d_].*", str(side.value))
    ]
    texts = [side for side in words if isinstance(side.value, str)]
    return len(sides) == 2 and len(texts) == 1 and node.ops[0].op in ("eq", "ne", "in", "notin")
