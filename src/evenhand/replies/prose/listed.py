"""List markers: a number that counts the points of a list is never a score. `1. The response is clear.`"""

from __future__ import annotations

import re

from evenhand.replies.prose.figures import Figure
from evenhand.replies.prose.prose_lines import line_before

_LINE_START = re.compile(r"[ \-•·*>#\x01(（]*")
_MARK = re.compile(r"[.)）、](?:\)|）)?[^\S\n]*(?![\s\d])[^\n]")
_LOOSE_MARK = re.compile(r"[^\S\n]*[:：–—-][^\S\n]*[^\s\d]")
_REMARK = re.compile(
    r"(?:\b(?:evaluation|assessment|note|bewertung|nota|evaluacion|valutazione|avaliacao|appreciation|valoracion"
    r"|оценка)"
    r"|评价|評価|평가|التقييم|تقييم|मूल्यांकन)\s?:\s?$"
)
"""Words that introduce remarks as well as scores."""


def is_list_marker(words: str, figure: Figure) -> bool:
    """Whether a figure numbers a point of a list, at the start of a line or within one."""
    if (
        figure.scale is not None
        or figure.unit
        or figure.value is None
        or figure.value != figure.value.to_integral_value()
    ):
        return False
    line = line_before(words, figure.start)
    number = int(figure.value)
    if _LINE_START.fullmatch(line):
        if _MARK.match(words, figure.end):
            return True
        return bool(_LOOSE_MARK.match(words, figure.end)) and _has_neighbour(words, number)
    if number != 1 or not _MARK.match(words, figure.end):
        return False
    return bool(_REMARK.search(line)) or _second_point(words, figure.end)


def _has_neighbour(words: str, number: int) -> bool:
    """Whether another line is numbered one more or one less."""
    return any(
        re.search(rf"^[ \-•·*>#\x01(（]*{neighbour}[^\S\n]*[:：–—-][^\S\n]*[^\s\d]", words, re.MULTILINE)
        for neighbour in (number - 1, number + 1)
    )


def _second_point(words: str, place: int) -> bool:
    return re.compile(r"[\s(（;；,，]2[.)）、]\s?[^\s\d]").search(words, place) is not None
