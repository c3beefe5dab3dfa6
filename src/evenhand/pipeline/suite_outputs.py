"""What variants wrote on the same case, as differences between the stored outputs of their first runs."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import unified_diff

from evenhand.core.values.agent_run import CaseResult
from evenhand.core.values.suite_run import SuiteRun
from evenhand.pipeline.history import submission_of
from evenhand.store.protocol import Store

MOST_CASES = 40
"""Cases whose outputs are compared."""

MOST_LINES = 200
"""Lines of a difference that are shown."""

MOST_CHARACTERS = 100_000
"""Longer outputs are not compared."""


def output_differences(store: Store, run: SuiteRun, results: Iterable[CaseResult], cases: list[str]) -> dict[str, str]:
    """By case and variant, the reference's output against the variant's, where both are stored and differ."""
    wanted = set(cases[:MOST_CASES])
    ids = {
        result.id[:2]: result.evaluation
        for result in results
        if result.id.case in wanted and result.id.repeat == 1 and result.evaluation
    }
    changes = {}
    for case in cases[:MOST_CASES]:
        first = _output(store, ids.get((case, run.reference)))
        for variant in run.variants:
            second = _output(store, ids.get((case, variant))) if variant != run.reference else None
            if first is not None and second is not None and first != second:
                changes[f"{case}: {run.reference} and {variant}"] = _difference(first, second, run.reference, variant)
    return changes


def _output(store: Store, evaluation: str | None) -> str | None:
    record = None if evaluation is None else store.find(evaluation, None)
    submission = None if record is None else submission_of(record)
    return None if submission is None or len(submission.output or "") > MOST_CHARACTERS else submission.output


def _difference(first: str, second: str, before: str, after: str) -> str:
    lines = list(unified_diff(first.splitlines(), second.splitlines(), before, after, lineterm=""))
    cut = [f"... and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return "\n".join(lines[:MOST_LINES] + cut)
