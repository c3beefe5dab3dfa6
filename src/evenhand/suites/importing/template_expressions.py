"""Expressions in a nunjucks template: literals, variables, their members, filters, comparisons, `and`, `or`, `not`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from evenhand.suites.importing.template_values import (
    FILTERS,
    MISSING,
    NotRendered,
    identical,
    is_true,
    less,
    member,
    same,
    text_of,
)

Scope = Mapping[str, Any]
Expression = Callable[[Scope], Any]

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<name>[A-Za-z_$]\w*)"""
    r"""|(?P<sign>===|!==|==|!=|<=|>=|[-+*|.,()\[\]<>~]))""",
    re.DOTALL,
)
_CONSTANTS = {"true": True, "false": False, "none": None, "null": None}
_WORDS = ("and", "or", "not", "in", "is", "if", "else")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": same,
    "===": identical,
    "!=": lambda one, two: not same(one, two),
    "!==": lambda one, two: not identical(one, two),
    "<": less,
    ">": lambda one, two: less(two, one),
    "<=": lambda one, two: not less(two, one),
    ">=": lambda one, two: not less(one, two),
}


def expression(source: str) -> Expression:
    """The expression in a text; NotRendered when it has other things in it."""
    reader = _Reader(source)
    parsed = reader.whole()
    if reader.kind:
        raise NotRendered(f'"{source.strip()[:60]}"')
    return parsed


class _Reader:
    """Reads from the loosest operator to the tightest, as nunjucks does."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.end = 0
        self.kind = self.word = ""
        self.advance()

    def advance(self) -> None:
        rest = self.source[self.end :]
        match = _TOKEN.match(rest)
        if match is None:
            if rest.strip():
                raise NotRendered(f'"{self.source.strip()[:60]}"')
            self.kind = self.word = ""
            return
        self.end += match.end()
        self.kind = str(match.lastgroup)
        self.word = match[self.kind]

    def takes(self, *words: str) -> str:
        """The word that comes next, when it is one of these; a text in quotes never is."""
        if self.kind in ("name", "sign") and self.word in words:
            word = self.word
            self.advance()
            return word
        return ""

    def must_take(self, word: str) -> None:
        if not self.takes(word):
            raise NotRendered(f'"{self.source.strip()[:60]}"')

    def whole(self) -> Expression:
        value = self.either()
        if not self.takes("if"):
            return value
        condition = self.either()
        otherwise = self.either() if self.takes("else") else lambda _: ""
        return lambda scope: value(scope) if is_true(condition(scope)) else otherwise(scope)

    def either(self) -> Expression:
        left = self.both()
        while self.takes("or"):
            left = _or(left, self.both())
        return left

    def both(self) -> Expression:
        left = self.negation()
        while self.takes("and"):
            left = _and(left, self.negation())
        return left

    def negation(self) -> Expression:
        if self.takes("not"):
            inner = self.negation() if self.word == "not" else self.filtered()
            if self.word in (*_COMPARISONS, "~", "+", "-", "*", "in", "is", "not"):
                # nunjucks negates what comes first, and compares afterwards.
                raise NotRendered('"not" before a comparison without parentheses')
            return lambda scope: not is_true(inner(scope))
        return self.membership()

    def membership(self) -> Expression:
        left = self.test()
        while True:
            is_not = bool(self.takes("not"))
            if not self.takes("in"):
                if is_not:
                    raise NotRendered(f'"{self.source.strip()[:60]}"')
                return left
            left = _in(left, self.test(), is_not)

    def test(self) -> Expression:
        left = self.comparison()
        if not self.takes("is"):
            return left
        wanted = not self.takes("not")
        name = self.takes("defined", "undefined")
        if not name:
            raise NotRendered(f"the test {self.word[:40]}")
        return lambda scope: ((left(scope) is MISSING) == (name == "undefined")) == wanted

    def comparison(self) -> Expression:
        left = self.concatenation()
        operator = self.takes(*_COMPARISONS)
        if not operator:
            return left
        right = self.concatenation()
        if self.takes(*_COMPARISONS):
            raise NotRendered("a chain of comparisons")
        compare = _COMPARISONS[operator]
        return lambda scope: compare(left(scope), right(scope))

    def concatenation(self) -> Expression:
        left = self.sum()
        while self.takes("~"):
            left = _joined(left, self.sum())
        return left

    def sum(self) -> Expression:
        left = self.filtered()
        while sign := self.takes("+", "-", "*"):
            if sign == "*":
                raise NotRendered("arithmetic")
            left = _sum(left, self.filtered(), sign)
        return left

    def filtered(self) -> Expression:
        value = self.primary()
        while self.takes("|"):
            name, arguments = self.word, list[Expression]()
            if self.kind != "name" or name not in FILTERS:
                raise NotRendered(f"the filter {name[:40]}")
            self.advance()
            if self.takes("("):
                arguments = self.listed(")")
            value = _filtered(name, value, arguments)
        return value

    def listed(self, closing: str) -> list[Expression]:
        items: list[Expression] = []
        while not self.takes(closing):
            items.append(self.whole())
            if not self.takes(","):
                self.must_take(closing)
                break
        return items

    def primary(self) -> Expression:
        kind, word = self.kind, self.word
        if (kind == "name" and word in _WORDS) or not kind:
            raise NotRendered(f'"{self.source.strip()[:60]}"')
        self.advance()
        if kind == "number":
            number = Decimal(word) if "." in word else int(word)
            parsed: Expression = lambda _: number  # noqa: E731
        elif kind == "text":
            text = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), word[1:-1], flags=re.DOTALL)
            parsed = lambda _: text  # noqa: E731
        elif kind == "name":
            parsed = _name(word)
        elif word == "(":
            parsed = self.whole()
            self.must_take(")")
        elif word == "[":
            items = self.listed("]")
            parsed = lambda scope: [item(scope) for item in items]  # noqa: E731
        else:
            raise NotRendered(f'"{self.source.strip()[:60]}"')
        return self.members(parsed)

    def members(self, value: Expression) -> Expression:
        while sign := self.takes(".", "[", "("):
            if sign == "(":
                raise NotRendered("a call")
            if sign == ".":
                key = self.word
                if self.kind != "name":
                    raise NotRendered(f'"{self.source.strip()[:60]}"')
                self.advance()
                value = _member(value, lambda _, key=key: key)  # type: ignore[misc]
            else:
                inner = self.whole()
                self.must_take("]")
                value = _member(value, inner)
        return value


def _name(word: str) -> Expression:
    if word in _CONSTANTS:
        return lambda _: _CONSTANTS[word]
    if word == "env":
        raise NotRendered("a variable of the environment")
    return lambda scope: scope.get(word, MISSING)


def _or(left: Expression, right: Expression) -> Expression:
    return lambda scope: value if is_true(value := left(scope)) else right(scope)


def _and(left: Expression, right: Expression) -> Expression:
    return lambda scope: right(scope) if is_true(value := left(scope)) else value


def _in(left: Expression, right: Expression, is_not: bool) -> Expression:
    def decide(scope: Scope) -> bool:
        item, whole = left(scope), right(scope)
        if isinstance(whole, str) and isinstance(item, str):
            contained = item in whole
        elif isinstance(whole, list):
            contained = any(type(item) is type(element) and item == element for element in whole)
        elif isinstance(whole, Mapping):
            contained = text_of(item) in whole
        else:
            raise NotRendered('"in" with something other than a list')
        return contained != is_not

    return decide


def _joined(left: Expression, right: Expression) -> Expression:
    def join(scope: Scope) -> str:
        parts = [left(scope), right(scope)]
        if None in parts or MISSING in parts:
            raise NotRendered("a text joined with what is not there")
        return "".join(map(text_of, parts))

    return join


def _sum(left: Expression, right: Expression, sign: str) -> Expression:
    def add(scope: Scope) -> Any:
        first, second = left(scope), right(scope)
        if type(first) is int and type(second) is int:
            return first + second if sign == "+" else first - second
        if isinstance(first, str) and isinstance(second, str) and sign == "+":
            return first + second
        raise NotRendered("arithmetic")

    return add


def _filtered(name: str, value: Expression, arguments: list[Expression]) -> Expression:
    def apply(scope: Scope) -> Any:
        try:
            return FILTERS[name](value(scope), *(argument(scope) for argument in arguments))
        except (TypeError, ArithmeticError):
            raise NotRendered(f"the filter {name} with these values") from None

    return apply


def _member(value: Expression, key: Expression) -> Expression:
    return lambda scope: member(value(scope), key(scope))
