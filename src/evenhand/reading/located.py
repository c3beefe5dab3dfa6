"""A plain value together with the way to find the line any part of it stood on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from evenhand.errors import InputError, Path, Problem


class Located(NamedTuple):
    """A value read from a file."""

    value: Any
    source: str
    find_line: Callable[[Path], int | None]
    """The line of the value at a path, or of the nearest part around it."""

    def place(self, problem: Problem) -> Problem:
        """The same problem, with the file and line it stands on."""
        return problem._replace(source=self.source, line=self.find_line(problem.path))

    def place_all(self, error: InputError) -> InputError:
        """The same error, each problem placed unless it is already, in the order of the lines."""
        placed = [problem if problem.source else self.place(problem) for problem in error.problems]
        return type(error)(sorted(placed, key=lambda problem: problem.line or 0))
