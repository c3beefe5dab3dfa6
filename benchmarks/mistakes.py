"""Mistakes that people make in Python code, found in its syntax tree: what is left out, swapped or confused. Pure.

Left out: a branch, a condition, an early return, a statement, a keyword argument, the end of a slice. Swapped: two
arguments, two items of a tuple, `min` and `max`, the first and the last, the order of `sorted`. Confused: names that
come in pairs, such as `lower` and `upper`. Kinds of change that nearly always make no difference are not made.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

Change = tuple[int, int, str]
"""Bytes from the first number to the second are replaced by the text."""

_NAMES = dict(pair.split() for pair in ("min max", "any all", "floor ceil", "startswith endswith", "lstrip rstrip"))
_NAMES |= {second: first for first, second in _NAMES.items()}

_PAIRS = dict(
    pair.split()
    for pair in (
        "lower upper",
        "low high",
        "lowest highest",
        "left right",
        "first second",
        "before after",
        "old new",
        "earlier later",
        "older newer",
        "start end",
        "minimum maximum",
        "given expected",
        "ours theirs",
        "baseline candidate",
        "width height",
        "a b",
        "x y",
    )
)
_PAIRS |= {second: first for first, second in _PAIRS.items()}

_SYMMETRIC = {"isinstance", "issubclass", "min", "max", "gcd", "lcm", "cast", "hypot", "isclose", "TypeVar", "union"}
"""Calls whose arguments in another order mean the same, or nothing at all."""

_QUIET = {"encoding", "strict", "daemon", "repr"}
"""Keyword arguments that change nothing on the machines of developers."""

_NUMERAL = re.compile(r"-?\d+(\.\d+)?")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CONDITIONAL = (ast.If, ast.While, ast.IfExp)


class Mistakes:
    """The mistakes at each node of one file."""

    def __init__(self, tree: ast.Module, data: bytes) -> None:
        self.data = data
        self.starts = [0]
        for line in data.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        self.bound: dict[ast.AST, dict[str, int]] = {}

    def at(self, node: ast.AST) -> Iterator[Change]:
        """What can go wrong here, without looking into the parts."""
        yield from self._conditions(node)
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from self._statements(node)
        elif isinstance(node, ast.Call):
            yield from self._calls(node)
        elif isinstance(node, ast.arguments):
            yield from self._defaults([*node.defaults, *filter(None, node.kw_defaults)])
        else:
            yield from self._expressions(node)

    def span(self, first: ast.AST, last: ast.AST | None = None) -> tuple[int, int]:
        """From where a node starts to where it, or another one, ends, in bytes."""
        return self._place(first, "lineno", "col_offset"), self._place(last or first, "end_lineno", "end_col_offset")

    # --- conditions and branches -----------------------------------------------------------------

    def _conditions(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, _CONDITIONAL) and not isinstance(node.test, ast.Constant):
            if not isinstance(node, ast.While):  # a loop without an end is noticed by its length
                yield (*self.span(node.test), "True")
            yield (*self.span(node.test), "False")
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield (*self.span(test), "True")
                yield (*self.span(test), "False")
        elif isinstance(node, ast.BoolOp):
            yield from self._one_less(node.values)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and not self._is_test(node):
            yield (*self.span(node), self._operand(node))

    def _is_test(self, node: ast.AST) -> bool:
        """The whole condition of an if or a filter, which is negated as a whole anyway."""
        around = self.parents[node]
        return (isinstance(around, _CONDITIONAL) and around.test is node) or isinstance(around, ast.comprehension)

    def _one_less(self, values: Sequence[ast.expr]) -> Iterator[Change]:
        """`a and b` becomes `b`, then `a`."""
        yield self._with_brackets(values[0])[0], self._with_brackets(values[1])[0], ""
        for before, value in pairwise(values):
            yield self._with_brackets(before)[1], self._with_brackets(value)[1], ""

    def _statements(self, node: ast.stmt | ast.ExceptHandler | ast.match_case) -> Iterator[Change]:
        if isinstance(node, ast.If) and node.orelse:
            yield self._without(node.body)
            if not (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)):
                yield self._without(node.orelse)
        elif isinstance(node, ast.match_case):
            yield self._without(node.body)
        elif isinstance(node, ast.ExceptHandler) and not isinstance(node.body[0], ast.Raise):
            yield (*self.span(node.body[0], node.body[-1]), "raise")
        elif isinstance(node, ast.Return):
            if self._ends_early(node):
                yield self._without([node])
        elif isinstance(node, ast.Break):
            yield (*self.span(node), "continue")
        elif isinstance(node, ast.Continue):
            yield (*self.span(node), "break")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
            yield (*self.span(node), "yield from ()")
        elif isinstance(node, ast.Assign) and self._set_before(node):
            yield self._without([node])
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            operator = self.span(node.target)[1], self.span(node.value)[0]
            text = self.data[operator[0] : operator[1]].decode()
            yield (*operator, text.replace("+=", "-=") if "+=" in text else text.replace("-=", "+="))
        elif isinstance(node, ast.AnnAssign) and node.value and isinstance(self.parents[node], ast.ClassDef):
            yield from self._defaults([node.value])

    def _without(self, statements: Sequence[ast.stmt]) -> Change:
        return (*self.span(statements[0], statements[-1]), "pass")

    def _ends_early(self, node: ast.Return) -> bool:
        """The last of several statements in a block that is not the function's own, so that what follows would run."""
        around = self.parents[node]
        body = getattr(around, "body", [])
        return not isinstance(around, _FUNCTIONS) and isinstance(body, list) and len(body) > 1 and body[-1] is node

    def _set_before(self, node: ast.Assign) -> bool:
        """Whether every name that is set here had a value before, so that only the change is lost."""
        function = self._function(node)
        names = [target for target in node.targets if isinstance(target, ast.Name)]
        if function is None or len(names) < len(node.targets):
            return False
        begun = self.span(node)[0]
        return all(self._bound(function).get(target.id, begun) < begun for target in names)

    def _function(self, node: ast.AST) -> ast.AST | None:
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, _FUNCTIONS):
                return node
        return None

    def _bound(self, function: ast.AST) -> dict[str, int]:
        """Where each name of a function first has a value."""
        if function not in self.bound:
            names: dict[str, int] = {}
            for node in ast.walk(function):
                if isinstance(node, ast.arg):
                    names[node.arg] = 0
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    begun = self.span(node)[0]
                    names[node.id] = min(begun, names.get(node.id, begun))
            self.bound[function] = names
        return self.bound[function]

    # --- calls and their arguments ---------------------------------------------------------------

    def _calls(self, node: ast.Call) -> Iterator[Change]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _NAMES:
            end = self.span(node.func)[1]
            yield end - len(name), end, _NAMES[name]
        if name not in _SYMMETRIC:
            yield from self._swapped(node.args)
        if name == "sorted" and not any(keyword.arg == "reverse" for keyword in node.keywords):
            last = max((self.span(part)[1] for part in (*node.args, *node.keywords)), default=0)
            if not isinstance(node.args[0], ast.GeneratorExp):
                yield last, last, ", reverse=True"
        if name in ("Decimal", "Fraction") and len(node.args) == 1:
            yield from self._numeral(node.args[0])
        yield from self._keywords(node)

    def _swapped(self, items: Sequence[ast.expr]) -> Iterator[Change]:
        """Two neighbours in the other order, unless both are written out: then a test would only repeat them."""
        for left, right in pairwise(items):
            starred = isinstance(left, ast.Starred) or isinstance(right, ast.Starred)
            written = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
            if not starred and not written and ast.dump(left) != ast.dump(right):
                between = self.data[self.span(left)[1] : self.span(right)[0]].decode()
                yield (*self.span(left, right), self._text(right) + between + self._text(left))

    def _numeral(self, node: ast.expr) -> Iterator[Change]:
        """`Decimal("0.5")` becomes `Decimal("0.6")`."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NUMERAL.fullmatch(node.value):
            digit = str((int(node.value[-1]) + 1) % 10)
            yield (*self.span(node), f'"{node.value[:-1]}{digit}"')

    def _keywords(self, node: ast.Call) -> Iterator[Change]:
        parts = sorted([*node.args, *node.keywords], key=lambda part: self.span(part))
        for place, keyword in enumerate(parts):
            if not isinstance(keyword, ast.keyword) or keyword.arg in (None, *_QUIET) or _is_usual(keyword):
                continue
            if place:
                yield self.span(parts[place - 1])[1], self.span(keyword)[1], ""
            elif len(parts) > 1:
                yield self.span(keyword)[0], self.span(parts[1])[0], ""
            else:
                yield (*self.span(keyword), "")

    def _defaults(self, values: Sequence[ast.expr]) -> Iterator[Change]:
        """Texts, fractions and names as defaults; whole numbers and truth values change like everywhere."""
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield (*self.span(value), '""' if value.value else '"other"')
            elif isinstance(value, ast.Constant) and isinstance(value.value, float):
                yield (*self.span(value), str(value.value + 1))
            elif isinstance(value, ast.Name | ast.Attribute):
                yield (*self.span(value), "None")

    # --- expressions -----------------------------------------------------------------------------

    def _expressions(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, ast.Tuple):
            if not self._is_a_set(node):
                yield from self._swapped(node.elts)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield (*self.span(node), self._operand(node))
        elif isinstance(node, ast.Subscript):
            asked = isinstance(node.value, ast.Call | ast.Subscript) or self._text(node.value) in ("row", "rows")
            if isinstance(node.slice, ast.Constant) and node.slice.value == 0 and not asked:  # often the only one
                yield (*self.span(node.slice), "-1")
        elif isinstance(node, ast.Slice):
            for bound in (node.lower, node.upper):
                if bound is not None and not _is_number(bound):
                    yield (*self.span(bound), "")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in _PAIRS:
            function = self._function(node)
            if function is not None and _PAIRS[node.id] in self._bound(function):
                yield (*self.span(node), _PAIRS[node.id])
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            other = _PAIRS.get(node.attr)
            if other in self.attributes:
                end = self.span(node)[1]
                yield end - len(node.attr), end, other

    def _is_a_set(self, node: ast.Tuple) -> bool:
        """Whether a tuple stands where the order of its items means nothing, or is one of types."""
        around = self.parents[node]
        if isinstance(around, ast.Compare):
            return any(isinstance(operator, ast.In | ast.NotIn) for operator in around.ops)
        if isinstance(around, ast.Call):
            name = around.func.attr if isinstance(around.func, ast.Attribute) else getattr(around.func, "id", "")
            return name in ("isinstance", "issubclass", "startswith", "endswith", "set", "frozenset", "suppress", "sum")
        return isinstance(around, ast.ExceptHandler | ast.Subscript)

    # --- the text --------------------------------------------------------------------------------

    def _place(self, node: ast.AST, line: str, column: str) -> int:
        place: int = self.starts[getattr(node, line) - 1] + getattr(node, column)
        return place

    def _text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    def _operand(self, node: ast.UnaryOp) -> str:
        start, end = self._with_brackets(node.operand)
        return self.data[start:end].decode()

    def _with_brackets(self, node: ast.expr) -> tuple[int, int]:
        """A part of a condition with the brackets around it."""
        start, end = self.span(node)
        while True:
            before, after = self.data[:start].rstrip(), self.data[end:].lstrip()
            if not (before.endswith(b"(") and after.startswith(b")")) or not self._spare(len(before) - 1):
                return start, end
            start, end = len(before) - 1, len(self.data) - len(after) + 1

    def _spare(self, bracket: int) -> bool:
        """Whether a bracket only groups: what stands before it is an operator, not something that is called."""
        return (
            re.search(rb"(\b(and|or|not|if|in|is|return|else)|[(\[{,=:<>+*/%|&-])\s*$", self.data[:bracket]) is not None
        )


def _is_usual(keyword: ast.keyword) -> bool:
    """Whether it says what `subprocess.run` does anyway, as linters want it said."""
    return keyword.arg == "check" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)
