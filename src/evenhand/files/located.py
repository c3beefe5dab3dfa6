"""A plain value, and a way to find the line of any part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from evenhand.errors import InputError, Path, Problem


class Located(NamedTuple):
    """A value read from a file."""

    value: Any
    source: str
    find_line: Callable[[Path], int | None]
    """The line of the value at a path, or of its nearest parent."""

    def place(self, problem: Problem) -> Problem:
        """A problem with its file and line."""
        return problem._replace(source=self.source, line=self.find_line(problem.path))

    def place_all(self, error: InputError) -> InputError:
        """An error, every problem with its file and line, sorted by line; what would read the same is said once."""
        placed = [problem if problem.source else self.place(problem) for problem in error.problems]
        once = {str(problem): problem for problem in placed}
        return type(error)(sorted(once.values(), key=lambda problem: problem.line or 0))
