"""How many tests reach doors only: commands, public functions, documents, pages. The others hold inner code in place.

python scripts/test_reach.py            a line for each folder of tests, then the sum
python scripts/test_reach.py --last     the sum alone

A test reaches what it, its fixtures and the helpers it calls import from the package, in its own file or in
tests/support. `evenhand` itself, `evenhand.__main__` and the pytest plug-in are doors; the types in `core` and
`errors` are values; every other module is an inner one.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
DOORS = ("evenhand", "evenhand.__main__", "evenhand_pytest")
VALUES = (
    *(f"evenhand.core.{name}" for name in ("comparison", "curve", "finding", "judgement", "published", "rubric")),
    "evenhand.core.scorecard",
    "evenhand.errors",
)
KINDS = ("doors", "values", "internals")


@dataclass(frozen=True)
class File:
    """What a test file defines, and where the names it imports come from."""

    definitions: dict[str, list[ast.AST]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By the name used here: the module, and the name there."""


def main() -> int:
    counts: dict[str, Counter[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for name, nodes in read(path).definitions.items():
            if name.startswith("test_"):
                kind = KINDS[max(map(rank, reached(path, nodes)), default=0)]
                counts.setdefault(_room(path), Counter())[kind] += 1
    total = sum(counts.values(), Counter[str]())
    if "--last" not in sys.argv[1:]:
        print(f"{'tests':<20}" + "".join(f"{kind:>11}" for kind in KINDS))
        for room, found in sorted(counts.items()):
            print(f"{room:<20}" + "".join(f"{found[kind]:>11,}" for kind in KINDS))
    print(
        f"{total['doors']:,} of {total.total():,} tests reach doors only ({total['doors'] / total.total():.0%}); "
        f"{total['values']:,} also values, {total['internals']:,} inner modules"
    )
    return 0


def _room(path: Path) -> str:
    folders = path.relative_to(TESTS).parts[:-1]
    return "/".join(folders[: 2 if folders[:1] == ("contract",) else 1]) or "."


def rank(module: str) -> int:
    """0 for a door, 1 for a value, 2 for an inner module."""
    if module in DOORS:
        return 0
    return 1 if any(module == value or module.startswith(f"{value}.") for value in VALUES) else 2


@cache
def read(path: Path) -> File:
    file = File()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                file.imports[alias.asname or alias.name.partition(".")[0]] = (alias.name, "")
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                file.imports[alias.asname or alias.name] = (node.module, alias.name)
    for node in tree.body:
        for name in _defined(node):
            file.definitions.setdefault(name, []).append(node)
    return file


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def reached(path: Path, nodes: list[ast.AST]) -> frozenset[str]:
    """The modules of the package that some code uses, through helpers and fixtures too."""
    return frozenset().union(*(_named(path, name) for node in nodes for name in _used(node)))


_known: dict[tuple[Path, str], frozenset[str]] = {}


def _named(path: Path, name: str) -> frozenset[str]:
    """What a name in a file leads to; nothing new where two helpers call each other."""
    if (path, name) not in _known:
        _known[path, name] = frozenset()
        _known[path, name] = _looked_up(path, name)
    return _known[path, name]


def _looked_up(path: Path, name: str) -> frozenset[str]:
    if "." in name:
        return frozenset({name})
    file = read(path)
    module, original = file.imports.get(name, ("", ""))
    if name in file.definitions:
        return reached(path, file.definitions[name])
    if support := _files().get(module):
        return reached(support, read(support).definitions.get(original, []))
    if module.partition(".")[0] in ("evenhand", "evenhand_pytest"):
        return frozenset({_module(module, original)})
    shared = TESTS / "conftest.py"
    return _named(shared, name) if not module and path != shared else frozenset()


@cache
def _used(node: ast.AST) -> frozenset[str]:
    """The names that some code takes from outside, as used when it runs; types are only read."""
    names: set[str] = set()
    own: set[str] = set()
    fixtures: set[str] = set()
    for part in _running(node):
        if isinstance(part, ast.Name):
            (names if isinstance(part.ctx, ast.Load) else own).add(part.id)
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):  # a fixture is asked for by its name
            fixtures |= {argument.arg for argument in (*part.args.args, *part.args.kwonlyargs)}
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.startswith("evenhand."):
            names.add(part.value)  # what `monkeypatch.setattr` is given
    return frozenset(names - own | fixtures)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _running(part)


@cache
def _files() -> dict[str, Path]:
    return {path.stem: path for path in TESTS.rglob("*.py")}


def _module(module: str, name: str) -> str:
    """`from evenhand import errors` is the module `evenhand.errors`; `from evenhand import judge` is a door."""
    package = TESTS.parent / "src" / Path(*module.split("."))
    inner = (package / f"{name}.py").exists() or (package / name / "__init__.py").exists()
    return f"{module}.{name}" if name and inner else module


if __name__ == "__main__":
    sys.exit(main())
