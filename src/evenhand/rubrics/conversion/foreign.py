"""A rubric in another format, taken apart but not yet converted. Values only."""

from __future__ import annotations

from typing import NamedTuple


class Level(NamedTuple):
    """One level of a criterion, as written."""

    label: str
    """9-10, 5, 70-89 %, Excellent."""
    text: str
    line: int


class Criterion(NamedTuple):
    """One criterion, as written."""

    name: str
    line: int
    weight: str | None = None
    measures: str = ""
    levels: tuple[Level, ...] = ()


class Claim(NamedTuple):
    """A red flag or bonus."""

    text: str
    line: int
    id: str = ""
    amount: str | None = None
    fails: bool = False
    """Whether it is meant to fail the work outright."""
    detect: str = ""
    """The check that may raise it in the converted rubric."""


class Left(NamedTuple):
    """A part that does not fit into one of our rubrics."""

    text: str
    line: int


class Foreign:
    """The contents of a file, in its order."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.texts: dict[str, str] = {}
        """title, summary, domain, version, pass_mark_reason."""
        self.pass_mark: tuple[str, int] | None = None
        self.criteria: list[Criterion] = []
        self.red_flags: list[Claim] = []
        self.bonuses: list[Claim] = []
        self.left: list[Left] = []
