"""A comparison from the `history` field of a scorecard's document. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evenhand.core.rules import DIMENSIONS
from evenhand.core.values import Comparison
from evenhand.documents.kinds import record_from


def history_from(document: Any, where: str = "history") -> Comparison:
    """A comparison from its published form; it cannot be computed again from the scorecard alone."""
    comparison = record_from(Comparison, document, where)
    known = {name: comparison.dimensions[name] for name in DIMENSIONS if name in comparison.dimensions}
    return replace(comparison, dimensions=known)
