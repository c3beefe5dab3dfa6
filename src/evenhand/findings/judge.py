"""Every check run over a submission. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from evenhand.core.finding import Checked, Finding
from evenhand.core.receipt import canonical_text, sha256
from evenhand.findings.endings.ending_checks import as_published
from evenhand.findings.finding import Check, sound
from evenhand.findings.precision import precise, too_often_wrong
from evenhand.findings.registry import built_in, refuse_doubles
from evenhand.findings.subject import Subject
from evenhand.work.submission import Submission

VERSION: Final = "6"
"""Raised by one when the checks would report something else about the same output."""


def pointed() -> frozenset[str]:
    """The built-in checks whose findings are faults: what can be pointed at, and was not false too often."""
    return frozenset(check.id for check in built_in() if check.points) - too_often_wrong()


class ChecksJudge:
    """The built-in checks and a user's own."""

    def __init__(self, added: Sequence[Check] = ()) -> None:
        self._checks = (*built_in(), *added)
        refuse_doubles(self._checks)
        self._built_in = frozenset(check.id for check in built_in())
        self._added = ",".join(sorted(check.id for check in added))

    @property
    def identity(self) -> Mapping[str, str]:
        """The version of the checks, and the ids of the user's own."""
        return {"name": "checks", "version": VERSION, **({"added": self._added} if self._added else {})}

    @cached_property
    def _faults(self) -> frozenset[str]:
        """The ids of the checks whose findings are faults; all of a user's own are."""
        return pointed() | {check.id for check in self._checks if check.id not in self._built_in}

    @cached_property
    def hash(self) -> str:
        """Which checks run, which of them give faults, and which may cap a reader's score."""
        ids = sorted(check.id for check in self._checks)
        return sha256(canonical_text([VERSION, ids, sorted(self._faults), sorted(precise() & set(ids))]))[:16]

    def _weighed(self, finding: Finding) -> Finding:
        """A finding with what it counts for: a cap, a fault, or a note."""
        is_note = finding.severity is not None and finding.check not in self._faults
        return finding._replace(precise=finding.check in precise(), note=is_note)

    def look(self, submission: Submission) -> tuple[Checked, tuple[str, ...]]:
        """Run every check. One that fails is named in a warning, and the others go on."""
        subject = Subject(submission)
        findings: list[Finding] = []
        failures = []
        failed: set[str] = set()
        left_out = [check.id for check in self._checks if check.whole and submission.problems]
        for check in self._checks:
            if check.id in left_out:
                continue
            try:
                findings += sound(check, check.run(subject))
            except Exception as error:  # whatever a check raises: no traceback, and no claim that it ran
                failures.append(f"the check {check.id} failed: {type(error).__name__}: {str(error)[:200]}")
                failed.add(check.id)
        checked = Checked(
            checks=self.hash,
            findings=tuple(map(self._weighed, findings)),
            coverage=tuple(check.id for check in self._checks if check.id not in {*left_out, *failed}),
            endings=() if submission.problems else as_published(subject),
        )
        if left_out:
            failures.append(f"not checked, because part of the file could not be read: {', '.join(left_out)}")
        return checked, (*subject.notes, *failures)
