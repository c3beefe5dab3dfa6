"""A scorecard's scores as people would give them, by a calibration of its judge. Immutable; nothing here computes."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple


class CalibratedScore(NamedTuple):
    """What people would give, and the interval that holds what one of them says."""

    value: Decimal
    low: Decimal
    high: Decimal


class CalibratedScores(NamedTuple):
    """The calibrated scores of one scorecard. They stand beside its own and change none of them."""

    sha256: str
    """Of the calibration file."""
    confidence: Decimal
    labels: int
    """How many labelled outputs the calibration of the final score was made from; 0 when it has none."""
    scores: Mapping[str, CalibratedScore]
    """By dimension, and `final`."""
    left_out: Mapping[str, str]
    """What could not be calibrated, and why."""
