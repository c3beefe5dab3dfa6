"""promptfoo's templates, in nunjucks: variables, filters, `if`, `for`, comments and raw text.

nunjucks is a port of Jinja, so Jinja parses them; what they make is computed here, by the rules of JavaScript. What is
not done here exactly as nunjucks does it raises NotRendered, so that no import means another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from evenhand.suites.importing.template_values import (
    FILTERS,
    MISSING,
    NotRendered,
    identical,
    is_contained,
    is_true,
    less,
    member,
    same,
    text_of,
)

_OPENING = re.compile(r"\{\{|\{%|\{#")
_PARTIAL = re.compile(r"(?m)\{%[^%]*$|\{\{[^}]*$|\{#[^#]*$")
_NOT_ALIKE = re.compile(r"\{%-\s*(?:end)?raw\b|\b(?:end)?raw\s*-%\}|\{[{%]\+|\{[{%][^%}]*\\[^ntr'\"\\]|\{\{\{")
"""What Jinja accepts, and nunjucks does not or reads in another way."""

_LARGEST = 1_000_000
"""The most characters that a template may make."""

_RETURN = "\ufdd0"
"""Stands for a carriage return while Jinja reads a template, because it would take it for the end of a line."""

_COMPARED = {"eq", "ne", "lt", "lteq", "gt", "gteq", "tilde", "add", "sub", "mul"}
_ENDS = {"variable_end", "block_end", "rparen", "rbracket", "comma"}

Scope = Mapping[str, Any]


def rendered(text: str, variables: Scope) -> str:
    """A template with its variables; one that is not there is empty, as in promptfoo."""
    if not _is_template(text):
        return text
    pieces: list[str] = []
    length = 0
    for piece in _shown(_parsed(text), variables):
        pieces.append(piece)
        length += len(piece)
        if length > _LARGEST:
            raise NotRendered("a text of more than a million characters")
    return "".join(pieces).replace(_RETURN, "\r")


def check_template(text: str) -> None:
    """Raise NotRendered for a template with other things in it."""
    if _is_template(text):
        _parsed(text)


def _is_template(text: str) -> bool:
    return bool(_OPENING.search(text)) and not _PARTIAL.search(text)


class _Strict(str):
    """The kind of the tokens `===` and `!==`, for Jinja the same as that of `==` and `!=`."""

    __slots__ = ()


class _Nunjucks(Extension):
    """The words in which nunjucks differs from Jinja."""

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        tokens = list(stream)
        for place, token in enumerate(tokens):
            before = tokens[place - 1] if place else token
            if token.type == "assign" and before.type in ("eq", "ne"):
                continue
            following = tokens[place + 1].type if place + 1 < len(tokens) else ""
            if token.type in ("eq", "ne") and following == "assign":
                token = token._replace(type=_Strict(token.type))
            elif token.test("name:elseif"):
                token = token._replace(value="elif")
            elif token.test_any("name:True", "name:False", "name:None"):
                raise NotRendered(token.value)
            elif token.test("name:not") and not before.test("name:is") and _is_compared(tokens[place + 1 :]):
                raise NotRendered('"not" before a comparison without parentheses')
            yield token


def _is_compared(tokens: list[Token]) -> bool:
    """Whether what follows a `not` is compared: nunjucks negates what comes first, and compares afterwards."""
    depth = 0
    if tokens[0].test("name:in"):  # a `not in`
        return False
    for token in tokens:
        if not depth and (token.type in _ENDS or token.test_any("name:and", "name:or", "name:if", "name:else")):
            return False
        if not depth and (token.type in _COMPARED or token.test_any("name:in", "name:is")):
            return True
        depth += (token.type in ("lparen", "lbracket")) - (token.type in ("rparen", "rbracket"))
    return False


_ENVIRONMENT = Environment(keep_trailing_newline=True, extensions=[_Nunjucks], autoescape=False)


@lru_cache(maxsize=256)
def _parsed(text: str) -> nodes.Template:
    """The template, with nothing in it that is not done here."""
    if match := _NOT_ALIKE.search(text):
        raise NotRendered(f'"{match[0][:40]}"')
    try:
        template = _ENVIRONMENT.parse(text.replace("\r", _RETURN))
        for node in template.find_all(nodes.Node):
            _refuse_unknown(node)
    except TemplateSyntaxError as error:
        raise NotRendered(f"an error ({(error.message or '').rstrip('.')})") from None
    except RecursionError:
        raise NotRendered("nesting that is too deep") from None
    return template


_KNOWN = (
    nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Tuple, nodes.Name, nodes.Const, nodes.List,
    nodes.Getattr, nodes.Getitem, nodes.Filter, nodes.Test, nodes.CondExpr, nodes.And, nodes.Or, nodes.Not,
    nodes.Compare, nodes.Operand, nodes.Concat, nodes.Add, nodes.Sub,
)  # fmt: skip


_TIGHTER = (nodes.Compare, nodes.Operand, nodes.Concat, nodes.Add, nodes.Sub, nodes.Filter)
"""What nunjucks computes before a test, and Jinja afterwards."""


def _refuse_unknown(node: nodes.Node) -> None:
    loosest = (nodes.Test, nodes.Not) if isinstance(node, _TIGHTER) else (nodes.CondExpr,)
    if isinstance(node, (*_TIGHTER, nodes.CondExpr)) and any(isinstance(c, loosest) for c in node.iter_child_nodes()):
        raise NotRendered("an expression inside another")
    match node:
        case nodes.Call():
            raise NotRendered("a call")
        case nodes.Mul() | nodes.Div() | nodes.FloorDiv() | nodes.Mod() | nodes.Pow() | nodes.Neg() | nodes.Pos():
            raise NotRendered("arithmetic")
        case nodes.Add() | nodes.Sub() if any(isinstance(child, nodes.Concat) for child in node.iter_child_nodes()):
            raise NotRendered("a sum beside ~")
        case nodes.Filter(name=name) if name not in FILTERS or node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise NotRendered(f"the filter {name[:40]}")
        case nodes.Test(name=name) if name not in ("defined", "undefined") or node.args:
            raise NotRendered(f"the test {name[:40]}")
        case nodes.Name(name="env"):
            raise NotRendered("an environment variable")
        case nodes.Compare(ops=ops) if len(ops) > 1:
            raise NotRendered("a chain of comparisons")
        case nodes.For() if node.test is not None or node.recursive:
            raise NotRendered("a loop with a condition")
        case nodes.For(target=nodes.Tuple(items=items)) if len(items) != 2:
            raise NotRendered("a loop with more than two variables")
        case nodes.Tuple(ctx="load"):
            raise NotRendered("a list without brackets")
    if not isinstance(node, _KNOWN):
        raise NotRendered(f"{{% {type(node).__name__.lower()} %}}")


def _shown(node: nodes.Node, scope: Scope) -> Iterator[str]:
    """What a part of a template shows, piece by piece."""
    match node:
        case nodes.TemplateData():
            yield node.data
        case nodes.If():
            branches = ((branch.test, branch.body) for branch in (node, *node.elif_))
            chosen = next((body for test, body in branches if is_true(_value(test, scope))), node.else_)
            yield from chain.from_iterable(_shown(child, scope) for child in chosen)
        case nodes.For():
            rows = _rows(_value(node.iter, scope), node.target)
            for number, row in enumerate(rows):
                inside = {**scope, **row, "loop": _loop(number, len(rows))}
                yield from chain.from_iterable(_shown(child, inside) for child in node.body)
            if not rows:
                yield from chain.from_iterable(_shown(child, scope) for child in node.else_)
        case nodes.Expr():
            yield text_of(_value(node, scope))
        case _:
            yield from chain.from_iterable(_shown(child, scope) for child in node.iter_child_nodes())


def _value(node: nodes.Node, scope: Scope) -> Any:
    """What an expression comes to."""

    def value(part: nodes.Node) -> Any:
        return _value(part, scope)

    match node:
        case nodes.Const():
            return Decimal(str(node.value)) if isinstance(node.value, float) else node.value
        case nodes.Name():
            return None if node.name == "null" else scope.get(node.name, MISSING)
        case nodes.List():
            return [value(item) for item in node.items]
        case nodes.Getattr():
            return member(value(node.node), node.attr)
        case nodes.Getitem():
            return member(value(node.node), value(node.arg))
        case nodes.CondExpr():
            chosen = node.expr1 if is_true(value(node.test)) else node.expr2
            return "" if chosen is None else value(chosen)
        case nodes.And():
            return value(node.right) if is_true(left := value(node.left)) else left
        case nodes.Or():
            return left if is_true(left := value(node.left)) else value(node.right)
        case nodes.Not():
            return not is_true(value(node.node))
        case nodes.Test():
            return (value(node.node) is MISSING) == (node.name == "undefined")
        case nodes.Compare():
            return _compared(value(node.expr), node.ops[0].op, value(node.ops[0].expr))
        case nodes.Concat():
            return _joined([value(part) for part in node.nodes])
        case nodes.Add() | nodes.Sub():
            return _sum(value(node.left), value(node.right), node.operator)
        case nodes.Filter() if node.node is not None:
            try:
                return FILTERS[node.name](value(node.node), *map(value, node.args))
            except (TypeError, ArithmeticError):
                raise NotRendered(f"the filter {node.name} with these values") from None
    raise NotRendered(type(node).__name__.lower())


def _compared(left: Any, operator: str, right: Any) -> bool:
    equal = identical if isinstance(operator, _Strict) else same
    match operator:
        case "in" | "notin":
            return is_contained(left, right) == (operator == "in")
        case "eq" | "ne":
            return equal(left, right) == (operator == "eq")
        case "lt" | "gteq":
            return less(left, right) == (operator == "lt")
    return less(right, left) == (operator == "gt")


def _joined(parts: list[Any]) -> str:
    if None in parts or MISSING in parts:
        raise NotRendered("a text joined with an undefined value")
    return "".join(map(text_of, parts))


def _sum(first: Any, second: Any, sign: str) -> Any:
    if type(first) is int and type(second) is int:
        return first + second if sign == "+" else first - second
    if isinstance(first, str) and isinstance(second, str) and sign == "+":
        return first + second
    raise NotRendered("arithmetic")


def _rows(value: Any, target: nodes.Node) -> list[dict[str, Any]]:
    """The variables of a loop in each round. A text is a list of its characters; an object has keys or no round."""
    if value is None or value is MISSING:
        return []
    if isinstance(target, nodes.Name):
        return [{target.name: item} for item in value] if isinstance(value, list | str) else []
    name, second = (item.name for item in target.items)  # type: ignore[attr-defined]
    if isinstance(value, Mapping):
        return [{name: key, second: item} for key, item in value.items()]
    if isinstance(value, list) and all(isinstance(item, list) and len(item) == 2 for item in value):
        return [{name: first, second: following} for first, following in value]
    raise NotRendered("a loop with two variables over something other than an object")


def _loop(number: int, length: int) -> dict[str, Any]:
    return {
        "index": number + 1,
        "index0": number,
        "revindex": length - number,
        "revindex0": length - number - 1,
        "first": number == 0,
        "last": number == length - 1,
        "length": length,
    }
