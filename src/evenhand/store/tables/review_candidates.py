"""What choosing a round of review needs of every evaluation: found in its text by the database, which is not handed on.

A scorecard is one line of JSON as it was written, and within a text on it every quotation mark is escaped: what is
looked for here is always the name of a field and the start of its value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evenhand.named_tuple import NamedTuple
from evenhand.store.record import REVIEW
from evenhand.store.sql_connection import SqlConnection

_POSITION: Final = {"sqlite": "instr", "postgresql": "strpos"}
"""Where a text begins within another, from 1; 0 when it is not there."""

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

    dialect: str

    def review_candidates(self, skill: str | None = None) -> Iterator[ReviewCandidate]:
        """Every evaluation of one skill or of all, but for reviews and those of suites, in the order of time."""
        position = _POSITION[self.dialect]
        # The receipt is the last part of a scorecard; a submission elsewhere on it would be another.
        receipt = f"""substr(scorecard, {position}(scorecard, '"receipt":{{'))"""
        columns = (
            "id, skill, rubric, rubric_sha256, judge, final, submission IS NOT NULL, "
            f"substr({receipt}, {position}({receipt}, '{_SUBMISSION}'), {len(_SUBMISSION) + _HEX}), "
            f"""{position}(scorecard, '"disputed":["') > 0, """
            f"""{position}(scorecard, '"flags":["') > 0 OR {position}(scorecard, '"drift":{{"alarm":true') > 0, """
            f"""{position}(scorecard, '"rescored_from":"') > 0"""
        )
        named, values = ("skill = ? AND ", [skill]) if skill is not None else ("", [])
        statement = f"SELECT {columns} FROM evaluations WHERE {named}in_history < {REVIEW} ORDER BY completed, id"
        for row in self._stream(statement, values):
            yield _candidate(*row)


def _candidate(
    id: str, skill: str, rubric: str, sha256: str, judge: str, final: int | None, kept: Any, found: str, *signs: Any
) -> ReviewCandidate:
    submission = found[len(_SUBMISSION) :] if found.startswith(_SUBMISSION) else None
    return ReviewCandidate(id, skill, rubric, sha256, judge, final, submission, bool(kept), *map(bool, signs))
