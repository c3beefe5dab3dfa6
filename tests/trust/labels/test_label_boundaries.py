"""Where the rules of labels begin and end: what a label names, how items were drawn, numbers in cells."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import make_rubric

import evenhand
from evenhand.core.receipt import sha256
from evenhand.core.scorecard import DOUBT, SAMPLE
from evenhand.errors import InputError
from evenhand.files.tables import Row, Table
from evenhand.store.record import REVIEW, SUITE
from evenhand.trust.labels import review_rounds
from evenhand.trust.labels.judged_items import (
    JudgedItem,
    clusters_by_field,
    pairs_by_field,
    people_scores,
    record_clusters,
    table_clusters,
    table_scores,
    verdict_cells,
)
from evenhand.trust.labels.label_import import import_files, import_labels
from evenhand.trust.labels.label_matches import Index, LabelledItem, labelled_items, path_parts
from evenhand.trust.labels.label_samples import NOT_DECLARED, drawn_at_random, drawn_by_doubt, table_chances
from evenhand.trust.labels.rating import Entry
from evenhand.trust.labels.review_rounds import NO_TEXT, OTHER_RUBRIC, SAME_WORK, Request
from evenhand.trust.labels.table_layout import Options
from evenhand.trust.labels.value_scales import by_field, scale_of_values
from evenhand.work.label import Label
from evenhand.work.submission import Submission


def table(*lines: str, source: str = "t.csv") -> Table:
    """A table from lines with cells between bars; empty ones are missing."""
    head, *rows = [line.split("|") for line in lines]
    made = [Row(n, {name: cell or None for name, cell in zip(head, row, strict=True)}) for n, row in enumerate(rows, 2)]
    return Table(source, tuple(head), tuple(made))


def label(item: str = "a", kind: Any = "id", **more: Any) -> Label:
    fields: dict[str, Any] = {
        "kind": kind,
        "item": item,
        "rater": "human:ana",
        "field": "final",
        "value": "8",
        "scale": "1-10",
        "written": "8",
        "rule": None,
        "source": "t.csv:2",
        "imported": 100,
    }
    return Label(**fields | more)


def record(id: str, completed: int = 0, **more: Any) -> Any:
    """As much of an evaluation as labels look at."""
    fields = {
        "id": id,
        "case_id": id,
        "completed": completed,
        "created": f"2026-01-{completed + 1:02}",
        "in_history": 1,
        "submission": None,
        "document": {},
        "judge": '{"name": "model:m"}',
        "skill": "notes",
        "rubric": "default",
        "rubric_sha256": "r",
        "final": 800,
        "scores": (800,) * 7,
    }
    return SimpleNamespace(**fields | more)


def submitted(digest: str, **more: Any) -> dict[str, Any]:
    return {"receipt": {"submission": digest}, **more}


# --- what a label names


@pytest.mark.parametrize(("imported", "item"), [(9, "s1"), (10, "s1"), (19, "s1"), (20, "s2"), (99, "s2")])
def test_a_case_that_was_judged_again_is_what_was_newest_when_the_label_came(imported, item):
    """At that very moment, too; before all of them, it is the first."""
    index = Index(
        [
            record("e1", 10, case_id="c", document=submitted("s1")),
            record("e2", 20, case_id="c", document=submitted("s2")),
        ]
    )
    assert index.item_of(label("c", imported=imported)) == item


def test_an_evaluation_is_named_by_its_id_its_submission_or_its_text():
    """Of two with one text the first; in a suite, whose variants share cases, a case names none."""
    kept = json.dumps({"output": "Done."})
    index = Index(
        [
            record("e1", document=submitted("s1"), submission=kept),
            record("e2", document=submitted("s2"), submission=kept),
            record("e3", case_id="c", in_history=SUITE),
        ]
    )
    assert index.item_of(label("e2")) == "s2"
    assert index.item_of(label("s2", "submission")) == "s2"
    assert index.item_of(label(sha256("Done."), "text")) == "s1"
    assert index.outputs == {sha256("Done."): "Done."}
    assert index.item_of(label("e3")) == "id:e3"
    assert index.item_of(label("c")) is None
    assert index.item_of(label("s1")) is None
    assert index.ids == ["e1", "e2", "e3"]
    assert sorted(index.items) == ["id:e3", "s1", "s2"]


def test_a_file_is_named_by_the_end_of_its_path_if_only_one_has_it():
    """The whole path is tried first; of a file that was judged twice the newer evaluation counts."""
    index = Index(
        [
            record("e1", 10, document=submitted("s1", output="./runs\\a.md")),
            record("e2", 20, document=submitted("s2", output="runs/a.md")),
            record("e3", 30, document=submitted("s3", output="more/runs/a.md")),
            record("e4", 40, document=submitted("s4", output="b.md")),
            record("e5", 50, document=submitted("s5", output="deep/b.md")),
        ]
    )
    assert index.item_of(label("runs/a.md", "file", imported=15)) == "s1"
    assert index.item_of(label("runs/a.md", "file", imported=25)) == "s2"
    assert index.item_of(label("more/runs/a.md", "file")) == "s3"
    assert index.item_of(label("a.md", "file")) is None
    assert index.item_of(label("b.md", "file")) == "s4"
    assert index.item_of(label("p/b.md", "file")) is None
    assert index.item_of(label("", "file")) is None
    assert index.files("a.md") == ["runs/a.md", "more/runs/a.md"]
    assert index.files("") == []
    assert path_parts("./runs\\a.md") == ("runs", "a.md")


def test_a_decision_that_its_reviewer_corrected_does_not_count():
    """Only a review corrects: a field of that name elsewhere means nothing."""
    index = Index(
        [
            record("e1", document=submitted("s")),
            record("r1", document=submitted("s", review={"round": "1"}), in_history=REVIEW),
            record("r2", document=submitted("s", review={"corrects": "r1"}), in_history=REVIEW),
            record("x", document=submitted("s", review={"corrects": "e1"})),
        ]
    )
    assert index.corrected == {"r1"}
    assert [entry.id for entry in index.counting("s")] == ["e1", "r2", "x"]
    assert index.counting("absent") == ()


def test_items_of_one_skill_have_only_the_labels_of_what_was_judged():
    class Known:
        def evaluations(self, skill: str | None) -> list[Any]:
            return [record("e1", document=submitted("s1"))]

        def labels(self, fields: Any) -> list[Label]:
            return [label("e1"), label("other"), label("other", rater="human:bo")]

    store: Any = Known()
    assert [(entry.item, len(entry.labels)) for entry in labelled_items(store)] == [("s1", 1), ("id:other", 2)]
    assert [(entry.item, len(entry.labels)) for entry in labelled_items(store, skill="notes")] == [("s1", 1)]


def test_people_score_by_labels_and_by_judgements_of_their_own():
    """A label from 1 to 10, a pass, a decision; a judge's label and another scale count for nothing.

    final: (8 + 6) / 2 = 7; two of three people passed it.
    """
    labels = (
        label(value="8"),
        label(rater="judge:m", value="1"),
        label(rater="human:bo", value="3", scale="1-5"),
        label(rater="human:bo", field="mood", value="9"),
        label(rater="human:cy", field="pass", value="pass", scale="pass"),
        label(rater="human:di", field="pass", value="fail", scale="pass"),
        label(rater="human:ed", field="pass", value="pass", scale="pass"),
    )
    own = record("r", judge='{"name": "human:fe"}', final=600, scores=(600, None, None, None, None, None, 700))
    labelled = LabelledItem("s", (record("e"), own), labels)
    scores, raters = people_scores(labelled)
    assert scores == {"final": 7.0, "pass": pytest.approx(2 / 3), "correctness": 6.0, "consistency": 7.0}
    assert raters == {"human:ana", "human:cy", "human:di", "human:ed", "human:fe"}
    assert [entry.id for entry in labelled.by_judges] == ["e"]


# --- how items were drawn


def item(name: str, *rounds: tuple[str, str], labelled: bool = True, created: str = "2026-01-01") -> JudgedItem:
    made = record(name, created=created, document={"doubt": name}, final=0)
    people = {"final": 7.0} if labelled else {}
    return JudgedItem(name, made, people, frozenset({"ana"}), frozenset(rounds), {round: 0.25 for _, round in rounds})


def test_of_several_random_rounds_the_one_with_most_labels_counts_where_others_are_by_doubt():
    """With as many, the first by name. What is not of that round has no labels."""
    items = [
        item("a", (SAMPLE, "two"), (SAMPLE, "one")),
        item("b", (SAMPLE, "two")),
        item("c", (SAMPLE, "one")),
        item("d", (DOUBT, "three")),
        item("e", labelled=False),
    ]
    assert [bool(entry.people) for entry in drawn_at_random(items, False)] == [True, False, True, False, False]
    more = [*items, item("f", (SAMPLE, "two"))]
    assert [entry.item for entry in drawn_at_random(more, False) if entry.people] == ["a", "b", "f"]


def test_labels_by_doubt_alone_are_not_a_random_sample():
    """Whatever is declared; one that has no label does not count."""
    items = [item("a", (DOUBT, "one")), item("b"), item("c", (DOUBT, "one"), labelled=False)]
    with pytest.raises(InputError, match="no estimate: 1 of the labelled items were chosen for review by doubt"):
        drawn_at_random(items, True)


def test_a_random_sample_is_recorded_for_all_labels_or_declared():
    sampled = [item("a", (SAMPLE, "one")), item("b", (SAMPLE, "one")), item("c", labelled=False)]
    assert drawn_at_random(sampled, False) == sampled
    mixed = [*sampled, item("d", (SAMPLE, "two"))]
    for items in (mixed, [item("a")], [item("a", labelled=False)], []):
        with pytest.raises(InputError) as error:
            drawn_at_random(items, False)
        assert str(error.value) == NOT_DECLARED
        assert drawn_at_random(items, True) == items


def drawn(items: list[JudgedItem], population: int, created: str = "2026-01-05") -> list[tuple[str, float | None]]:
    started = SimpleNamespace(population=population, created=created)
    store: Any = SimpleNamespace(review_round=lambda id: started if id == "one" else None)
    return [(entry.item, chance) for entry, chance in drawn_by_doubt(store, items)]


def test_items_in_doubt_have_the_chance_of_the_one_round(monkeypatch):
    """Those that were there when it was drawn, at that moment too; an item of it without a label has no chance."""
    monkeypatch.setattr(
        "evenhand.trust.labels.label_samples.doubts_of",
        lambda document, final: document["doubt"] != "sure" and final == 0,
    )
    items = [
        item("a", (DOUBT, "one"), created="2026-01-05"),
        item("b", created="2026-01-04"),
        item("late", created="2026-01-06"),
        item("sure"),
        item("c", (DOUBT, "one"), (SAMPLE, "x"), labelled=False),
    ]
    assert drawn(items, 3) == [("a", 0.25), ("b", None), ("c", None)]
    with pytest.raises(InputError, match="was drawn from 4 doubtful items, and 3 of this judge"):
        drawn(items, 4)
    with pytest.raises(InputError, match="no estimate: several rounds of doubtful items"):
        drawn([*items, item("d", (DOUBT, "two"))], 3)
    with pytest.raises(InputError, match="no estimate: no round of doubtful items"):
        drawn([item("d", (SAMPLE, "two"))], 1)
    with pytest.raises(InputError, match="the round other was started in another store"):
        drawn([item("d", (DOUBT, "other"))], 1)


def test_chances_in_a_table_are_those_of_its_labels():
    """Above 0 and at most 1; None where all are the same, or there is no such column."""
    assert table_chances(table("judge|people", "7|8")) is None
    assert table_chances(table("people|probability", "8|0.5", "7|0.5", "|")) is None
    assert table_chances(table("people|probability", "8|0.5", "7|1", "|", "|0.1")) == [0.5, 1.0, None, 0.1]
    assert table_chances(table("people|probability", "8|", "7|")) is None
    with pytest.raises(InputError) as error:
        table_chances(table("people_1|judge|probability", "8|7|0", "|7|", "8|7|1.01", "8|7|x", "7|7|", "8|7|0.5"))
    assert [(problem.line, problem.message) for problem in error.value.problems] == [
        (2, 'probability is "0"; it must be above 0 and at most 1'),
        (4, 'probability is "1.01"; it must be above 0 and at most 1'),
        (5, 'probability is "x"; it must be above 0 and at most 1'),
        (6, "this label has no probability; give its sampling probability"),
    ]


# --- numbers in cells


def test_a_cell_of_scores_is_a_number_on_its_scale():
    """Both ends belong to it; a missing one is missing, and every wrong one is listed."""
    rows = table_scores(table("judge|people", "1|10", "|5", "7|"), scale=(1, 10))
    assert rows == [(1.0, 10.0), (None, 5.0), (7.0, None)]
    with pytest.raises(InputError) as error:
        table_scores(table("judge|people", "0.9|10.1", "x|nan", "inf|5"), scale=(1, 10))
    assert [str(problem) for problem in error.value.problems] == [
        't.csv:2: judge is "0.9"; it must be a number from 1 to 10',
        't.csv:2: people is "10.1"; it must be a number from 1 to 10',
        't.csv:3: judge is "x"; it must be a number from 1 to 10',
        't.csv:3: people is "nan"; it must be a number from 1 to 10',
        't.csv:4: judge is "inf"; it must be a number from 1 to 10',
    ]
    assert table_scores(table("a|b", "-5|500"), "a", "b") == [(-5.0, 500.0)]
    with pytest.raises(InputError, match="people"):
        table_scores(table("judge|other", "1|2"))


def test_pairs_are_by_field_and_need_both_scores():
    made = table("judge|people|field|case", "1|2||x", "3|4|safety|x", "5||safety|y", "|6|final|z", "7|8|final| w ")
    assert pairs_by_field(made) == {"final": [(1.0, 2.0), (7.0, 8.0)], "safety": [(3.0, 4.0)]}
    assert clusters_by_field(made, "case") == {"final": ["x", "w"], "safety": ["x"]}
    assert pairs_by_field(made, ("people", "judge"))["safety"] == [(4.0, 3.0)]
    with pytest.raises(InputError, match=r't.csv:3: .*"sefety"'):
        pairs_by_field(table("judge|people|field", "1|2|", "3|4|sefety"))
    with pytest.raises(InputError, match=r't.csv:3: has no cluster in the column "case"'):
        table_clusters(table("case|x", "a|1", "|2"), "case")
    assert table_clusters(table("case|x", " a |1"), "case") == ["a"]


def test_verdicts_are_words_or_one_and_zero():
    made = table("judge|people", "pass|FAIL", " yes |no", "True|false", "1|0", "1.0|0.0", "|passed", "failed|")
    assert verdict_cells(made, "judge", "people") == [
        (1.0, 0.0),
        (1.0, 0.0),
        (1.0, 0.0),
        (1.0, 0.0),
        (1.0, 0.0),
        (None, 1.0),
        (0.0, None),
    ]
    with pytest.raises(InputError, match=r't.csv:3: people is "7", which is not a verdict'):
        verdict_cells(table("judge|people", "pass|fail", "pass|7"), "judge", "people")


def test_items_are_clustered_by_case_or_else_by_task():
    """Where some share one and not all do; every item needs one."""

    def of(*pairs: tuple[str, str | None]) -> Any:
        return record_clusters(
            [
                record(f"e{n}", case_id=case, document={} if task is None else {"task": task})
                for n, (case, task) in enumerate(pairs)
            ]
        )

    assert of(("a", "x"), ("a", "x"), ("b", "x")) == ["a", "a", "b"]
    assert of(("a", "x"), ("b", "x"), ("c", "y")) == ["x", "x", "y"]
    assert of(("a", "x"), ("b", "x")) is None  # one task of all
    assert of(("a", "x"), ("b", "x"), ("c", None)) is None
    assert of(("a", "x"), ("b", "y")) is None
    assert of(("a", "x"), ("a", "x"), ("a", "y")) == ["x", "x", "y"]
    suites = [record("e", case_id="e", document={"suite": {"case": name}}) for name in ("p", "p", "q")]
    assert record_clusters(suites) == ["p", "p", "q"]
    kept = [record("e", submission=json.dumps({"task": name}), document={"task": "no"}) for name in ("p", "p", "q")]
    for place, entry in enumerate(kept):
        entry.case = f"c{place}"
    assert record_clusters(kept) == ["p", "p", "q"]


# --- scales


def test_an_option_holds_for_its_field_or_for_all_others():
    fields = {"final": 1, "safety": 2}
    assert by_field(["final=1-5", "1-7"], fields, "scale") == {"final": "1-5", "safety": "1-7"}
    assert by_field(["1-7", " safety =1-5"], fields, "scale") == {"final": "1-7", "safety": "1-5"}
    assert by_field(["1=2,2=4"], fields, "rule") == {"final": "1=2,2=4", "safety": "1=2,2=4"}
    with pytest.raises(InputError, match='`scale` "style=1-5": no values of "style" here; fields: final, safety'):
        by_field(["style=1-5"], fields, "scale")


def values(*texts: str) -> Any:
    entries = [Entry(line, "i", "ana", "f", text) for line, text in enumerate(texts, 2)]
    return scale_of_values(table("f"), entries)


def test_values_are_numbers_or_words_and_a_few_words_among_numbers_are_doubtful():
    """Fewer than half of them; half may be categories."""
    assert values("1", "2.5", "-3").name == "numbers"
    assert values("yes", "no", "yes").name == "categories"
    assert values("yes", "1").name == "categories"
    with pytest.raises(InputError, match=r't.csv:4: "n/k" by ana is not a number, as most values of f are'):
        values("1", "2", "n/k")
    with pytest.raises(InputError, match=r't.csv:2: "1,5" is not a number; if it has a decimal comma'):
        values("1,5", "2,25")
    with pytest.raises(InputError, match=r't.csv:4: "YES" and "yes" of line 2 differ in case or white space only'):
        values("yes", "no", "YES")


# --- imports


@pytest.fixture
def store(tmp_path):
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    opened.create()
    yield opened
    opened.close()


def two_files(*second: str) -> list[tuple[Table, Options]]:
    first = table("item|rater|final", "a|ana|7", "b|ana|8", source="one.csv")
    return [(first, Options({})), (table("item|rater|final", *second, source="two.csv"), Options({}))]


def test_several_files_are_stored_together(store):
    results = import_files(store, two_files("c|ana|9"))
    assert [(result.source, result.added, result.dry_run) for result in results] == [
        ("one.csv", 2, False),
        ("two.csv", 1, False),
    ]
    assert len(list(store.labels())) == 3


@pytest.mark.parametrize(("dry_run", "skip_bad", "stored"), [(False, False, 0), (True, True, 0), (False, True, 2)])
def test_a_problem_in_one_file_keeps_all_of_them_out_unless_it_is_skipped(dry_run, skip_bad, stored, store):
    results = import_files(store, two_files("c|ana|99"), dry_run=dry_run, skip_bad=skip_bad)
    assert [len(result.problems) for result in results] == [0, 1]
    assert [result.dry_run for result in results] == [dry_run, dry_run]
    assert [result.added for result in results] == [stored, 0]
    assert len(list(store.labels())) == stored


def test_two_files_that_disagree_are_in_conflict(store):
    """On the second one's line; the same value twice is none."""
    results = import_files(store, two_files("a|ana|7", "b|ana|6"))
    assert [problem.message for result in results for problem in result.problems] == [
        'conflict: final by human:ana of "b" is 6 here and 8 in one.csv:3; keep one'
    ]
    assert [(problem.source, problem.line) for problem in results[1].problems] == [("two.csv", 3)]
    assert list(store.labels()) == []
    one = import_files(store, two_files("a|ana|7")[:1], dry_run=True)
    assert [(result.added, result.dry_run) for result in one] == [(0, True)]


@pytest.mark.parametrize(
    ("rows", "noted"),
    [
        (("a|ana|5", "b|ana|1"), True),
        (("a|ana|5", "b|ana|6"), False),
        (("a|ana|5", "b|ana|5"), False),  # one value alone tells nothing
    ],
)
def test_values_up_to_five_only_are_noted(rows, noted):
    result = import_labels(None, table("item|rater|final", *rows), Options({}))
    assert bool([note for note in result.notes if note.startswith("no final is above 5")]) is noted
    assert (result.added, result.known, result.items, result.raters) == (0, 0, 2, ("human:ana",))


def test_what_nobody_judges_is_compared_among_people(store):
    """Unless a judge's values are in the table."""
    result = import_labels(store, table("item|rater|mood", "a|ana|3", "a|judge:m|4"), Options({"mood": "mood"}))
    assert not [note for note in result.notes if "no judge scores" in note]
    alone = import_labels(None, table("item|rater|mood", "a|ana|3", "b|ana|4"), Options({"mood": "mood"}))
    assert [note for note in alone.notes if "no judge scores" in note] == [
        'no judge scores "mood", so it is compared among people only (see `roles` and `field`)'
    ]


def test_a_value_twice_is_a_duplicate_and_two_values_are_a_conflict_that_keeps_neither():
    made = table("item|rater|final", "a|ana|7", "a|ana|7", "b|ana|8", "b|ana|9", "c|ana|5")
    result = import_labels(None, made, Options({}))
    assert [(problem.line, problem.message) for problem in result.problems] == [
        (3, 'duplicate: final by ana of "a" is on line 2 already; keep one'),
        (5, 'conflict: final by ana of "b" is on line 4 already, with 8 there and 9 here; keep one'),
    ]
    assert [entry.item for entry in result.labels] == ["a", "c"]


# --- rounds


def candidate(id: str, submission: str | None = None, **more: Any) -> Any:
    """As much of an evaluation as is looked at to choose it; its text is kept."""
    fields = {
        "id": id,
        "skill": "notes",
        "submission": submission,
        "text_kept": True,
        "rescored": False,
        "judge": '{"name": "model:m"}',
        "rubric": "default",
        "rubric_sha256": "r",
        "final": 800,
        "disputed": False,
        "alarm": False,
    }
    return SimpleNamespace(**fields | more)


class Judged:
    """A store with some evaluations; of one that was judged from a file, that file is there."""

    url = "store"

    def __init__(self, *candidates: Any) -> None:
        self.candidates = candidates

    def review_candidates(self, skill: str | None) -> Any:
        return [entry for entry in self.candidates if skill in (None, entry.skill)]

    def get(self, id: str) -> Any:
        return record(id, document={"text": "t"} if id == "file" else {})


def population(request: Request, *candidates: Any) -> Any:
    store: Any = Judged(*candidates)
    return review_rounds._Population(store, request)


@pytest.fixture
def rubrics(monkeypatch):
    """One rubric is here as it was, and one transcript."""
    rubric = make_rubric()
    monkeypatch.setattr(review_rounds, "installed", lambda name, digest: rubric if digest == "r" else None)
    monkeypatch.setattr(review_rounds, "transcript_text", lambda document: document.get("text"))
    return rubric


def test_what_can_be_reviewed_has_a_text_and_its_rubric(rubrics):
    """A text that was kept, or a file that may be read; no person's judgement, and nothing that was only rescored."""
    candidates = [
        candidate("kept", "s1", final=752, disputed=True, alarm=False),
        candidate("no-hash"),
        candidate("file", "s2", text_kept=False),
        candidate("gone", "s3", text_kept=False),
        candidate("person", "s4", judge='{"name": "human:ana"}'),
        candidate("rescored", "s5", rescored=True),
        candidate("other-rubric", "s6", rubric_sha256="q"),
    ]
    closed = population(Request(SAMPLE, 1), *candidates)
    ((key, row),) = closed.rows.items()
    assert (key, row.id, row.skill, row.rubric_sha256, row.submission) == ("s1 r", "kept", "notes", "r", "s1")
    assert row.doubts == review_rounds.doubts_in(752, disputed=True, alarm=False) != ()
    assert row.transcript is None
    assert closed.left_out == {NO_TEXT: 3, OTHER_RUBRIC: 1, SAME_WORK: 0}
    opened = population(Request(SAMPLE, 1, read_files=True), *candidates)
    assert sorted(opened.rows) == ["s1 r", "s2 r"]
    assert opened.rows["s2 r"].transcript == {"text": "t"}
    assert opened.left_out == {NO_TEXT: 2, OTHER_RUBRIC: 1, SAME_WORK: 0}
    assert review_rounds._transcripts(opened.rows.values()) == {"s2": "t"}


def test_the_latest_evaluation_of_a_work_is_chosen_and_all_are_known(rubrics):
    made = population(
        Request(SAMPLE, 1),
        candidate("first", "s1"),
        candidate("person", "s1", judge='{"name": "human:ana"}'),
        candidate("second", "s1"),
        candidate("other", "s2"),
    )
    assert [row.id for row in made.rows.values()] == ["second", "other"]
    assert made.left_out[SAME_WORK] == 1
    assert made.works({"s2", "s1"}) == [("s1", "first"), ("s1", "person"), ("s1", "second"), ("s2", "other")]
    assert sorted(made.rubric_texts({"r"})) == ["r"]
    assert made.rubric_texts({"q"}) == {}


def test_a_round_of_one_rubric_has_only_what_was_judged_with_it_as_it_is(rubrics):
    terms = SimpleNamespace(rubric="default", sha256="r")
    chosen: Any = SimpleNamespace(rubric=rubrics, terms=terms, found_as="default")
    made = population(
        Request(SAMPLE, 1, rubric=chosen),
        candidate("fits", "s1"),
        candidate("changed", "s2", rubric_sha256="q"),
        candidate("another", "s3", rubric="notes"),
    )
    assert [row.id for row in made.rows.values()] == ["fits"]
    assert made.left_out == {OTHER_RUBRIC: 1, SAME_WORK: 0}


def test_where_nothing_can_be_reviewed_the_reasons_are_counted():
    store: Any = Judged()
    none = review_rounds._nothing
    assert none(store, Request(DOUBT, 5), 3, {}) == (
        "none of 3 evaluations is in doubt; choose by random sample instead: --sample 5"
    )
    assert none(store, Request(SAMPLE, 5), 0, {}) == "store has no evaluation that people can review"
    assert none(store, Request(SAMPLE, 5, "notes"), 0, {"why": 2, "else": 0, "more": 1}) == (
        'store has no evaluation of the skill "notes" that people can review (2 left out: why; 1 left out: more)'
    )


def test_a_round_is_known_by_what_was_chosen_and_how(rubrics):
    """A change of any of it is another round."""
    chosen: Any = SimpleNamespace(terms=SimpleNamespace(sha256="r"))
    base = (Request(SAMPLE, 2), "7", ["a", "b"], 5)
    others = [
        (Request(DOUBT, 2), "7", ["a", "b"], 5),
        (Request(SAMPLE, 2, "notes"), "7", ["a", "b"], 5),
        (Request(SAMPLE, 2, rubric=chosen), "7", ["a", "b"], 5),
        (Request(SAMPLE, 2), "8", ["a", "b"], 5),
        (Request(SAMPLE, 2), "7", ["a"], 5),
        (Request(SAMPLE, 2), "7", ["a", "b"], 6),
    ]
    ids = [review_rounds._round_id(*words) for words in (base, *others)]
    assert len(set(ids)) == 7 and {len(id) for id in ids} == {12}
    assert review_rounds._round_id(Request(SAMPLE, 3), "7", ["a", "b"], 5) == ids[0]


# --- transcripts


@pytest.mark.parametrize("error", [InputError("not readable"), OSError("gone"), ValueError("a NUL")])
def test_a_file_that_cannot_be_read_again_has_no_transcript(error, tmp_path, monkeypatch):
    def refuse(source: str) -> None:
        raise error

    (tmp_path / "run.jsonl").touch()
    monkeypatch.setattr(review_rounds, "read", refuse)
    assert review_rounds.transcript_text({"output": str(tmp_path / "run.jsonl")}) is None
    assert review_rounds.transcript_text({"output": str(tmp_path / "absent")}) is None
    assert review_rounds.transcript_text({}) is None


def test_of_several_transcripts_in_a_file_the_one_that_was_judged_is_taken(tmp_path, monkeypatch):
    """One that cannot be read is passed by; task and reference are the scorecard's."""
    (tmp_path / "runs.jsonl").touch()
    found = [InputError("broken"), Submission("other"), Submission("mine")]
    monkeypatch.setattr(review_rounds, "read", lambda source: iter(found))
    judged = Submission("mine", task="t", reference="r")
    document = {
        "output": str(tmp_path / "runs.jsonl"),
        "task": "t",
        "reference": "r",
        "receipt": {"submission": review_rounds.submission_sha256(judged)},
    }
    assert review_rounds.transcript_text(document) == review_rounds.submission_text(judged)
    assert review_rounds.transcript_text({**document, "task": "u"}) is None
