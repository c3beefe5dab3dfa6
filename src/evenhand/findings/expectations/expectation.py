"""One expectation, as a file or a caller states it. Immutable values; nothing here decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from evenhand.core.finding import Place, Severity

About = Literal["answer", "calls", "skill", "file", "command", "script", "limit", "share", "text", "graded"]

RULES: Final[Mapping[About, tuple[str, ...]]] = {
    "answer": (
        "equals",
        "is",
        "one_of",
        "number",
        "matches",
        "json",
        "json_contains",
        "json_schema",
        "contains",
        "lacks",
    ),
    "calls": ("made", "not_made", "in_order", "exactly"),
    "skill": ("used", "unused"),
    "file": ("exists", "contains", "lacks", "sha256", "unchanged", "json_schema"),
    "command": ("run",),
    "script": ("javascript", "python"),
    "limit": ("turns", "calls", "tokens", "cost", "seconds"),
    "share": ("of",),
    "text": ("text",),
    "graded": ("text",),
}
"""The rules of each kind of expectation."""

OPTIONS: Final[Mapping[About, tuple[str, ...]]] = {
    "answer": ("tolerance", "unit", "strict", "any_order", "ignore"),
    "calls": ("tools", "exact", "any_order", "ignore", "tolerance", "at_least", "at_most"),
    "skill": (),
    "file": ("path",),
    "command": ("exit_code", "contains", "folder", "seconds", "shell", "environment", "products"),
    "script": ("vars", "test", "config", "threshold", "negated", "seconds"),
    "limit": (),
    "share": ("at_least", "weights"),
    "text": (),
    "graded": ("passed", "evidence"),
}
"""The options a rule may have."""


class Expectation(NamedTuple):
    """One requirement on a submission."""

    about: About
    rule: str
    value: Any
    options: Mapping[str, Any]
    dimension: str
    severity: Severity
    """How bad it is when unmet."""
    words: str
    """The expectation in one line, for people."""

    def each(self) -> Iterator[Expectation]:
        """Itself, or the expectations that it is about a share of."""
        if self.about != "share":
            yield self
            return
        for item in self.value:
            yield from item.expectations


class Weighted(NamedTuple):
    """One of several expectations of which a share must be met."""

    expectations: tuple[Expectation, ...]
    """All of them must be met: the rules of one entry."""
    weight: Decimal


class Verdict(NamedTuple):
    """Whether an expectation is met, why, and the evidence."""

    met: bool | None
    """None when it cannot be decided."""
    message: str
    quote: str = ""
    offset: int | None = None
    """Where the quote starts in the output."""
    place: Place | None = None
    """Where the quote is in the transcript, when it is not from the output."""


class Rates(NamedTuple):
    """What a model costs, in US dollars per million tokens."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    """For input from the server's cache; unknown: between nothing and the price of input."""
    cache_write: Decimal | None = None
    """For input that was added to the cache; unknown: up to five quarters of the price of input."""


class FreshCopy(NamedTuple):
    """The given files as they were given, with some of what an agent wrote."""

    folder: Path
    products: tuple[str, ...]
    """What of it counts, by paths."""
    left_out: tuple[str, ...]
    """What it wrote or changed besides."""


class Surroundings(NamedTuple):
    """Where an agent worked, what may be run there, and what models cost."""

    folder: Path | None = None
    run_commands: bool = False
    rates: Mapping[str, Rates] = {}
    """By model."""
    run_scripts: bool | None = None
    """Whether scripts may run; None: as commands may."""
    fresh: Callable[[Expectation, bool], AbstractContextManager[FreshCopy]] | None = None
    """Makes the folder in which a command is run; if the second argument says so, with everything that the agent wrote,
    given tests aside. None: commands run in `folder`."""
    lost: str = ""
    """Why some of what the agent wrote is not in the folder, if that is so; it is the agent's doing."""
    changed: Collection[str] | None = None
    """What it wrote, changed or removed, where that was looked at; None: only its transcript tells."""


NOWHERE = Surroundings()
"""No workspace, and no commands may run."""
