"""A judge's opinion on one point: a score or why there is none, a claim, the quotes behind it.

`Unscored` replaces a score the judge did not give: it never becomes a zero or a middle score.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from evenhand.named_tuple import NamedTuple


class Evidence(NamedTuple):
    """A verbatim quote, and whether and where it is in the output."""

    quote: str
    verified: bool | None = None
    """True or False once checked against the output; None when there was no output to check."""
    line: int | None = None
    """The line of the output the quote starts on, from 1."""
    offset: int | None = None
    """The character of the output the quote starts at, from 0."""
    source: str | None = None
    """Where it is when not in the output: the transcript's file and line."""


Distribution = Mapping[int, int]
"""A probability distribution over scores: hundredths of a point, each with its whole-number share."""


class Unscored(NamedTuple):
    """A judge could not score a dimension."""

    reason: str
    interval: tuple[Decimal, Decimal] | None = None
    """Where its score lies, when only some of its criteria could not be told; None for anywhere from 1 to 10."""

    def __repr__(self) -> str:
        """Without the interval where there is none."""
        interval = "" if self.interval is None else f", interval={self.interval!r}"
        return f"Unscored(reason={self.reason!r}{interval})"


Answer = Literal["yes", "no", "partly", "does not apply", "cannot tell"]
"""What a criterion is answered with."""


class Verdict(NamedTuple):
    """The answer to one criterion."""

    answer: Answer
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    by: str = ""
    """What decided it: a program such as `check no-secrets`, `prerequisite` when it was not asked, `no answer` when no
    usable one came; empty for the judge."""
    votes: Mapping[str, int] = {}
    """How the samples of a judge, or the judges of a panel, voted, by answer; empty when there was one voice."""


class Opinion(NamedTuple):
    """A judge's opinion on one dimension."""

    score: Decimal | Unscored
    justification: str = ""
    evidence: tuple[Evidence, ...] = ()
    distribution: Mapping[int, int] = {}
    """The judge's probability distribution over scores, if known; the score is then its mean."""
    verdicts: Mapping[str, Verdict] = {}
    """The answer to each of the dimension's criteria, by id; empty where it has none. The score follows from them."""


class Claim(NamedTuple):
    """A red flag raised or a bonus earned."""

    id: str
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()
