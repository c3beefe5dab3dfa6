"""Tests that were last seen failing, and an output that passes over it. Pure.

Only runs after the last change of a file count: a test that fails before the fix is part of the work. An output that
speaks of the failure is left alone, and one that claims the opposite is charged for the claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.judges.checks.claimed_runs import shown, unrun_claim
from evenhand.judges.checks.finding import Check, Finding
from evenhand.judges.checks.subject import Subject

ID: Final = "tests-left-failing"

_SPEAKS_OF_IT = (
    r"(?i)\b(?:fail\w*|broken|red|errors?|not pass\w*|does not|do not|did not|could not|cannot|unable|pre-?existing"
    r"|flaky|unrelated|still|remain\w*|skipped|issue|problem)\b|n't\b"
)


def tests_left_failing(subject: Subject) -> Iterator[Finding]:
    """The last run of tests after the last change, when it failed and nothing is said of it."""
    if not subject.calls or not subject.words:
        return
    last = next(iter(reversed(shown(subject, whole=False).ran["tests"])), None)
    if last is None or last.passed is not False or re.search(_SPEAKS_OF_IT, subject.prose):
        return
    if any(finding.effect < 0 for finding in unrun_claim(subject)):
        return
    place = (last.event.call.result_place if last.event.call else None) or last.event.place
    says = "The last run of the tests after the last change failed, and the output does not say so."
    yield Finding(ID, "correctness", -150, says, last.line[:200], place)


CHECKS: tuple[Check, ...] = (
    Check(
        id=ID,
        dimensions=("correctness",),
        sees="A last run of the tests, after the last change of a file, that failed, while the output passes over it.",
        effect="-1.50: the work was handed over in a state that was seen not to work.",
        example="`2 failed, 10 passed` is the last result, and the output says `The parser now reads quoted fields.`",
        run=tests_left_failing,
    ),
)
