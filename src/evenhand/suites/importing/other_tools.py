"""Which tool a file of cases belongs to, by its keys."""

from __future__ import annotations

from collections.abc import Set
from typing import Literal

Tool = Literal["promptfoo", "waza", "skill-creator"]

EVALS = "is skill-creator's evals.json; a suite names it as it is: cases: evals.json"


def tool_of(keys: Set[str]) -> Tool | None:
    """The tool that a file with these keys belongs to; None for our own and any other."""
    if keys & {"tasks", "tasks_from", "graders"} and "name" in keys:
        return "waza"
    if keys & {"providers", "targets"} and keys & {"prompts", "tests", "scenarios"}:
        return "promptfoo"
    return "skill-creator" if "evals" in keys else None
