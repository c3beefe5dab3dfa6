"""Scales named around a figure: 10点満点中8点, `on a scale of 1 to 10`, 满分10分."""

from __future__ import annotations

import re
from decimal import Decimal

from evenhand.replies.prose.figures import value_of
from evenhand.replies.prose.words import NUMBER_WORDS

_FIRST = re.compile(
    r"(?P<scale>[0-9]{1,3})\s?(?:点満点中|点満点で|点満点の?|段階(?:評価)?(?:中|で)|점 ?만점에서?(?:는)?"
    r"|점 ?만점 ?중|점 ?중|में से|分满分|分制|点中|分中)(?:[^0-9\n。]{0,12})$"
    r"|(?:满分|滿分|満点|out of|von|sur|sobre|su|из)\s?(?:为|為|是)?\s?(?P<full>[0-9]{1,3})\s?(?:分|点|점)?"
    r"\s?[)）]?[,，、:：;\s]+(?:[^\n0-9。.]{0,16})$"
)
_IS_ONE = re.compile(r"[0-9]{1,3}\s?(?:点満点|段階|점 ?만점|में से|分满分|分制|点中|分中|점 ?중|[- ]point scale)")
_FULL_BEFORE = re.compile(
    r"(?:满分|滿分|満点は?|만점은?|maximum(?: of)?|max\.?|scale of|scale from|out of)\s?(?:为|為|是|:)?\s?$"
    r"|[总總]分\s?$"
)
_NUMERAL = "[0-9]{1,3}|" + "|".join(
    word for word, value in NUMBER_WORDS.items() if value in (0, 1, 3, 4, 5, 6, 7, 10, 20, 100) and word.isalpha()
)
_LOWEST = "[01]|" + "|".join(word for word, value in NUMBER_WORDS.items() if value in (0, 1) and word.isalpha())
_SCALE = re.compile(
    rf"(?:scale|skala|echelle|escala|scala|шкал[аеу])(?: (?:of|from|is|de|da|von|от))?:? \(?(?:{_LOWEST})"
    rf" ?(?:-|–|to|bis|a|до|al) ?(?P<high>{_NUMERAL})\b"
    rf"|\b(?:{_LOWEST})(?: ?(?:-|–) ?| to |-to-)(?P<top>{_NUMERAL})(?: point| rating| likert)? scale\b"
    rf"|\b(?P<points>{_NUMERAL})[ -]?(?:points?|stars?|steps?|levels?|punkte?)[ -](?:likert |rating )?(?:scale|skala)\b"
    r"|(?P<balls>пяти|десяти|сто)балльн\w+|(?P<grades>[0-9]{1,3}) ?(?:段階|分制|点制)"
)
_LEADING = re.compile(
    rf"\W*(?:(?:overall|so|and),? )?(?:on|using|auf|sur|en|su|in|em|по) (?:[^\W\d]+ )?(?:{_SCALE.pattern})[ ,:]*"
)


def is_a_scale(words: str, place: int, before: str) -> bool:
    """Whether the figure at a position is itself the end of a scale."""
    return bool(_IS_ONE.match(words, place) or _FULL_BEFORE.search(before))


def scale_first(before: str) -> tuple[str, Decimal | None]:
    """The words before a figure without the scale they begin or end with, and that scale."""
    if leading := _LEADING.match(before):
        return before[leading.end() :], _high(leading)
    match = _FIRST.search(before)
    if not match:
        return before, None
    return (before[: match.start()] if match["scale"] else before), value_of(match["scale"] or match["full"])


def mentioned(before: str) -> Decimal | None:
    """The best value of the last scale mentioned."""
    high = None
    for match in _SCALE.finditer(before):
        high = _high(match)
    return high


def declared(words: str) -> set[Decimal]:
    """The best values of all scales a text declares."""
    return {high for match in _SCALE.finditer(words) if (high := _high(match)) is not None}


def _high(match: re.Match[str]) -> Decimal | None:
    return value_of(next(filter(None, match.group("high", "top", "points", "balls", "grades"))))
