"""Repeated runs of a case are one case."""

from __future__ import annotations

from conftest import seven

import evenhand
from evenhand.judging.files import Named
from evenhand.judging.sets.case_pairs import matches


def runs_of(scores: dict[str, list[float]], *, tasks: bool = True, mark: str = "-run") -> list[Named]:
    """A case's runs, each with an id of its own: "case-run1"; its task names the case."""
    cards = []
    for case, finals in scores.items():
        for place, final in enumerate(finals, start=1):
            id = f"{case}{mark}{place}"
            task = f"task of {case}" if tasks else None
            cards.append(Named(id, evenhand.score({"scores": seven(final)}, rubric="default", id=id, task=task)))
    return cards


def test_matches_take_each_evaluation_once():
    """Repeated ids match nothing on their own; unlike pairs, these need one evaluation each."""
    first, second = runs_of({"a": [6], "b": [7]}), runs_of({"b": [8], "a": [9]})
    assert matches(first, second) == [(0, 1), (1, 0)]
    assert matches(first + first, second) == []
