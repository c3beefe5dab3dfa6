"""What to call an evaluation in a list: the id a user gave it, the file that was judged, or its made-up id. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from evenhand.core.scorecard import Scorecard

UNNAMED = "unnamed"
"""The skill of an evaluation that names none; lists leave it out."""

_MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORTEST = 13
"""The part of a made-up id that is the time it was made, to the millisecond."""


def case_name(card: Scorecard, source: str = "") -> str:
    """One evaluation's name for people; programs use the id. `source` is the file of its judgement, if there is one."""
    if card.case is not None:
        return card.case
    return card.output or source or card.id if _MADE_UP.fullmatch(card.id) else card.id


def distinct_names(names: Mapping[str, str]) -> dict[str, str]:
    """Names by id, each different: a file that was judged twice is distinguished by the id."""
    repeated = {name for name, count in Counter(names.values()).items() if count > 1}
    return {id: f"{name} ({short_id(id)})" if name in repeated else name for id, name in names.items()}


def short_id(id: str) -> str:
    """Enough of a made-up id to find the evaluation again; an id that a user gave is left whole."""
    return id[:18] if _MADE_UP.fullmatch(id) else id


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Ids cut as short as they still differ in a list; those that a user gave are left whole."""
    made_up = sorted({id for id in ids if _MADE_UP.fullmatch(id)})
    length = _SHORTEST
    while len({id[:length] for id in made_up}) < len(made_up):
        length += 5 if length in (13, 18) else 1
    return {id: id[:length] if _MADE_UP.fullmatch(id) else id for id in ids}
