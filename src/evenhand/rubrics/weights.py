"""Weights (R6): exactly the seven dimensions, none negative, exactly 1 or exactly 100 % together. Pure.

Checked on the decimal text, with no tolerance and no normalising.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from evenhand.core.methodology import DIMENSIONS, WEIGHT_DECIMALS
from evenhand.core.names import nearest
from evenhand.core.numbers import at_most_decimals, exact, ratio, shown


class WeightError(ValueError):
    """What is wrong with a set of weights; `dimension` is set when it is wrong with one of them."""

    def __init__(self, message: str, dimension: str | None = None) -> None:
        super().__init__(message)
        self.dimension = dimension


def weights_from(written: Mapping[str, object]) -> dict[str, Decimal]:
    """Weights as fractions of 1 from what an author wrote: 0.25, 25, or "25%" each."""
    _refuse_other_names(written)
    numbers: dict[str, Decimal] = {}
    signed: list[str] = []
    for name in DIMENSIONS:
        text = written[name]
        if isinstance(text, str) and text.strip().endswith("%"):
            signed.append(name)
            text = text.strip()[:-1]
        try:
            numbers[name] = exact(text)
        except ValueError as error:
            raise WeightError(f"the weight of {name} is not usable: {error}", name) from None
        if numbers[name] < 0:
            raise WeightError(f"the weight of {name} is {shown(numbers[name])}; a weight is 0 or more", name)
        if not at_most_decimals(numbers[name], WEIGHT_DECIMALS - 2):
            raise WeightError(
                f"the weight of {name} has more than {WEIGHT_DECIMALS - 2} decimals, the most that is read", name
            )
    if signed and len(signed) < len(DIMENSIONS):
        bare = ", ".join(name for name in DIMENSIONS if name not in signed)
        raise WeightError(f"weights mix percentages and fractions: no % on {bare}; write all seven the same way")
    return _as_fractions(numbers, percent=bool(signed))


def shown_percent(weight: Decimal) -> str:
    """A weight as people say it: 0.25 as 25%."""
    return f"{shown(weight * 100)}%"


def _as_fractions(numbers: Mapping[str, Decimal], *, percent: bool) -> dict[str, Decimal]:
    total = sum(numbers.values(), Decimal(0))
    if total == 1 and not percent:
        return dict(numbers)
    if total == 100:
        return {name: _hundredth(number) for name, number in numbers.items()}
    large = [name for name in DIMENSIONS if numbers[name] > 1]
    small = [name for name in DIMENSIONS if 0 < numbers[name] < 1]
    if large and small and not percent:
        raise WeightError(
            f"weights mix percentages and fractions: {', '.join(small)} below 1, {', '.join(large)} above; "
            f"they sum to {shown(total)}; write all seven the same way"
        )
    whole = 100 if percent or large else 1
    off = total - whole
    side = "too much" if off > 0 else "too little"
    sign = "%" if percent else ""
    raise WeightError(
        f"weights sum to {shown(total)}{sign}, {shown(abs(off))}{sign} {side}; the seven must sum to exactly {whole}{sign}"
    )


def _hundredth(number: Decimal) -> Decimal:
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    made = Decimal((sign, digits, exponent - 2))
    return made if made else ratio(0, 1)


def _refuse_other_names(written: Mapping[str, object]) -> None:
    for name in written:
        if name not in DIMENSIONS:
            guess = nearest(name, DIMENSIONS)
            hint = f"did you mean {guess}? " if guess else ""
            raise WeightError(f'"{name}" is not a dimension; {hint}valid: {", ".join(DIMENSIONS)}')
    missing = [name for name in DIMENSIONS if name not in written]
    if missing:
        raise WeightError(f"no weight for {', '.join(missing)}; give all seven, or none for the defaults")
