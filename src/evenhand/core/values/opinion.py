"""What a judge says about one point: a score or why there is none, a claim, the quotes behind it.

`Unscored` takes the place of a number the judge did not give: it is never a zero and never a middle.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple


class Evidence(NamedTuple):
    """A verbatim quote, and whether and where it stands in the output."""

    quote: str
    verified: bool | None = None
    """True or False once checked against the output; None when there was no output to check."""
    line: int | None = None
    """The line of the output the quote starts on, from 1."""
    offset: int | None = None
    """The character of the output the quote starts at, from 0."""
    source: str | None = None
    """Where it stands when not in the output: the transcript's file and line."""


Distribution = Mapping[int, int]
"""How probability lies over scores: hundredths of a score, each with its whole parts of the sum of all parts."""


class Unscored(NamedTuple):
    """A judge could not score a dimension."""

    reason: str


class Opinion(NamedTuple):
    """What a judge says of one dimension."""

    score: Decimal | Unscored
    justification: str = ""
    evidence: tuple[Evidence, ...] = ()
    distribution: Mapping[int, int] = {}
    """How the judge's probability lies over the scores, where it is known; the score is its mean then."""


class Claim(NamedTuple):
    """A red flag raised or a bonus earned."""

    id: str
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()
