"""One mapping of a suite file, with what only suites have: names, paths from the file's folder, places."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

from evenhand.core.finding import Place
from evenhand.errors import shortened_line
from evenhand.files.entry import Entry
from evenhand.suites.paths import absolute
from evenhand.work.names import slug

NAME_LIMIT = 100
"""The longest name of a suite, a case or a variant."""

_NAME = re.compile(r"[^\W_][\w.-]*")


class SuiteEntry(Entry):
    """A mapping at a path of a suite file, or of a file it names."""

    __slots__ = ()

    @property
    def folder(self) -> Path:
        """Where relative paths start: the folder of the file."""
        assert self.document is not None, "a suite is read from a file"
        return Path(self.document.source).absolute().parent

    @property
    def place(self) -> Place:
        """Where it was written."""
        return self.place_of()

    def place_of(self, *steps: str | int) -> Place:
        """Where the value at further steps was written."""
        assert self.document is not None, "a suite is read from a file"
        return Place(self.document.source, self.document.find_line((*self.path, *steps)))

    def at(self, text: str) -> Path:
        """A path written in this file, made absolute."""
        return absolute(self.folder, text)

    def name(self, key: str) -> str | None:
        """A name that can be part of a path; a whole number is one too."""
        if key not in self.value:
            return None
        value = self.value[key]
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            value = str(value)
        return self.name_at(value, key) if isinstance(value, str) else self.text(key)

    def name_at(self, value: str, *steps: str | int) -> str | None:
        """A text at further steps as a name; None when it cannot be one."""
        if len(value) <= NAME_LIMIT and _NAME.fullmatch(value):
            return value
        what = f"longer than {NAME_LIMIT} characters" if len(value) > NAME_LIMIT else "not a name"
        guess = slug(value)[:NAME_LIMIT]
        hint = f"; try {guess}" if guess else ""
        self.refuse(
            f'"{shortened_line(value)}" is {what}; names are letters, digits and . _ - without spaces{hint}', *steps
        )
        return None

    def above_zero(self, key: str) -> Decimal | None:
        """A number above 0, neither too small nor too large to compute with."""
        return self.number(key, "a number above 0, from 0.001 to 1000000", "0.001", "1000000")
