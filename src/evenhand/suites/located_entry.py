"""One mapping of a file, read key by key. Problems are collected, each with its file and line; nothing is raised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from evenhand.core.basics.names import nearest, slug
from evenhand.core.basics.numbers import exact, shown
from evenhand.core.basics.wording import shortened
from evenhand.core.values.submission import Place
from evenhand.errors import NUL, InputError, Problem
from evenhand.errors import Path as Steps
from evenhand.reading.located import Located
from evenhand.suites.paths import absolute

NAME_LIMIT = 100
"""The longest name of a suite, a case or a variant."""

_NAME = re.compile(r"[^\W_][\w.-]*")


class Entry:
    """A mapping at a path of a document."""

    def __init__(self, document: Located, path: Steps, problems: list[Problem]) -> None:
        self.document = document
        self.path = path
        self.problems = problems
        value = document.value
        for step in path:
            value = value[step]
        self.value: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self._refused = False
        if not isinstance(value, Mapping):
            self.refuse("must be an object with named fields")
            self._refused = True

    @property
    def folder(self) -> Path:
        """Where relative paths start: the folder of the file."""
        return Path(self.document.source).absolute().parent

    @property
    def place(self) -> Place:
        """Where it was written."""
        return Place(self.document.source, self.document.find_line(self.path))

    def refuse(self, message: str, *steps: str | int) -> None:
        """Collect a problem with this mapping, or with what is at further steps inside it."""
        if self._refused:  # it is no mapping at all, and nothing else is worth reporting
            return
        self.problems.append(self.document.place(Problem(message, path=(*self.path, *steps))))

    def refuse_all(self, error: InputError, *steps: str | int) -> None:
        """Collect the problems of a value at further steps, keeping the places inside it."""
        for problem in error.problems:
            if problem.source is not None:
                self.problems.append(problem)
            else:
                self.refuse(problem.message, *steps, *problem.path)

    def known(self, valid: Sequence[str]) -> None:
        """Refuse every key that is not valid."""
        for key in self.value:
            if key not in valid:
                self.refuse(unknown("key", str(key), valid), key)

    def inner(self, key: str) -> Entry | None:
        """The mapping under a key; None when there is none."""
        if key not in self.value:
            return None
        return Entry(self.document, (*self.path, key), self.problems)

    def text(self, key: str, *, empty: bool = False) -> str | None:
        """Text; None when it is absent or wrong."""
        return self.text_at(self.value[key], key, empty=empty) if key in self.value else None

    def text_at(self, value: object, *steps: str | int, empty: bool = False) -> str | None:
        """The same for a value at further steps."""
        if not isinstance(value, str):
            self.refuse(f"{_label(steps)} must be text; quote numbers and true or false", *steps)
        elif "\0" in value:
            self.refuse(f"{_label(steps)} {NUL}", *steps)
        elif not empty and not value.strip():
            self.refuse(f"{_label(steps)} is empty; write it, or leave it out", *steps)
        else:
            return value
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or one text; empty when absent or wrong."""
        if key not in self.value:
            return ()
        value = self.value[key]
        if not isinstance(value, list):
            text = self.text(key)
            return () if text is None else (text,)
        made = [self.text_at(item, key, number) for number, item in enumerate(value)]
        return tuple(text for text in made if text is not None)

    def name(self, key: str) -> str | None:
        """A name that can be part of a path; a whole number is one too."""
        if key not in self.value:
            return None
        value = self.value[key]
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            value = str(value)
        return self.name_at(value, key) if isinstance(value, str) else self.text(key)

    def name_at(self, value: str, *steps: str | int) -> str | None:
        """The same for a text at further steps."""
        if len(value) <= NAME_LIMIT and _NAME.fullmatch(value):
            return value
        what = f"longer than {NAME_LIMIT} characters" if len(value) > NAME_LIMIT else "not a name"
        guess = slug(value)[:NAME_LIMIT]
        hint = f"; try {guess}" if guess else ""
        self.refuse(
            f'"{shortened(value, 40)}" is {what}; names are letters, digits and . _ - without spaces{hint}', *steps
        )
        return None

    def yes_no(self, key: str, usual: bool) -> bool:
        """True or false."""
        value = self.value.get(key, usual)
        if not isinstance(value, bool):
            self.refuse(f"{key} must be true or false", key)
            return usual
        return value

    def number(self, key: str, valid: str, low: str | None = None, high: str | None = None) -> Decimal | None:
        """A number within bounds; None when absent or wrong. `valid` is what the message calls it."""
        if key not in self.value:
            return None
        value = self.value[key]
        if not isinstance(value, int | Decimal) or isinstance(value, bool):
            self.refuse(f"{key} must be {valid}", key)
            return None
        number = exact(value)
        if (low is not None and number < Decimal(low)) or (high is not None and number > Decimal(high)):
            self.refuse(f"{key} is {shown(number)}; it must be {valid}", key)
            return None
        return number

    def above_zero(self, key: str) -> Decimal | None:
        """A number above 0, neither too small nor too large to compute with."""
        return self.number(key, "a number above 0, from 0.001 to 1000000", "0.001", "1000000")

    def count(self, key: str, largest: int) -> int | None:
        """A whole number from 1."""
        valid = f"a whole number from 1 to {largest}"
        number = self.number(key, valid, low="1", high=str(largest))
        if number is not None and number != int(number):
            self.refuse(f"{key} is {shown(number)}; it must be {valid}", key)
            return None
        return None if number is None else int(number)

    def at(self, text: str) -> Path:
        """A path written in this file, made absolute."""
        return absolute(self.folder, text)


def unknown(what: str, word: str, valid: Sequence[str]) -> str:
    """What is wrong with a word that is not one of the valid ones."""
    guess = nearest(word[:NAME_LIMIT], valid)
    hint = f"did you mean {guess}? " if guess else ""
    return f'unknown {what} "{shortened(word, 40)}"; {hint}valid: {", ".join(valid)}'


def _label(steps: Sequence[str | int]) -> str:
    """The last name on the way to a value."""
    return next((str(step) for step in reversed(steps) if isinstance(step, str)), "it")
