"""Patterns of columns in --map: `{field}_{rater}` is every column named like that, by that rater, of that field."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evenhand.errors import InputError
from evenhand.labels.column_words import names_an_item
from evenhand.reading.tables import Table


def is_pattern(text: str) -> bool:
    """Whether a text is a pattern of columns."""
    return "{rater}" in text


def matched(table: Table, roles: Mapping[str, str], field: str) -> dict[str, str]:
    """The roles with columns in place of patterns, which leave out columns named by themselves or called like items."""
    resolved = {column: role for column, role in roles.items() if not is_pattern(column)}
    for pattern, role in roles.items():
        if not is_pattern(pattern):
            continue
        known = [column for column in table.columns if column not in resolved and not names_an_item(column)]
        hits = _matches(pattern, known, r"[^_.\s]+") or _matches(pattern, known, r".+")
        if not hits:
            columns = ", ".join(table.columns)
            raise InputError(table.problem(f'no column is named like "{pattern}" in --map; columns: {columns}'))
        for column, match in hits.items():
            named = match.groupdict()
            resolved[column] = f"{named['rater']}:{(named.get('field') or role or field).lower()}"
    return resolved


def _matches(pattern: str, columns: list[str], rater: str) -> dict[str, re.Match[str]]:
    shape = re.escape(pattern).replace(r"\{rater\}", f"(?P<rater>{rater})").replace(r"\{field\}", "(?P<field>.+)")
    return {column: match for column in columns if (match := re.fullmatch(shape, column)) is not None}
