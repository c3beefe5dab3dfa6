"""How often values of two raters met; and a judge's verdicts against people's, where there are two. Pure."""

from __future__ import annotations

from math import sqrt
from typing import Annotated, Final, NamedTuple

from evenhand.core.published import SIX_PLACES
from evenhand.stats.agreement.ratings import Ratings

POSITIVE: Final = frozenset({"pass", "passed", "yes", "true", "1", "good", "correct"})
"""Words for the verdict that counts as positive; without one of them, the higher or the last of the two does."""


class Confusion(NamedTuple):
    """How often each value of the first rater met each of the second."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """A row for each value of the first rater."""


def confusion(ratings: Ratings) -> Confusion | None:
    """The table of two raters; None with more of them, or too many values."""
    if len(ratings.raters) != 2 or not ratings.known_raters or not ratings.whole_steps:
        return None
    place = {point: number for number, point in enumerate(ratings.points)}
    counts = [[0] * len(place) for _ in place]
    for left, right in ratings.rows:
        if left is not None and right is not None:
            counts[place[left]][place[right]] += 1
    return Confusion(tuple(map(ratings.shown, ratings.points)), tuple(map(tuple, counts)))


class VerdictMeasures(NamedTuple):
    """Shares of pairs of a judge's and a person's verdict; None where there is nothing to divide by."""

    positive: str
    """The verdict that is looked for."""
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    sensitivity: Annotated[float | None, SIX_PLACES]
    """The share of people's positive verdicts that the judge gives too; also called recall."""
    specificity: Annotated[float | None, SIX_PLACES]
    precision: Annotated[float | None, SIX_PLACES]
    """The share of the judge's positive verdicts that people give too."""
    recall: Annotated[float | None, SIX_PLACES]
    f1: Annotated[float | None, SIX_PLACES]
    balanced_accuracy: Annotated[float | None, SIX_PLACES]
    matthews: Annotated[float | None, SIX_PLACES]
    """Matthews' correlation, from -1 to 1."""


def verdict_measures(confusion: Confusion | None) -> VerdictMeasures | None:
    """The measures of a judge, whose verdicts are the rows; None unless there are exactly two verdicts."""
    if confusion is None or len(confusion.labels) != 2:
        return None
    named = [place for place, label in enumerate(confusion.labels) if label.strip().lower() in POSITIVE]
    yes = named[0] if len(named) == 1 else 1
    no = 1 - yes
    counts = confusion.counts
    tp, fp, fn, tn = counts[yes][yes], counts[yes][no], counts[no][yes], counts[no][no]
    sensitivity, specificity, precision = _share(tp, tp + fn), _share(tn, tn + fp), _share(tp, tp + fp)
    both = sensitivity is not None and specificity is not None
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return VerdictMeasures(
        positive=confusion.labels[yes],
        true_positives=tp,
        false_positives=fp,
        false_negatives=fn,
        true_negatives=tn,
        sensitivity=sensitivity,
        specificity=specificity,
        precision=precision,
        recall=sensitivity,
        f1=_share(2 * tp, 2 * tp + fp + fn),
        balanced_accuracy=((sensitivity or 0) + (specificity or 0)) / 2 if both else None,
        matthews=(tp * tn - fp * fn) / sqrt(spread) if spread else None,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
