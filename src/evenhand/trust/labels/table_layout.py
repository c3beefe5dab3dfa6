"""What a table of ratings is read as: which columns name the items, which the raters, which hold values.

A column's role comes from --map, or from its name where that is a known word (see column_words). Without a column of
raters, every other column is a rater (wide). With a column of raters and neither items nor values, every other column
is an item. What the table was read as is part of the result, so that nobody has to guess either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evenhand.core.judgement import PERSON
from evenhand.core.numbers import is_number
from evenhand.errors import InputError
from evenhand.files.tables import Table
from evenhand.trust.labels.rating import REASON, number_lists, value_lists
from evenhand.trust.labels.rating_columns import (
    FIELDS,
    KINDS,
    REASON_WORDS,
    is_one_rater,
    mapping,
    names_an_item,
    names_fields,
    names_no_rating,
    names_raters,
    names_weakly,
    refuse_doubtful,
    word_of,
)
from evenhand.work.label import JUDGE, RATING, ItemKind

ITEM, RATER, FIELD, IGNORE = "item", "rater", "field", "ignore"
ROWS = "#row"
"""In place of a column's name: every row is an item, and goes by its number."""


class Layout(NamedTuple):
    """What a table was read as."""

    shape: str
    """In words: "items in rows, raters in columns"."""
    items: tuple[str, ...]
    """The columns that name an item together; none when columns are items, `ROWS` when rows are and have no names."""
    kind: ItemKind
    raters: str
    """The column with the raters, or empty."""
    fields: str
    """The column that says which field a row's value is of, or empty."""
    values: tuple[tuple[str, str, str], ...]
    """Each column that holds values, with its rater (or empty) and its field (or empty)."""
    ignored: tuple[str, ...]
    missing: int = 0
    """Cells without a value."""
    out_of: Mapping[str, str] = {}
    """By field: what its values are out of, as in 7/10, where they say so; `%` for percentages."""

    @property
    def item(self) -> str:
        """The columns that name an item, as one name."""
        return " + ".join(self.items)


class Options(NamedTuple):
    """How a person says that a table is to be read."""

    roles: Mapping[str, str] = {}
    """By column: item, rater, ignore, a field, or RATER:FIELD. By pattern of columns: a field, or empty."""
    rater: str | None = None
    """Who gave the values, when no column says so."""
    field: str = RATING
    """What the values are, when no column says so."""
    kind: ItemKind | None = None
    rows: bool = False
    """Whether every row is an item, when no column names the items."""
    unnamed: str = ""
    """What raters are called who have no name, with a number after it: the values of an item are numbered."""
    fold_ids: bool = False
    """Whether names that differ in case, white space, a file's suffix or leading zeros only are the same."""
    cluster: str | None = None
    """The column that says which items belong together, where the table brings one."""


def roles_from(pairs: Sequence[str]) -> dict[str, str]:
    """The roles by column: {"score": "final"} from "score=final"; a pattern of columns needs no role."""
    roles: dict[str, str] = {}
    for pair in pairs:
        column, equals, role = pair.rpartition("=")
        if _is_pattern(pair) and not equals:
            column, role = pair, ""
        elif not equals or not column.strip() or not role.strip():
            raise InputError(f'`roles` "{pair}" is not COLUMN=FIELD, such as score=final, name=rater or case=item')
        roles[column.strip()] = role.strip()
    return roles


def layout_of(table: Table, options: Options) -> Layout:
    """What a table is read as. InputError when its columns do not tell."""
    roles = _roles(table, options)
    rater = next((column for column, role in roles.items() if role == RATER), "")
    field = next((column for column, role in roles.items() if role == FIELD), "")
    values = tuple((column, *_rater_and_field(role)) for column, role in roles.items() if role not in _STRUCTURE)
    items, kind = _items(table, roles, options)
    unknown = [column for column in table.columns if column not in roles and column not in items]
    numbered = [column for column in unknown if names_weakly(column) and _counts_rows(table, column)]
    unknown = [column for column in unknown if column not in numbered]
    if rater and not values and not items:
        columns = tuple((column, "", options.field) for column in unknown)
        return Layout("raters in rows, items in columns", (), "id", rater, "", columns, tuple(_ignored(roles)))
    if not items:
        raise table.refusal(_no_item(table))
    if not values and not rater and options.rater is None and not options.unnamed:
        refuse_doubtful(table, () if "item" in roles.values() else items, unknown)
        other = [column for column in unknown if names_an_item(column) and ITEM not in roles.values()]
        if other:
            raise table.refusal(
                f"{items[0]} and {other[0]} could both name the items; say which: {mapping(items[0], ITEM)} (several "
                f"if they name them together), and {mapping(other[0], 'ignore')} for what does not; if rows have one "
                "cell more than there are names, as where 8,5 is a number, quote it or use another separator"
            )
        wide = tuple((column, column, options.field) for column in unknown)
        return Layout("items in rows, raters in columns", items, kind, "", "", wide, (*_ignored(roles), *numbered))
    if not values:
        names = ", ".join(unknown) or "none"
        raise table.refusal(f"no column holds values; name it, as in `roles` COLUMN=final. Other columns: {names}")
    named = all(who for _, who, _ in values)
    lists = value_lists(table, [column for column, _, _ in values])
    if not rater and options.rater is None and not named and not options.unnamed and len(lists) < len(values):
        raise table.refusal(
            "no column says who rated; name it, as in `roles` COLUMN=rater, or use `rater` NAME for one, `by_place` "
            "or `anonymous` for several whose names are not known"
        )
    one_row = named or (not rater and not options.unnamed)
    shape = "one row for each item" if one_row else "one row for each item and rater"
    shape += ", values in lists" if lists else ""
    reasons = [column for column in unknown if word_of(column) in REASON_WORDS and (rater or options.rater)]
    values += tuple((column, "", REASON) for column in reasons[:1])
    unknown = [column for column in unknown if column not in reasons[:1]]
    return Layout(shape, items, kind, rater, field, values, (*_ignored(roles), *numbered, *unknown))


_STRUCTURE = (ITEM, RATER, FIELD, IGNORE)


# --- patterns of columns in --map: `{field}_{rater}` is every column so named, by that rater, of that field


def _is_pattern(text: str) -> bool:
    """Whether a text is a pattern of columns."""
    return "{rater}" in text


def _matched(table: Table, roles: Mapping[str, str], field: str) -> dict[str, str]:
    """The roles with columns in place of patterns, which leave out columns named by themselves or called like items."""
    resolved = {column: role for column, role in roles.items() if not _is_pattern(column)}
    for pattern, role in roles.items():
        if not _is_pattern(pattern):
            continue
        known = [column for column in table.columns if column not in resolved and not names_an_item(column)]
        hits = _matches(pattern, known, r"[^_.\s]+") or _matches(pattern, known, r".+")
        if not hits:
            columns = ", ".join(table.columns)
            raise table.refusal(f'no column is named like "{pattern}" in `roles`; columns: {columns}')
        for column, match in hits.items():
            named = match.groupdict()
            resolved[column] = f"{named['rater']}:{(named.get('field') or role or field).lower()}"
    return resolved


def _matches(pattern: str, columns: list[str], rater: str) -> dict[str, re.Match[str]]:
    shape = re.escape(pattern).replace(r"\{rater\}", f"(?P<rater>{rater})").replace(r"\{field\}", "(?P<field>.+)")
    return {column: match for column in columns if (match := re.fullmatch(shape, column)) is not None}


def _ignored(roles: Mapping[str, str]) -> list[str]:
    return [column for column, role in roles.items() if role == IGNORE]


def _rater_and_field(role: str) -> tuple[str, str]:
    """Whose values of what a role says. `judge:m` may be the judge `m`, or the field `m` by one called `judge`."""
    who, _, field = role.rpartition(":")
    if f"{who}:" in (PERSON, JUDGE) and word_of(field) not in FIELDS:
        raise InputError(f'`roles` "{role}" does not say of what; write {role}:final, or {role}:{RATING}')
    return who, REASON if field == "reason" else field


def _roles(table: Table, options: Options) -> dict[str, str]:
    """The role of every column that has one, but for items by name, which need a choice among several."""
    named = _matched(table, options.roles, options.field)
    for column, role in options.roles.items():
        if column not in table.columns and not _is_pattern(column):
            near = [name for name in table.columns if word_of(name) == word_of(column)]
            meant = mapping(role, column) if role in table.columns else mapping(near[0], role) if near else ""
            turned = f"; did you mean {meant}?" if meant else ""
            raise table.refusal(f'there is no column "{column}"{turned or "; columns: " + ", ".join(table.columns)}')
    roles = {}
    for column in table.columns:
        known = named.get(column) or _said_by(column, options.field) or FIELDS.get(word_of(column))
        known = known or (RATER if names_raters(column) else None)
        if known == RATING and column not in named:
            known = options.field  # a column called "score" holds whatever was said to be rated
        if known is not None:
            roles[column] = known
    if not any(role not in _STRUCTURE for role in named.values()):
        free = [column for column in table.columns if column not in roles]
        roles |= {column: column.strip().lower() for column in number_lists(table, free)}
    if options.field in roles.values():  # "item, rater, dimension, score": a column may say what each row's value is of
        fields = [column for column in table.columns if column not in roles and names_fields(column)]
        roles |= dict.fromkeys(fields[:1], FIELD)
    return _with_one_rater(table, roles, named)


def _said_by(column: str, field: str) -> str | None:
    """The role of a column called RATER:FIELD, where that is a field that is known."""
    who, colon, what = column.rpartition(":")
    known = FIELDS.get(word_of(what)) or (field if what.strip().lower() == field else None)
    prefixes = [prefix.rstrip(":") for prefix in (PERSON, JUDGE)]
    return f"{who.strip()}:{known}" if colon and known and who.strip() not in ("", *prefixes) else None


def _with_one_rater(table: Table, roles: dict[str, str], named: Mapping[str, str]) -> dict[str, str]:
    """The roles with at most one column of raters: the one that was named, or the only one; none in a wide table."""
    raters = [column for column, role in roles.items() if role == RATER]
    mapped = [column for column in raters if column in named]
    if len(mapped) > 1:
        raise InputError(f"`roles` names two columns as the rater: {', '.join(mapped)}; keep one")
    dropped: Sequence[str] = ()
    values = [column for column, role in roles.items() if role not in _STRUCTURE]
    if mapped:
        dropped = [column for column in raters if column not in mapped]
    elif values and any(":" not in roles[column] for column in values):
        if len(raters) > 1:
            raise table.refusal(
                f"several columns could name the rater: {', '.join(raters)}; say which: {mapping(raters[0], RATER)}"
            )
    elif len(raters) > 1 or any(names_an_item(column) and _distinct(table, column) for column in table.columns):
        dropped = raters  # "item, human, model": without a column of values these are raters, not names of them
    return {column: role for column, role in roles.items() if column not in dropped}


def _items(table: Table, roles: Mapping[str, str], options: Options) -> tuple[tuple[str, ...], ItemKind]:
    mapped = tuple(column for column, role in options.roles.items() if role == ITEM)
    if mapped and options.rows:
        raise InputError("`rows` says that no column names the items; leave out `roles` COLUMN=item")
    if options.rows:
        return (ROWS,), "id"
    if mapped:
        return mapped, options.kind or (KINDS.get(word_of(mapped[0]), "id") if len(mapped) == 1 else "id")
    free = [column for column in table.columns if column not in roles]
    of_kind = [
        column for column in free if options.kind not in (None, "id") and KINDS.get(word_of(column)) == options.kind
    ]
    if of_kind:
        return (of_kind[0],), options.kind or "id"
    ids = [column for column in free if names_an_item(column)]
    strong = [column for column in ids if not names_weakly(column)]
    if len(strong) > 1:
        raise table.refusal(
            f"several columns could be the item: {', '.join(strong)}; say which: {mapping(strong[0], ITEM)}, "
            "and a `roles` for each if they name it together"
        )
    ids.sort(key=lambda column: _counts_rows(table, column))  # names come before the numbers of the rows
    others = [column for column in free if word_of(column) in KINDS]
    named = [column for column in free if word_of(column).endswith("_id")]
    for choice in (strong, ids, named if len(named) == 1 else [], others):
        if choice:
            return (choice[0],), options.kind or KINDS.get(word_of(choice[0]), "id")
    if len(free) > 1 and all(is_one_rater(column) for column in free):
        return (ROWS,), "id"
    first = table.columns[0]
    named_so = not names_no_rating(first) and _names_items(table, first)
    if first in free and RATER not in roles.values() and named_so:
        return (first,), options.kind or "id"
    return (), "id"


def _distinct(table: Table, column: str) -> bool:
    values = [row.cells[column] for row in table.rows]
    return len(set(values)) == len(values)


def _names_items(table: Table, column: str) -> bool:
    """Whether a column can only be names of items: all different, and either words or 1, 2, 3 and so on."""
    values = [row.cells[column] for row in table.rows]
    if None in values or len(set(values)) != len(values) or len(values) < 2:
        return False
    return _counts_rows(table, column) or (not is_number(column) and not any(is_number(str(text)) for text in values))


def _counts_rows(table: Table, column: str) -> bool:
    """Whether a column is 0, 1, 2 or 1, 2, 3 and so on, as data frames number their rows."""
    texts = [row.cells[column] for row in table.rows]
    counted = [str(number) for number in range(len(texts) + 1)]
    return texts in (counted[1:], counted[:-1])


def _no_item(table: Table) -> str:
    lists = list(dict.fromkeys(name.partition(".")[0] for name in table.columns if "." in name))
    if len(table.rows) == 1 and lists:
        return f"the file is one object; take a row for each entry of one of its lists: `each`={' or '.join(lists)}"
    if sum(map(is_number, table.columns)) >= len(table.columns) - 1 and table.columns[0] != "1":
        return (
            "the first row looks like data, not like column names; add a row of column names above it, or say "
            "--set labels.no_header=true"
        )
    return (
        f"no column is known to name the items; say which, as in {mapping(table.columns[0], ITEM)} (several if they "
        "name them together), or `rows` if none does and every row is an item. "
        f"Columns: {', '.join(table.columns)}"
    )
