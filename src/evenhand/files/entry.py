"""One mapping of a document, read key by key. Problems are collected, each with its place; nothing is raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Self

from evenhand.errors import NUL, InputError, Path, Problem, shortened_line, unknown
from evenhand.files.located import Located


class Entry:
    """A mapping at a path of a document."""

    __slots__ = ("_refused", "document", "path", "problems", "value")

    def __init__(
        self,
        value: object,
        path: Path,
        problems: list[Problem],
        document: Located | None = None,
        *,
        otherwise: str = "must be an object with named fields",
    ) -> None:
        """`document` gives every problem its file and line. Without it, whoever has the document places them.

        `otherwise` is what to say of a value that is not a mapping.
        """
        self.path = path
        self.problems = problems
        self.document = document
        self.value: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self._refused = False
        if not isinstance(value, Mapping):
            self.refuse(otherwise)
            self._refused = True  # nothing else about it is worth reporting

    @classmethod
    def of(cls, document: Located, problems: list[Problem]) -> Self:
        """A whole document."""
        return cls(document.value, (), problems, document)

    def refuse(self, message: str, *steps: str | int) -> None:
        """Collect a problem with this mapping, or with what is at further steps inside it."""
        if not self._refused:
            problem = Problem(message, path=(*self.path, *steps))
            self.problems.append(problem if self.document is None else self.document.place(problem))

    def refuse_all(self, error: InputError, *steps: str | int) -> None:
        """Collect the problems of a value at further steps, keeping the places inside it."""
        for problem in error.problems:
            if problem.source is not None:
                self.problems.append(problem)
            else:
                self.refuse(problem.message, *steps, *problem.path)

    def known(self, valid: Iterable[str], what: str = "key") -> None:
        """Refuse every key that is not valid."""
        names = list(valid)
        for key in self.value:
            if key not in names:
                self.refuse(unknown(what, key, names), key)

    def inner(self, key: str) -> Self | None:
        """The mapping under a key; None when there is none."""
        return self.inside(key) if key in self.value else None

    def inside(self, *steps: str | int) -> Self:
        """The mapping at further steps."""
        value: Any = self.value
        for step in steps:
            value = value[step]
        return type(self)(value, (*self.path, *steps), self.problems, self.document)

    def text(self, key: str, *, empty: bool = False) -> str | None:
        """Text; None when it is absent or wrong."""
        return self.text_at(self.value[key], key, empty=empty) if key in self.value else None

    def text_at(self, value: object, *steps: str | int, empty: bool = False) -> str | None:
        """A value at further steps as text; None when it is wrong."""
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
        value = self.value.get(key, [])
        items = (
            [((key, place), item) for place, item in enumerate(value)] if isinstance(value, list) else [((key,), value)]
        )
        texts = [self.text_at(item, *steps) for steps, item in items]
        return tuple(text for text in texts if text is not None)

    def choice(self, key: str, valid: Sequence[str], usual: Any = None, what: str = "") -> Any:
        """One of several words; the usual one when it is absent or wrong. `what` is what a message calls it."""
        value = self.value.get(key, usual)
        if value in valid or key not in self.value:
            return value
        self.refuse(unknown(what or key, value, valid), key)
        return usual

    def yes_no(self, key: str, usual: bool) -> bool:
        """True or false."""
        value = self.value.get(key, usual)
        if isinstance(value, bool):
            return value
        self.refuse(f"{key} must be true or false", key)
        return usual

    def number(self, key: str, valid: str, low: str | None = None, high: str | None = None) -> Decimal | None:
        """A number within bounds; None when absent or wrong. `valid` is what the message calls it."""
        if key not in self.value:
            return None
        value = self.value[key]
        if not isinstance(value, int | Decimal) or isinstance(value, bool):
            self.refuse(f"{key} must be {valid}", key)
            return None
        number = Decimal(value)
        if (low is not None and number < Decimal(low)) or (high is not None and number > Decimal(high)):
            self.refuse(f"{key} is {shortened_line(str(value))}; it must be {valid}", key)
            return None
        return number

    def count(self, key: str, largest: int) -> int | None:
        """A whole number from 1."""
        valid = f"a whole number from 1 to {largest}"
        number = self.number(key, valid, low="1", high=str(largest))
        if number is not None and number != int(number):
            self.refuse(f"{key} is {shortened_line(str(self.value[key]))}; it must be {valid}", key)
            return None
        return None if number is None else int(number)


def _label(steps: Sequence[str | int]) -> str:
    """The last name on the way to a value."""
    return next((str(step) for step in reversed(steps) if isinstance(step, str)), "it")
