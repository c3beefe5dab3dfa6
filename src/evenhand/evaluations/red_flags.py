"""Red flags named by a user: each must be one that a rubric lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.core.documents.receipt import terms_of
from evenhand.core.values.rubric import Terms
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError, unknown
from evenhand.rubrics.library import find, load_place


def refuse_unknown_flags(flags: Iterable[str], cards: Sequence[Scorecard]) -> None:
    """A misspelt flag would never be raised, so each must be in a rubric that was used."""
    rubrics: dict[str, Terms] = {}
    for card in cards:
        if card.rubric not in rubrics:
            place = find(card.rubric)
            if place is None:
                return  # a rubric that is not available here may list anything
            rubrics[card.rubric] = terms_of(load_place(place))
        if rubrics[card.rubric].sha256 != card.receipt.rubric:
            return
    listed = {id for terms in rubrics.values() for id in terms.red_flags}
    for flag in flags:
        if cards and flag not in listed:
            raise InputError(unknown("red flag", flag, sorted(listed)))
