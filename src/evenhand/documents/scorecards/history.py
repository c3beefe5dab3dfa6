"""A comparison from the `history` field of a scorecard's document. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evenhand.core.comparison import Comparison
from evenhand.core.rules import DIMENSIONS
from evenhand.files import codec


def history_from(document: Any, where: str = "history") -> Comparison:
    """A comparison from its published form; it cannot be computed again from the scorecard alone."""
    comparison = codec.read(Comparison, document, part_of="scorecard", where=where)
    known = {name: comparison.dimensions[name] for name in DIMENSIONS if name in comparison.dimensions}
    return replace(comparison, dimensions=known)
