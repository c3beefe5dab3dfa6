"""Scores a long table of verdicts in files: a row for each evaluation and criterion in, one for each evaluation out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.rubric import ANSWERS, Tree
from evenhand.errors import InputError, Problem, nearest, unknown
from evenhand.tables.columns import PREFIX
from evenhand.tables.criteria_plan import STRANGE, TWICE, CriteriaPlan
from evenhand.tables.dialect import DUCKDB
from evenhand.tables.duck import engine_errors, explained, most_memory, open_connection
from evenhand.tables.inputs import Source, open_source
from evenhand.tables.outputs import Output

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ROLES = ("id", "criterion", "verdict")
_RESULT = f"{PREFIX}result"


class ScoredVerdicts(NamedTuple):
    """How many evaluations there were."""

    evaluations: int
    scored: int
    rejected: int


def score_verdicts(
    path: str, output: Output, trees: Mapping[str, Tree], rubric: str, *, renamed: Mapping[str, str], memory: int | None
) -> ScoredVerdicts:
    """Score the evaluations of a long table, and write them; all or nothing.

    An evaluation with a verdict that is unknown or given twice is rejected, and its rows are listed.
    """
    plan = CriteriaPlan(trees)
    with output, open_connection(output.spill, memory or most_memory()) as connection:
        try:
            source = open_source(connection, path)
            columns = _columns(source, renamed)
            done = _Verdicts(connection, source, plan, rubric, columns).write(output)
        except engine_errors() as error:
            raise explained(error, path, output) from None
        output.keep()
        return done


def _columns(source: Source, renamed: Mapping[str, str]) -> dict[str, str]:
    """The column of each role. InputError with everything that is missing."""
    problems = [Problem(unknown("role", role, ROLES)) for role in renamed if role not in ROLES]
    names = [column.name for column in source.columns]
    columns = {role: renamed.get(role, role) for role in ROLES}
    for role, name in columns.items():
        if name not in names:
            guess = nearest(name, names)
            hint = f" Is {guess[0]} meant for it?" if guess else ""
            message = f"the column {name} is missing; a table of verdicts has {', '.join(ROLES)}.{hint}"
            problems.append(Problem(f"{message} Name another with `roles` {role}=COLUMN", source.name))
    if problems:
        raise InputError(problems)
    return columns


class _Verdicts:
    def __init__(
        self, connection: DuckDBPyConnection, source: Source, plan: CriteriaPlan, rubric: str, columns: dict[str, str]
    ) -> None:
        self._connection, self._source, self._plan, self._rubric = connection, source, plan, rubric
        self._id, self._criterion, self._verdict = (DUCKDB.name_of(columns[role]) for role in ROLES)
        self._query = plan.query(source.relation, columns["id"], columns["criterion"], columns["verdict"])

    def write(self, output: Output) -> ScoredVerdicts:
        self._connection.execute(f"CREATE TEMP TABLE {_RESULT} AS {self._query}")
        wrong = f"id IS NULL OR {STRANGE} > 0 OR {TWICE} > 0"
        evaluations, rejected = self._one(f"SELECT count(*), count(*) FILTER (WHERE {wrong}) FROM {_RESULT}")
        if not evaluations:
            raise InputError(Problem("has no rows; nothing was written", self._source.name))
        results = [part for name in self._plan.trees for part in _results(name)]
        query = f"SELECT id, {', '.join(results)} FROM {_RESULT} WHERE NOT ({wrong}) ORDER BY id"
        scored = output.write_query(self._connection, query)
        if rejected:
            output.write_rejected(self._complaints(wrong))
        return ScoredVerdicts(evaluations, scored, rejected)

    def _complaints(self, wrong: str) -> list[dict[str, Any]]:
        """The rows that are wrong, and why."""
        known = [criterion.id for tree in self._plan.trees.values() for criterion in tree.criteria()]
        numbered = (
            f"SELECT row_number() OVER () AS row, {self._id} AS id, {self._criterion} AS criterion, "
            f"{self._verdict} AS verdict FROM {self._source.relation}"
        )
        first = f"SELECT *, min(row) OVER (PARTITION BY id, criterion) AS first FROM ({numbered})"
        chosen = f"id IS NULL OR id IN (SELECT id FROM {_RESULT} WHERE {wrong})"
        rows = self._connection.execute(f"SELECT * FROM ({first}) WHERE {chosen} ORDER BY row").fetchall()
        found = []
        for row, id, criterion, verdict, earlier in rows:
            reason = self._reason(id, criterion, verdict, None if earlier == row else earlier, known)
            if reason:
                found.append({"file": self._source.name, "row": row, "reason": reason})
        return found

    def _reason(self, id: Any, criterion: Any, verdict: Any, earlier: int | None, known: list[str]) -> str:
        if id is None:
            return "the id is missing"
        if criterion not in known:
            return f"{id}: rubric {self._rubric}: {unknown('criterion', criterion, known)}"
        if verdict not in ANSWERS:
            return f"{id}: {criterion}: {unknown('verdict', verdict, ANSWERS)}"
        return "" if earlier is None else f"{id}: a second verdict on {criterion}; the first is in row {earlier}"

    def _one(self, query: str) -> tuple[int, int]:
        (row,) = self._connection.execute(query).fetchall()
        return int(row[0]), int(row[1])


def _results(name: str) -> list[str]:
    """A dimension's score, null where it is open, and its two ends; all null where none of its criteria applies."""
    low, high = DUCKDB.points(f"{name}_low"), DUCKDB.points(f"{name}_high")
    score = f"CASE WHEN {name}_low = {name}_high THEN {low} END"
    return [f"{score} AS {name}", f"{low} AS {name}_low", f"{high} AS {name}_high"]
