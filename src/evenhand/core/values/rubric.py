"""What good means in a domain, and the part of it the arithmetic uses. Immutable values; nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Final, Literal

from evenhand.named_tuple import NamedTuple

if TYPE_CHECKING:
    from evenhand.core.basics.published import Json, Score
    from evenhand.core.values.criterion import Tree

RAW: Final = "raw"
CALIBRATED: Final = "calibrated"
OFFICIAL: Final = (RAW, CALIBRATED)
"""Which final score a rubric can make official: the one by the judge's own scores, or the one people would give."""


class Band(NamedTuple):
    """What earns the scores from `low` to `high`."""

    low: int
    high: int
    criteria: str


class Criteria(NamedTuple):
    """What one dimension means in a rubric's domain."""

    measures: str
    bands: tuple[Band, ...]
    """Best first."""
    tree: Annotated[Tree | None, Json(hidden=True)] = None
    """The criteria that give its score; None where judges give it by the bands, which are otherwise guidance."""


class RedFlag(NamedTuple):
    """A fault that costs points whatever the scores say."""

    id: str
    description: str
    deduction: Decimal
    detect: Annotated[str, Json(optional=True)] = ""
    """The check that may raise it without a reader; empty when only a reader can tell."""


class Bonus(NamedTuple):
    """A merit beyond the bands."""

    id: str
    description: str
    detect: Annotated[str, Json(optional=True)] = ""
    """The check that may give it without a reader; empty when only a reader can tell."""


class Rubric(NamedTuple):
    """What good means in a domain."""

    name: str
    title: str
    domain: str
    version: str
    summary: str
    """The prose that introduces the rubric."""
    weights: Mapping[str, Decimal]
    """One for each dimension; they sum to exactly 1 (R6)."""
    pass_mark: Annotated[Decimal, Json(shape=Score)]
    pass_mark_reason: str
    dimensions: Mapping[str, Criteria]
    red_flags: tuple[RedFlag, ...]
    bonuses: tuple[Bonus, ...]
    official: Annotated[str, Json(optional=True, shape=Literal["calibrated"])] = RAW
    """Which final score is graded, compared and ranked; one of `OFFICIAL`."""


class Terms(NamedTuple):
    """The part of a rubric that the arithmetic uses. A scorecard carries enough to rebuild it."""

    rubric: str
    sha256: str
    """Of the whole rubric, bands and all."""
    weights: Mapping[str, Decimal]
    pass_mark: Decimal
    red_flags: Mapping[str, RedFlag]
    bonuses: Mapping[str, Bonus]
    units: tuple[int, ...]
    """The weights as whole numbers, in the order of the dimensions; they sum to `scale`."""
    scale: int
    criteria: Mapping[str, str] = {}
    """Checksums of everything a judge is asked about, by name: each dimension's bands, each flag, each bonus."""
    official: str = RAW
    """Which final score is the official one; one of `OFFICIAL`."""
    trees: Mapping[str, Tree] = {}
    """The criteria of each dimension that has some; they give its score."""
