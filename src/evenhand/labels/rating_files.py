"""A file of ratings and how it is to be read, from one set of options: those of the commands and of the Python API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError, unknown
from evenhand.files.tables import Table, read_table
from evenhand.labels.table_layout import Options
from evenhand.stats.agreement.ratings import ANONYMOUS
from evenhand.work.label import RATING, ItemKind

_OF_FILE = ("encoding", "separator", "missing", "decimal_comma", "header", "quotes", "each", "skip")
_OF_TABLE = ("rows", "fold_ids")
_UNNAMED = {"by_place": "rater", "anonymous": ANONYMOUS}


def read_ratings(
    file: str,
    reading: Mapping[str, Any],
    *,
    roles: Mapping[str, str],
    rater: str | None = None,
    field: str = RATING,
    kind: ItemKind | None = None,
) -> tuple[Table, Options]:
    """The table in a file, and how its columns are to be understood."""
    known = (*_OF_FILE, *_OF_TABLE, *_UNNAMED)
    for name in reading:
        if name not in known:
            raise InputError(unknown("way of reading", name, known))
    unnamed = [word for name, word in _UNNAMED.items() if reading.get(name)]
    if len(unnamed) > 1:
        raise InputError("`by_place` says whose each value is, `anonymous` that this is not known; use one of them")
    table = read_table(file, **{name: reading[name] for name in _OF_FILE if name in reading})
    of_table = {name: reading[name] for name in _OF_TABLE if name in reading}
    return table, Options(roles, rater, field, kind, unnamed="".join(unnamed), **of_table)
