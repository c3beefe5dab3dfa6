"""Scales of labels, and the explicit rules from one to another. Pure; a value is never moved without a rule.

A scale is a range (`1-5`), `grades`, `pass`, `numbers` (any), `categories` (any text), categories in their order
(`low<medium<high`), or all categories that there are, without one (`cat|dog|other`). A rule brings a range to 1-10:
`linear`, `inverted` where its lowest value is the best, or a list of pairs (`1=2,2=4,3=6,4=8,5=10`); pairs also bring
words to it (`poor=2,fair=5,good=9`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from evenhand.core.numbers import exact, half_up, is_number, points, shown
from evenhand.core.rules import DIMENSIONS, GRADES
from evenhand.work.label import FINAL, GRADE, PASS

TEN: Final = "1-10"
NUMBERS: Final = "numbers"
CATEGORIES: Final = "categories"
LINEAR: Final = "linear"
INVERTED: Final = "inverted"
"""Linear, where the lowest value is the best."""
LETTERS: Final = tuple(grade.letter for grade in reversed(GRADES))
"""The letter grades, worst first."""

_RANGE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|\.\.|to)\s*(-?\d+(?:\.\d+)?)\s*")  # noqa: RUF001
_PASSES = {"pass": "pass", "passed": "pass", "yes": "pass", "true": "pass", "1": "pass", "1.0": "pass"}
_FAILS = {"fail": "fail", "failed": "fail", "no": "fail", "false": "fail", "0": "fail", "0.0": "fail"}


class Scale(NamedTuple):
    """What values a field may have."""

    name: str
    """As it is stored: `1-5`, `grades`, `pass`, `numbers`, `categories`, `low<medium<high`, `cat|dog`."""
    low: Decimal | None = None
    high: Decimal | None = None
    words: tuple[str, ...] = ()
    """The categories, lowest first; empty where any are allowed."""
    ordered: bool = True
    """Whether the categories have an order."""


GRADE_SCALE: Final = Scale("grades", words=LETTERS)
PASS_SCALE: Final = Scale("pass", words=("fail", "pass"))
TEN_SCALE: Final = Scale(TEN, Decimal(1), Decimal(10))


def default_scale(field: str) -> Scale | None:
    """The scale that evaluations use for a field; None for a field that they do not have."""
    if field in (*DIMENSIONS, FINAL):
        return TEN_SCALE
    return {GRADE: GRADE_SCALE, PASS: PASS_SCALE}.get(field)


def scale_from(text: str) -> Scale:
    """A scale as a person writes it. ValueError says what is wrong and what is valid."""
    named = {"grades": GRADE_SCALE, "pass": PASS_SCALE, NUMBERS: Scale(NUMBERS), CATEGORIES: Scale(CATEGORIES)}
    if text.strip().lower() in named:
        return named[text.strip().lower()]
    for mark in ("<", "|"):
        if mark in text:
            words = tuple(word.strip() for word in text.split(mark))
            if not all(words) or len(set(words)) != len(words):
                raise ValueError(f'"{text}" has an empty or repeated category; write them as in "low<medium<high"')
            return Scale(mark.join(words), words=words, ordered=mark == "<")
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError(
            f'"{text}" is not a scale; valid: a range such as 1-5, grades, pass, numbers, categories, '
            'categories in order, as in "low<medium<high", or without, as in "cat|dog|other"'
        )
    low, high = Decimal(match[1]), Decimal(match[2])
    if low >= high:
        raise ValueError(f'"{text}" is not a scale: {shown(low)} is not below {shown(high)}')
    return Scale(f"{shown(low)}-{shown(high)}", low, high)


def on_scale(text: str, scale: Scale) -> str:
    """A value as it is stored: a number without trailing zeros, a word of the scale. ValueError when it is off it."""
    if scale is PASS_SCALE:
        word = _PASSES.get(text.lower()) or _FAILS.get(text.lower())
        if word is None:
            raise ValueError(f'"{text}" is neither pass nor fail (valid: pass, fail, yes, no, true, false, 1, 0)')
        return word
    if scale.words:
        folded = " ".join(text.split()).casefold()
        alike = [word for word in scale.words if text == word or word.casefold() == folded]
        if text not in alike and (len(alike) != 1 or scale is GRADE_SCALE):
            raise ValueError(f'"{text}" is not on the scale; valid: {", ".join(scale.words)}')
        return text if text in alike else alike[0]
    if scale.name == CATEGORIES:
        return text
    number = exact(text)
    if scale.low is not None and scale.high is not None and not scale.low <= number <= scale.high:
        raise ValueError(f"{shown(number)} is outside the scale {scale.name}")
    return shown(number)


class Rule(NamedTuple):
    """How values of a range, or words, become values from 1 to 10."""

    name: str
    pairs: Mapping[str, str] = {}
    """Each value with its new one; empty for the linear rule and the inverted one."""

    def apply(self, value: str, scale: Scale) -> str:
        """The new value, half up to hundredths. ValueError when the rule has none for it."""
        if self.pairs:
            if value not in self.pairs:
                raise ValueError(f"the rule {self.name} has no value for {value}")
            return self.pairs[value]
        assert scale.low is not None and scale.high is not None
        share = (Fraction(value) - Fraction(scale.low)) / (Fraction(scale.high) - Fraction(scale.low))
        cents = 100 + 900 * (1 - share if self.name == INVERTED else share)
        return shown(points(half_up(cents.numerator, cents.denominator)))


def rule_from(text: str, scale: Scale) -> Rule:
    """A rule from a range or from words to 1-10 as a person writes it. ValueError says what is wrong."""
    if scale.low is None and not scale.words:
        raise ValueError(
            f"a rule needs a range to start from, and the scale is {scale.name}; give it, as in `scale` 1-5"
        )
    if text.strip().lower() in (LINEAR, INVERTED) and scale.low is not None:
        return Rule(text.strip().lower())
    pairs: dict[str, str] = {}
    for part in text.split(","):
        before, equals, after = part.partition("=")
        if not equals or not is_number(after) or (scale.low is not None and not is_number(before)):
            raise ValueError(f'"{text}" is not a rule; valid: linear, inverted, or pairs such as 1=2,2=4,3=6,4=8,5=10')
        known = shown(exact(before)) if scale.low is not None else on_scale(before.strip(), scale)
        if known in pairs:
            raise ValueError(f'"{text}" has two values for one')
        if not 1 <= exact(after) <= 10:
            raise ValueError(f"the rule gives {shown(exact(after))} for {known}, which is outside 1 to 10")
        pairs[known] = shown(exact(after))
    return Rule(",".join(f"{before}={after}" for before, after in pairs.items()), pairs)
