"""A calibration on a skill's outputs: which scores, lengths and labels speak for it, and which do not."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import judged, seven

import evenhand
from evenhand import clock
from evenhand.core.curve import Calibration, Curve
from evenhand.core.scorecard import Scorecard
from evenhand.store.record import Record, record_of
from evenhand.trust import borrowed_calibrations
from evenhand.trust.borrowed_calibrations import check_transport, misplaced_skills
from evenhand.trust.labels.label_matches import LabelledItem
from evenhand.work.label import Label

MADE = "2026-02-01T00:00:00Z"
MOMENT = clock.microseconds(MADE)
CURVE = Curve("shift", ((3.0, 2.0), (9.0, 8.0)), 3.0, 9.0, 60, 1.0, 1.0, 0.2, 0.5, 0.9, 1.5)
"""The judge is a point too kind."""


def card(score: float = 6, *, judge: str = "model:a", id: str = "x", skill: str = "notes") -> Scorecard:
    return judged(seven(score), id=id, skill=skill, judge=judge)


CALIBRATION = Calibration(
    card().judge, "made", card().receipt.rubric, MADE, ("human:ana",), {"final": CURVE}, {}, "0" * 64, skills=("notes",)
)


def record(score: float = 6, *, judge: str = "model:a", completed: int = 0, case: str | None = None) -> Record:
    return record_of(card(score, judge=judge)._replace(case=case), completed=completed, submission=None, keep_text=True)


def label(value: str, *, imported: int = MOMENT + 1, rater: str = "human:ana", field: str = "final") -> Label:
    return Label("id", "x", rater, field, value, "1-10", value, None, "labels.csv:2", imported)


def item(*labels: Label, records: Sequence[Record] = ()) -> LabelledItem:
    return LabelledItem("x", tuple(records or [record()]), labels)


Residuals = Callable[..., list[float]]


@pytest.fixture
def residuals(monkeypatch: pytest.MonkeyPatch) -> Residuals:
    """What a calibration makes of labelled items of a skill."""

    def of(*items: LabelledItem, skill: str = "notes", calibration: Calibration = CALIBRATION) -> list[float]:
        asked: list[str] = []

        def labelled(store: object, *, skill: str) -> list[LabelledItem]:
            asked.append(skill)
            return list(items)

        monkeypatch.setattr(borrowed_calibrations, "labelled_items", labelled)
        store: Any = SimpleNamespace()
        made = borrowed_calibrations._residuals(calibration, skill, store)
        assert asked == ([skill] if "final" in calibration.curves else [])
        return made

    return of


def test_people_s_scores_less_the_calibrated_ones(residuals: Residuals):
    """6 becomes 5: people say 7, 5 and, on average of 3 and 4, 3.5."""
    assert residuals(item(label("7")), item(label("5")), item(label("3"), label("4"))) == [2.0, 0.0, -1.5]


def test_labels_that_are_older_than_the_calibration_count_only_for_another_skill(residuals: Residuals):
    """Labels of the same moment count as older."""
    old, new = label("7", imported=MOMENT), label("9", imported=MOMENT + 1)
    assert residuals(item(old)) == []
    assert residuals(item(old, new)) == [4.0]
    assert residuals(item(old), skill="mails") == [2.0]
    assert residuals(item(old, new), skill="mails") == [3.0]


def test_a_person_s_own_judgement_counts_as_a_label_does(residuals: Residuals):
    """It is made after the calibration too; the judge's evaluations are used whenever they were made."""
    for completed, found in ((MOMENT, []), (MOMENT + 1, [3.0])):
        records = [record(), record(8, judge="human:ana", completed=completed)]
        assert residuals(item(records=records)) == found


def test_only_what_this_judge_said_with_this_rubric_is_calibrated(residuals: Residuals):
    """The newest of several: 8 becomes 7."""
    assert residuals(item(label("7"), records=[record(judge="model:b")])) == []
    other = record()._replace(rubric_sha256="1" * 64)
    assert residuals(item(label("7"), records=[other])) == []
    assert residuals(item(label("7"), records=[record(6), record(8), record(4, judge="model:b")])) == [0.0]


def test_what_has_no_score_no_label_or_lies_beyond_the_labelled_range_is_left_out(residuals: Residuals):
    """From 5 to 7 were labelled; a point beyond still is in range: 8 becomes 7, and 4 becomes 3."""
    unscored = record()._replace(final=None)
    assert residuals(item(label("7"), records=[unscored])) == []
    assert residuals(item(label("7", field="safety"))) == []
    assert residuals(item(label("7", rater="judge:model:b"))) == []
    narrow = CALIBRATION._replace(curves={"final": CURVE._replace(low=5.0, high=7.0)})
    for score, found in ((8, [0.0]), (8.1, []), (4, [4.0]), (3.9, [])):
        assert residuals(item(label("7"), records=[record(score)]), calibration=narrow) == found
    assert residuals(item(label("7")), calibration=CALIBRATION._replace(curves={"safety": CURVE})) == []


def test_a_case_counts_once_with_the_mean_of_its_outputs(residuals: Residuals):
    """2 and 0 of one case, -1 of another."""
    rows = [("7", "a"), ("5", "a"), ("4", "b")]
    items = [item(label(value), records=[record(case=case)]) for value, case in rows]
    assert residuals(*items) == [1.0, -1.0]
    apart = [item(label(value), records=[record(case=f"{case}{place}")]) for place, (value, case) in enumerate(rows)]
    assert residuals(*apart) == [2.0, 0.0, -1.0]


def test_scores_are_those_of_the_judge_and_lengths_those_of_the_kept_texts():
    """An unscored dimension adds nothing; an evaluation that the store has not, or without its text, has no length."""
    texts = {"a": json.dumps({"output": "four"}), "b": None}
    store: Any = SimpleNamespace(get=lambda id: record()._replace(id=id, submission=texts[id]) if id in texts else None)
    cards = [card(6, id="a"), card(7, id="b"), card(8, id="c")]
    blank = cards[0].dimensions | {"safety": cards[0].dimensions["safety"]._replace(score=None)}
    cards[0] = cards[0]._replace(dimensions=blank)
    now = borrowed_calibrations._now(cards, store)
    assert now["final"] == [6.0, 7.0, 8.0] and now["correctness"] == [6.0, 7.0, 8.0]
    assert (now["safety"], now["length"]) == ([7.0, 8.0], [4.0])
    assert "length" not in borrowed_calibrations._now(cards, None)
    assert borrowed_calibrations._now([cards[0]._replace(final=None)], None).get("final") in (None, [6.0])


def test_each_skill_is_judged_by_its_own_outputs_and_labels(monkeypatch: pytest.MonkeyPatch):
    """Notes were labelled; of mails nothing is known, until their labels fit. Without a store no label is known."""
    by_skill = {"notes": [], "mails": [item(label("5"), records=[record(case=str(n))]) for n in range(8)]}
    monkeypatch.setattr(borrowed_calibrations, "labelled_items", lambda store, *, skill: by_skill[skill])
    store: Any = SimpleNamespace(get=lambda id: None)
    cards = [card(skill="notes"), card(skill="mails"), card(skill="notes")]
    found = check_transport(CALIBRATION, cards, store)
    assert {skill: (entry.verdict, entry.labels) for skill, entry in found.items()} == {
        "notes": ("holds", 0), "mails": ("holds", 8),
    }  # fmt: skip
    assert misplaced_skills(CALIBRATION, cards, store) == {}
    alone = check_transport(CALIBRATION, cards, None)
    assert {skill: entry.verdict for skill, entry in alone.items()} == {"notes": "holds", "mails": "unknown"}
    assert misplaced_skills(CALIBRATION, cards, None) == {"mails": alone["mails"].says}
    assert Decimal(6) == cards[0].final


@pytest.mark.parametrize(("given", "colour"), [(None, "green"), ("notes", "green"), ("other", "red")])
def test_pairs_in_python_are_of_the_skill_of_the_scorecard_or_of_the_one_given(given: str | None, colour: str) -> None:
    """As with a table at the command."""
    pairs = [(3 + n / 20, 2.5 + n / 20) for n in range(120)]
    made = evenhand.trust.calibrate(pairs, like=card(8), skill=given)
    assert made.skills == (given or "notes",)
    assert [ruling.colour for ruling in evenhand.gate([card(8)], calibration=made)] == [colour]
