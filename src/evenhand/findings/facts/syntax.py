"""Code as trees, with the grammars that are installed with evenhand, never from the network. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

GRAMMARS: Final = {
    **{name: (f"tree-sitter-{name}", "language") for name in ("bash", "c", "cpp", "go", "java", "javascript", "lua")},
    **{name: (f"tree-sitter-{name}", "language") for name in ("python", "ruby", "rust")},
    "csharp": ("tree-sitter-c-sharp", "language"),
    "php": ("tree-sitter-php", "language_php"),
    "tsx": ("tree-sitter-typescript", "language_tsx"),
    "typescript": ("tree-sitter-typescript", "language_typescript"),
}
"""The package of every grammar, and the function in it that gives the grammar. All but the largest, that of C#, are
dependencies of evenhand."""


@cache
def parser(language: str) -> Parser | None:
    """The parser of a language; None when its grammar is not installed or is made for another tree-sitter."""
    package, function = GRAMMARS[language]
    try:
        from tree_sitter import Language, Parser  # costs start-up time

        return Parser(Language(getattr(import_module(package.replace("-", "_")), function)()))
    except (ImportError, AttributeError, ValueError):
        return None


def missing(language: str) -> str:
    """What to do about a grammar that is not there."""
    return f"its grammar cannot be loaded; run: pip install --upgrade tree-sitter {GRAMMARS[language][0]}"


def syntax(language: str, code: str) -> Node | None:
    """The tree of some code; None when there is no grammar for it."""
    known = parser(language)
    return None if known is None else known.parse(code.encode("utf-8", "replace")).root_node


def leaves(root: Node) -> Iterator[Node]:
    """The tokens of a tree, in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.child_count:
            waiting.extend(reversed(node.children))
        else:
            yield node
