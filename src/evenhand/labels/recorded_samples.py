"""Recorded samples of judges: a file with a question a line, read for the curve of accuracy against cost.

A question has several answers, the best one first. Where outputs have people's labels instead, two outputs that people
scored differently make a question, the one with the higher label first; every output is in one pair at most, so that
questions are independent. A score may be a distribution, {"7": 0.6, "8": 0.4}: its mean counts.
"""

from __future__ import annotations

import gzip
import json
from math import isfinite
from random import Random
from typing import Any, Final

from evenhand.core.basics.numbers import is_number
from evenhand.core.trust.sample_curve import Question
from evenhand.errors import InputError, Problem
from evenhand.reading.text import decode, open_bytes, readable, shown_name

ADVICE = (
    'a line is an object with "id" and, for each judge, a list of answers, the best one first, each a list of scores: '
    '{"id": "1", "model-a": [[8, 7], [5, 6]]}; or with a label and the scores of one output: '
    '{"id": "1", "label": 7, "model-a": [8, 7]}'
)
LABEL: Final = "label"
SEED: Final = 31
"""Where pairing outputs starts."""


def read_samples(path: str) -> list[Question]:
    """The questions of a file in JSON lines, also in gzip. InputError with the line of what cannot be read."""
    name = shown_name(path)
    with open_bytes(path) as file, readable(name):
        data = file.read()
    text = decode(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data, name)
    values = [(number, _object(line, name, number)) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if values and all(LABEL in value for _, value in values):
        return _pairs(values, name)
    questions: list[Question] = []
    for number, value in values:
        questions.append(_question(value, name, number, questions[0] if questions else None))
    if not questions:
        raise InputError(Problem(f"has no questions; {ADVICE}", name))
    return questions


def _object(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        raise InputError(Problem(f"is not JSON; {ADVICE}", name, number)) from None
    if not isinstance(value, dict):
        raise InputError(Problem(f"is not an object; {ADVICE}", name, number))
    return value


def _pairs(values: list[tuple[int, dict[str, Any]]], name: str) -> list[Question]:
    """Questions of two outputs each, drawn at random among those that people labelled differently."""
    outputs: list[tuple[float, dict[str, list[int | float | None]], str]] = []
    for number, value in values:
        label = value[LABEL]
        scores = {judge: [_number(s) for s in given] for judge, given in value.items() if _is_scores(given)}
        if not isinstance(label, int | float) or isinstance(label, bool) or not scores:
            raise InputError(Problem(f"has no number as its label, or no judge with scores; {ADVICE}", name, number))
        if outputs and scores.keys() != outputs[0][1].keys():
            known = ", ".join(outputs[0][1])
            raise InputError(Problem(f"has scores by {', '.join(scores)}, where others have {known}", name, number))
        outputs.append((label, scores, str(value.get("id", number))))
    Random(SEED).shuffle(outputs)
    questions = []
    while outputs:
        first = outputs.pop()
        place = next((place for place, other in enumerate(outputs) if other[0] != first[0]), None)
        if place is None:
            continue
        better, worse = sorted((first, outputs.pop(place)), key=lambda output: -output[0])
        answers = {judge: [better[1][judge], worse[1][judge]] for judge in better[1]}
        questions.append(Question(f"{better[2]} > {worse[2]}", answers))
    if not questions:
        raise InputError(Problem("all outputs have the same label; at least two must differ", name))
    return questions


def _question(value: dict[str, Any], name: str, number: int, first: Question | None) -> Question:
    scores = {
        judge: [[_number(score) for score in answer] for answer in answers]
        for judge, answers in value.items()
        if _is_answers(answers)
    }
    if not scores or len({len(answers) for answers in scores.values()}) > 1:
        raise InputError(Problem(f"has no judge with the scores of at least two answers; {ADVICE}", name, number))
    if first is not None and scores.keys() != first.scores.keys():
        known = ", ".join(first.scores)
        raise InputError(Problem(f"has scores by {', '.join(scores)}, where others have {known}", name, number))
    return Question(str(value.get("id", number)), scores)


def _is_answers(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(_is_scores(answer) for answer in value)


def _is_scores(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_score(score) for score in value)


def _is_score(value: Any) -> bool:
    return value is None or _is_finite(value) or _is_distribution(value)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_distribution(value: Any) -> bool:
    """Whether a value gives each of some scores a probability; together they are more than nothing."""
    return (
        isinstance(value, dict)
        and all(is_number(score) and _is_finite(share) and share >= 0 for score, share in value.items())
        and sum(value.values()) > 0
    )


def _number(value: Any) -> int | float | None:
    """A score; of a distribution its mean, to six decimals."""
    if isinstance(value, dict):
        mean: float = sum(float(score) * share for score, share in value.items()) / sum(value.values())
        return round(mean, 6)
    number: int | float | None = value
    return number
