"""What a table of ratings is read as: which column names the items, which the raters, which hold values.

A column's role comes from --map, or from its name where that is one of the words below. Without a column of raters,
every other column is a rater (wide). With a column of raters and neither items nor values, every other column is an
item. What the table was read as is part of the result, so that nobody has to guess either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.trust.label_scales import is_number
from evenhand.core.values.label import FINAL, GRADE, PASS, RATING, ItemKind
from evenhand.errors import InputError
from evenhand.reading.tables import Table

ITEM, RATER, FIELD, IGNORE = "item", "rater", "field", "ignore"
_KINDS: Mapping[str, ItemKind] = {
    "submission": "submission", "submission_sha256": "submission", "submission_hash": "submission",
    "text": "text", "output": "text", "response": "text", "answer": "text",
}  # fmt: skip
"""Columns whose values name an item otherwise than by an id."""

_ITEM_WORDS = (
    "item unit target subject case object sample example question document doc essay patient image instance task "
    "conversation evaluation record stimulus specimen product film movie wine student participant trial row "
    "index no nr id"
).split()
_RATER_WORDS = (
    "rater judge coder annotator human labeler labeller reviewer grader assessor evaluator observer expert "
    "worker person"
).split()
_FIELD_WORDS = "field dimension criterion aspect attribute metric measure quality".split()
_FIELDS = {name: name for name in (*DIMENSIONS, FINAL, GRADE, PASS)} | dict.fromkeys(
    "rating score value label code category judgement judgment class annotation diagnosis vote answer_label".split(),
    RATING,
)
_FIELDS["passed"] = PASS
ROWS = "#row"
"""In place of a column's name: every row is an item and goes by its number."""

_WEAK = ("row", "index", "no", "nr", "id", "task")
"""Names that often number the rows; they name the item only if no other column does."""


class Layout(NamedTuple):
    """What a table was read as."""

    shape: str
    """In words: "items in rows, raters in columns"."""
    item: str
    """The column with the items; empty when columns are items, `ROWS` when rows are and have no names."""
    kind: ItemKind
    raters: str
    """The column with the raters, or empty."""
    fields: str
    """The column that says which field a row's value is of, or empty."""
    values: tuple[tuple[str, str, str], ...]
    """Each column that holds values, with its rater (or empty) and its field (or empty)."""
    ignored: tuple[str, ...]
    missing: int
    """Cells without a value."""


class Options(NamedTuple):
    """How a person says that a table is to be read."""

    roles: Mapping[str, str] = {}
    """By column: item, rater, ignore, a field, or RATER:FIELD."""
    rater: str | None = None
    """Who gave the values, when no column says so."""
    field: str = RATING
    """What the values are, when no column says so."""
    kind: ItemKind | None = None
    rows: bool = False
    """Whether every row is an item, when no column names the items."""


def roles_from(pairs: Sequence[str]) -> dict[str, str]:
    """The roles by column: {"score": "final"} from "score=final"."""
    roles: dict[str, str] = {}
    for pair in pairs:
        column, equals, role = pair.rpartition("=")
        if not equals or not column.strip() or not role.strip():
            raise InputError(f'--map "{pair}" is not COLUMN=FIELD, such as score=final, name=rater or case=item')
        roles[column.strip()] = role.strip()
    return roles


def layout_of(table: Table, options: Options) -> Layout:
    """What a table is read as. InputError when its columns do not tell."""
    roles = _roles(table, options)
    rater = next((column for column, role in roles.items() if role == RATER), "")
    field = next((column for column, role in roles.items() if role == FIELD), "")
    values = tuple((column, *_rater_and_field(role)) for column, role in roles.items() if role not in _STRUCTURE)
    item, kind = _item(table, roles, options)
    unknown = [column for column in table.columns if column not in roles and column != item]
    if rater and not values and not item:
        shape = "raters in rows, items in columns"
        return Layout(shape, "", "id", rater, "", tuple((column, "", options.field) for column in unknown), (), 0)
    if not item:
        raise InputError(table.problem(_no_item(table)))
    if values or rater or options.rater is not None:
        if not values:
            names = ", ".join(unknown) or "none"
            raise InputError(
                table.problem(f"no column holds values; name it, as in --map COLUMN=final. Other columns: {names}")
            )
        named = all(who for _, who, _ in values)
        if not rater and options.rater is None and not named:
            raise InputError(
                table.problem("no column says who rated; name it, as in --map COLUMN=rater, or say --rater NAME")
            )
        shape = "one row for each item" if named or not rater else "one row for each item and rater"
        return Layout(shape, item, kind, rater, field, values, (*_ignored(roles), *unknown), 0)
    _refuse_mixed(table, unknown)
    wide = tuple((column, column, options.field) for column in unknown)
    return Layout("items in rows, raters in columns", item, kind, "", "", wide, tuple(_ignored(roles)), 0)


_STRUCTURE = (ITEM, RATER, FIELD, IGNORE)


def _ignored(roles: Mapping[str, str]) -> list[str]:
    return [column for column, role in roles.items() if role == IGNORE]


def _rater_and_field(role: str) -> tuple[str, str]:
    who, colon, field = role.rpartition(":")
    return (who, field) if colon else ("", role)


def _roles(table: Table, options: Options) -> dict[str, str]:
    """The role of every column that has one, but for the item, which needs a choice among several."""
    for column, role in options.roles.items():
        if column not in table.columns:
            turned = f"; did you mean --map {role}={column}?" if role in table.columns else ""
            raise InputError(
                table.problem(f'there is no column "{column}"{turned or "; columns: " + ", ".join(table.columns)}')
            )
    roles = {}
    for column in table.columns:
        word = _word(column)
        known = options.roles.get(column) or _FIELDS.get(word) or (RATER if _is(word, _RATER_WORDS) else None)
        if known == RATING and column not in options.roles:
            known = options.field  # a column called "score" holds whatever was said to be rated
        if known is not None:
            roles[column] = known
    if options.field in roles.values():  # "item, rater, dimension, score": a column may say what each row's value is of
        named = [column for column in table.columns if column not in roles and _is(_word(column), _FIELD_WORDS)]
        roles |= dict.fromkeys(named[:1], FIELD)
    raters = [column for column, role in roles.items() if role == RATER]
    mapped = [column for column in raters if column in options.roles]
    if mapped or any(role not in _STRUCTURE for role in roles.values()):
        for column in set(raters) - set(mapped if mapped else raters[:1]):
            del roles[column]
    elif len(raters) > 1 or any(
        _is(_word(column), _ITEM_WORDS) and _distinct(table, column) for column in table.columns
    ):
        for column in raters:  # "item, human, model": without a column of values these are raters, not names of them
            del roles[column]
    if len(mapped) > 1:
        raise InputError(f"--map names two columns as the rater: {', '.join(mapped)}; keep one")
    return roles


def _item(table: Table, roles: Mapping[str, str], options: Options) -> tuple[str, ItemKind]:
    mapped = [column for column, role in options.roles.items() if role == ITEM]
    if mapped and options.rows:
        raise InputError("--rows says that no column names the items; leave out --map COLUMN=item")
    if options.rows:
        return ROWS, "id"
    if len(mapped) > 1:
        raise InputError(f"--map names two columns as the item: {', '.join(mapped)}; keep one")
    if mapped:
        return mapped[0], options.kind or _KINDS.get(_word(mapped[0]), "id")
    free = [column for column in table.columns if column not in roles]
    of_kind = [
        column for column in free if options.kind not in (None, "id") and _KINDS.get(_word(column)) == options.kind
    ]
    if of_kind:
        return of_kind[0], options.kind or "id"
    ids = [column for column in free if _is(_word(column), _ITEM_WORDS)]
    strong = [column for column in ids if _word(column) not in _WEAK]
    if len(strong) > 1:
        raise InputError(
            table.problem(f"several columns could be the item: {', '.join(strong)}; say which: --map {strong[0]}=item")
        )
    others = [column for column in free if _word(column) in _KINDS]
    named = [column for column in free if _word(column).endswith("_id")]
    for choice in (strong, ids, named if len(named) == 1 else [], others):
        if choice:
            return choice[0], options.kind or _KINDS.get(_word(choice[0]), "id")
    if len(free) > 1 and all(_names_a_rater(column) for column in free):
        return ROWS, "id"
    first = table.columns[0]
    if first in free and RATER not in roles.values() and _names_items(table, first):
        return first, options.kind or "id"
    return "", "id"


def _names_a_rater(column: str) -> bool:
    """Whether a column is called `rater1`, `judge_2`, `Coder A`: then rows are items, with or without names."""
    return re.fullmatch(rf"(?:{'|'.join(_RATER_WORDS)})_?(?:\d+|[a-z])", _word(column)) is not None


def _distinct(table: Table, column: str) -> bool:
    values = [row.cells[column] for row in table.rows]
    return len(set(values)) == len(values)


def _names_items(table: Table, column: str) -> bool:
    """Whether a column can only be names of items: all different, and either words or 1, 2, 3 and so on."""
    values = [row.cells[column] for row in table.rows]
    if None in values or len(set(values)) != len(values) or len(values) < 2:
        return False
    texts = [value for value in values if value is not None]
    counted = [str(number) for number in range(len(texts) + 1)]
    numbered = texts in (counted[1:], counted[:-1])
    return numbered or (not is_number(column) and not any(map(is_number, texts)))


def _no_item(table: Table) -> str:
    if sum(map(is_number, table.columns)) >= len(table.columns) - 1:
        return "the first row looks like data, not like column names; add a row of column names above it"
    return (
        "no column is known to name the items; say which, as in "
        f"--map {table.columns[0]}=item, or --rows if none does and every row is an item. "
        f"Columns: {', '.join(table.columns)}"
    )


def _refuse_mixed(table: Table, columns: Sequence[str]) -> None:
    """Where raters are columns, a column of remarks among numbers is no rater."""
    words = []
    numbers = 0
    for column in columns:
        texts = [text for row in table.rows if (text := row.cells[column]) is not None]
        numeric = [is_number(text.strip()) for text in texts]
        numbers += bool(texts) and all(numeric)
        if texts and not any(numeric):
            words.append(column)
    if not columns:
        raise InputError(table.problem("has no columns of ratings beside the items"))
    if numbers and words:
        raise InputError(
            table.problem(
                f'the column "{words[0]}" holds words where other raters gave numbers; leave it out with '
                f"--map {words[0]}=ignore, or name its role"
            )
        )


def _word(column: str) -> str:
    return re.sub(r"[\s\-.]+", "_", column.strip().lower())


def _is(word: str, words: Sequence[str]) -> bool:
    """Whether a column is named by a word: `rater`, `rater_id`, `rater_name`, `raters`."""
    return any(word in (name, f"{name}s", f"{name}_id", f"{name}id", f"{name}_name", f"{name}_no") for name in words)
