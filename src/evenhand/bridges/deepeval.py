"""DeepEval: a metric. `EvenhandMetric(rubric="writing", judges="openai:gpt-4o")` scores a test case's actual output.

The score is a tenth of the final score. A test case that nobody could score has no score and an error, never a zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.api.judging import judge, judge_async
from evenhand.core.scorecard import Scorecard
from evenhand.errors import EvenhandError, InputError
from evenhand.options.model_options import options_from
from evenhand.reports.scorecard import named_quotes, verdict
from evenhand.rubrics.library import DEFAULT
from evenhand.rubrics.resolved import resolve
from evenhand.work.submission import Submission

try:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError:
    raise InputError("the metric for DeepEval needs DeepEval: pip install deepeval") from None


class NotJudged(Exception):
    """The output could not be scored; DeepEval reports it as the metric's error."""


class EvenhandMetric(BaseMetric):  # type: ignore[misc]
    """A metric with the arguments of `evenhand.judge`; the threshold is the rubric's pass mark unless given."""

    def __init__(
        self,
        *,
        threshold: float | None = None,
        name: str = "evenhand",
        arguments: Mapping[str, Any] | None = None,
        **judge_arguments: Any,
    ) -> None:
        self.score: float | None = None
        self.error: str | None = None
        # DeepEval copies a metric by passing on the attributes that are named like arguments.
        self.name = name
        self.arguments = {**(arguments or {}), **judge_arguments}
        if threshold is None:
            threshold = float(resolve(self.arguments.get("rubric") or DEFAULT).rubric.pass_mark / 10)
        self.threshold = threshold

    def measure(self, test_case: LLMTestCase, *arguments: Any, **ignored: Any) -> float:
        """Judge a test case; NotJudged when it could not be scored."""
        try:
            return self._take(judge(_submission(test_case), **self._arguments()))
        except EvenhandError as error:
            raise self._not_judged(str(error)) from None

    async def a_measure(self, test_case: LLMTestCase, *arguments: Any, **ignored: Any) -> float:
        """Like `measure`, in DeepEval's event loop."""
        try:
            return self._take(await judge_async(_submission(test_case), **self._arguments()))
        except EvenhandError as error:
            raise self._not_judged(str(error)) from None

    def is_successful(self) -> bool:
        """Whether the score reaches the threshold."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return self.name

    def _arguments(self) -> dict[str, Any]:
        return {"judges": "checks", **self.arguments, "options": options_from(self.arguments.get("options"))}

    def _take(self, card: Scorecard) -> float:
        if card.final is None:
            raise self._not_judged(verdict(card))
        self.error = None
        score = self.score = float(card.final / 10)
        self.success = score >= self.threshold
        self.reason = "\n".join([verdict(card), *named_quotes(card)])
        self.score_breakdown = {
            name: float(line.score / 10) for name, line in card.dimensions.items() if line.score is not None
        }
        self.evaluation_model = str(card.judge.get("name", ""))
        return score

    def _not_judged(self, why: str) -> NotJudged:
        self.score, self.success, self.error = None, False, f"not judged: {why}"
        return NotJudged(self.error)


def _submission(test_case: LLMTestCase) -> Submission:
    return Submission(test_case.actual_output or "", task=test_case.input, reference=test_case.expected_output)
