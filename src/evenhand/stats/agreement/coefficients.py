"""All coefficients of some ratings, each with its interval or why it has none. Pure; seeded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from evenhand.in_words import plural
from evenhand.stats.agreement.interval import Interval
from evenhand.stats.agreement.ratings import Ratings, present
from evenhand.stats.arrays import require_arrays

if TYPE_CHECKING:
    from evenhand.stats.agreement.measure import Measure
    from evenhand.stats.agreement.resampling import Draws

ONE_VALUE = "every value is the same, so that agreement cannot be told from chance"
ALONE = "no item has values from two raters"
CONSTANT = "a rater gave every item the same value"


def _or_null(text: str) -> str | None:
    return text or None


class Coefficient(NamedTuple):
    """One coefficient of some ratings."""

    name: str
    """Its id: `alpha-interval`."""
    value: Annotated[float | None, {"places": 17}]
    """None when `reason` says why it has none."""
    reason: Annotated[str, {"shape": str | None, "write": _or_null}]
    interval: Interval | None
    no_interval: Annotated[str, {"shape": str | None, "write": _or_null}]
    """Why there is no interval; empty when there is one."""
    items: int
    """Items that count."""


HEADLINES = {
    "numbers": ("alpha-interval", "icc-2-1", "spearman", "adjacent", "bias"),
    "ordered": ("alpha-ordinal", "ac2-quadratic", "kappa-quadratic", "exact", "adjacent"),
    "categories": ("alpha-nominal", "ac1", "kappa", "exact"),
}
"""What a summary shows of each kind of values."""


def measures(ratings: Ratings) -> list[Measure]:
    """Every coefficient that the ratings' kind of value allows, with or without a value."""
    require_arrays("agreement")
    from evenhand.stats.agreement.alpha import alphas
    from evenhand.stats.agreement.icc import iccs
    from evenhand.stats.agreement.kappa import gwets, kappas
    from evenhand.stats.agreement.measure import Grid
    from evenhand.stats.agreement.pairs import differences, rank_correlations, shares

    grid = Grid(ratings)
    chosen = [*alphas(grid), *kappas(grid), *gwets(grid)]
    if ratings.numeric:
        chosen += iccs(grid)
    if ratings.ordered:
        chosen += rank_correlations(grid)
    chosen += shares(grid)
    if ratings.numeric:
        chosen += differences(grid)
    return chosen


def coefficients(ratings: Ratings, draws: Draws | None = None, *, brief: bool = False) -> list[Coefficient]:
    """Every coefficient with its value; intervals only where `draws` are given; only those of a summary if `brief`."""
    if not any(len(present(row)) > 1 for row in ratings.rows):
        return [Coefficient(name, None, ALONE, None, ALONE, 0) for name in ("alpha-nominal", "exact")]
    kind = "numbers" if ratings.numeric else "ordered" if ratings.ordered else "categories"
    wanted = [measure for measure in measures(ratings) if not brief or measure.name in HEADLINES[kind]]
    valued = [(measure, value) for measure in wanted if (value := measure.estimate) is not None]
    spans: dict[str, Interval | str] = dict.fromkeys((measure.name for measure, _ in valued), "not asked for")
    if draws is not None:
        from evenhand.stats.agreement.resampling import intervals

        spans = dict(zip(spans, intervals(valued, draws), strict=True))
    values = {measure.name: value for measure, value in valued}
    return [_coefficient(measure, values.get(measure.name), spans.get(measure.name), ratings) for measure in wanted]


def _coefficient(measure: Measure, value: float | None, span: Interval | str | None, ratings: Ratings) -> Coefficient:
    if value is None or span is None:
        reason = measure.reason or _why(measure, ratings)
        return Coefficient(measure.name, None, reason, None, reason, measure.items)
    if isinstance(span, str):
        return Coefficient(measure.name, value, "", None, span, measure.items)
    return Coefficient(measure.name, value, "", span, "", measure.items)


def _why(measure: Measure, ratings: Ratings) -> str:
    """Why sums have no value: nothing varies."""
    if len({value for row in ratings.rows for value in present(row)}) == 1:
        return ONE_VALUE
    if measure.items < 2:
        return f"needs at least 2 items; there {plural(measure.items, 'is', 'are')} {measure.items}"
    return CONSTANT
