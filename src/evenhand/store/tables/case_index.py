"""Cases over time in a SQL store: the evaluations that were given one id."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.store.record import Record
from evenhand.store.sql_connection import SqlConnection

_INSERT = "INSERT INTO cases (id, case_id) VALUES (?, ?)"


class Cases(SqlConnection):
    """Cases over a connection that runs statements."""

    def case_ids(self, case: str) -> list[str]:
        """The ids of the evaluations of a case, those with a lower number first."""
        statement = "SELECT id FROM cases WHERE case_id = ? ORDER BY length(id), id"
        return [id for (id,) in self._rows(statement, (case,))]

    def last_case_ids(self, case: str, *, most: int) -> list[str]:
        """The last of them."""
        statement = "SELECT id FROM cases WHERE case_id = ? ORDER BY length(id) DESC, id DESC LIMIT ?"
        return [id for (id,) in self._rows(statement, (case, most))][::-1]

    def stray_cases(self) -> list[str]:
        """Ids that only the evaluations have or only the index of cases; none in a sound store."""
        rows = self._rows(
            "SELECT id FROM evaluations WHERE NOT EXISTS (SELECT 1 FROM cases WHERE cases.id = evaluations.id) "
            "UNION ALL "
            "SELECT id FROM cases WHERE NOT EXISTS (SELECT 1 FROM evaluations WHERE evaluations.id = cases.id)"
        )
        return [id for (id,) in rows]

    def _add_cases(self, records: Sequence[Record]) -> None:
        self._write(_INSERT, [(record.id, record.case) for record in records])


def next_id(case: str, taken: Sequence[str]) -> str:
    """The id of a further evaluation of a case: `case-0~2`, `case-0~3` and so on."""
    numbered = re.compile(re.escape(case) + r"~([1-9][0-9]{0,17})")
    numbers = [int(found[1]) for id in taken if (found := numbered.fullmatch(id))]
    return f"{case}~{max(numbers, default=1) + 1}"
