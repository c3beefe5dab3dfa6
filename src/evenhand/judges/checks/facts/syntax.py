"""Code as trees, with the grammars of the installed package only, never from the network. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@cache
def parser(language: str) -> Parser | None:
    """The installed grammar's parser; None when there is none here. Newer packs fetch grammars: those are not asked."""
    try:
        import tree_sitter_language_pack as pack  # costs start-up time
    except ImportError:
        return None
    if hasattr(pack, "available_languages") and language not in pack.available_languages():
        return None
    try:
        return pack.get_parser(language)  # type: ignore[arg-type]
    except LookupError:
        return None


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
