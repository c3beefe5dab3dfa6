"""One expectation, as a file or a caller states it. Immutable values; nothing here decides."""

from __future__ import annotations

from collections.abc import Mapping
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
"""What may go beside a rule."""


class Expectation(NamedTuple):
    """Something that must be so."""

    about: About
    rule: str
    value: Any
    options: Mapping[str, Any]
    dimension: str
    severity: Severity
    """How bad it is when it is not so."""
    words: str
    """It in one line, for people."""


class Verdict(NamedTuple):
    """Whether something is as expected, why, and where that can be seen."""

    met: bool | None
    """None when it cannot be told."""
    message: str
    quote: str = ""
    offset: int | None = None
    """Where the quote starts in the output."""
    place: Place | None = None
    """Where the quote is in the transcript, when it is not from the output."""
