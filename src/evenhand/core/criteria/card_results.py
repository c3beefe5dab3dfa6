"""What a scorecard says about one criterion, of its rubric or asked for in a sentence. Pure."""

from __future__ import annotations

from typing import Literal

from evenhand.core.criteria.costs import is_met
from evenhand.core.values.criterion import CANNOT_TELL, PARTLY
from evenhand.core.values.scorecard import Scorecard

CriterionResult = Literal["met", "partly met", "missed", "does not apply", "undecided"]


def criterion_result(card: Scorecard, id: str) -> tuple[CriterionResult, str] | None:
    """Whether a scorecard meets a criterion, by its id in the rubric or its sentence, and why; None where it was not
    asked about. One that does not apply asks for nothing."""
    for line in card.dimensions.values():
        for criterion in () if line.criteria is None else line.criteria.tree.criteria():
            verdict = None if line.criteria is None else line.criteria.verdicts.get(criterion.id)
            if criterion.id == id and verdict is not None:
                met = is_met(criterion, verdict.answer)
                result: CriterionResult = "met" if met else "missed"
                if met is None:
                    result = "undecided" if verdict.answer == CANNOT_TELL else "does not apply"
                elif verdict.answer == PARTLY:
                    result = "partly met"
                return result, verdict.reason or criterion.sentence
    for expected in () if card.checked is None else card.checked.expectations:
        if _same(expected.words, id):
            results: dict[str, CriterionResult] = {"met": "met", "unmet": "missed", "undecided": "undecided"}
            return results[expected.result], expected.message
    return None


def _same(words: str, sentence: str) -> bool:
    return " ".join(words.split()).rstrip(".").casefold() == " ".join(sentence.split()).rstrip(".").casefold()
