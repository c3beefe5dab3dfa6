"""What checks found over many evaluations, by check. Pure: documents of scorecards in, figures out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

SEVERITIES: Final = ("critical", "major", "minor")


@dataclass
class CheckCount:
    """What one check found."""

    check: str
    critical: int = 0
    major: int = 0
    minor: int = 0
    in_order: int = 0
    """How often it looked at something and found it fine."""
    evaluations: int = 0
    """Evaluations in which it found a fault."""

    @property
    def faults(self) -> int:
        """Faults of every severity."""
        return self.critical + self.major + self.minor


@dataclass
class FaultCounts:
    """What all checks found."""

    evaluations: int
    checked: int
    """Evaluations on which checks ran."""
    checks: list[CheckCount]
    """Those with most faults first."""


def fault_counts(documents: Iterable[Mapping[str, Any]]) -> FaultCounts:
    """Count the findings of some evaluations."""
    counts: dict[str, CheckCount] = {}
    evaluations = checked = 0
    for document in documents:
        evaluations += 1
        findings = document.get("findings")
        checked += findings is not None
        at_fault = set()
        for finding in findings or ():
            count = counts.setdefault(finding["check"], CheckCount(finding["check"]))
            severity = finding["severity"]
            if severity in SEVERITIES:
                setattr(count, severity, getattr(count, severity) + 1)
                at_fault.add(finding["check"])
            else:
                count.in_order += 1
        for check in at_fault:
            counts[check].evaluations += 1
    ordered = sorted(counts.values(), key=lambda count: (-count.faults, -count.in_order, count.check))
    return FaultCounts(evaluations, checked, ordered)
