"""What choosing a round of review needs of every evaluation: found in a scorecard's text, which is not parsed.

A scorecard is one line of JSON as it was written, and within a text on it every quotation mark is escaped: what is
looked for here is always the name of a field and the start of its value. Parsing takes four times as long, and so does
having the database look.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from evenhand.store.record import REVIEW, damaged
from evenhand.store.sql_connection import SqlConnection

_RECEIPT: Final = '"receipt":{'
_SUBMISSION: Final = '"submission":"'
_HEX: Final = 64
"""Characters of a hash."""


class ReviewCandidate(NamedTuple):
    """An evaluation as far as a choice among all needs it."""

    id: str
    skill: str
    rubric: str
    rubric_sha256: str
    judge: str
    final: int | None
    submission: str | None
    """The hash of what was judged."""
    text_kept: bool
    disputed: bool
    """Whether the judges of its panel disagree."""
    alarm: bool
    """Whether it is flagged, or raises an alarm of drift."""
    rescored: bool


class ReviewCandidates(SqlConnection):
    """Candidates over a connection that runs statements."""

    def review_candidates(self, skill: str | None = None) -> Iterator[ReviewCandidate]:
        """Every evaluation of one skill or of all, except reviews and those of suites, oldest first.

        StoreUnavailable where a scorecard is cut off or begins in the middle.
        """
        named, values = ("skill = ? AND ", [skill]) if skill is not None else ("", [])
        statement = (
            "SELECT id, skill, rubric, rubric_sha256, judge, final, scorecard, submission IS NOT NULL FROM evaluations "
            f"WHERE {named}in_history < {REVIEW} ORDER BY completed, id"
        )
        for row in self._stream(statement, values):
            yield _candidate(*row)


def _candidate(
    id: str, skill: str, rubric: str, sha256: str, judge: str, final: int | None, scorecard: str, kept: Any
) -> ReviewCandidate:
    # The hash in the receipt: a submission elsewhere on a scorecard would be another.
    start = scorecard.find(_SUBMISSION, max(0, scorecard.find(_RECEIPT))) + len(_SUBMISSION)
    end = start + _HEX
    has_hash = start >= len(_SUBMISSION)
    if not scorecard.startswith("{") or not scorecard.endswith("}") or (has_hash and scorecard[end : end + 1] != '"'):
        raise damaged(id)
    return ReviewCandidate(
        id,
        skill,
        rubric,
        sha256,
        judge,
        final,
        scorecard[start:end] if has_hash else None,
        bool(kept),
        disputed='"disputed":["' in scorecard,
        alarm='"flags":["' in scorecard or '"drift":{"alarm":true' in scorecard,
        rescored='"rescored_from":"' in scorecard,
    )
