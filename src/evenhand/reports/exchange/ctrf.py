"""Results in the Common Test Report Format (CTRF), a JSON form of what JUnit files hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand._version import __version__
from evenhand.reports.exchange.junit import Case
from evenhand.work.printable import printable

SPECIFICATION = "0.0.0"
"""The version of the specification whose fields are used."""


def ctrf_document(suite: str, cases: Sequence[Case], *, moment: int) -> dict[str, Any]:
    """A report. `moment` is the time in milliseconds since 1970; what was judged has no duration."""
    tests = [_test(suite, case) for case in cases]
    counts = {
        status: sum(test["status"] == status for test in tests)
        for status in ("passed", "failed", "pending", "skipped", "other")
    }
    return {
        "reportFormat": "CTRF",
        "specVersion": SPECIFICATION,
        "results": {
            "tool": {"name": "evenhand", "version": __version__},
            "summary": {"tests": len(tests), **counts, "start": moment, "stop": moment},
            "tests": tests,
        },
    }


def _test(suite: str, case: Case) -> dict[str, Any]:
    """A case without a result is `other`: neither passed nor failed."""
    status, message = next(
        (status, message)
        for status, message in (
            ("other", case.error),
            ("failed", case.failure),
            ("skipped", case.skipped),
            ("passed", case.says or " "),
        )
        if message
    )
    test = {"name": printable(case.name), "status": status, "duration": 0, "suite": [suite, printable(case.group)]}
    return {**test, "message": printable(message)} if message.strip() else test
