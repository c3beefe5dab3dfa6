"""What a reader of a store asks for: lists by key, never by number, and searches that go only so far at once.

A list is in the order of time or of final scores. Where it ends there is a key, and the next part begins after that
key, so the millionth evaluation is reached as quickly as the first. Only the skill, the time and the final score have
indexes. Every other condition is tested on the next `reach` evaluations after the key; then the list ends, and its key
tells how far it came. Statements are understood by SQLite and PostgreSQL alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any, Final, NamedTuple

from evenhand.errors import InputError
from evenhand.store.in_list import BILLIONTHS
from evenhand.store.record import CELL, COLUMNS, NEWEST, REVIEW, Record
from evenhand.store.sql_connection import SqlConnection
from evenhand.store.tables.filter import Filter, Order, conditions_of, words_of

REACH: Final = 5_000
"""How many evaluations are tested for a condition without an index before a list ends."""

_AT_ONCE: Final = 500
_ALL: Final = 2**31

_COMMON: Final = 2_000
"""With this many rows that hold a word, they are not looked up by their numbers."""

_NEAR: Final = 200
"""How many are tested first."""

MOST_COUNTED: Final = 10_000


class Key(NamedTuple):
    """A place in a list: right after this evaluation."""

    completed: int
    id: str


class ScoreKey(NamedTuple):
    """A place in a list by final score."""

    final: int
    completed: int
    id: str


class Listed(NamedTuple):
    """A row of a list: its columns without the long texts."""

    id: str
    skill: str
    completed: int
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
    in_history: int
    state: str
    kind: str
    title: str
    preview: str
    reason: str
    judge_name: str
    case_id: str
    suite_run: str | None
    variant: str | None
    asked: int | None
    input_tokens: int
    output_tokens: int
    cost: int | None
    agent_cost: int | None
    agent_tokens: int | None

    @property
    def scores(self) -> tuple[int | None, ...]:
        """The seven scores in hundredths."""
        return self[4:11]


def paid_for(row: Listed | Record) -> Decimal | None:
    """What the judges and the agent of a row cost in US dollars, as far as known; None if nothing is."""
    if row.cost is None and row.agent_cost is None:
        return None if row.asked or row.agent_tokens else Decimal(0)
    return Decimal((row.cost or 0) + (row.agent_cost or 0)) / BILLIONTHS


class Listing(NamedTuple):
    """A part of a list."""

    rows: list[Any]
    """`Listed`, or `Record` where the texts are needed."""
    next: Key | ScoreKey | None
    """Where the next part begins; None at the end."""
    stopped: bool = False
    """Whether the list ends here only because the search went far enough."""


class VersionCount(NamedTuple):
    """A version of a rubric, and how often it was used among the evaluations looked at."""

    rubric: str
    sha256: str
    evaluations: int
    first: int
    last: int
    newest: str
    """The id of an evaluation by it."""


_LISTED: Final = ", ".join(Listed._fields)
_WHOLE: Final = ", ".join(COLUMNS)
_NEXT_SKILL: Final = "SELECT min(skill) FROM evaluations WHERE skill > {0}"


class _Walk:
    """How to list evaluations: in which order, of which skill, and starting where."""

    def __init__(self, order: Order, skill: str, before: Key | ScoreKey | None) -> None:
        self.skill = skill
        self.by_score = order in ("best", "worst")
        self.key: type[Key] | type[ScoreKey] = ScoreKey if self.by_score else Key
        if before is not None and not isinstance(before, self.key):
            raise InputError("the place belongs to another order; go back to the first page")
        self.before = before
        down = order in ("newest", "best")
        self.columns = self.key._fields
        place, marks = ", ".join(self.columns), ", ".join("?" * len(self.columns))
        self.beyond = f"({place}) {'<' if down else '>'} ({marks})"
        self.up_to = f"({place}) {'>=' if down else '<='} ({marks})"
        self.order_by = f"ORDER BY {', '.join(f'{name} DESC' if down else name for name in self.columns)} LIMIT ?"

    def key_of(self, record: Record | Listed) -> Key | ScoreKey:
        """The place of an evaluation."""
        return self.key(*(getattr(record, name) for name in self.columns))


class Browsing(SqlConnection):
    """Lists over a connection that runs statements."""

    dialect: str

    @abstractmethod
    def is_common(self, asked: Sequence[str], *, most: int) -> bool:
        """Whether at least that many rows hold some words."""

    @abstractmethod
    def record(self, row: Sequence[Any]) -> Record:
        """A row as an evaluation."""

    @abstractmethod
    def state(self) -> Hashable:
        """A value that changes whenever the evaluations do."""

    def newest(self) -> Key | None:
        """The place of the newest evaluation of all."""
        rows = self._rows("SELECT completed, id FROM evaluations ORDER BY completed DESC, id DESC LIMIT 1")
        return Key(*rows[0]) if rows else None

    def newest_keys(self, skill: str, *, limit: int) -> list[Key]:
        """The places of the newest evaluations, of one skill if it is named: all in an index, no row is read."""
        return [Key(*row) for row in self._walked(_Walk("newest", skill, None), "completed, id", [], [], limit)]

    def state_of_newest(self, count: int) -> tuple[Key | None, Key | int]:
        """A value that changes whenever the newest `count` evaluations do: the first and last of them, or how many.

        Evaluations are only ever added; one that is added among them moves the last.
        """
        last = self._rows(
            "SELECT completed, id FROM evaluations ORDER BY completed DESC, id DESC LIMIT 1 OFFSET ?", (count - 1,)
        )
        return self.newest(), Key(*last[0]) if last else int(self._first("SELECT count(*) FROM evaluations", ()) or 0)

    def newest_ids(self, skills: Sequence[str]) -> list[str]:
        """The id of the newest evaluation of each skill, in its history or not: all in an index, no row is read."""
        query = f"SELECT * FROM (SELECT skill, completed, id FROM evaluations WHERE skill = ? {NEWEST}) AS one"
        newest = {skill: id for skill, _, id in self._for_all(query, [(skill, 1) for skill in skills])}
        return [newest[skill] for skill in skills if skill in newest]

    def skill_names(self, after: str = "", *, limit: int) -> list[str]:
        """The names of skills in order, starting after one if it is given."""
        # From each name the index leads straight to the next: the evaluations in between are never read.
        statement = (
            f"WITH RECURSIVE names(skill) AS (SELECT ({_NEXT_SKILL.format('?')}) UNION ALL "
            f"SELECT ({_NEXT_SKILL.format('names.skill')}) FROM names WHERE names.skill IS NOT NULL) "
            "SELECT skill FROM names WHERE skill IS NOT NULL LIMIT ?"
        )
        return [skill for (skill,) in self._rows(statement, (after, limit))]

    def recent_finals(self, skills: Sequence[str], *, last: int) -> dict[str, list[int]]:
        """The final scores of the newest evaluations in the history of each skill, newest first."""
        columns = "skill, completed, id, final"  # all in the index: no row is read
        query = f"SELECT * FROM (SELECT {columns} FROM evaluations WHERE skill = ? AND in_history = 1 {NEWEST}) AS one"
        rows = self._for_all(query, [(skill, last) for skill in skills])
        finals: dict[str, list[int]] = {skill: [] for skill in skills}
        for skill, _, _, final in sorted(rows, key=lambda row: (row[1], row[2]), reverse=True):
            finals[skill].append(final)
        return finals

    def newest_of(self, skills: Sequence[str]) -> dict[str, Record]:
        """The newest evaluation of each skill: of its own work, else of a suite or a review.

        A skill has none where only agents failed.
        """
        found: dict[str, Record] = {}
        for below in (REVIEW, CELL):
            query = (
                f"SELECT * FROM (SELECT {_WHOLE} FROM evaluations WHERE skill = ? AND in_history < {below} {NEWEST}) "
                "AS one"
            )
            missing = [(skill, 1) for skill in skills if skill not in found]
            found |= {record.skill: record for record in map(self.record, self._for_all(query, missing))}
        return found

    def counts(self, skills: Sequence[str], *, most: int = MOST_COUNTED) -> dict[str, tuple[int, int]]:
        """How many evaluations of each skill have a final score, suites' included, and how many have none, each up to
        `most`."""
        counted = "SELECT count(*) FROM (SELECT 1 FROM evaluations WHERE skill = ? {0}LIMIT ?) AS one"
        query = f"SELECT CAST(? AS TEXT), ({counted.format('AND final IS NOT NULL ')}), ({counted.format('')})"
        rows = self._for_all(query, [(skill, skill, most, skill, 2 * most) for skill in skills])
        return {skill: (graded, min(most, kept - graded)) for skill, graded, kept in rows}

    def listing(
        self,
        filter: Filter,
        *,
        before: Key | ScoreKey | None = None,
        limit: int,
        reach: int = REACH,
        whole: bool = False,
        order: Order = "newest",
    ) -> Listing:
        """What is kept after a place in an order; as whole records if scorecards are needed, which lost cells lack.

        By final score, those without one are left out.
        """
        columns = _WHOLE if whole else _LISTED
        walk = _Walk(order, filter.skill, before)
        conditions, values = conditions_of(filter, self.dialect)
        if filter.text and self.is_common(words_of(filter.text), most=_COMMON):
            # So many rows are found sooner on the way through the list than looked up one by one and sorted.
            conditions = [condition.replace("(number IN", "(+number IN") for condition in conditions]
        if whole:
            conditions.append(f"in_history < {CELL}")
        end: Key | ScoreKey | None = None
        # Often the first few have what is asked for, and how far the whole reach goes need not be known.
        for far in (_NEAR, reach) if filter.needs_reading(order) and reach > _NEAR else (reach,):
            end = self._end(walk, far) if filter.needs_reading(order) else None
            up_to, bounds = ([walk.up_to], end) if end is not None else ([], ())
            rows = self._walked(walk, columns, [*conditions, *up_to], [*values, *bounds], limit + 1)
            records = [self.record(row) if whole else Listed._make(row) for row in rows]
            if len(records) > limit:
                return Listing(records[:limit], walk.key_of(records[limit - 1]))
            if end is None:
                break
        return Listing(records, end, stopped=end is not None)

    def entry(self, id: str) -> Listed | None:
        """The row of the list with this id, judged or not."""
        rows = self._rows(f"SELECT {_LISTED} FROM evaluations WHERE id = ?", (id,))
        return Listed._make(rows[0]) if rows else None

    def failed(self, skill: str = "", *, limit: int) -> list[Listed]:
        """The newest attempts that failed, newest first: nothing was scored, or an agent gave nothing to judge."""
        either = [
            self.listing(Filter(skill, state=state), limit=limit, reach=_ALL).rows for state in ("failed", "lost")
        ]
        return sorted(chain(*either), key=lambda row: (row.completed, row.id), reverse=True)[:limit]

    def records_of(self, ids: Sequence[str]) -> dict[str, Record]:
        """The evaluations with these ids, as far as they exist."""
        records = {}
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            rows = self._rows(
                f"SELECT {_WHOLE} FROM evaluations WHERE in_history < {CELL} AND id IN ({', '.join('?' * len(some))})",
                some,
            )
            records.update({record.id: record for record in map(self.record, rows)})
        return records

    def rubric_versions(self, *, most: int = REACH * 4) -> list[VersionCount]:
        """The versions of rubrics that the newest `most` evaluations used, by rubric, newest first."""
        newest = f"SELECT id, completed, rubric, rubric_sha256 FROM evaluations WHERE in_history < {CELL} {NEWEST}"
        rows = self._rows(
            "SELECT rubric, rubric_sha256, count(*), min(completed), max(completed) "
            f"FROM ({newest}) AS newest GROUP BY rubric, rubric_sha256 ORDER BY rubric, max(completed) DESC",
            (most,),
        )
        examples = "SELECT id FROM evaluations WHERE completed = ? AND rubric_sha256 = ? ORDER BY id LIMIT 1"
        return [VersionCount._make((*row, self._rows(examples, (row[4], row[1]))[0][0])) for row in rows]

    def _end(self, walk: _Walk, reach: int) -> Key | ScoreKey | None:
        """The last of the next `reach` evaluations in an order; None when there are not as many."""
        keys = self._walked(walk, ", ".join(walk.columns), [], [], reach)
        return walk.key(*keys[-1]) if len(keys) == reach else None

    def _walked(
        self, walk: _Walk, columns: str, conditions: list[str], values: list[Any], limit: int
    ) -> list[tuple[Any, ...]]:
        if walk.before is not None:
            conditions, values = [walk.beyond, *conditions], [*walk.before, *values]
        where = [
            *(["skill = ?"] if walk.skill else []),
            *(["final IS NOT NULL"] if walk.by_score else []),
            *conditions,
        ]
        some = (walk.skill,) if walk.skill else ()
        return self._rows(
            f"SELECT {columns} FROM evaluations {'WHERE' if where else ''} {' AND '.join(where)} {walk.order_by}",
            (*some, *values, limit),
        )

    def _for_all(self, statement: str, values: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """One statement for many values: a server is asked once for a whole page."""
        rows = []
        for start in range(0, len(values), 50):
            some = values[start : start + 50]
            rows += self._rows(
                " UNION ALL ".join([statement] * len(some)), [value for row_values in some for value in row_values]
            )
        return rows
