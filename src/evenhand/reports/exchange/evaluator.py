"""Who judged, for other tools: kind, name, and the version of everything that shaped the judgement. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Evaluator(NamedTuple):
    """A judge as other tools name one."""

    id: str
    kind: str
    """human, agent, model, panel, checks, or unknown."""
    version: str
    """The hash of a model's prompt or of a panel's identities, the version of the checks; empty for people."""


def evaluator(judge: Mapping[str, str]) -> Evaluator:
    """The judge of a scorecard."""
    name = judge.get("name", "")
    version = judge.get("prompt") or judge.get("identities") or judge.get("version") or ""
    return Evaluator(name, _kind(name, judge), version)


def _kind(name: str, judge: Mapping[str, str]) -> str:
    if name in ("panel", "checks"):
        return name
    for prefix, kind in (("human:", "human"), ("agent:", "agent")):
        if name.startswith(prefix):
            return kind
    return "model" if "provider" in judge else "unknown"
