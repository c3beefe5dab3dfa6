"""Scores without JSON, one a line: `correctness: 7`, or `Score: 7` where a question is about one dimension. Pure.

Nothing else of a text is read as a score, since any other number may be about anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from evenhand.core.rubric import Rubric
from evenhand.judges.models.questions.questions import Question
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.judges.models.replies.answers import Answer, Unreadable, read_answer
from evenhand.judges.models.replies.json_objects import JsonObject, Number
from evenhand.work.quotes import folded

_LINE = re.compile(r"^[ \t*-]*([A-Za-z]+)[ \t*]*:[ \t*]*(-?[0-9]+(?:\.[0-9]+)?)(?:[ \t]*/[ \t]*10)?[ \t*]*\r?$", re.M)
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[\n\u3002]")
_LAST_NUMBER = re.compile(r"(?<![\w.,/#-])(10|[1-9](?:\.[0-9]{1,2})?)(?:\s*(?:/|out of)\s*10)?[\s*_`\"')\]]*$")
_NUMBER_ALONE = re.compile(r"\W*\d+(?:\.\d+)?\W*")
NO_OBJECT: Final = "the reply holds no complete JSON object with the keys that were asked for"
NO_LINE: Final = 'the reply holds no JSON object; without one, it needs a line "Score: N"'
LONGEST_AFTER: Final = 20_000
"""Characters of the longest text after an object that is searched."""


def read_score_lines(text: str, rubric: Rubric, question: Question, shown: Shown) -> Answer | Unreadable:
    """The scores of a reply without a JSON object. They have no quotes, so a high one triggers a repair request."""
    names = question.dimensions
    lines = list(_lines(text, names))
    if not lines:
        return Unreadable(NO_LINE if len(names) == 1 else NO_OBJECT, "malformed")
    if any(shown.contains(line.strip()) for _, _, line, _ in lines):
        return Unreadable("its line with the score cannot be told from words that were shown with it", "echoed")
    last = {name: (number, start) for name, number, _, start in lines}
    reasons = " ".join(text[: lines[-1][3]].split())
    said = {name: {"score": Number(number, 0), "justification": reasons} for name, (number, _) in last.items()}
    stands_for = said[names[0]] if len(names) == 1 else {"dimensions": said}
    return read_answer("", JsonObject(stands_for, 0, 0), rubric, question)


def contradicted(answer: Answer, after: str, shown: Shown) -> bool:
    """Whether a sentence after an answer ends in another score. Which of the two was meant is unclear, so neither
    counts."""
    if not answer.dimensions or not after.strip() or len(after) > LONGEST_AFTER:
        return False
    work = f"{folded(shown.text)}\n{folded(shown.task or '')}"
    for sentence in _SENTENCE.split(after):
        number = _LAST_NUMBER.search(sentence)
        if number is None or (not _NUMBER_ALONE.fullmatch(sentence) and folded(sentence) in work):
            continue
        named = [name for name in answer.dimensions if name in sentence.casefold()]
        stated = Decimal(number[1])
        if all(answer.dimensions[name].score != stated for name in named or answer.dimensions):
            return True
    return False


def _lines(text: str, names: Sequence[str]) -> Iterator[tuple[str, str, str, int]]:
    """The lines that state a score: the dimension, the number, the line, where it begins."""
    for match in _LINE.finditer(text):
        name = match[1].casefold()
        if name in ("score", "rating") and len(names) == 1:
            name = names[0]
        if name in names:
            yield name, match[2], match[0], match.start()
