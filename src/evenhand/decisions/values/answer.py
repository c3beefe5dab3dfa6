"""What follows a verdict: what to change, and what got worse. Immutable values; nothing here computes."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from evenhand.core.published import ALWAYS, SixPlaces
from evenhand.decisions.values.change import Changes, Passage


class WorseCase(NamedTuple):
    """A case in which a variant is worse than its reference: the means of its runs, in points or as a share."""

    case: str
    before: SixPlaces
    """The value of the reference."""
    after: SixPlaces
    why: str = ""
    """What costs it most that did not cost the reference as much, in the words of whoever said so."""
    quote: Passage | None = None
    """From the output, verified."""


class Answer(NamedTuple):
    """What to change in a variant, and where it is worse than its reference."""

    variant: str
    changes: Changes | None
    """None where no scorecard is at hand, as of results in a file."""
    got_worse: tuple[WorseCase, ...]
    """The cases that fell most, largest fall first."""
    left_out: Annotated[int, ALWAYS] = 0
    """How many more cases got worse."""
