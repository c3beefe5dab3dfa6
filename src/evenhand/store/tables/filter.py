"""Which evaluations a list holds: what a reader asks for, and the conditions of a statement that finds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, get_args

from evenhand.core.receipt import quoted
from evenhand.store.tables.word_index import words_condition

NOT_GRADED: Final = "none"
DRIFT: Final = "drift"
FLAGGED: Final = "flagged"
DISPUTED: Final = "disputed"
KNOWN_FLAGS: Final = (DRIFT, FLAGGED, DISPUTED)
"""Flags that a scorecard's text tells; any other is the id of a red flag."""

Order = Literal["newest", "oldest", "best", "worst"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)


class Filter(NamedTuple):
    """Which evaluations to list; nothing is asked of an empty field."""

    skill: str = ""
    judge: str = ""
    """A judge's name."""
    rubric: str = ""
    version: str = ""
    """The start of a rubric's hash."""
    text: str = ""
    """Words, and phrases in quotation marks: its texts hold each of them, a word from its beginning, in capitals or
    not; or a note about it does."""
    state: str = ""
    """One of `STATES`."""
    kind: str = ""
    """One of `KINDS`."""
    suite: str = ""
    """The id of a run of a suite."""
    variant: str = ""
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
    """`DRIFT`, `FLAGGED`, `DISPUTED` by the judges of a panel, or the id of a red flag."""
    finding: str = ""
    """The id of a check that found a fault."""
    criterion: str = ""
    """The id of a criterion that is not met."""
    tag: str = ""
    """A tag that someone put on and no one has taken off."""

    def needs_reading(self, order: Order = "newest") -> bool:
        """Whether evaluations must be read to decide; the index of the order and of words do not suffice."""
        told = ("skill", "text", *(("since", "until") if order in ("newest", "oldest") else ("low", "high")))
        return any(value not in ("", None) for name, value in self._asdict().items() if name not in told)

    @property
    def needs_documents(self) -> bool:
        """Whether the store finds more than is asked for, and scorecards have to tell."""
        return bool(self.finding or self.criterion or (self.flag and self.flag not in KNOWN_FLAGS))


_TAGGED: Final = (
    "EXISTS (SELECT 1 FROM notes AS put WHERE put.kind = 'tag' AND put.words = ? AND put.evaluation = evaluations.id "
    "AND NOT EXISTS (SELECT 1 FROM notes AS taken WHERE taken.kind = 'untag' AND taken.words = put.words "
    "AND taken.evaluation = put.evaluation "
    "AND (taken.written, taken.person, taken.kind) > (put.written, put.person, put.kind)))"
)


def conditions_of(filter: Filter, dialect: str) -> tuple[list[str], list[Any]]:
    """What must hold beside the skill."""
    conditions: list[str] = []
    values: list[Any] = []
    for column, wanted in (
        ("judge_name", filter.judge),
        ("rubric", filter.rubric),
        ("state", filter.state),
        ("kind", filter.kind),
        ("suite_run", filter.suite),
        ("variant", filter.variant),
    ):
        if wanted:
            conditions.append(f"{column} = ?")
            values.append(wanted)
    if filter.version:
        conditions.append("rubric_sha256 LIKE ? ESCAPE '!'")
        values.append(_holding(filter.version)[1:])
    if filter.text:
        condition, found = _text_condition(words_of(filter.text), dialect)
        conditions.append(condition)
        values += found
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


def _text_condition(asked: list[str], dialect: str) -> tuple[str, list[Any]]:
    """That the texts of a row, or a note about it, hold what is asked for."""
    by_words = words_condition(dialect, asked)
    if by_words is None:
        return "1 = 0", []
    condition, query = by_words
    # lower() of both sides knows the same letters, whichever the database knows.
    held = " AND ".join(["lower(words) LIKE lower(?) ESCAPE '!'"] * len(asked))
    noted = f"id IN (SELECT evaluation FROM notes WHERE kind = 'note' AND {held})"
    return f"({condition} OR {noted})", [query, *map(_holding, asked)]


_PHRASE: Final = re.compile(r'"([^"]*)"|(\S+)')
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
    elif filter.flag == DISPUTED:
        yield '"disputed":["'
    elif filter.flag:
        yield f'"id":{quoted(filter.flag)}'
    if filter.finding:
        yield f'"check":{quoted(filter.finding)}'
    if filter.criterion:
        yield f'"id":{quoted(filter.criterion)}'


def _holding(text: str) -> str:
    """A pattern for texts that hold this one."""
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return f"%{text}%"
