"""Everything evenhand raises on purpose.

    EvenhandError
    ├── InputError         the author must fix something        exit code 2
    │   ├── RubricError        in a rubric
    │   ├── JudgementError     in a judgement
    │   └── DocumentError      in a scorecard or another file
    └── Unavailable        a retry may help                     exit code 4
        └── StoreUnavailable   the store cannot be used now

The first split of the tree is who can help: the author of the input, or a retry.
Every problem says what is wrong, where, what is valid and what to do, in one line.
"""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.named_tuple import NamedTuple

Path = tuple[str | int, ...]
"""A path inside a document: ("scores", "safety", "score")."""


NUL = "holds the character NUL (U+0000), which no name has; take it out"
"""What is wrong with an id, a path or a hash that holds it: databases and file systems refuse it."""


class Problem(NamedTuple):
    """One thing that is wrong, and where."""

    message: str
    source: str | None = None
    """The file as the user named it, or None when the value came through the API."""
    line: int | None = None
    path: Path = ()
    """The place inside the document, from which the line can be found."""

    def __str__(self) -> str:
        if self.source is None:
            return self.message
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{where}: {self.message}"


class EvenhandError(Exception):
    """The root: catching it catches everything evenhand raises on purpose."""


class InputError(EvenhandError):
    """Something the author of an input must fix. Carries every problem found, in file order."""

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        """Keeps its problems when pickled to another process."""
        return type(self), (self.problems,)


class RubricError(InputError):
    """A rubric that cannot be used."""


class JudgementError(InputError):
    """A judgement that cannot be scored."""


class DocumentError(InputError):
    """A scorecard, or another document evenhand wrote, that cannot be read."""


class Unavailable(EvenhandError):
    """Something external is unavailable now; the same call may work later."""


class StoreUnavailable(Unavailable):
    """The store cannot be read or written: a locked, read-only, full, corrupt or unreachable one."""
