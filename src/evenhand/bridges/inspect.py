"""Inspect: a scorer. `evenhand_scorer(rubric="writing", judges="openai:gpt-4o")` scores a sample's final output.

A sample nobody could score has no value (NaN, which Inspect's metrics leave out), never a zero.
"""

from __future__ import annotations

from typing import Any

from evenhand.api.judging import judge_async
from evenhand.core.values import Scorecard
from evenhand.errors import EvenhandError, InputError
from evenhand.options.model_options import options_from
from evenhand.reports.document import card_report

try:
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError:
    raise InputError("the scorer for Inspect needs Inspect: pip install inspect-ai") from None


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator, unused-ignore]
def evenhand_scorer(**options: Any) -> Scorer:
    """A scorer with the arguments of `evenhand.judge`; the value is the final score, 1 to 10."""

    async def score(state: TaskState, target: Target) -> Score:
        try:
            arguments = {"task": state.input_text, "judges": "checks", **options}
            arguments["options"] = options_from(options.get("options"))
            card = await judge_async(state.output.completion, **arguments)
        except EvenhandError as error:
            return Score(value=float("nan"), answer=state.output.completion, explanation=f"not judged: {error}")
        return inspect_score(card, state.output.completion)

    return score


def inspect_score(card: Scorecard, answer: str) -> Score:
    """A scorecard as Inspect keeps it; the quotes are in the explanation."""
    report = card_report(card)
    quotes = [f"{row.name}: \u201c{quote.quote}\u201d" for row in report.rows for quote in row.evidence]
    quotes += [f"{claim.id}: \u201c{quote.quote}\u201d" for claim in report.claims for quote in claim.evidence]
    faults = report.findings.faults if report.findings is not None else ()
    quotes += [f"{fault.severity}: {fault.message}" for fault in faults]
    return Score(
        value=float("nan") if card.final is None else float(card.final),
        answer=answer,
        explanation="\n".join([report.headline, *quotes]),
        metadata={
            "grade": card.grade.letter if card.grade else None,
            "dimensions": {row.name: row.score for row in report.rows},
            "red_flags": [flag.id for flag in card.red_flags],
            "rubric": card.rubric,
            "judge": card.judge.get("name", ""),
        },
    )
