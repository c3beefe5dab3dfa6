"""What a reader of a store asks for: lists by key, never by number, and searches that go only so far at once.

A list is in the order of time or of final scores. Where it ends there is a key, and the next part begins after that
key, so the millionth evaluation is reached as quickly as the first. Only the skill, the time and the final score have
indexes. Every other condition is tested on the next `reach` evaluations after the key; then the list ends, and its key
tells how far it came. Statements are understood by SQLite and PostgreSQL alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, get_args

from evenhand.core.basics.canonical import quoted
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.errors import InputError
from evenhand.named_tuple import NamedTuple
from evenhand.store.databases.sql_connection import SqlConnection
from evenhand.store.record import COLUMNS, NEWEST, REVIEW, SUITE, Record

REACH: Final = 5_000
"""How many evaluations are tested for a condition without an index before a list ends."""

MOST_COUNTED: Final = 10_000

NOT_GRADED: Final = "none"
DRIFT: Final = "drift"
FLAGGED: Final = "flagged"

_BEGINNING: Final = 1_500
"""Characters of a text that are read to show how it begins."""


class Key(NamedTuple):
    """A place in a list: right after this evaluation."""

    completed: int
    id: str


class ScoreKey(NamedTuple):
    """A place in a list by final score."""

    final: int
    completed: int
    id: str


Order = Literal["newest", "oldest", "best", "worst"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)


class Beginning(NamedTuple):
    """How the texts of an evaluation begin: enough for a line in a list."""

    task: str
    output: str
    reason: str
    """Of a judge, where no text is kept."""


class Listed(NamedTuple):
    """An evaluation in a list: its columns without the long texts, and without what lies behind them in a row."""

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

    @property
    def scores(self) -> tuple[int | None, ...]:
        """The seven scores in hundredths."""
        return self[4:11]


class Filter(NamedTuple):
    """Which evaluations to list; nothing is asked of an empty field."""

    skill: str = ""
    judge: str = ""
    """A judge's name."""
    rubric: str = ""
    version: str = ""
    """The start of a rubric's hash."""
    text: str = ""
    """Words, and phrases in quotation marks: its texts hold each word of them, wherever, in capitals or not."""
    grade: str = ""
    """A letter, or `NOT_GRADED`."""
    low: int | None = None
    """The lowest final score, in hundredths."""
    high: int | None = None
    since: int | None = None
    """From this moment on, in microseconds since 1970."""
    until: int | None = None
    """Before this moment."""
    flag: str = ""
    """`DRIFT`, `FLAGGED`, or the id of a red flag."""
    finding: str = ""
    """The id of a check that found a fault."""
    criterion: str = ""
    """The id of a criterion that is not met."""
    tag: str = ""
    """A tag that someone put on and no one has taken off."""

    def needs_reading(self, order: Order = "newest") -> bool:
        """Whether evaluations must be read to tell; what the order's index tells aside."""
        told = ("skill", "since", "until") if order in ("newest", "oldest") else ("skill", "low", "high")
        return any(value not in ("", None) for name, value in self._asdict().items() if name not in told)

    @property
    def needs_documents(self) -> bool:
        """Whether the store finds more than is asked for, and scorecards have to tell."""
        return bool(self.finding or self.criterion or (self.flag and self.flag not in (DRIFT, FLAGGED)))


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
_NEXT_SKILL: Final = (
    "SELECT min(skill) FROM (SELECT min(skill) AS skill FROM evaluations WHERE in_history = 1 AND skill > {0} "
    "UNION ALL SELECT min(skill) FROM evaluations WHERE in_history = 0 AND skill > {0}) AS either"
)


class _Walk:
    """A way through the evaluations: in which order, of which skill, and from where on."""

    def __init__(self, order: Order, skill: str, before: Key | ScoreKey | None) -> None:
        self.skill = skill
        self.by_score = order in ("best", "worst")
        self.key: type[Key] | type[ScoreKey] = ScoreKey if self.by_score else Key
        if before is not None and not isinstance(before, self.key):
            raise InputError("the place is one of another order; go back to the first page")
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

    def newest(self) -> Key | None:
        """The place of the newest evaluation of all."""
        rows = self._rows("SELECT completed, id FROM evaluations ORDER BY completed DESC, id DESC LIMIT 1")
        return Key(*rows[0]) if rows else None

    def skill_names(self, after: str = "", *, limit: int) -> list[str]:
        """The names of skills in their order, those after one if it is given."""
        # From each name the index leads straight to the next: the evaluations in between are never read.
        statement = (
            f"WITH RECURSIVE names(skill) AS (SELECT ({_NEXT_SKILL.format('?')}) UNION ALL "
            f"SELECT ({_NEXT_SKILL.format('names.skill')}) FROM names WHERE names.skill IS NOT NULL) "
            "SELECT skill FROM names WHERE skill IS NOT NULL LIMIT ?"
        )
        return [skill for (skill,) in self._rows(statement, (after, after, limit))]

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
        """The newest evaluation of each skill, in its history or not."""
        either = " UNION ALL ".join(
            f"SELECT * FROM (SELECT {_WHOLE} FROM evaluations WHERE skill = ? AND in_history = {part} {NEWEST}) "
            f"AS part_{part}"
            for part in (0, 1)
        )
        newest: dict[str, Record] = {}
        for row in self._for_all(either, [(skill, 1, skill, 1) for skill in skills]):
            record = Record(*row)
            if record.skill not in newest or newest[record.skill].completed < record.completed:
                newest[record.skill] = record
        return newest

    def counts(self, skills: Sequence[str], *, most: int = MOST_COUNTED) -> dict[str, tuple[int, int]]:
        """For each skill how many evaluations are in its history and how many are not, each counted up to `most`."""
        query = " UNION ALL ".join(
            f"SELECT max(skill), {part}, count(*) FROM (SELECT skill FROM evaluations WHERE skill = ? "
            f"AND in_history = {part} LIMIT ?) AS part_{part}"
            for part in (0, 1)
        )
        counts = {skill: [0, 0] for skill in skills}
        for skill, part, count in self._for_all(query, [(skill, most, skill, most) for skill in skills]):
            if count:
                counts[skill][part] = count
        return {skill: (graded, others) for skill, (others, graded) in counts.items()}

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
        """Evaluations after a place in an order; as whole records if their texts are needed.

        By final score, those without one are left out.
        """
        columns, kind = (_WHOLE, Record) if whole else (_LISTED, Listed)
        walk = _Walk(order, filter.skill, before)
        conditions, values = conditions_of(filter)
        end = self._end(walk, reach) if filter.needs_reading(order) else None
        if end is not None:
            conditions, values = [*conditions, walk.up_to], [*values, *end]
        records = [kind(*row) for row in self._walked(walk, columns, conditions, values, limit + 1)]
        if len(records) > limit:
            return Listing(records[:limit], walk.key_of(records[limit - 1]))
        return Listing(records, end, stopped=end is not None)

    def beginnings(self, ids: Sequence[str]) -> dict[str, Beginning]:
        """How the task and the output of some evaluations begin; where they are not kept, a judge's reason."""
        if not ids:
            return {}
        long = f"length(submission) > {2 * _BEGINNING}"
        rows = self._rows(
            f"SELECT id, substr(submission, 1, {2 * _BEGINNING}), "
            f"CASE WHEN {long} THEN substr(submission, length(submission) - {_BEGINNING} + 1) END, "
            f"CASE WHEN submission IS NULL THEN substr(scorecard, 1, {4 * _BEGINNING}) END "
            f"FROM evaluations WHERE id IN ({', '.join('?' * len(ids))})",
            ids,
        )
        return {id: _beginning(start, end, scorecard) for id, start, end, scorecard in rows}

    def rubric_versions(self, *, most: int = REACH * 4) -> list[VersionCount]:
        """The versions of rubrics that the newest `most` evaluations used, by rubric, newest first."""
        newest = f"SELECT id, completed, rubric, rubric_sha256 FROM evaluations {NEWEST}"
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
        if walk.by_score:
            part = f"skill = ? AND in_history < {REVIEW}" if walk.skill else f"in_history < {SUITE}"
            where = " AND ".join([part, "final IS NOT NULL", *conditions])
            some = (walk.skill,) if walk.skill else ()
            return self._rows(
                f"SELECT {columns} FROM evaluations WHERE {where} {walk.order_by}", (*some, *values, limit)
            )
        if not walk.skill:
            where = f"WHERE {' AND '.join([f'in_history < {SUITE}', *conditions])}"
            return self._rows(f"SELECT {columns} FROM evaluations {where} {walk.order_by}", (*values, limit))
        # Each part of a skill has its own index, in order of time.
        parts = " UNION ALL ".join(
            f"SELECT * FROM (SELECT {columns} FROM evaluations WHERE "
            f"{' AND '.join(['skill = ?', f'in_history = {part}', *conditions])} {walk.order_by}) AS part_{part}"
            for part in (0, 1)
        )
        part_values = (walk.skill, *values, limit)
        return self._rows(f"SELECT * FROM ({parts}) AS both_parts {walk.order_by}", (*part_values, *part_values, limit))

    def _for_all(self, statement: str, values: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """One statement for many values: a server is asked once for a whole page."""
        rows = []
        for start in range(0, len(values), 50):
            some = values[start : start + 50]
            rows += self._rows(
                " UNION ALL ".join([statement] * len(some)), [value for row_values in some for value in row_values]
            )
        return rows


_TAGGED: Final = (
    "EXISTS (SELECT 1 FROM notes AS put WHERE put.kind = 'tag' AND put.words = ? AND put.evaluation = evaluations.id "
    "AND NOT EXISTS (SELECT 1 FROM notes AS taken WHERE taken.kind = 'untag' AND taken.words = put.words "
    "AND taken.evaluation = put.evaluation "
    "AND (taken.written, taken.person, taken.kind) > (put.written, put.person, put.kind)))"
)


def conditions_of(filter: Filter) -> tuple[list[str], list[Any]]:
    """What must hold beside the skill."""
    conditions: list[str] = []
    values: list[Any] = []
    if filter.judge:
        conditions.append("judge LIKE ? ESCAPE '!'")
        values.append(_holding(f'"name":{quoted(filter.judge)}'))
    if filter.rubric:
        conditions.append("rubric = ?")
        values.append(filter.rubric)
    if filter.version:
        conditions.append("rubric_sha256 LIKE ? ESCAPE '!'")
        values.append(_holding(filter.version)[1:])
    # Within a phrase there may be any white space, so each of its words is looked for; whoever reads the text tells.
    for words in dict.fromkeys(word for phrase in words_of(filter.text) for word in phrase.split()):
        # The columns hold JSON, and lower() of both sides knows the same letters, whichever the database knows.
        conditions.append("(lower(scorecard) LIKE lower(?) ESCAPE '!' OR lower(submission) LIKE lower(?) ESCAPE '!')")
        values += [_holding(quoted(words)[1:-1])] * 2
    if filter.grade:
        conditions.append("grade IS NULL" if filter.grade == NOT_GRADED else "grade = ?")
        values += [] if filter.grade == NOT_GRADED else [filter.grade]
    for condition, value in (
        ("final >= ?", filter.low),
        ("final <= ?", filter.high),
        ("completed >= ?", filter.since),
        ("completed < ?", filter.until),
    ):
        if value is not None:
            conditions.append(condition)
            values.append(value)
    if filter.tag:
        conditions.append(_TAGGED)
        values.append(filter.tag)
    # Within a text on a scorecard every quotation mark is escaped: these are always names and values.
    for text in _signs(filter):
        conditions.append("scorecard LIKE ? ESCAPE '!'")
        values.append(_holding(text))
    return conditions, values


_PHRASE: Final = late_pattern(r'"([^"]*)"|(\S+)')
MOST_WORDS: Final = 8


def words_of(text: str) -> list[str]:
    """The words and the phrases of a search, each once; those after the eighth are left out."""
    found = (" ".join((phrase or word).split()) for phrase, word in _PHRASE.findall(text))
    return list(dict.fromkeys(word for word in found if word))[:MOST_WORDS]


def _signs(filter: Filter) -> Iterator[str]:
    """What the scorecards that are asked for hold, among others."""
    if filter.flag == DRIFT:
        yield '"drift":{"alarm":true'
    elif filter.flag == FLAGGED:
        yield '"flagged":true'
    elif filter.flag:
        yield f'"id":{quoted(filter.flag)}'
    if filter.finding:
        yield f'"check":{quoted(filter.finding)}'
    if filter.criterion:
        yield f'"id":{quoted(filter.criterion)}'


_DECODER: Final = json.JSONDecoder()
_REASON: Final = late_pattern(r'"justification":"[^"]')
_HALF_ESCAPE: Final = late_pattern(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")


def _beginning(start: str | None, end: str | None, scorecard: str | None) -> Beginning:
    """From the first and the last characters of a submission, or the first of a scorecard."""
    task = _text_after(end if end is not None else start, '"task":', last=True)
    return Beginning(task, _text_after(start, '"output":'), _first_reason(scorecard))


def _first_reason(scorecard: str | None) -> str:
    """The first justification on a scorecard that says something."""
    found = _REASON.search(scorecard or "")
    return _text_after(found.string[found.start() :], '"justification":') if found else ""


def _text_after(json_text: str | None, name: str, *, last: bool = False) -> str:
    """The text with this name in a piece of JSON, which may end within it; empty without one."""
    if json_text is None:
        return ""
    place = json_text.rfind(name) if last else json_text.find(name)
    place += len(name)
    if place < len(name) or json_text[place : place + 1] != '"':
        return ""
    try:
        text, _ = _DECODER.raw_decode(json_text, place)
    except ValueError:
        cut = _HALF_ESCAPE.sub(r"\1", json_text[place:])
        try:
            text = json.loads(f'{cut}"')
        except ValueError:
            return ""
    return text if isinstance(text, str) else ""


def _holding(text: str) -> str:
    """A pattern for texts that hold this one."""
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return f"%{text}%"
