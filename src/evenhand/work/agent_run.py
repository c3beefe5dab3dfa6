"""One run of a variant on a case, and what judges made of it. Immutable values; nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple

from evenhand.core.published import ALWAYS

Outcome = Literal["finished", "failed", "timed out", "stopped by a limit", "not started"]
"""`finished`: the program ended with exit code 0 and there is an output. Everything else has a reason."""


SEEN = "it may have seen the answers: "
"""How the note begins on a run whose transcript names a hidden path, or holds a part of a reference or expectation."""

KEPT_FROM = "the answers were kept from it: "
"""How the note begins when its transcript names a hidden path that it could not read."""

ALIKE = "it came upon an answer: "
"""How the note begins when its transcript holds a part of an answer that may come from elsewhere."""


NOT_CONFINED = "Not confined: on this machine agents could read the answers."
"""What comes before everything else about a suite of which that is so."""


class RunId(NamedTuple):
    """Which run of a suite. They sort by case, then variant, then repeat."""

    case: str
    variant: str
    repeat: int
    """From 1."""


class AgentRun(NamedTuple):
    """What happened when a variant was run on a case once."""

    id: RunId
    key: str
    """The hash of everything that the run depends on, the repeat's number included; it is reused by this key."""
    outcome: Outcome
    reason: str = ""
    """Why it did not finish, as a clause; empty when it did."""
    output: str | None = None
    """Its output; None when there is none."""
    exit_code: int | None = None
    seconds: Decimal | None = None
    started: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: Decimal | None = None
    """US dollars, as its transcript or the price list states them; None when unknown."""
    transcript: str | None = None
    """Path of its kept transcript."""
    changes: str | None = None
    """Path of the kept diff of its workspace; None when nothing was watched."""
    notes: tuple[str, ...] = ()
    """What a reader must know: that writes outside the workspace were not watched, or which were seen."""


def _read_criteria(document: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    if not all(0 <= value <= 100 for value in document.values()):
        raise ValueError("it must be an object of whole numbers from 0 to 100")
    return tuple(document.items())


class CaseResult(NamedTuple):
    """One run with its judgement in numbers: what comparisons and reports of a suite are made from."""

    id: Annotated[RunId, {"flat": {}}]
    outcome: Outcome
    reason: Annotated[str, ALWAYS] = ""
    tags: Annotated[tuple[str, ...], ALWAYS] = ()
    weight: Annotated[Decimal, {"text": True, "always": True}] = Decimal(1)
    final: Annotated[int | None, ALWAYS] = None
    """In hundredths; None when no one read it, a dimension is unscored, or there was nothing to judge."""
    low: Annotated[int | None, ALWAYS] = None
    high: Annotated[int | None, ALWAYS] = None
    """The ends of the interval, in hundredths, where there is no final score."""
    grade: Annotated[str | None, ALWAYS] = None
    dimensions: Annotated[
        tuple[tuple[str, int | None], ...],
        {"shape": dict[str, int | None], "write": dict, "read": lambda scores: tuple(scores.items()), "always": True},
    ] = ()
    """Name and score in hundredths, in the methodology's order."""
    met: Annotated[int, ALWAYS] = 0
    """Expectations that are met."""
    expectations: Annotated[int, ALWAYS] = 0
    """Expectations that are met or unmet. What the run itself made undecidable is unmet; of a run that did not finish,
    everything is."""
    faults: Annotated[tuple[tuple[str, str], ...], ALWAYS] = ()
    """Check and severity of every fault, and of each note that closes gates."""
    evaluation: Annotated[str | None, ALWAYS] = None
    """The id of the scorecard."""
    unscored: Annotated[str, ALWAYS] = ""
    """Why there is no final score although the run finished; empty when there is one."""
    seconds: Annotated[Decimal | None, {"text": True, "always": True}] = None
    tokens: Annotated[int | None, ALWAYS] = None
    cost: Annotated[Decimal | None, {"text": True, "always": True}] = None
    judging_cost: Annotated[Decimal | None, {"text": True, "always": True}] = None
    key: Annotated[str, ALWAYS] = ""
    notes: Annotated[tuple[str, ...], ALWAYS] = ()
    """The run's notes on how it was watched: whether it could write elsewhere, and where it tried to."""
    verdicts: Annotated[tuple[str, ...], ALWAYS] = ()
    """For each expectation, in order: `met`, `unmet`, or the reason why it does not count."""
    transcript: Annotated[bool, ALWAYS] = False
    """Whether it has a transcript."""
    criteria: Annotated[
        tuple[tuple[str, int], ...], {"shape": dict[str, int], "write": dict, "read": _read_criteria}
    ] = ()
    """How far each criterion is met, in hundredths, by its id or its sentence; without those that cannot be told or do
    not apply."""
    pass_mark: int | None = None
    """The lowest final score that passes by its rubric, in hundredths."""
    cluster: str = ""
    """The case's cluster, where it has one; cases of one cluster are compared as one."""
