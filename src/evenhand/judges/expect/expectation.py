"""One expectation, as a file or a caller states it. Immutable values; nothing here decides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from evenhand.core.values.finding import Severity
from evenhand.core.values.submission import Place

About = Literal["answer", "calls", "file", "command", "limit", "text", "graded"]

RULES: Final[Mapping[About, tuple[str, ...]]] = {
    "answer": ("equals", "is", "one_of", "number", "matches", "json", "json_contains", "contains", "lacks"),
    "calls": ("made", "not_made", "in_order", "exactly"),
    "file": ("exists", "contains", "lacks", "sha256", "unchanged", "json_schema"),
    "command": ("run",),
    "limit": ("turns", "tokens", "cost", "seconds"),
    "text": ("text",),
    "graded": ("text",),
}
"""The rules of each kind of expectation."""

OPTIONS: Final[Mapping[About, tuple[str, ...]]] = {
    "answer": ("tolerance", "unit"),
    "calls": ("tools", "exact"),
    "file": ("path",),
    "command": ("exit_code", "contains", "folder", "seconds", "shell"),
    "limit": (),
    "text": (),
    "graded": ("passed", "evidence"),
}
"""The options a rule may have."""


class Expectation(NamedTuple):
    """One requirement on a submission."""

    about: About
    rule: str
    value: Any
    options: Mapping[str, Any]
    dimension: str
    severity: Severity
    """How bad it is when unmet."""
    words: str
    """The expectation in one line, for people."""


class Verdict(NamedTuple):
    """Whether an expectation is met, why, and the evidence."""

    met: bool | None
    """None when it cannot be decided."""
    message: str
    quote: str = ""
    offset: int | None = None
    """Where the quote starts in the output."""
    place: Place | None = None
    """Where the quote is in the transcript, when it is not from the output."""


class Surroundings(NamedTuple):
    """Where an agent worked, and what may be run there."""

    folder: Path | None = None
    run_commands: bool = False


NOWHERE = Surroundings()
"""No workspace, and no commands may run."""
