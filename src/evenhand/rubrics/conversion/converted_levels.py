"""Levels of another rubric -> bands from 1 to 10, where their scores are clear: 1-10, 1-5, tens of percent. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.core.values import Band
from evenhand.rubrics.conversion.foreign import Level

_NUMBERS = re.compile(r"([0-9]{1,3})\s*%?\s*(?:(?:-|\u2013|\u2014|to|bis)\s*([0-9]{1,3})\s*%?)?")
_TENS = {(90, 100): (9, 10), (70, 89): (7, 8), (50, 69): (5, 6), (30, 49): (3, 4), (0, 29): (1, 2), (1, 29): (1, 2)}
_FIVE = {(step, step): (2 * step - 1, 2 * step) for step in range(1, 6)}


def bands_from(levels: Sequence[Level]) -> tuple[Band, ...] | str:
    """The bands, best first, or why a person has to write them."""
    if not levels:
        return "it has no levels"
    ranges: list[tuple[int, int]] = []
    for level in levels:
        numbers = _NUMBERS.findall(level.label)
        if len(numbers) != 1:
            return f'the level "{level.label}" names no score'
        low, high = int(numbers[0][0]), int(numbers[0][1] or numbers[0][0])
        ranges.append((min(low, high), max(low, high)))
    mapped = _mapped(ranges)
    if mapped is None:
        labels = ", ".join(level.label for level in levels)
        return f"the levels {labels} do not fit a scale from 1 to 10 without a choice"
    bands = [Band(low, high, level.text) for (low, high), level in zip(mapped, levels, strict=True)]
    return tuple(sorted(bands, key=lambda band: -band.high))


def _mapped(ranges: list[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """Each range on our scale; None when a person would have to choose."""
    if len(set(ranges)) != len(ranges):
        return None
    scores = sorted(number for low, high in ranges for number in range(low, min(high, 101) + 1))
    if scores == list(range(1, 11)):
        return ranges
    for table in (_FIVE, _TENS):
        if len(ranges) == 5 and all(span in table for span in ranges):
            return [table[span] for span in ranges]
    return None
