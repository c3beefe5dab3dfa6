"""A score without JSON: the last line of a reply that is exactly `Score: N`. Pure."""

from __future__ import annotations

import re

from evenhand.core.values import Rubric
from evenhand.questions.questions import Question
from evenhand.questions.shown_work import Shown
from evenhand.replies.answers import Answer, Unreadable, read_answer
from evenhand.replies.json_objects import JsonObject, Number

SCORE_LINE = re.compile(r"^[ \t]*(Score: (-?[0-9]+(?:\.[0-9]+)?))[ \t]*\r?$", re.M)


def read_score_line(text: str, rubric: Rubric, question: Question, shown: Shown) -> Answer | Unreadable:
    """The score of a reply without a JSON object. It has no quotes, so a high one triggers a repair request."""
    lines = list(SCORE_LINE.finditer(text))
    if not lines:
        return Unreadable('the reply holds no JSON object; without one, it needs a line "Score: N"', "malformed")
    if shown.contains(lines[-1][1]):
        return Unreadable("its line with the score cannot be told from words that were shown with it", "echoed")
    justification = " ".join(text[: lines[-1].start()].split())
    stands_for = {"score": Number(lines[-1][2], 0), "justification": justification}
    return read_answer("", JsonObject(stands_for, 0, 0), rubric, question)
