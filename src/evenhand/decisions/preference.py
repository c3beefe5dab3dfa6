"""Which of two outputs is better: what judges said in either order, and what came of it. Nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

from evenhand.core.judgement import Calls, Evidence
from evenhand.core.published import ALWAYS

Verdict = Literal["first", "second", "tie"]
"""What a judge answers about two outputs, by the order in which they were shown."""

Outcome = Literal["a", "b", "tie", "inconsistent", "undecided"]
"""What came of a pair: a preference that survived the swap, a tie in both orders, neither, or no verdict."""


class PairQuote(TypedDict):
    """A quote from one of the two outputs, checked against that output."""

    quote: str
    verified: bool | None
    line: NotRequired[int]


class PairEvidence(TypedDict):
    """The quotes from each side."""

    a: list[PairQuote]
    b: list[PairQuote]


class PairCalls(TypedDict):
    """The model calls of the run, or of one pair."""

    asked: int
    stored: int
    repairs: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class NamedRubric(TypedDict):
    """A rubric that pairs were judged by."""

    name: str
    sha256: str


class Unmatched(TypedDict):
    """An item that not all systems have."""

    system: str
    item: str


def _write_sides(evidence: Mapping[Literal["a", "b"], tuple[Evidence, ...]]) -> dict[str, Any]:
    return {"a": [*map(_quote, evidence.get("a", ()))], "b": [*map(_quote, evidence.get("b", ()))]}


def _quote(evidence: Evidence) -> dict[str, Any]:
    place = {} if evidence.line is None else {"line": evidence.line}
    return {"quote": evidence.quote, "verified": evidence.verified, **place}


def _read_sides(document: Any) -> dict[str, tuple[Evidence, ...]]:
    return {
        side: tuple(Evidence(quote["quote"], quote["verified"], quote.get("line")) for quote in quotes)
        for side, quotes in document.items()
        if quotes
    }


def write_calls(calls: Calls) -> dict[str, Any]:
    """The calls of pairs; the cost in dollars to the millionth."""
    counts = {name: getattr(calls, name) for name in PairCalls.__annotations__ if name != "cost"}
    return {**counts, "cost": None if calls.cost is None else float(round(calls.cost, 6))}


def _read_calls(document: Any) -> Calls:
    cost = document["cost"]
    return Calls(**document | {"cost": None if cost is None else Decimal(str(cost))})


class PairReading(NamedTuple):
    """One judge's answer about a pair in one order."""

    shown_first: Literal["a", "b"]
    verdict: Verdict | None
    reason: Annotated[str, ALWAYS] = ""
    """Why there is no verdict; empty when there is one."""
    justification: Annotated[str, ALWAYS] = ""
    evidence: Annotated[
        Mapping[Literal["a", "b"], tuple[Evidence, ...]],
        {"shape": PairEvidence, "write": _write_sides, "read": _read_sides, "always": True},
    ] = {}
    """The quotes from each side, checked against that side."""


class JudgePreference(NamedTuple):
    """One judge's answers about a pair in both orders."""

    judge: str
    outcome: Outcome
    readings: tuple[PairReading, ...]
    reread: Annotated[tuple[PairReading, ...], ALWAYS] = ()
    """The readings without passages that may address the judge; where there are any, they decide."""


class PairResult(NamedTuple):
    """One item's outputs by two systems, compared."""

    item: str
    a: str
    b: str
    outcome: Outcome
    judges: Annotated[tuple[JudgePreference, ...], ALWAYS] = ()
    warnings: Annotated[tuple[str, ...], ALWAYS] = ()
    calls: Annotated[Calls, {"shape": PairCalls, "write": write_calls, "read": _read_calls, "always": True}] = Calls()


class Interval(NamedTuple):
    """A share with its interval."""

    share: float
    low: float
    high: float


class Flips(NamedTuple):
    """A judge's pairs whose verdict changed with the order, by the place that the two verdicts lean to."""

    first: int = 0
    second: int = 0


class Tally(NamedTuple):
    """How often the first of two systems, or one system against all others, was preferred."""

    wins: Annotated[int, ALWAYS] = 0
    losses: Annotated[int, ALWAYS] = 0
    ties: Annotated[int, ALWAYS] = 0
    inconsistent: Annotated[int, ALWAYS] = 0
    undecided: Annotated[int, ALWAYS] = 0

    @property
    def decided(self) -> int:
        """Pairs with a verdict in both orders, consistent or not."""
        return self.wins + self.losses + self.ties + self.inconsistent


class Preferences(NamedTuple):
    """A whole comparison of systems."""

    systems: tuple[str, ...]
    results: Annotated[tuple[PairResult, ...], {"name": "pairs"}]
    judges: tuple[Mapping[str, str], ...]
    """Everything about each judge that affects a verdict."""
    rubrics: Annotated[
        Mapping[str, str],
        {
            "shape": list[NamedRubric],
            "write": lambda rubrics: [{"name": name, "sha256": digest} for name, digest in rubrics.items()],
            "read": lambda rows: {row["name"]: row["sha256"] for row in rows},
        },
    ]
    """The rubrics that were judged by, each with its hash."""
    unmatched: Annotated[
        tuple[tuple[str, str], ...],
        {
            "shape": list[Unmatched],
            "write": lambda pairs: [{"system": system, "item": item} for system, item in pairs],
            "read": lambda rows: tuple((row["system"], row["item"]) for row in rows),
            "always": True,
        },
    ] = ()
    """Systems with items that not all systems have."""
    failures: Annotated[tuple[str, ...], ALWAYS] = ()
    """What could not be read or compared."""
    left_out: Annotated[int, ALWAYS] = 0
    """Pairs that were not compared because the run stopped."""


class Strength(NamedTuple):
    """A system's strength in a Bradley-Terry model."""

    system: str
    value: Annotated[float, {"name": "strength"}]
    """The logarithm of its odds against an average system of this comparison."""
    error: Annotated[float, {"name": "standard_error"}]
    """The standard error of that."""
    low: float
    """The 95 % interval."""
    high: float
