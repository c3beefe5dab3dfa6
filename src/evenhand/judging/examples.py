"""Calibration examples from a file of judgements by people, each with its output."""

from __future__ import annotations

from pathlib import Path

from evenhand.core.values.model_options import MOST_EXAMPLES
from evenhand.core.values.opinion import Opinion, Unscored
from evenhand.errors import InputError, Problem
from evenhand.judges.written import judgement_from
from evenhand.judging.steps import Steps
from evenhand.questions.examples import Example
from evenhand.reading.documents import open_documents

PERSON = "human:"
"""How the name of a judge begins who is a person."""


def read_examples(path: str) -> tuple[Example, ...]:
    """The judgements in a file, as `evenhand score` reads them. Each must name a person and an output."""
    steps = Steps()
    examples = []
    for document in open_documents(path).documents:
        if isinstance(document, InputError):
            raise document
        try:
            judgement = judgement_from(document.value)
            if not judgement.judge["name"].startswith(PERSON):
                name = judgement.judge["name"]
                raise InputError(
                    Problem(f'examples are judgements by people, and this is by "{name}"; say judge: human:NAME')
                )
            submission = steps.evaluate_written(judgement, base=Path(path).parent).submission
            if submission is None:
                raise InputError(Problem("an example needs its output: the name of a file beside it"))
        except InputError as error:
            raise document.place_all(error) from None
        scores = {name: _verdict(opinion) for name, opinion in judgement.opinions.items()}
        flags, bonuses = (tuple(claim.id for claim in claims) for claims in (judgement.red_flags, judgement.bonuses))
        examples.append(Example(submission, scores, flags, bonuses))
    if not 1 <= len(examples) <= MOST_EXAMPLES:
        raise InputError(Problem(f"{len(examples)} examples; give 1 to {MOST_EXAMPLES}", path))
    return tuple(examples)


def _verdict(opinion: Opinion) -> str:
    if isinstance(opinion.score, Unscored):
        return "no score"
    score = f"{opinion.score.normalize():f}"
    return f"{score} ({opinion.justification})" if opinion.justification else score
