"""promptfoo: a Python assertion. The assertion's `config` holds arguments of `evenhand.judge` and requirements.

    assert:
      - type: python
        value: file://evenhand_assert.py      # from evenhand.bridges.promptfoo import get_assert
        config: {rubric: writing, judges: openai:gpt-4o, min_grade: B-}

An output nobody could score is a grader error, never a low score.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from evenhand.api.judging import judge
from evenhand.core.bounds import NOT_READ
from evenhand.core.scorecard import Scorecard
from evenhand.errors import EvenhandError, InputError, unknown
from evenhand.judging.sets.gate import REQUIREMENTS, shortcomings
from evenhand.options.model_options import options_from
from evenhand.reports.scorecard import verdict
from evenhand.work.printable import printable

_HOW = frozenset(signature(judge).parameters) - {"submission", "store"}

_TOLD_BY_CHECKS = {"no_fault", "expect"}
"""Requirements that need no reader."""


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """promptfoo's grading result for one output."""
    try:
        options = _options(context)
        required = {name: options.pop(name) for name in REQUIREMENTS if name in options}
        if "expect" in required:
            options["expect"] = required["expect"]
        options.setdefault("task", str(context.get("prompt") or "") or None)
        options["options"] = options_from(options.get("options"))
        card = judge(output if isinstance(output, str) else repr(output), **{"judges": "checks", **options})
        return grading_result(card, required)
    except EvenhandError as error:
        return _no_verdict(str(error))


def grading_result(card: Scorecard, required: Mapping[str, Any]) -> dict[str, Any]:
    """Passes if every requirement is met, or without any if the rubric's pass mark is reached.

    Scores run from 0 to 1: a tenth of the final score, or 1 and 0 where no one has read the output.
    """
    reasons = shortcomings(card, required)
    if card.final is None and not (card.unread and required and required.keys() <= _TOLD_BY_CHECKS):
        why = f"{NOT_READ}; require something that checks can tell, or name a judge" if card.unread else ""
        return _no_verdict(why or verdict(card))
    passed = not reasons if required else bool(card.passed)
    score = float(passed) if card.final is None else float(card.final / 10)
    lines = reasons or [verdict(card) if card.final is not None else "every requirement is met"]
    quotes = [f"{name}: \u201c{quote.quote}\u201d" for name, line in card.dimensions.items() for quote in line.evidence]
    quotes += [f"{flag.id}: \u201c{quote.quote}\u201d" for flag in card.red_flags for quote in flag.evidence]
    faults = card.checked.findings if card.checked is not None else ()
    quotes += [f"{fault.check}: \u201c{fault.quote}\u201d" for fault in faults if fault.is_fault and fault.quote]
    return {
        "pass": passed,
        "score": score,
        "reason": printable("\n".join([*lines, *quotes])),
        "namedScores": {
            name: float(line.score / 10) for name, line in card.dimensions.items() if line.score is not None
        },
        "metadata": {"evenhand": {"id": card.id, "grade": card.grade.letter if card.grade else None}},
    }


def _no_verdict(why: str) -> dict[str, Any]:
    return {"pass": False, "score": 0, "reason": printable(f"not judged: {why}"), "metadata": {"graderError": True}}


def _options(context: Mapping[str, Any]) -> dict[str, Any]:
    config = context.get("config") or {}
    valid = sorted(_HOW | REQUIREMENTS)
    for name in config:
        if name not in valid:
            raise InputError(f"the assertion's config: {unknown('key', name, valid)}")
    return dict(config)
