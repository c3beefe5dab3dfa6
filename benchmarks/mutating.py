"""Small mistakes that can be made in a Python file, each as a piece of text to replace. Pure.

Boundaries and directions of comparisons, `and`/`or`, arithmetic, whole numbers up or down by one, True and False,
negated conditions, removed statements, returned values; and what `mistakes` adds. Defaults of arguments are changed
like any other constant.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from mistakes import Mistakes

_COMPARED = dict(
    pair.split(", ") for pair in ("<, <=", "<=, <", ">, >=", ">=, >", "==, !=", "!=, ==", "in, not in", "not in, in")
)
_COMPARED |= {"is": "is not", "is not": "is"}
_COMPUTED = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "*",
    "%": "*",
    "**": "*",
    "&": "|",
    "|": "&",
    "<<": ">>",
    ">>": "<<",
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Mutant(NamedTuple):
    """One change to one file."""

    file: str
    """Relative to the source folder."""
    line: int
    start: int
    """Bytes of the file, from `start` to `end`, that are replaced."""
    end: int
    before: str
    after: str
    function: str
    """The function around it, with the names around that: `Class.method`; empty outside of any."""
    name: str
    """Outside of any function, the name that is assigned there."""
    text: str
    """The line of code, without indentation."""
    twin: int = 0
    """The same change to the same line of code occurs earlier in the file this many times."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What stays the same when other lines of the file change."""
        return (self.file, self.text, f"{self.before} -> {self.after}", self.twin)

    def rank(self, seed: int) -> str:
        """A number drawn for this mutant alone, so that a sample stays the same where the code does."""
        return hashlib.sha256(repr((seed, self.key)).encode()).hexdigest()


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Every mutant of a file, in order."""
    made = {(mutant.start, mutant.after, mutant.end): mutant for mutant in _Finder(file, source).mutants()}
    twins = Counter[tuple[str, str, str, int]]()
    numbered = []
    for _, mutant in sorted(made.items()):
        numbered.append(mutant._replace(twin=twins[mutant.key]))
        twins[mutant.key] += 1
    return numbered


def changed(source: str, mutant: Mutant) -> str:
    """The file with the change made."""
    data = source.encode()
    return (data[: mutant.start] + mutant.after.encode() + data[mutant.end :]).decode()


class _Finder:
    def __init__(self, file: str, source: str) -> None:
        self.file, self.data = file, source.encode()
        self.lines = source.split("\n")
        self.tree = ast.parse(source)
        self.mistakes = Mistakes(self.tree, self.data)
        self.around: list[str] = []
        self.function, self.name = "", ""

    def mutants(self) -> Iterator[Mutant]:
        for node in self.tree.body:
            self.name = next(iter(_assigned(node)), "")
            yield from self._visit(node)

    def _visit(self, node: ast.AST) -> Iterator[Mutant]:
        if _left_alone(node):
            return
        before = self.around, self.function
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            self.around = [*self.around, node.name]
        if isinstance(node, _FUNCTIONS):
            self.function = ".".join(self.around)
        yield from self._changes(node)
        yield from (self._made(*change) for change in self.mistakes.at(node))
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_comment"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._visit(child)
        self.around, self.function = before

    def _changes(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, right in pairwise(sides):
                yield from self._operator(left, right, _COMPARED)
        elif isinstance(node, ast.BoolOp):
            for left, right in pairwise(node.values):
                yield from self._operator(left, right, {"and": "or", "or": "and"})
        elif isinstance(node, ast.BinOp) and not _is_text(node.left) and not _is_text(node.right):
            yield from self._operator(node.left, node.right, _COMPUTED)
        elif isinstance(node, ast.Constant):
            yield from self._constant(node)
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield self._whole(node.value, "None")
        elif _can_go(node):
            yield self._whole(node, "pass")
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield self._negated(node.test)
        if isinstance(node, ast.comprehension):
            yield from map(self._negated, node.ifs)

    def _constant(self, node: ast.Constant) -> Iterator[Mutant]:
        if isinstance(node.value, bool):
            yield self._whole(node, str(not node.value))
        elif isinstance(node.value, int):
            yield self._whole(node, str(node.value + 1))
            if node.value > 0:
                yield self._whole(node, str(node.value - 1))

    def _negated(self, test: ast.expr) -> Mutant:
        start, end = self.mistakes.span(test)
        return self._whole(test, f"not ({self.data[start:end].decode()})")

    def _operator(self, left: ast.expr, right: ast.expr, known: dict[str, str]) -> Iterator[Mutant]:
        start, end = self.mistakes.span(left)[1], self.mistakes.span(right)[0]
        between = self.data[start:end].decode()
        operator = re.fullmatch(r"[\s)]*([^\s()#]+(?: (?:in|not))?)[\s(]*", between)
        if operator and operator[1] in known:
            yield self._made(start + operator.start(1), start + operator.end(1), known[operator[1]])

    def _whole(self, node: ast.AST, after: str) -> Mutant:
        return self._made(*self.mistakes.span(node), after)

    def _made(self, start: int, end: int, after: str) -> Mutant:
        line = self.data.count(b"\n", 0, start) + 1
        before = self.data[start:end].decode()
        return Mutant(
            self.file, line, start, end, before, after, self.function, self.name, self.lines[line - 1].strip()
        )


def _assigned(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))
    if isinstance(node, ast.ClassDef):
        yield node.name


def _left_alone(node: ast.AST) -> bool:
    """Types, formatted texts, imports, functions that only declare: a change there is no mistake that people make, or
    none that can be run."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Assign) and any(name == "__all__" for name in _assigned(node)):
        return True
    if isinstance(node, _FUNCTIONS):
        return all(isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) for part in node.body)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Assert)


def _can_go(node: ast.AST) -> bool:
    """Statements without which the code still runs: a call for its effect, an addition, an item set, a refusal."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call | ast.Await)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
