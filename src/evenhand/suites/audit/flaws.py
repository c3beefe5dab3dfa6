"""What an audit of a suite finds. Immutable values; nothing here decides."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, get_args

from evenhand.core.published import ALWAYS

Kind = Literal[
    "passes-nothing-done",
    "passes-empty-output",
    "passes-repeated-task",
    "passes-judge-addressed",
    "passes-search",
    "passes-edited-tests",
    "passes-forged-result",
    "cannot-fail",
    "contradicted-reference",
    "copied-from-skill",
    "duplicate",
]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which a report lists them."""


class Flaw(NamedTuple):
    """One problem of a suite."""

    cases: tuple[str, ...]
    """The case; several when they are alike."""
    kind: Kind
    problem: str
    """What is wrong, as a sentence."""
    change: str
    """What to change, as a sentence."""
    file: str
    """Where the case is written."""
    line: int | None
    """Null where the file has no lines."""
    agents: Annotated[tuple[Kind, ...], ALWAYS] = ()
    """Every kind of agent that passes the case without the work."""


class SuiteAudit(NamedTuple):
    """What was found in a suite, and what could not be looked at."""

    suite: str
    source: str
    cases: int
    passed: tuple[str, ...]
    """The cases that can be passed without doing the work."""
    problems: tuple[Flaw, ...]
    sentences: int
    """Expectations that need a judge; they were left out."""
    commands: int
    """Commands of expectations that were not run."""
    not_tried: int
    """Cases that no agent was tried on, because what they expect is left out in part or in whole."""
