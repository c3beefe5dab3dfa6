"""Recorded samples of judges: a file with a question a line, read for the curve of accuracy against cost."""

from __future__ import annotations

import gzip
import json
from typing import Any

from evenhand.core.trust.sample_curve import Question
from evenhand.errors import InputError, Problem
from evenhand.reading.text import decode, open_bytes, readable, shown_name

ADVICE = (
    'a line is an object with "id" and, for each judge, a list of answers, the best one first, each a list of scores: '
    '{"id": "1", "model-a": [[8, 7], [5, 6]]}'
)


def read_samples(path: str) -> list[Question]:
    """The questions of a file in JSON lines, also in gzip. InputError with the line of what cannot be read."""
    name = shown_name(path)
    with open_bytes(path) as file, readable(name):
        data = file.read()
    text = decode(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data, name)
    questions: list[Question] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            questions.append(_question(line, name, number, questions[0] if questions else None))
    if not questions:
        raise InputError(Problem(f"has no questions; {ADVICE}", name))
    return questions


def _question(line: str, name: str, number: int, first: Question | None) -> Question:
    try:
        value = json.loads(line)
    except ValueError:
        raise InputError(Problem(f"is not JSON; {ADVICE}", name, number)) from None
    if not isinstance(value, dict):
        raise InputError(Problem(f"is not an object; {ADVICE}", name, number))
    scores = {judge: answers for judge, answers in value.items() if _is_answers(answers)}
    if not scores or len({len(answers) for answers in scores.values()}) > 1:
        raise InputError(Problem(f"has no judge with the scores of at least two answers; {ADVICE}", name, number))
    if first is not None and scores.keys() != first.scores.keys():
        known = ", ".join(first.scores)
        raise InputError(Problem(f"has scores by {', '.join(scores)}, where others have {known}", name, number))
    return Question(str(value.get("id", number)), scores)


def _is_answers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(answer, list) and all(_is_score(score) for score in answer) for answer in value)
    )


def _is_score(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value == value)
