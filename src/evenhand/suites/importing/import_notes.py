"""What an import left out or changed, with its file and line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from evenhand.errors import InputError, Path, Problem
from evenhand.files.located import Located


class ImportNotes:
    """Collects what an import left out or changed: one object per file, all notes in one list."""

    def __init__(self, document: Located, problems: list[Problem] | None = None) -> None:
        _refuse_absurd(document)
        self.document = document
        self.problems: list[Problem] = [] if problems is None else problems

    def inside(self, document: Located) -> ImportNotes:
        """Notes about another file, in the same list."""
        return ImportNotes(document, self.problems)

    def left_out(self, what: str, *steps: str | int) -> None:
        """Note something that has no counterpart."""
        self._add(f"left out: {what}", steps)

    def changed(self, what: str, *steps: str | int) -> None:
        """Note something imported with a slightly different meaning."""
        self._add(f"changed: {what}", steps)

    def rest(self, value: Mapping[str, Any], read: Iterable[str], *steps: str | int) -> None:
        """Every key that was not read."""
        for key in value:
            if key not in read:
                self.left_out(str(key), *steps, str(key))

    def _add(self, message: str, steps: tuple[str | int, ...]) -> None:
        self.problems.append(self.document.place(Problem(message, path=steps)))


def _refuse_absurd(document: Located) -> None:
    """Refuse a number whose digits, written out, would fill the memory."""
    waiting: list[tuple[Path, Any]] = [((), document.value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Decimal) and value and abs(value.adjusted()) > 30:
            raise InputError(document.place(Problem("a number is too large or too small to be used", path=path)))
        if isinstance(value, Mapping):
            waiting += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, place), item) for place, item in enumerate(value)]
