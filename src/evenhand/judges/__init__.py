"""Judges: anything that turns a rubric and a submission into a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.judges.model.reply.prose.reader import read_score

__all__ = ["read_score"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("evenhand.judges.model.reply.prose.reader"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
