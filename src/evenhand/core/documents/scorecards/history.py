"""A comparison to and from the `history` field of a scorecard's document. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evenhand.core.basics.canonical import canonical_text
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.documents.kinds import malformed_all
from evenhand.core.values.comparison import Comparison
from evenhand.errors import DocumentError
from evenhand.files import codec


def history_json(comparison: Comparison) -> str:
    """The published form as canonical text."""
    return canonical_text(codec.document(comparison))


def history_from(document: Any, where: str = "history") -> Comparison:
    """A comparison from its published form; it cannot be computed again from the scorecard alone."""
    try:
        comparison = codec.read(Comparison, document)
    except DocumentError as error:
        raise malformed_all(where, error) from None
    known = {name: comparison.dimensions[name] for name in DIMENSIONS if name in comparison.dimensions}
    return replace(comparison, dimensions=known)
