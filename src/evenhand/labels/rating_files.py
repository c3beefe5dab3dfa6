"""A file of ratings and how it is to be read, from the settings `labels.*`: those of the commands and of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evenhand.errors import InputError
from evenhand.files.tables import Table, read_table
from evenhand.labels.table_layout import Options
from evenhand.stats.agreement.ratings import ANONYMOUS
from evenhand.work.label import RATING, ItemKind

_OF_FILE: Final = ("encoding", "missing", "decimal_comma", "each", "skip")
_OF_TABLE: Final = ("rows", "fold_ids")
_UNNAMED: Final = {"by_place": "rater", "anonymous": ANONYMOUS}
READING: Final = (*_OF_FILE, *_OF_TABLE, *_UNNAMED, "separator", "no_header", "no_quotes")
"""The settings that say how a file is read."""

_SEPARATORS: Final = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


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
    unnamed = [word for name, word in _UNNAMED.items() if reading.get(name)]
    if len(unnamed) > 1:
        raise InputError("`by_place` says whose each value is, `anonymous` that this is not known; use one of them")
    table = read_table(
        file,
        **{name: reading[name] for name in _OF_FILE if name in reading},
        separator=_separator(reading.get("separator")),
        header=not reading.get("no_header"),
        quotes=not reading.get("no_quotes"),
    )
    of_table = {name: reading[name] for name in _OF_TABLE if name in reading}
    return table, Options(roles, rater, field, kind, unnamed="".join(unnamed), **of_table)


def _separator(text: str | None) -> str | None:
    """The character that is meant by a name or a character."""
    if text is None:
        return None
    mark = _SEPARATORS.get(text.lower(), text)
    if len(mark) != 1:
        raise InputError(
            f'labels.separator "{text}" is not one character; valid: {", ".join(_SEPARATORS)}, or a character'
        )
    return mark
