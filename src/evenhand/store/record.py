"""An evaluation as a store keeps it, made from its scorecard. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand import clock
from evenhand.core.comparison import Past
from evenhand.core.numbers import hundredths
from evenhand.core.receipt import canonical_text, names_text, sha256
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.documents.scorecard import scorecard_json
from evenhand.errors import StoreUnavailable
from evenhand.store.in_list import in_list, nothing_scored
from evenhand.work.submission import Image, Submission


class Record(NamedTuple):
    """One row, in the order of the table's columns."""

    id: str
    skill: str
    completed: int
    """When it was completed, in microseconds since 1970; the order of a skill's history."""
    created: str
    correctness: int | None
    completeness: int | None
    adherence: int | None
    actionability: int | None
    efficiency: int | None
    safety: int | None
    consistency: int | None
    final: int | None
    grade: str | None
    rubric: str
    rubric_sha256: str
    judge: str
    fingerprint: str | None
    """Equal for the same submission text, judge, rubric and judgement; None without a submission text (R13)."""
    scorecard: str
    """The published document, one line of JSON; it holds the judgement and the receipt whole."""
    submission: str | None
    """Task, output and reference as canonical text, if the text is kept and not only its hash."""
    in_history: int = 1
    """1 when it belongs to its skill's history; 0 when no one read it or there is no final score; 2 when it is a
    person's review of an evaluation, whose work is in the history already; 3 when it belongs to a run of a suite; 4
    when it is of such a run and no one judged it, so that there is no scorecard."""
    state: str = "graded"
    kind: str = "output"
    title: str = ""
    preview: str = ""
    reason: str = ""
    judge_name: str = ""
    case_id: str = ""
    suite_run: str | None = None
    variant: str | None = None
    asked: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost: int | None = None
    agent_cost: int | None = None
    """What the agent of a suite cost, in billionths of a dollar; None until that is known."""
    agent_tokens: int | None = None
    agent_run: str | None = None
    """The hash of what the agent's run depends on: one that was reused was paid for once."""

    @property
    def scores(self) -> tuple[int | None, ...]:
        """The seven scores in hundredths."""
        return self[4:11]

    @property
    def raw_final(self) -> int | None:
        """The final score by the judge's own scores, in hundredths, whichever is official."""
        if '"official":' not in self.scorecard:
            return self.final
        official = self.document.get("official")
        if official is None:
            return self.final
        raw = official["raw"]["final"]
        return None if raw is None else hundredths(Decimal(raw))

    @property
    def past(self) -> Past:
        """The row as a comparison sees it; only of a record with a final score, and so with all seven."""
        scores: tuple[Any, ...] = self.scores
        return Past(scores, self.rubric_sha256, self.judge)

    @property
    def document(self) -> dict[str, Any]:
        """The scorecard's document. StoreUnavailable when the stored text was damaged."""
        try:
            document = json.loads(self.scorecard, parse_float=Decimal)
        except (TypeError, ValueError, ArithmeticError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise self.damaged()
        return document

    def damaged(self, why: str = "") -> StoreUnavailable:
        """What to raise when the row cannot be what was stored, which is not the caller's fault."""
        return damaged(self.id, why)


def damaged(id: str, why: str = "") -> StoreUnavailable:
    """The error to raise when the row of an evaluation cannot be what was stored."""
    return StoreUnavailable(f"the stored scorecard {id} is damaged{why and ': ' + why}; see: evenhand store check")


COLUMNS = Record._fields
REVIEW = 2
"""What `in_history` is of a review."""
SUITE = 3
"""What `in_history` is of an evaluation that belongs to a run of a suite."""
CELL = 4
"""What `in_history` is of a run of a suite that has no evaluation."""
_PAID = ("asked", "cost", "agent_cost", "agent_tokens")
NUMBERS = frozenset((*DIMENSIONS, "completed", "final", "in_history", "input_tokens", "output_tokens", *_PAID))
"""Columns that hold whole numbers; the others are texts."""
OPTIONAL = frozenset(
    (*DIMENSIONS, "final", "grade", "fingerprint", "submission", "suite_run", "variant", *_PAID, "agent_run")
)
"""Columns that may be empty."""
NEWEST = "ORDER BY completed DESC, id DESC LIMIT ?"
PAST_COLUMNS = ("completed", "final", *DIMENSIONS, "rubric_sha256", "judge")


def _kept(submission: Submission) -> str:
    """What is kept of a submission: its texts, and of its pictures the hashes."""
    kept: dict[str, Any] = {"output": submission.output, "task": submission.task}
    if submission.reference is not None:
        kept["reference"] = submission.reference
    if images := [{"media": image.media, "sha256": image.sha256} for image in submission.images if image.sha256]:
        kept["images"] = images
    return canonical_text(kept)


def kept_submission(value: Mapping[str, Any]) -> Submission:
    """The submission that was kept, its pictures without their data."""
    images = tuple(Image(image["media"], b"", image["sha256"]) for image in value.get("images", ()))
    return Submission(output=value["output"], task=value["task"], reference=value.get("reference"), images=images)


def scores_of(card: Scorecard) -> list[int | None]:
    """The seven scores of a scorecard in hundredths, in the order of the dimensions."""
    lines = card.dimensions
    return [None if (score := lines[name].score) is None else hundredths(score) for name in DIMENSIONS]


def record_of(
    card: Scorecard,
    *,
    completed: int,
    submission: Submission | None,
    keep_text: bool,
    scores: Sequence[int | None] | None = None,
    preview: str | None = None,
) -> Record:
    """The row of a scorecard; a caller that has its scores need not have them looked up again.

    `preview` is how the output of a transcript begins, of which no text is kept.
    """
    kept = None
    if submission is not None and keep_text and not submission.events:
        kept = _kept(submission)
        preview = submission.output
    row = (
        card.id,
        card.skill,
        completed,
        card.created,
        *(scores or scores_of(card)),
        None if card.final is None else hundredths(card.final),
        card.grade.letter if card.grade else None,
        card.rubric,
        card.receipt.rubric,
        judge_text(card),
        fingerprint(card),
        scorecard_json(card),
        kept,
        _in_history(card),
        *in_list(card, submission, preview=preview),
        None,
        None,
        None,
    )
    return Record._make(row)


def record_of_row(row: Sequence[Any]) -> Record:
    """A row of the table. StoreUnavailable when a column holds what no evaluation has, such as bytes."""
    record = Record._make(row)
    for name, value in zip(COLUMNS, row, strict=True):
        right = type(value) is (int if name in NUMBERS else str) or (value is None and name in OPTIONAL)
        if not right:
            raise damaged(str(record.id), f"the column {name} holds {_what(value)}")
    return record


def _what(value: object) -> str:
    return "nothing" if value is None else "bytes" if isinstance(value, bytes) else f"a {type(value).__name__}"


def _in_history(card: Scorecard) -> int:
    if card.review is not None:
        return REVIEW
    if card.suite is not None:
        return SUITE
    return int(card.final is not None and card.judge.get("name") != "checks")


def judge_text(card: Scorecard) -> str:
    """Who judged, as one text that can be compared."""
    return names_text(card.judge)


def fingerprint(card: Scorecard) -> str | None:
    """What makes an evaluation the same again: submission text, judge, rubric and judgement, and the id if it was given
    one; of a review the round and what it corrects too, and of an official score by calibration the calibration.

    Someone who says the same in two rounds has said it twice. An agent that gives the same answer twice has run twice,
    which only ids can tell: without them, the second is the first one stored again.
    """
    receipt = card.receipt
    if receipt.submission is None:
        return None
    parts = [receipt.submission, receipt.rubric, receipt.judgement, judge_text(card)]
    given = card.id if card.case is None else card.case
    if not clock.is_new_id(given):
        parts.append(f"id {given}")
    if receipt.calibration is not None:
        parts.append(receipt.calibration)
    if card.review is not None:
        parts += [card.review.round, *filter(None, [card.review.corrects])]
    if card.suite is not None:
        place = card.suite
        parts += [place.run, place.case, place.variant, str(place.repeat)]
    if card.panel is not None and nothing_scored(card):
        parts += [card.id, card.created]  # each attempt was paid for, however alike they are
    return sha256("\n".join(parts))


def past_of(row: tuple[Any, ...]) -> Past:
    """A row of `PAST_COLUMNS` as a comparison sees it."""
    return Past(row[2:9], row[9], row[10])
