"""What checks found over many evaluations, by check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


class FaultCounts:
    """What all checks found in the evaluations that went past."""

    def __init__(self) -> None:
        self.checked = 0
        """Evaluations on which checks ran."""
        self._counts: dict[str, CheckCount] = {}

    def checks(self) -> list[CheckCount]:
        """Those with most faults first."""
        return sorted(self._counts.values(), key=lambda count: (-count.faults, -count.in_order, count.check))

    def counting(self, documents: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Documents as they come, each counted on its way."""
        for document in documents:
            findings = document.get("findings")
            self.checked += findings is not None
            at_fault = set()
            for finding in findings or ():
                count = self._counts.setdefault(finding["check"], CheckCount(finding["check"]))
                severity = finding["severity"]
                if severity in SEVERITIES:
                    setattr(count, severity, getattr(count, severity) + 1)
                    at_fault.add(finding["check"])
                else:
                    count.in_order += 1
            for check in at_fault:
                self._counts[check].evaluations += 1
            yield document
