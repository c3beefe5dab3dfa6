"""One judge's seven opinions, and the flags and bonuses it claims."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evenhand.core.values.opinion import Claim, Opinion
from evenhand.named_tuple import NamedTuple

if TYPE_CHECKING:
    from evenhand.core.values.finding import Checked
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
    """The rubric the judge names; the caller may choose another."""
    output: str | None = None
    """The output's file as the judge names it."""
    task: str | None = None
    reference: str | None = None
    """The reference answer that the judge was shown."""
    panel: "Panel | None" = None
    """When models judged: each judge's scores and claims, what did not count, and the calls made."""
    checked: "Checked | None" = None
    """The results of the checks; None when they did not run."""
    warnings: tuple[str, ...] = ()
    """What a reader of the scorecard should know: what was not looked at, text addressed to the judge."""
