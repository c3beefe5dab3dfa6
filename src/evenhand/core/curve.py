"""A calibration: curves from a judge's scores to people's, and the scores that they give. Nothing here computes."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple

from evenhand.core.published import CENTS, SHARE, SIX_PLACES, published

Method = Literal["line", "monotone"]


Use = Literal["compare", "level", "gate"]
"""What a judge is used for: to put two outputs of a case in order, to give a level, to pass and fail."""


UseAnswer = Literal["yes", "no", "not-shown"]


class UseVerdict(NamedTuple):
    """Whether a judge can be used for something."""

    use: Use
    """What for."""
    verdict: UseAnswer
    """Whether it can."""
    value: Annotated[float | None, SIX_PLACES]
    """Compare: the net share of pairs in people's order; level: the correlation; gate: Youden's index."""
    low: Annotated[float | None, SIX_PLACES]
    """The lower end of its interval."""
    high: Annotated[float | None, SIX_PLACES]
    """The upper end."""
    labels: int
    """How many labels, or for `compare` pairs of them, it rests on."""
    says: str
    """The evidence in words."""
    more: int | None = None
    """How many more labels would tell if it goes on like this; None where it is told, or no number would do."""


class Curve(NamedTuple):
    """A judge's scores mapped to people's, for one dimension or for the final score."""

    method: Method
    knots: tuple[tuple[float, float], ...]
    """A judge's score, and the people's score that belongs to it."""
    low: Annotated[float, {"hidden": True}]
    """The lowest judge score that has a label."""
    high: Annotated[float, {"hidden": True}]
    labels: int
    bias: float
    """The judge's mean error before: its score minus people's."""
    raw_error: float
    """The mean absolute error of the judge's own scores."""
    error: float
    """The mean absolute error of calibrated scores, cross-validated."""
    reach: float
    """Half the width of the interval around a calibrated score."""
    confidence: Annotated[float, SHARE]
    constant_error: float
    """The mean absolute error of giving every output the same score, cross-validated."""
    agreement: float | None = None
    """Spearman's rank correlation of the judge's scores with people's; None where either gave one score only."""

    @property
    @published
    def range(self) -> list[float]:
        """The lowest and the highest judge score that has a label."""
        return [round(self.low, 4), round(self.high, 4)]


class Calibration(NamedTuple):
    """What a calibration file holds."""

    judge: Mapping[str, str]
    """The judge's identity, as its scorecards have it."""
    rubric: Annotated[str, {"hidden": True}]
    rubric_sha256: Annotated[str, {"hidden": True}]
    created: str
    raters: tuple[str, ...]
    curves: Annotated[Mapping[str, Curve], {"hidden": True}]
    left_out: Mapping[str, str]
    sha256: str
    """The hash of everything else in the file."""
    served: tuple[str, ...] = ()
    """The models that answered when the labelled outputs were judged, as their servers name them; empty if unknown."""
    clusters: int | None = None
    """How many cases or tasks the labelled outputs come from, where they belong together."""
    skills: tuple[str, ...] = ()
    """The skills that the labelled outputs are of; empty where numbers came from a table."""
    seen: Mapping[str, tuple[float, ...]] = {}
    """What the labelled outputs were like, lowest first: the judge's scores by field, and `length` in characters."""
    uses: tuple[UseVerdict, ...] = ()
    """What the judge can be used for, by these labels."""


class CalibratedScore(NamedTuple):
    """What people would give, and the interval that holds what one of them says."""

    value: Annotated[Decimal, {"name": "calibrated", **CENTS}]
    low: Annotated[Decimal, CENTS]
    high: Annotated[Decimal, CENTS]


class CalibratedScores(NamedTuple):
    """The calibrated scores of one scorecard, beside its own. Only a rubric can make the final one official."""

    sha256: str
    """The hash of the calibration file."""
    confidence: Annotated[Decimal, SHARE]
    labels: int
    """How many labelled outputs the calibration of the final score was made from; 0 when it has none."""
    scores: Mapping[str, CalibratedScore]
    """By dimension, and `final`."""
    left_out: Mapping[str, str]
    """What could not be calibrated, and why."""
    uses: Mapping[str, UseAnswer] = {}
    """What the judge can be used for, by the labels behind the calibration."""
