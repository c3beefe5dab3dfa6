"""One judge's seven opinions, and the flags and bonuses it claims."""

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from evenhand.core.values.opinion import Claim, Opinion

if TYPE_CHECKING:
    from evenhand.core.values.panel import Panel


class Judgement(NamedTuple):
    """One judge's seven opinions, and the flags and bonuses it claims."""

    opinions: Mapping[str, Opinion]
    """One for each dimension, in their order."""
    judge: Mapping[str, str]
    """Who judged: at least a `name`."""
    skill: str
    red_flags: tuple[Claim, ...] = ()
    bonuses: tuple[Claim, ...] = ()
    id: str | None = None
    rubric: str | None = None
    """The rubric the judge names; the door decides which one is used."""
    output: str | None = None
    """The output's file as the judge names it."""
    task: str | None = None
    evidence_share: Decimal | None = None
    """The part of the weight that rests on something checked; only from a judge that cannot read."""
    panel: "Panel | None" = None
    """How it came about, when models judged: what each judge said, what did not count, what was asked."""
    warnings: tuple[str, ...] = ()
    """What a reader of the scorecard should know: what was not looked at, text addressed to the judge."""
