"""What a program saw in a submission. Immutable values; nothing here computes."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evenhand.core.values.submission import Place

Severity = Literal["minor", "major", "critical"]


class Finding(NamedTuple):
    """One thing a check looked at: a fault, or something in order."""

    check: str
    """The check's id."""
    dimension: str
    severity: Severity | None
    """How bad the fault is; None when what was looked at is in order."""
    message: str
    """One sentence: what was seen and why it matters."""
    quote: str = ""
    """Verbatim from the output, or from the transcript; empty when the fault is that something is missing."""
    place: Place | None = None
    """Where the quote is in the transcript's file; None when it is in the output."""
    offset: int | None = None
    """The character of the output the quote starts at; None lets the first occurrence count."""
    line: int | None = None
    """The line of the output it starts on, once checked."""
    verified: bool | None = None
    """Whether the quote was found where the check says; None before that, or without a quote."""
