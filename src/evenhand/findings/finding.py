"""What a check is, and what its findings must be. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, get_args

from evenhand.core.finding import Finding, Severity

if TYPE_CHECKING:
    from evenhand.findings.subject import Subject

_SEVERITIES = (None, *get_args(Severity))

__all__ = ["Check", "Finding", "Severity", "check", "sound"]


class Check(NamedTuple):
    """One deterministic check. It reports what it saw, where, and why it matters, or nothing."""

    id: str
    """Lower-case words joined by hyphens; a rubric names it after `detect:`."""
    dimensions: tuple[str, ...]
    """The dimensions its findings are about."""
    sees: str
    """What it looks for, in one sentence for the documentation."""
    severity: str
    """How bad its faults are and why, in one sentence for the documentation."""
    example: str
    """A short example of what it sees, for the documentation."""
    run: Callable[[Subject], Iterable[Finding]]
    points: bool = False
    """Whether what it reports can be pointed at, so that it is a fault; else it is a note."""
    whole: bool = False
    """Whether it concludes from what is missing: it does not run where part of the file could not be read."""


Run = Callable[["Subject"], Iterable[Finding]]


def check(
    id: str,
    *dimensions: str,
    sees: str,
    severity: str,
    example: str,
    points: bool = False,
    whole: bool = False,
    most: int | None = None,
) -> Callable[[Run], Check]:
    """Declare a function as a check. Only the first `most` of its findings count: more of the same add nothing."""
    return lambda run: Check(
        id, dimensions, sees, severity, example, lambda subject: islice(run(subject), most), points, whole
    )


def sound(check: Check, findings: Iterable[Finding]) -> list[Finding]:
    """The findings of a check, each of the kind it promised; a TypeError or ValueError names the one that is not."""
    checked = list(findings)
    for finding in checked:
        if not isinstance(finding, Finding):
            raise TypeError(f"it returned {finding!r:.60}, which is not a Finding")
        if finding.check != check.id:
            raise ValueError(f"its finding names the check {finding.check!r:.60}")
        if finding.dimension not in check.dimensions:
            raise ValueError(f"its finding is about {finding.dimension!r:.60}, which the check does not list")
        if finding.severity not in _SEVERITIES:
            raise ValueError(f"the severity {finding.severity!r:.60} is not minor, major, critical or None")
        if not (isinstance(finding.message, str) and isinstance(finding.quote, str)):
            raise TypeError(f"the message and the quote of a finding are text: {finding!r:.100}")
    return checked
