"""Repeated runs of a case: one case each, in comparisons and in the gate; and what more of them would be worth."""

from __future__ import annotations

import json

import pytest
from conftest import seven

import evenhand
from evenhand.evaluations.case_pairs import matches
from evenhand.judging.files import Named


def runs_of(scores: dict[str, list[float]], *, tasks: bool = True, mark: str = "-run") -> list[Named]:
    """A case's runs, each with an id of its own: "case-run1"; its task names the case."""
    cards = []
    for case, finals in scores.items():
        for place, final in enumerate(finals, start=1):
            id = f"{case}{mark}{place}"
            task = f"task of {case}" if tasks else None
            cards.append(Named(id, evenhand.score({"scores": seven(final)}, rubric="default", id=id, task=task)))
    return cards


BEFORE = {"a": [6, 7], "b": [5, 5], "c": [8, 8, 8]}
AFTER = {"a": [7, 8], "b": [5, 6], "c": [8, 8, 8]}


def test_matches_take_each_evaluation_once():
    """Repeated ids match nothing on their own; unlike pairs, these need one evaluation each."""
    first, second = runs_of({"a": [6], "b": [7]}), runs_of({"b": [8], "a": [9]})
    assert matches(first, second) == [(0, 1), (1, 0)]
    assert matches(first + first, second) == []


@pytest.mark.slow
def test_the_command_plans_repeats(evenhand_command, tmp_path):
    """`compare --repeat` adds the scatter and fifteen designs, in words and as JSON."""
    for name, scores in (("before", BEFORE), ("after", AFTER)):
        lines = [json.dumps(evenhand.document(entry.card)) for entry in runs_of(scores)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    shown = evenhand_command("compare", "before.jsonl", "after.jsonl", "--repeat", "--store", "none")
    assert shown.code == 0, shown.err
    assert "3 cases, matched by id, in 7 and 7 runs" in shown.out
    assert "12 cases, 10 runs each" in " ".join(shown.out.split())
    document = json.loads(
        evenhand_command("compare", "before.jsonl", "after.jsonl", "--repeat", "--store", "none", "-f", "json").out
    )
    assert (document["runs"], document["pairs"], len(document["designs"])) == ([7, 7], 3, 15)
    alone = evenhand_command("compare", "before.jsonl", "after.jsonl", "--store", "none", "-f", "json")
    assert "designs" not in json.loads(alone.out)
