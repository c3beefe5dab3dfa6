"""Weights of another rubric's criteria -> weights of ours, where they are exact. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

from evenhand.core.numbers import exact
from evenhand.core.rules import DIMENSIONS, WEIGHT_DECIMALS
from evenhand.rubrics.conversion.foreign import Criterion
from evenhand.rubrics.weights import WeightError, weights_from
from evenhand.rubrics.written_weights import value_of


def converted_weights(criteria: Sequence[Criterion], decide: Callable[..., None]) -> dict[str, Decimal] | None:
    """The seven weights; None when there are none (the defaults apply) or when a person has to choose."""
    written = {criterion.name.strip(): criterion for criterion in criteria if criterion.weight is not None}
    if not written:
        return None
    line = next(iter(written.values())).line
    stated = ", ".join(f"{name} {criterion.weight}" for name, criterion in written.items())
    advice = "write weights: in the front matter, summing to 100"
    values = {name.lower(): value_of(criterion.weight or "") for name, criterion in written.items()}
    if any(value is None for value in values.values()):
        decide(f"the weights ({stated}) are not all numbers; {advice}", line)
        return None
    if set(values) != set(DIMENSIONS):
        decide(f"the weights ({stated}) are not for the seven dimensions; {advice}", line)
        return None
    weights = _exact_shares({name: value or "" for name, value in values.items()})
    if weights is None:
        decide(f"the weights ({stated}) do not convert to exact shares; {advice}", line)
    return weights


def _exact_shares(values: dict[str, str]) -> dict[str, Decimal] | None:
    try:
        return weights_from(values)
    except WeightError:
        pass
    if any(value.endswith("%") for value in values.values()):
        return None  # percentages that do not sum to 100 are a mistake, not points
    try:
        numbers = {name: Fraction(exact(values[name])) for name in DIMENSIONS}
    except ValueError:
        return None
    total = sum(numbers.values())
    if total <= 0 or min(numbers.values()) < 0:
        return None
    shares = {name: number / total * 100 for name, number in numbers.items()}
    unit = 10 ** (WEIGHT_DECIMALS - 2)
    if any((share * unit).denominator != 1 for share in shares.values()):
        return None
    return {name: Decimal(int(share * unit)) / (unit * 100) for name, share in shares.items()}
