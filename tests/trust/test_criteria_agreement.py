"""Judges and people on the same criteria: labels by id or sentence, compared with what judges answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evenhand
from evenhand.trust.stored_agreement import agree_stored, answers_of
from test_criteria_scorecards import ANSWERS, TREE, judgement_of, rubric_with


@pytest.fixture
def judged_store(tmp_path: Path):
    """Eight outputs by one judge: the odd ones do not name the ticket, the first two invent a number."""
    store = evenhand.open_store(str(tmp_path / "s.db"))
    for n in range(8):
        answers = {**ANSWERS, "ticket": "no" if n % 2 else "yes", "invented": "yes" if n < 2 else "no"}
        evenhand.score(
            judgement_of(answers, id=f"case-{n}", judge={"name": "model:a"}),
            rubric=rubric_with(TREE),
            store=store,
            output=f"Output {n}. Ticket 41",
        )
    yield store
    store.close()


def labelled(command, folder: Path, lines: str, *options: str) -> dict[str, list[list[int]]]:
    """The confusion of judge and people, by field."""
    (folder / "people.csv").write_text(lines)
    done = command("trust", "labels", "import", "people.csv", "--store", "s.db", "--rater", "ana", *options)
    assert done.code == 0, done.err
    agreed = command("trust", "agree", "--store", "s.db", "--format", "json")
    assert agreed.code == 0, agreed.err
    return {entry["field"]: entry["confusion"]["counts"] for entry in json.loads(agreed.out)["comparisons"]}


def test_people_and_judges_are_compared_criterion_by_criterion(judged_store, evenhand_command, tmp_path):
    """The judge says yes to the ticket four times, and ana to three of those; of the number they say the same."""
    rows = "".join(f"case-{n},{'no' if n % 2 or n == 0 else 'yes'},{'yes' if n < 2 else 'no'}\n" for n in range(8))
    both = ("--map", "ticket=ticket", "--map", "invented=invented", "--scale", "categories")
    confusion = labelled(evenhand_command, tmp_path, f"id,ticket,invented\n{rows}", *both)
    assert confusion == {"ticket": [[4, 0], [1, 3]], "invented": [[6, 0], [0, 2]]}


def test_on_the_scale_pass_a_criterion_that_takes_points_away_is_met_by_a_no(judged_store, evenhand_command, tmp_path):
    """Ana fails what invents a number; the judge says yes there: they agree in all eight."""
    rows = "".join(f"case-{n},{'fail' if n < 2 else 'pass'}\n" for n in range(8))
    options = ("--map", "invented=invented", "--scale", "pass")
    assert labelled(evenhand_command, tmp_path, f"id,invented\n{rows}", *options) == {"invented": [[2, 0], [0, 6]]}


def test_without_labels_criteria_are_not_listed(judged_store):
    with pytest.raises(evenhand.InputError, match="has no labels"):
        agree_stored(judged_store)


def test_answers_of_a_stored_scorecard_are_read_at_any_depth(judged_store):
    record = next(iter(judged_store.evaluations()))
    assert answers_of(json.loads(record.scorecard)) == [
        ("ticket", "yes", False),
        ("invented", "yes", True),
        ("tests-run", "partly", False),
        ("tests-pass", "no", False),
    ]
