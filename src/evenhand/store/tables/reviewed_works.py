"""Which evaluations are of work that people are asked to review, by the hash of the submission."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.store.record import Record
from evenhand.store.sql_connection import SqlConnection


class ReviewedWorks(SqlConnection):
    """What is noted of them whenever an evaluation is added."""

    def _add_works(self, records: Sequence[Record]) -> None:
        """Note which new evaluations are of work that people are asked to review."""
        if not self._rows("SELECT 1 FROM review_works LIMIT 1"):
            return
        for record in records:
            hashes = _submission_hashes(record.scorecard)
            marks = ", ".join("?" * len(hashes))
            known = self._rows(f"SELECT DISTINCT submission FROM review_works WHERE submission IN ({marks})", hashes)
            rows = [(submission, record.id) for (submission,) in known]
            self._write("INSERT INTO review_works VALUES (?, ?) ON CONFLICT DO NOTHING", rows)


def _submission_hashes(scorecard: str) -> list[str]:
    """The hash of the submission, as the receipt has it; quotation marks in any other text have a backslash."""
    return re.findall('"submission":"([0-9a-f]{64})"', scorecard) or [""]
