"""Inspect: a scorer. `evenhand_scorer(rubric="writing", judges="openai:gpt-4o")` scores a sample's final output.

A sample nobody could score has no value (NaN, which Inspect's metrics leave out), never a zero.
"""

from __future__ import annotations

from typing import Any

from evenhand.api.judging import judge_async
from evenhand.core.scorecard import Scorecard
from evenhand.errors import EvenhandError, InputError
from evenhand.options.model_options import options_from
from evenhand.reports.findings import findings_report
from evenhand.reports.scorecard import headline, named_quotes

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
    report = findings_report(card)
    faults = () if report is None else report.faults
    said = [*named_quotes(card), *(f"{fault.severity}: {fault.message}" for fault in faults)]
    return Score(
        value=float("nan") if card.final is None else float(card.final),
        answer=answer,
        explanation="\n".join([headline(card), *said]),
        metadata={
            "grade": card.grade.letter if card.grade else None,
            "dimensions": {
                name: "unscored" if line.score is None else str(line.score) for name, line in card.dimensions.items()
            },
            "red_flags": [flag.id for flag in card.red_flags],
            "rubric": card.rubric,
            "judge": card.judge.get("name", ""),
        },
    )
