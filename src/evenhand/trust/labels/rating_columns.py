"""The words by which columns of ratings are known, and the columns that would be misread as raters.

Those are refused with the option that settles it, since no value tells."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from evenhand.core.numbers import is_number
from evenhand.core.rules import DIMENSIONS
from evenhand.files.delimited import NAMELESS
from evenhand.files.tables import Table
from evenhand.work.label import FINAL, GRADE, PASS, RATING, ItemKind

KINDS: Mapping[str, ItemKind] = {
    "submission": "submission", "submission_sha256": "submission", "submission_hash": "submission",
    "text": "text", "output": "text", "response": "text", "answer": "text",
    "file": "file", "file_name": "file", "filename": "file", "path": "file", "file_path": "file", "filepath": "file",
}  # fmt: skip
"""Columns whose values name an item by something other than an id."""

_ITEM_WORDS = (
    "item unit target subject case object sample example question document doc essay patient image instance task "
    "conversation evaluation record stimulus specimen product film movie wine story sentence pair student participant "
    "trial row index no nr id"
).split()
_RATER_WORDS = (
    "rater judge coder annotator human labeler labeller reviewer grader assessor evaluator observer expert "
    "worker person"
).split()
_FIELD_WORDS = "field dimension criterion aspect attribute metric measure quality".split()
FIELDS = {name: name for name in (*DIMENSIONS, FINAL, GRADE, PASS)} | dict.fromkeys(
    "rating score value label code category judgement judgment class annotation diagnosis vote answer_label".split(),
    RATING,
)
FIELDS |= {f"{word}s": RATING for word, field in FIELDS.items() if field == RATING}
FIELDS["passed"] = PASS
REASON_WORDS = frozenset("reason reasons reasoning comment comments explanation justification rationale".split())
"""Columns in which a rater says why, where every row is one rater's."""
_NOT_RATED = frozenset(
    "mean average avg median sum total consensus majority confidence certainty weight weights probability length size "
    "words tokens chars characters seconds minutes duration latency cost price date time timestamp started finished "
    "version seed round count n".split()
)
"""Columns of numbers that are likely no one's ratings."""
_WEAK = ("row", "index", "no", "nr", "id", "task")
"""Names that often number the rows; they name the item only if no other column does."""


def word_of(column: str) -> str:
    """A column's name in lower case, its parts joined by `_`."""
    return re.sub(r"[\s\-.]+", "_", column.strip().lower())


def names_an_item(column: str) -> bool:
    """Whether a column is called `item`, `unit_id`, `Cases`."""
    return _is(word_of(column), _ITEM_WORDS)


def names_weakly(column: str) -> bool:
    """Whether a column is called `id`, `row` or the like."""
    return word_of(column) in _WEAK


def names_no_rating(column: str) -> bool:
    """Whether a column is called `average`, `ana_confidence` or the like."""
    return word_of(column).rpartition("_")[2] in _NOT_RATED


def names_raters(column: str) -> bool:
    """Whether a column is called `rater`, `worker_id`, `Annotators`."""
    return _is(word_of(column), _RATER_WORDS)


def names_fields(column: str) -> bool:
    """Whether a column is called `dimension`, `criterion` or the like."""
    return _is(word_of(column), _FIELD_WORDS)


def is_one_rater(column: str) -> bool:
    """Whether a column is called `rater1`, `judge_2`, `Coder A`: then rows are items, with or without names."""
    return re.fullmatch(rf"(?:{'|'.join(_RATER_WORDS)})_?(?:\d+|[a-z])", word_of(column)) is not None


def _is(word: str, words: Sequence[str]) -> bool:
    """Whether a column is named by a word: `rater`, `rater_id`, `rater_name`, `raters`."""
    return any(word in (name, f"{name}s", f"{name}_id", f"{name}id", f"{name}_name", f"{name}_no") for name in words)


def refuse_doubtful(table: Table, item: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a table whose columns do not look like raters of one field. Columns named by --map are not asked about."""
    if not columns:
        raise table.refusal("has no columns of ratings beside the items")
    _refuse_other_numbers(table, columns)
    _refuse_words_among_numbers(table, columns)
    _refuse_groups(table, columns)
    _refuse_turned(table, item, columns)
    _refuse_crossed(table, item, columns)
    _refuse_counts(table, columns)
    _refuse_grid(table, columns)


def mapping(column: str, role: str) -> str:
    """A --map option as it is typed in a shell."""
    return f"`roles` {shlex.quote(f'{column}={role}')}"


def _texts(table: Table, column: str) -> list[str]:
    return [text.strip() for row in table.rows if (text := row.cells[column]) is not None]


def _refuse_other_numbers(table: Table, columns: Sequence[str]) -> None:
    """Refuse a column of means, lengths or confidences among raters, by its name or by values far from the others'."""
    numbers = {
        column: sorted(map(float, texts))
        for column in columns
        if (texts := _texts(table, column)) and all(map(is_number, texts))
    }
    for column, values in numbers.items():
        middle = values[len(values) // 2]
        low = next((name for name, others in numbers.items() if middle > 2 * others[-1] > 0 and len(values) > 2), None)
        if low is not None:
            why = f'is on another scale than "{low}": half of it is {middle:g} or more, and {low} never above '
            why += f"{numbers[low][-1]:g}"
        elif names_no_rating(column):
            why = "does not look like a rater's"
        else:
            continue
        raise table.refusal(
            f'the column "{column}" {why}; leave it out with {mapping(column, "ignore")}, or keep it with '
            f"{mapping(column, f'{column}:rating')}"
        )


def _refuse_words_among_numbers(table: Table, columns: Sequence[str]) -> None:
    """Refuse a column of remarks among numbers: it is not a rater."""
    words = []
    numbers = 0
    for column in columns:
        numeric = [is_number(text) for text in _texts(table, column)]
        numbers += bool(numeric) and all(numeric)
        if numeric and not any(numeric):
            words.append(column)
    if numbers and words:
        raise table.refusal(
            f'the column "{words[0]}" holds words where other raters gave numbers; leave it out with '
            f"{mapping(words[0], 'ignore')}, or name what it holds, as in {mapping(words[0], 'item')}"
        )


def _refuse_groups(table: Table, columns: Sequence[str]) -> None:
    """Refuse a column of words that no other rater gave, where the others share theirs: a group, not a rater."""
    words_in = {column: {text.casefold() for text in _texts(table, column)} for column in columns}
    for column, words in words_in.items():
        others = [others_words for name, others_words in words_in.items() if name != column]
        if len(others) < 2 or not words or any(map(is_number, words)):
            continue
        if words.isdisjoint(set().union(*others)) and len(set().union(*others)) < sum(map(len, others)):
            raise table.refusal(
                f'the column "{column}" has no value in common with the other raters; leave it out with '
                f"{mapping(column, 'ignore')}, or keep it with {mapping(column, f'{column}:rating')}"
            )


def _refuse_turned(table: Table, item: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns that are only numbered: they may be items as well as raters."""
    if list(item) == [NAMELESS] and len(columns) > 1 and all(column.isdigit() for column in columns):
        raise table.refusal(
            f"the columns {columns[0]} to {columns[-1]} could be items or raters; use {mapping(NAMELESS, 'rater')} "
            f"if every column is an item, or {mapping(NAMELESS, 'item')} if every column is a rater"
        )


def _refuse_crossed(table: Table, item: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse rows and columns of the same names: how often each value of one rater met each of another."""
    names = [row.cells.get(item[0]) for row in table.rows] if len(item) == 1 else []
    if len(names) > 1 and sorted(map(str, names)) == sorted(columns):
        raise table.refusal(
            "rows and columns have the same names: cells may count items by two raters' values; make it a table with a "
            "row for each rating first"
        )


def _refuse_counts(table: Table, columns: Sequence[str]) -> None:
    """Refuse whole numbers that add up to the same in every row, with zeros among them: cells may count raters."""
    if len(columns) < 3 or len(table.rows) < 4 or any(is_one_rater(column) for column in columns):
        return
    rows = [[row.cells[column] for column in columns] for row in table.rows]
    if not all(text is not None and text.strip().isdigit() for row in rows for text in row):
        return
    numbers = [[int(text or 0) for text in row] for row in rows]
    if len({sum(row) for row in numbers}) == 1 and sum(numbers[0]) > 1 and any(0 in row for row in numbers):
        raise table.refusal(
            f"every row adds up to {sum(numbers[0])}: cells may count the raters who chose a category; make it a table "
            'with a row for each rating first; if every column is a rater, use `roles` "{rater}"'
        )


def _refuse_grid(table: Table, columns: Sequence[str]) -> None:
    """Refuse columns whose names combine two parts in every way: several fields by several raters."""
    for mark in ("_", ".", " ", "-", ":"):
        for split in (str.partition, str.rpartition):
            parts = [split(column, mark) for column in columns]
            first, second = {part[0] for part in parts}, {part[2] for part in parts}
            whole = all(part[0] and part[2] for part in parts) and len(set(parts)) == len(parts)
            if not whole or min(len(first), len(second)) < 2 or len(first) * len(second) != len(columns):
                continue
            rater_first = any(is_one_rater(name) or names_raters(name) for name in first)
            pattern = f"{{rater}}{mark}{{field}}" if rater_first else f"{{field}}{mark}{{rater}}"
            raise table.refusal(
                f"the columns look like several fields by several raters; use `roles` {shlex.quote(pattern)}, or "
                f'`roles` "{{rater}}" if every column is a rater'
            )
