"""Calibration examples: judgements by people, from a file or from the store, shown to models before they judge.

Those from the store are judged by the very same rubric, of any skill, and their text is kept. The ones whose task is
most like the work's come first: by the share of their words that both have. Never among them is the work itself, by id
or by text. Ties go to the same skill, then to the newer judgement, then by id, so the choice is always the same.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.judgement import Judgement, Unscored
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Rubric
from evenhand.errors import InputError, Problem
from evenhand.files.documents import open_documents
from evenhand.judges.models.judge import ModelJudge
from evenhand.judges.models.questions.examples import Example, examples_text
from evenhand.judges.panel import PanelJudge
from evenhand.judges.written import judgement_from
from evenhand.judging.steps import Steps
from evenhand.options.model_options import MOST_EXAMPLES
from evenhand.providers.tokens import estimate_tokens
from evenhand.store.protocol import Store
from evenhand.store.record import Record, kept_submission
from evenhand.work.quotes import folded
from evenhand.work.submission import Submission

PERSON = "human:"
"""How the name of a judge begins who is a person."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Letters and digits in a row; a Chinese, Japanese or Korean character is a word by itself."""


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
        scores = {
            name: _verdict(None if isinstance(opinion.score, Unscored) else opinion.score, opinion.justification)
            for name, opinion in judgement.opinions.items()
        }
        flags, bonuses = (tuple(claim.id for claim in claims) for claims in (judgement.red_flags, judgement.bonuses))
        examples.append(Example(submission, scores, flags, bonuses))
    if not 1 <= len(examples) <= MOST_EXAMPLES:
        raise InputError(Problem(f"{len(examples)} examples; give 1 to {MOST_EXAMPLES}", path))
    return tuple(examples)


def _verdict(score: Decimal | None, justification: str | None) -> str:
    if score is None:
        return "no score"
    return f"{score.normalize():f} ({justification})" if justification else f"{score.normalize():f}"


class _Candidate(NamedTuple):
    id: str
    skill: str
    completed: int
    rubric: str
    """Its hash."""
    task: frozenset[str]
    output: str
    """Folded, for comparing."""
    example: Example


class StoredExamples:
    """The judgements by people in a store, read once."""

    def __init__(self, store: Store, count: int) -> None:
        self._count = count
        newest = {
            (candidate.rubric, candidate.output): candidate
            for record in store.evaluations()
            if (candidate := _candidate(record))
        }
        self._candidates = list(newest.values())

    def choose(self, rubric: Rubric, submission: Submission) -> list[Example]:
        """The examples for a submission, the most similar first."""
        sha256, task, output = terms_of(rubric).sha256, words(submission.task), folded(submission.output)
        usable = [
            candidate
            for candidate in self._candidates
            if candidate.rubric == sha256 and candidate.output != output and candidate.id != submission.id
        ]
        usable.sort(
            key=lambda candidate: (
                -similarity(task, candidate.task),
                candidate.skill != submission.skill,
                -candidate.completed,
                candidate.id,
            )
        )
        return [candidate.example for candidate in usable[: self._count]]

    def text(self, rubric: Rubric, submission: Submission, window: int | None) -> tuple[str, int]:
        """The examples as a judge is shown them, at most half of its window, and how many they are."""
        examples = self.choose(rubric, submission)
        while examples and window is not None and 2 * estimate_tokens(examples_text(examples)) > window:
            examples.pop()
        return examples_text(examples), len(examples)

    def shown(self, judge: ModelJudge, rubric: Rubric, submission: Submission) -> tuple[ModelJudge, tuple[str, ...]]:
        """The judge with the examples for a submission, and the notes for its scorecard."""
        text, count = self.text(rubric, submission, judge.window)
        name = judge.identity["name"]
        if count == self._count:
            return judge.with_examples(text), ()
        why = f"{count} of {self._count} stored examples shown to {name}: there are no more, or no more fit its window"
        return (judge.with_examples(text) if text else judge), (why,)


class PanelWithExamples:
    """A panel whose judges are shown examples for each submission."""

    def __init__(self, panel: PanelJudge, examples: StoredExamples) -> None:
        self._panel = panel
        self._examples = examples
        self.identity: Mapping[str, str] = panel.identity
        self.calls = panel.calls

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """The panel's judgement; its identity covers the examples."""
        notes: list[str] = []

        def shown(judge: Any) -> Any:
            prepared, more = self._examples.shown(judge, rubric, submission)
            notes.extend(more)
            return prepared

        stronger = None if self._panel.stronger is None else shown(self._panel.stronger)
        panel = self._panel.with_judges([shown(judge) for judge in self._panel.judges], stronger)
        judgement = await panel.judge(rubric, submission, only=only)
        return judgement._replace(warnings=(*judgement.warnings, *dict.fromkeys(notes)))


def _candidate(record: Record) -> _Candidate | None:
    if PERSON not in record.judge or record.submission is None:
        return None
    document = record.document
    if not str(document["judge"]["name"]).startswith(PERSON):
        return None
    submission = kept_submission(json.loads(record.submission))
    scores = {
        name: _verdict(None if fields.get("score") is None else Decimal(fields["score"]), fields.get("justification"))
        for name, fields in document["dimensions"].items()
    }
    flags, bonuses = (tuple(claim["id"] for claim in document.get(name, ())) for name in ("red_flags", "bonuses"))
    example = Example(submission, scores, flags, bonuses)
    task, output = words(submission.task), folded(submission.output)
    return _Candidate(record.id, record.skill, record.completed, record.rubric_sha256, task, output, example)


def words(text: str | None) -> frozenset[str]:
    """The words of a text, each once, in Unicode NFKC and without regard to case."""
    return frozenset(_WORD.findall(unicodedata.normalize("NFKC", text or "").casefold()))


def similarity(first: frozenset[str], second: frozenset[str]) -> Fraction:
    """The share of all words of two texts that both have; 0 for a text without any, such as a task not known."""
    return Fraction(len(first & second), len(first | second)) if first and second else Fraction(0)
