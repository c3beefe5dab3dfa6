"""Judges: anything that turns a rubric and a submission into a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.replies.prose.reader import read_score
    from evenhand.replies.verdicts.verdicts import read_verdict

__all__ = ["read_score", "read_verdict"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name in __all__:
        from importlib import import_module

        module = "prose.reader" if name == "read_score" else "verdicts.verdicts"
        return getattr(import_module(f"evenhand.replies.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
