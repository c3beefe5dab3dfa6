"""A contract imports doors: what the package offers to its users, never a module behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CONTRACTS = Path(__file__).parent
SUPPORT = CONTRACTS.parent / "support"
DOORS = {"evenhand", "evenhand.types", "evenhand.__main__"}
FILES = sorted(CONTRACTS.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, and every name that may be one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name.islower())


def behind(path: Path) -> list[str]:
    """The modules behind the doors that a file imports: those of the package with a path of their own."""
    package = CONTRACTS.parents[1] / "src"
    names = {name for name in imported(path) if name.split(".")[0] == "evenhand"} - DOORS
    return sorted(
        name
        for name in names
        if package.joinpath(*name.split(".")).with_suffix(".py").exists() or package.joinpath(*name.split(".")).is_dir()
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(CONTRACTS).as_posix())
def test_a_contract_imports_doors_only(path: Path):
    """Its own helpers too, and those that it takes from tests/support."""
    assert behind(path) == []
    helpers = [SUPPORT / f"{name}.py" for name in imported(path) if (SUPPORT / f"{name}.py").exists()]
    assert {helper.name: behind(helper) for helper in helpers if behind(helper)} == {}


def test_no_contract_reaches_a_module_by_its_name():
    """Nor by `importlib`, a patch, or an attribute of the package."""
    for path in FILES:
        if path == Path(__file__):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        reached = [
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "evenhand"
        ]
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str]
        assert not {"core", "store", "judging", "judges"} & set(reached), path.name
        assert not [text for text in texts if text.startswith(("evenhand.core.", "evenhand.store."))], path.name
