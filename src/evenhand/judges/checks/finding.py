"""What a check sees: findings, each with a quote, a place, a size and one sentence. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from evenhand.core.values.submission import Place

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


def sound(check: Check, findings: Iterable[Finding]) -> list[Finding]:
    """The findings of a check, each of the kind it promised; a TypeError or ValueError says which is not."""
    made = list(findings)
    for finding in made:
        if not isinstance(finding, Finding):
            raise TypeError(f"it gave {finding!r:.60}, which is not a Finding")
        check_id, dimension, effect, says, quote, _ = finding
        if check_id != check.id:
            raise ValueError(f"its finding names the check {check_id!r:.60}")
        if dimension not in check.dimensions:
            raise ValueError(f"its finding names the dimension {dimension!r:.60}, which the check does not speak to")
        if type(effect) is not int or not (isinstance(says, str) and isinstance(quote, str)):
            raise TypeError(f"the effect of a finding is a whole number, its words are text: {finding!r:.100}")
    return made


def limited(findings: Iterable[Finding], most: int) -> Iterator[Finding]:
    """The first few findings of a kind; more of the same add nothing a reader needs."""
    for number, finding in enumerate(findings):
        if number >= most:
            return
        yield finding
