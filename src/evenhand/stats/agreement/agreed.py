"""Raters compared on one field: every coefficient, the confusion of values, the differences to draw. Pure; seeded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from evenhand.core.curve import UseVerdict
from evenhand.core.published import ALWAYS
from evenhand.stats.agreement.coefficients import Coefficient, coefficients
from evenhand.stats.agreement.disagreements import Disagreement
from evenhand.stats.agreement.interval import CONFIDENCE, RESAMPLES
from evenhand.stats.agreement.ratings import Ratings, against_each, present
from evenhand.stats.agreement.verdict_measures import Confusion, VerdictMeasures, confusion, verdict_measures

if TYPE_CHECKING:
    from evenhand.stats.agreement.resampling import Draws

Between = Literal["raters", "people", "judge and people", "judges"]

MOST_DRAWN = 1_000
"""The most differences that a picture shows."""


class FieldAgreement(NamedTuple):
    """How far some raters agree on one field."""

    between: Between
    field: str
    scale: str
    judge: str | None
    """The judge that is compared with people; None where all raters are alike."""
    raters: tuple[str, ...]
    items: int
    """Items with values from at least two of them."""
    values: int
    """How many values these have."""
    coefficients: Annotated[tuple[Coefficient, ...], {"hidden": True}]
    confusion: Confusion | None
    differences: Annotated[tuple[tuple[float, float], ...], {"places": 17}]
    """For two raters who gave numbers: the mean of each pair of values, and the first less the second."""

    verdicts: VerdictMeasures | None = None
    """For a judge against people who gave one of two verdicts: sensitivity, precision and so on."""

    worst: tuple[Disagreement, ...] = ()
    """For a judge against people: the items on which they differ most."""

    def coefficient(self, name: str) -> Coefficient | None:
        """The coefficient of a name, if it was computed."""
        return next((entry for entry in self.coefficients if entry.name == name), None)


class AgreementReport(NamedTuple):
    """Comparisons of raters, with what a reader must know."""

    source: str
    comparisons: Annotated[tuple[FieldAgreement, ...], {"hidden": True}]
    notes: tuple[str, ...]
    seed: Annotated[int, ALWAYS] = 0
    resamples: Annotated[int, ALWAYS] = RESAMPLES
    confidence: Annotated[float, ALWAYS] = CONFIDENCE
    brief: Annotated[bool, {"hidden": True}] = False
    """Whether only the coefficients of a summary were computed."""
    uses: Mapping[str, tuple[UseVerdict, ...]] = {}
    """By judge: what it can be used for."""


def among(
    between: Between, field: str, scale: str, ratings: Ratings, draws: Draws, *, brief: bool = False
) -> FieldAgreement:
    """Raters who are all alike."""
    return _compared(between, field, scale, ratings, draws, None, ratings.raters, brief)


def judge_and_people(field: str, scale: str, ratings: Ratings, draws: Draws, *, brief: bool = False) -> FieldAgreement:
    """The first rater, a judge, against every person: a pair of values for each, as people among themselves have."""
    pairs = against_each(ratings, 0)
    people = tuple(
        name
        for place, name in enumerate(ratings.raters)
        if place and any(row[place] is not None and row[0] is not None for row in ratings.rows)
    )
    return _compared("judge and people", field, scale, pairs, draws, ratings.raters[0], people, brief)


def _compared(
    between: Between,
    field: str,
    scale: str,
    ratings: Ratings,
    draws: Draws,
    judge: str | None,
    raters: tuple[str, ...],
    brief: bool,
) -> FieldAgreement:
    table = confusion(ratings)
    shared = [(item, row) for item, row in zip(ratings.items, ratings.rows, strict=True) if len(present(row)) > 1]
    pairs = [present(row) for _, row in shared if len(row) == 2] if ratings.numeric and ratings.known_raters else []
    return FieldAgreement(
        between=between,
        field=field,
        scale=scale,
        judge=judge,
        raters=raters,
        items=len({item for item, _ in shared}),
        values=sum(len(present(row)) for _, row in shared),
        coefficients=tuple(coefficients(ratings, draws, brief=brief)),
        confusion=table,
        differences=tuple(
            ((left + right) / 2 / ratings.unit, (left - right) / ratings.unit) for left, right in pairs[:MOST_DRAWN]
        ),
        verdicts=None if judge is None else verdict_measures(table),
    )
