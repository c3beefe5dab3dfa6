"""A scorecard's expectations as skill-creator's `grading.json` has them. Pure.

That format has only passed and failed. Undecided expectations are listed under uncertainties.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Expected
from evenhand.core.scorecard import Scorecard


def grading_document(card: Scorecard) -> dict[str, Any]:
    """The expectations with their results, and a summary."""
    expectations = () if card.checked is None else card.checked.expectations
    decided = [expected for expected in expectations if expected.result != "undecided"]
    passed = sum(expected.result == "met" for expected in decided)
    return {
        "generator": "evenhand",
        "expectations": [
            {"text": expected.words, "passed": expected.result == "met", "evidence": _evidence(expected)}
            for expected in decided
        ],
        "summary": {
            "passed": passed,
            "failed": len(decided) - passed,
            "total": len(decided),
            "pass_rate": round(passed / len(decided), 4) if decided else 0.0,
        },
        "user_notes_summary": {
            "uncertainties": [e.line for e in expectations if e.result == "undecided"],
            "needs_review": list(card.warnings),
            "workarounds": [],
        },
    }


def _evidence(expected: Expected) -> str:
    return f'{expected.message}: "{expected.quote}"' if expected.quote else expected.message
