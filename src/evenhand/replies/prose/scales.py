"""Scales named around a figure: 10点満点中8点, `on a scale of 1 to 10`, 满分10分."""

from __future__ import annotations

import re
from decimal import Decimal

from evenhand.replies.prose.figures import value_of

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
_MENTION = re.compile(
    r"(?:scale|skala|echelle|escala|scala|шкал[аеу])(?: (?:of|from|de|da|von|от))? [0-9]{1,3}"
    r" ?(?:-|–|to|bis|a|до|al) ?(?P<high>[0-9]{1,3})|\b[01] ?(?:-|–|to) ?(?P<top>[0-9]{1,3}) scale"
)
_DECLARED = re.compile(
    r"\bscale(?: of| from| is|:)? \(?[01] ?(?:-|–|to) ?(?P<high>[0-9]{1,3})"
    r"|\b[01] ?(?:-|–|to) ?(?P<top>[0-9]{1,3}) scale\b"
)


def is_a_scale(words: str, place: int, before: str) -> bool:
    """Whether the figure at a position is itself the end of a scale."""
    return bool(_IS_ONE.match(words, place) or _FULL_BEFORE.search(before))


def scale_first(before: str) -> tuple[str, Decimal | None]:
    """The words before a figure without the scale they end with, and that scale."""
    match = _FIRST.search(before)
    if not match:
        return before, None
    return (before[: match.start()] if match["scale"] else before), value_of(match["scale"] or match["full"])


def mentioned(before: str) -> Decimal | None:
    """The best value of the last scale mentioned."""
    high = None
    for match in _MENTION.finditer(before):
        high = value_of(match["high"] or match["top"])
    return high


def declared(words: str) -> set[Decimal]:
    """The best values of all scales a text declares."""
    return {Decimal(match["high"] or match["top"]) for match in _DECLARED.finditer(words)}
