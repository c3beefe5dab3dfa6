"""The scale of each field in a table: as given, as evaluations have it, or what the values are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from evenhand.core.numbers import is_number
from evenhand.errors import InputError, Problem
from evenhand.files.tables import Table
from evenhand.labels.rating import Entry
from evenhand.labels.table_layout import Layout
from evenhand.stats.agreement.label_scales import CATEGORIES, NUMBERS, Scale, scale_from

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def by_field(options: Sequence[str], fields: Mapping[str, object], what: str) -> dict[str, str]:
    """Options that hold for one field ("final=1-5") or, without a field, for all."""
    named: dict[str, str] = {}
    for text in options:
        field, equals, rest = text.partition("=")
        if equals and field.strip() in fields:
            named[field.strip()] = rest
        elif equals and not is_number(field):
            raise InputError(f'`{what}` "{text}": no values of "{field}" here; fields: {", ".join(fields)}')
        else:
            named.update({name: text for name in fields if name not in named})
    return named


def given_scale(text: str) -> Scale:
    """A scale as a person wrote it."""
    try:
        return scale_from(text)
    except ValueError as error:
        raise InputError(f"`scale`: {error}") from None


def scale_of_values(table: Table, entries: Sequence[Entry], layout: Layout) -> Scale:
    """Numbers if all values are, or else categories; all that there are, where columns name them.

    Words among numbers are refused: they mean missing values, or numbers are written with a decimal comma.
    """
    if layout.categories:
        return _of_categories(layout.categories)
    words = [entry for entry in entries if not is_number(entry.text)]
    if not words:
        return Scale(NUMBERS)
    if all(_DECIMAL_COMMA.fullmatch(entry.text) for entry in words):
        first = words[0]
        what = f'"{first.text}" is not a number; if it has a decimal comma, use `decimal_comma`'
        raise InputError(Problem(what, table.source, first.line))
    if len(words) * 2 < len(entries):
        first = words[0]
        what = f'"{first.text}" by {first.rater} is not a number, as most values of {first.field} are'
        missing = f"`missing` {shlex.quote(first.text)} if it means that there is no value"
        raise InputError(
            Problem(f"{what}; use {missing}, or `scale` categories if it is one", table.source, first.line)
        )
    first_seen: dict[str, Entry] = {}
    for entry in words:
        known = first_seen.setdefault(" ".join(entry.text.split()).casefold(), entry)
        if known.text != entry.text:
            what = f'"{entry.text}" and "{known.text}" of line {known.line} differ in case or white space only'
            advice = 'make them the same, or list the categories, as in `scale` "low<medium<high"'
            raise InputError(Problem(f"{what}; {advice}", table.source, entry.line))
    return Scale(CATEGORIES)


def _of_categories(names: Sequence[str]) -> Scale:
    if all(map(is_number, names)):
        whole = all(name.lstrip("-").isdigit() for name in names)
        points = sorted(map(int, names)) if whole else []
        if whole and points == [*range(points[0], points[-1] + 1)]:
            return scale_from(f"{points[0]}-{points[-1]}")
        return Scale(NUMBERS)
    if any(mark in name for name in names for mark in "<|"):
        return Scale(CATEGORIES)
    return Scale("|".join(names), words=tuple(names), ordered=False)
