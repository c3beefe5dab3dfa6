"""What a check sees: findings, each with a quote, a place, a size and one sentence. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from evenhand.core.model import Place

if TYPE_CHECKING:
    from evenhand.judges.checks.subject import Subject


class Finding(NamedTuple):
    """One thing a check saw."""

    check: str
    """The check's id."""
    dimension: str
    effect: int
    """What it does to the dimension, in hundredths of a point; negative for a fault, positive for a merit, 0 for
    something that was looked at and found in order."""
    says: str
    """One sentence: what was seen and why it matters."""
    quote: str = ""
    """Verbatim from the output, or from the transcript; empty when the fault is that something is not there."""
    place: Place | None = None
    """Where the quote stands in the file it came from, when that is not the output itself."""


class Check(NamedTuple):
    """One deterministic check. It says what it saw, where, and why it matters, or it says nothing."""

    id: str
    """Lower-case words joined by hyphens; a rubric names it after `detect:`."""
    dimensions: tuple[str, ...]
    """The dimensions it can speak to."""
    sees: str
    """What it looks for, in one sentence for the documentation."""
    effect: str
    """How much it moves a score and why that much, in one sentence for the documentation."""
    example: str
    """A short example of what it sees, for the documentation."""
    run: Callable[[Subject], Iterable[Finding]]


def limited(findings: Iterable[Finding], most: int) -> Iterator[Finding]:
    """The first few findings of a kind; more of the same add nothing a reader needs."""
    for number, finding in enumerate(findings):
        if number >= most:
            return
        yield finding
