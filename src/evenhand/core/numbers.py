"""Numbers, exactly (R1): text or Python numbers in, `Decimal` outside, whole hundredths inside.

No binary float takes part in a result. A Python float given to the API is taken by its shortest
repr, and so is one of NumPy. `plain` is the one way out, for JSON: a float printed there shows the same decimal
digits.
"""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache
from numbers import Integral, Rational, Real
from typing import Any

from evenhand.core.rules import HIGHEST, LOWEST
from evenhand.errors import shortened

# Our own context: a caller's precision or rounding mode must not reach a score.
_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)
_CENT = Decimal("0.01")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)

LOWEST_SCORE = Decimal(LOWEST) / 100
HIGHEST_SCORE = Decimal(HIGHEST) / 100
ALLOWED = f"a number from {LOWEST_SCORE} to {HIGHEST_SCORE}"


def exact(value: object) -> Decimal:
    """A value as an exact decimal (R1). ValueError when it is not a finite number."""
    kind = type(value)
    if kind is Decimal:
        number: Decimal = value  # type: ignore[assignment]
    elif kind is int:
        return Decimal(value)  # type: ignore[arg-type]
    elif isinstance(value, bool):
        raise ValueError("true is not a number" if value else "false is not a number")
    elif value is None:
        raise ValueError("it is null")
    elif isinstance(value, float):
        number = Decimal(repr(float(value)))
    elif isinstance(value, int | Decimal):
        number = Decimal(value)
    elif isinstance(value, str):
        text = value.strip()
        if not _NUMBER.fullmatch(text):
            raise ValueError(f'"{shortened(value, 40)}" is not a number')
        try:
            number = Decimal(text)
        except InvalidOperation:  # an exponent beyond all bounds
            raise ValueError(f'"{shortened(value, 40)}" is not a finite number') from None
    elif isinstance(value, Integral):  # such as numpy.int64
        number = Decimal(int(value))
    elif isinstance(value, Real) and not isinstance(value, Rational):  # such as numpy.float32, by its own digits
        number = Decimal(str(value))
    else:
        raise ValueError(f"a {type(value).__name__} is not a number")
    if not number.is_finite():
        raise ValueError(f"{number} is not a finite number")
    return number


def is_number(value: object) -> bool:
    """Whether a value, or a text, is a finite number."""
    try:
        exact(value)
    except ValueError:
        return False
    return True


def own_number(value: Any) -> Any:
    """A number of NumPy as Python's own, which is what databases and JSON take; anything else as it is."""
    if value is None or isinstance(value, bool | int | float | Decimal | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(str(value)) if isinstance(value, Real) and not isinstance(value, Rational) else value


def score(value: object) -> Decimal:
    """A dimension score (R4): any decimal from 1 to 10, quantised half up to two decimals."""
    return _score(value if type(value) is int else exact(value))


@lru_cache(maxsize=4096)
def _score(value: int | Decimal) -> Decimal:
    number = Decimal(value)
    if not LOWEST_SCORE <= number <= HIGHEST_SCORE:
        raise ValueError(f"{shown(number)} is outside {LOWEST_SCORE} to {HIGHEST_SCORE}")
    return cents(number)


def shown(number: Decimal) -> str:
    """A number as a person writes it: 7.50 as 7.5, 1E+1 as 10; absurdly long ones are cut."""
    if abs(number.adjusted()) > 30:
        return shortened(str(number), 40)
    text = f"{number:f}"
    return shortened(text.rstrip("0").rstrip(".") if "." in text else text, 40)


def cents(number: Decimal) -> Decimal:
    """A number with exactly two places, half up."""
    return _EXACT.quantize(number, _CENT)


@lru_cache(maxsize=4096)
def hundredths(number: Decimal) -> int:
    """The whole hundredths of a number that has at most two decimals."""
    return int(_EXACT.scaleb(number, 2))


@lru_cache(maxsize=4096)
def points(count: int) -> Decimal:
    """A count of hundredths as a decimal with two places: 780 is 7.80."""
    return _EXACT.scaleb(Decimal(count), -2)


def ratio(numerator: int, power_of_ten: int) -> Decimal:
    """A whole number over a power of ten, exactly."""
    return _EXACT.divide(Decimal(numerator), Decimal(power_of_ten))


def whole(number: Decimal, power_of_ten: int) -> int:
    """A number times a power of ten that makes it whole."""
    return int(_EXACT.multiply(number, Decimal(power_of_ten)))


def half_up(numerator: int, denominator: int) -> int:
    """A non-negative fraction rounded to a whole number, halves upward (R2)."""
    return (2 * numerator + denominator) // (2 * denominator)


def plain(number: Decimal) -> int | float:
    """A number as JSON shows it: whole ones without a point, others with their own digits."""
    whole = int(number.to_integral_value(rounding=ROUND_FLOOR))
    return whole if number == whole else float(number)
