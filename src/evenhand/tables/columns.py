"""What a table's columns mean: which one holds which score, claim or name, and of which type it is.

A layout is made once from a table's schema, before any row is read, so that what is wrong with the
table as a whole (a missing, repeated or mistyped column) is reported at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Problem, nearest, unknown

Kind = Literal["integer", "decimal", "double", "float", "text", "list", "time"]
"""The type of a column. Scores are exact in all of them: a binary float counts as its shortest decimal text (R1).

Flags and bonuses are a list of ids, text (ids separated by `;`, or a number) or a count; `created` is the
engine's own time or date, text in RFC 3339, or a whole number that grows with time."""

CLAIMS = ("red_flags", "bonuses")
ROLES = (*DIMENSIONS, *CLAIMS, "skill", "id", "created")
"""Every role a column can have; other columns are passed through unchanged."""

PREFIX = "evenhand_"
"""The prefix of every column that exists only inside the query."""

SCORED = ("composite", "deduction", "bonus", "final", "grade", "label")
RANK = "rank"
WINDOW_SIZE = "history"
"""The column with the number of earlier evaluations the row was compared with."""
PROVISIONAL = "provisional"


class Column(NamedTuple):
    """A column of the table."""

    name: str
    kind: Kind | None
    """None when it cannot hold scores, claims or times; a skill and an id may be of any type."""
    scale: int = 0
    """The decimals of a decimal."""


class Layout(NamedTuple):
    """The columns a plan works on, by role; optional roles that the table lacks are absent."""

    roles: Mapping[str, Column]
    rank: bool = True
    rank_by: str | None = None
    history: bool = True

    @property
    def results(self) -> tuple[str, ...]:
        """The columns that are added, in order."""
        ranked = (RANK,) if self.rank else ()
        return (*SCORED, *ranked, *(history_names() if self.history else ()))


def history_names() -> tuple[str, ...]:
    """The columns a comparison with history adds."""
    comparisons = [f"{name}_{what}" for name in DIMENSIONS for what in ("mean", "deviation", "flagged")]
    return (WINDOW_SIZE, PROVISIONAL, *comparisons)


def make_layout(
    columns: Iterable[Column],
    *,
    source: str | None = None,
    renamed: Mapping[str, str] | None = None,
    rank: bool = True,
    rank_by: str | None = None,
    history: bool = True,
) -> Layout:
    """Find the columns with a role among all columns of a table.

    `renamed` maps roles to columns: {"correctness": "acc"}. All problems are reported at once.
    """
    finder = _Finder(list(columns), dict(renamed or {}), source)
    needed = (*DIMENSIONS, *(("skill", "created") if history else ()))
    roles = {role: column for role in ROLES if (column := finder.column(role, role in needed))}
    layout = Layout(roles, rank, rank_by, history)
    finder.check(layout)
    return layout


class _Finder:
    """Collects problems instead of stopping at the first."""

    def __init__(self, columns: list[Column], renamed: dict[str, str], source: str | None) -> None:
        self.names, self.renamed, self.source = [column.name for column in columns], renamed, source
        self.columns = {column.name: column for column in columns}
        self.problems: list[Problem] = []

    def column(self, role: str, needed: bool) -> Column | None:
        name = self.renamed.get(role, role)
        column = self.columns.get(name)
        if column is None:
            if role in self.renamed:
                self._say(f"there is no column {name} to take {role} from; {self._there()}")
            elif needed:
                self._missing(role)
            return None
        group = "score" if role in DIMENSIONS else "claim" if role in CLAIMS else role
        if group in _VALID and column.kind not in _VALID[group].kinds:
            self._say(f"the column {name} cannot be read as {role}; it must hold {_VALID[group].words}")
            return None
        return column

    def check(self, layout: Layout) -> None:
        for role in self.renamed:
            if role not in ROLES:
                self._say(f"`roles` {role}: {unknown('role', role, ROLES)}")
        for name in dict.fromkeys(self.names):
            if sum(column.lower() == name.lower() for column in self.names) > 1:
                self._say(f"the column {name} appears more than once; names must differ by more than case")
        added = layout.results
        for name in self.names:
            if name.lower() in added or name.lower().startswith(PREFIX):
                self._say(f"the column {name} would be overwritten by a result; rename it or leave it out")
        if layout.rank_by is not None and layout.rank_by not in self.columns:
            self._say(f"there is no column {layout.rank_by} to rank by; {self._there()}")
        if self.problems:
            raise InputError(self.problems)

    def _missing(self, role: str) -> None:
        guess = nearest(role, [name for name in self.names if name not in ROLES])
        hint = f"Is {guess[0]} meant for it? " if guess else ""
        why = "all seven dimensions are needed" if role in DIMENSIONS else "history needs it, or leave history out"
        self._say(
            f"the column {role} is missing; {why}. {hint}Name another with `roles` {role}=COLUMN; {self._there()}"
        )

    def _there(self) -> str:
        shown = ", ".join(self.names[:20]) + (" and more" if len(self.names) > 20 else "")
        return f"columns: {shown}" if shown else "the table has no columns"

    def _say(self, message: str) -> None:
        self.problems.append(Problem(message, self.source))


class _Valid(NamedTuple):
    words: str
    kinds: tuple[Kind, ...]


_VALID = {
    "score": _Valid("numbers, or numbers written as text", ("integer", "decimal", "double", "float", "text")),
    "claim": _Valid("lists of ids, or how many there are", ("list", "integer", "decimal", "double", "float", "text")),
    "created": _Valid("times, or whole numbers that grow with time", ("time", "integer", "text")),
}
