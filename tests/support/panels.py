"""Judgements as model judges make them, written down in a line: no model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from conftest import seven

from evenhand.core.judgement import (
    Calls,
    Claim,
    Condensed,
    Discounted,
    Distribution,
    Evidence,
    Judgement,
    Member,
    Opinion,
    Panel,
    Unscored,
)
from evenhand.core.panel import consensus
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.judging.steps import Steps

OUTPUT = "The cache is never emptied.\nThe lock is held while the file is read.\nTests were run."


def quote(text: str = "The lock is held", verified: bool = True) -> Evidence:
    """A quote as it stands after checking."""
    if not verified:
        return Evidence(text, False)
    offset = OUTPUT.find(text)
    return (
        Evidence(text, True, OUTPUT.count("\n", 0, offset) + 1, offset) if offset >= 0 else Evidence(text, True, 1, 0)
    )


def claims(raised: Iterable[str | Claim]) -> tuple[Claim, ...]:
    return tuple(
        each if isinstance(each, Claim) else Claim(each, f"Seen: {each}.", (quote("Tests were run."),))
        for each in raised
    )


def model_judgement(
    scores: Mapping[str, Any] | Any = 8,
    *,
    name: str = "openai:small",
    red_flags: Iterable[str | Claim] = (),
    bonuses: Iterable[str | Claim] = (),
    distributions: Mapping[str, Distribution] | None = None,
    discounted: tuple[Discounted, ...] = (),
    condensed: tuple[Condensed, ...] = (),
    calls: Calls | None = None,
    abstained: str | None = None,
    warnings: tuple[str, ...] = (),
    evidence: tuple[Evidence, ...] = (quote(),),
    **more: Any,
) -> Judgement:
    """One model's judgement with its panel of one. A text in place of a score is why there is none."""
    every = scores if isinstance(scores, Mapping) else seven(scores)
    verdicts = {
        dimension: Unscored(value)
        if isinstance(value, str) and not value[:1].isdigit()
        else Decimal(str(value)).quantize(Decimal("0.01"))
        for dimension, value in every.items()
    }
    flags, merits = claims(red_flags), claims(bonuses)
    judge = {"name": name, "prompt": "p1", **more}
    return Judgement(
        opinions={
            dimension: Opinion(
                score=verdict,
                justification=f"What {name} says of {dimension}.",
                evidence=() if isinstance(verdict, Unscored) else evidence,
                distribution=(distributions or {}).get(dimension, {}),
            )
            for dimension, verdict in verdicts.items()
        },
        judge=judge,
        skill="review",
        red_flags=flags,
        bonuses=merits,
        panel=Panel(
            members=(
                Member(
                    judge=judge,
                    scores=verdicts,
                    distributions=distributions or {},
                    red_flags=tuple(claim.id for claim in flags),
                    bonuses=tuple(claim.id for claim in merits),
                    abstained=abstained,
                ),
            ),
            quorum=1,
            discounted=discounted,
            condensed=condensed,
            calls=calls or Calls(),
        ),
        warnings=warnings,
    )


def panel_of(*scores: Any, **more: Any) -> Judgement:
    """The consensus of judges a, b, c, ... that each gave these scores."""
    judges = [model_judgement(each, name="abcdefghi"[place]) for place, each in enumerate(scores)]
    return consensus(judges, **more)


def card_of(judgement: Judgement, rubric: Rubric) -> Scorecard:
    """The scorecard of a judgement, by the path every judgement takes."""
    return Steps(rubric).evaluate_written(judgement, output=OUTPUT, id="x", created="2026-01-01T00:00:00Z").card
