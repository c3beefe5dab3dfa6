"""Expectations in the files of skill-creator: `evals.json` states them as sentences, `grading.json` says which passed.

After `skills/skill-creator/references/schemas.md` of anthropics/skills; the names `assertions` and `assertion_results`
that agentskills.io uses are read too. A sentence needs a reader. A grader's evidence is free text that nobody checked:
here a passed expectation counts only when what it quotes is in the output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from evenhand.core.judgement import Evidence
from evenhand.errors import InputError, Problem
from evenhand.findings.expectations.expectation import Verdict
from evenhand.work.quotes import checker
from evenhand.work.submission import Submission

_QUOTED: Final = re.compile(r"[\"\u201c\u2018'`]([^\"\u201d\u2019'`]{8,}?)[\"\u201d\u2019'`]")


_NAMES: Final = ("text", "assertion", "expectation", "statement", "criterion", "check", "description")
_OWN: Final = ("answer", "calls", "skill", "file", "command", "limit", "graded", "dimension", "severity")


def sentence_in(item: Any) -> tuple[Any, tuple[str, ...]]:
    """The sentence in an assertion, and the keys beside it that are not read. Anything else stays as it is."""
    if not isinstance(item, Mapping) or any(name in item for name in _OWN):
        return item, ()
    for name in _NAMES:
        if isinstance(item.get(name), str) and item[name].strip():
            return item[name], tuple(str(key) for key in item if key != name)
    return item, ()


def expectations_in(document: Mapping[str, Any], case: str | None) -> list[Any] | None:
    """The expectations of such a file in the form that `reading` takes; None when it is another kind of file."""
    if isinstance(document.get("evals"), list):
        return _of_case(document["evals"], case)
    for key in ("expectations", "assertion_results", "assertions"):
        rows = document.get(key)
        if isinstance(rows, list):
            return [_graded(row) if isinstance(row, Mapping) else row for row in rows]
    return None


def _of_case(evals: list[Any], case: str | None) -> list[Any]:
    known = {str(row.get("id")): row for row in evals if isinstance(row, Mapping)}
    if case is None and len(known) == 1:
        case = next(iter(known))
    if case not in known:
        listed = ", ".join(known)
        missing = "no eval was named." if case is None else f"it has no eval {case}."
        raise InputError(Problem(f"{missing} Name one as FILE#ID; it has {listed}", path=("evals",)))
    row = known[case]
    return [sentence_in(item)[0] for item in row.get("expectations") or row.get("assertions") or []]


def _graded(row: Mapping[str, Any]) -> dict[str, Any]:
    text = row.get("text") or row.get("assertion") or ""
    return {"graded": {"text": text, "passed": row.get("passed"), "evidence": row.get("evidence") or ""}}


def decide_graded(value: Mapping[str, Any], submission: Submission) -> Verdict:
    """A grader's verdict, with its evidence looked up in the output."""
    if value["passed"] is not True:
        if value["passed"] is False:
            return Verdict(False, f"graded as failed: {value['evidence']}"[:300])
        return Verdict(None, "graded neither as passed nor as failed")
    evidence = str(value["evidence"]).strip()
    check = checker(submission)
    for quote in (*_QUOTED.findall(evidence), evidence):
        checked = check(Evidence(quote)) if quote else None
        if checked is not None and checked.verified:
            return Verdict(True, "graded as passed, and its evidence is in the output", quote, checked.offset)
    return Verdict(None, f"graded as passed, but its evidence is not in the output word for word: {evidence}"[:300])
