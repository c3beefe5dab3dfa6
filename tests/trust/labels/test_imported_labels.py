"""Labels into a store: their items, scales and rules, what conflicts, and what `labels list --all` wrote taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import seven

import evenhand
from evenhand import InputError
from evenhand.core.receipt import sha256
from evenhand.files.tables import read_table
from evenhand.trust.labels.judged_items import judged_items
from evenhand.trust.labels.label_export import label_document
from evenhand.trust.labels.label_import import import_labels
from evenhand.trust.labels.label_matches import Index, labelled_items
from evenhand.trust.labels.table_layout import Options


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = evenhand.open_store("s.db")
    yield opened
    opened.close()


def put(store, id: str, output: str = "A text.", **more) -> None:
    judgement = {"id": id, "skill": "s", "judge": "model:a", "scores": seven(8)} | more
    evenhand.score(judgement, output=output, store=store)


def file_judged(store, path: str, output: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(output)
    evenhand.score({"skill": "s", "judge": "model:a", "output": path, "scores": seven(8)}, store=store)


def take(store, text: str, name: str = "l.csv", **more):
    Path(name).write_text(text)
    return evenhand.trust.import_labels(store, name, **more)


def stored(store) -> list[tuple[str, str, str, str]]:
    return [(label.item, label.rater, label.field, label.value) for label in store.labels()]


# --- importing


def test_labels_are_stored_with_what_they_are_and_where_they_came_from(store):
    put(store, "case")
    done = take(store, "item,rater,final,safety\ncase,ana,8,7.50\ncase,human:bob,6,\n")
    assert (done.added, done.known, done.items, done.problems, done.unmatched) == (3, 0, 1, (), ())
    assert (done.raters, done.fields, done.dry_run) == (("human:ana", "human:bob"), ("final", "safety"), False)
    first, third, second = sorted(store.labels(), key=lambda label: (label.field, label.rater))
    assert (first.kind, first.item, first.rater, first.field, first.value) == ("id", "case", "human:ana", "final", "8")
    assert (first.scale, first.written, first.rule, first.source) == ("1-10", "8", None, "l.csv:2")
    assert (second.value, second.written, third.rater, third.source) == ("7.5", "7.50", "human:bob", "l.csv:3")


def test_a_dry_run_and_a_problem_store_nothing(store):
    text = "item,rater,final\na,ana,8\na,bob,11\n"
    dry = take(store, text, dry_run=True)
    assert (dry.added, dry.dry_run, len(dry.labels)) == (0, True, 1)
    refused = take(store, text)
    assert refused.added == 0
    assert [str(problem) for problem in refused.problems] == [
        'l.csv:3: final by bob of "a": 11 is outside the scale 1-10'
    ]
    assert stored(store) == []
    assert take(store, text, settings={"labels.skip_bad": True}).added == 1
    assert stored(store) == [("a", "human:ana", "final", "8")]


def test_the_same_label_is_known_and_another_value_is_a_conflict(store):
    take(store, "item,rater,final\na,ana,8\n", "one.csv")
    again = take(store, "item,rater,final\na,ana,8\na,bob,7\n", "two.csv")
    assert (again.added, again.known) == (1, 1)
    other = take(store, "item,rater,final\na,ana,7\n", "three.csv")
    assert [str(problem) for problem in other.problems] == [
        'three.csv:2: conflict: final by human:ana of "a" is 7 here and 8 in the store (from one.csv:2); '
        "labels are never replaced"
    ]


def test_a_value_that_comes_twice_is_a_duplicate_or_a_conflict(store):
    """Of a conflict neither counts; of a duplicate the first does."""
    text = "item,rater,final\na,ana,8\na,ana,8\nb,ana,8\nb,ana,7\n"
    done = take(store, text, settings={"labels.skip_bad": True})
    assert [str(problem) for problem in done.problems] == [
        'l.csv:3: duplicate: final by ana of "a" is on line 2 already; keep one',
        'l.csv:5: conflict: final by ana of "b" is on line 4 already, with 8 there and 7 here; keep one',
    ]
    assert stored(store) == [("a", "human:ana", "final", "8")]


def test_items_that_no_evaluation_has_are_kept_and_listed(store):
    put(store, "case")
    done = take(store, "item,rater,final\ncase,ana,8\nelse,ana,7\nelse,bob,7\n")
    assert [str(problem) for problem in done.unmatched] == ['l.csv:3: no evaluation has the id "else"']
    assert done.added == 3


@pytest.mark.parametrize(
    ("column", "item", "message"),
    [
        (
            "item",
            "my  case",
            'conflict: "my  case" differs from the id "my case" in white space only; make them the same, or join them '
            "with `fold_ids`=true",
        ),
        ("output", "A  text.", 'conflict: "A  text." differs from the output of an evaluation in white space only'),
    ],
)
def test_an_item_that_differs_in_white_space_only_is_a_conflict(store, column, item, message):
    put(store, "my case")
    done = take(store, f"{column},rater,final\n{item},ana,8\n")
    assert done.added == 0
    assert message in str(done.problems[0])


def test_labels_join_by_text_and_by_submission(store):
    put(store, "case")
    submission = json.loads(store.get("case").scorecard)["receipt"]["submission"]
    take(store, "output,rater,final\nA text.,ana,8\n", "text.csv")
    take(store, f"submission,rater,final\n{submission},bob,7\n", "hash.csv")
    (item,) = labelled_items(store)
    assert item.item == submission
    assert {(label.rater, label.kind) for label in item.labels} == {("human:ana", "text"), ("human:bob", "submission")}
    assert next(label.item for label in item.labels if label.kind == "text") == sha256("A text.")
    assert [record.id for record in item.by_judges] == ["case"]


@pytest.mark.parametrize("name", ["runs/a.md", "./runs/a.md", "runs\\a.md", "a.md"])
def test_labels_join_by_the_name_or_the_path_of_the_judged_file(store, name):
    """However the path is written; a column called file says so."""
    put(store, "x", output="One.")
    file_judged(store, "runs/a.md", "Two.")
    done = take(store, f"file,rater,final\n{name},ana,8\n")
    assert (done.layout.kind, done.unmatched, done.added) == ("file", (), 1)
    joined = [item for item in labelled_items(store) if item.labels]
    assert [record.document["output"] for record in joined[0].by_judges] == ["runs/a.md"]


def test_a_name_that_several_judged_files_end_in_is_refused(store):
    """Nothing says which of them is meant; a whole path does."""
    file_judged(store, "v1/a.md", "One.")
    file_judged(store, "v2/a.md", "Two.")
    done = take(store, "file,rater,final\na.md,ana,8\n")
    assert done.added == 0
    assert str(done.problems[0]) == (
        'l.csv:2: conflict: "a.md" is the end of several judged files (v1/a.md, v2/a.md); write the whole path'
    )
    assert take(store, "file,rater,final\nv2/a.md,ana,8\n").added == 1
    assert take(store, "file,rater,final\nx/v2/a.md,ana,8\n").unmatched  # not the end of a judged path


def test_a_file_that_was_judged_again_is_the_newest_one_when_the_label_came(store):
    """As with the ids of cases."""
    file_judged(store, "a.md", "One.")
    file_judged(store, "a.md", "Two.")
    take(store, "file,rater,final\na.md,ana,8\n")
    (labelled,) = [item for item in labelled_items(store) if item.labels]
    assert json.loads(labelled.by_judges[0].submission)["output"] == "Two."


def test_an_id_that_is_the_name_of_a_judged_file_is_pointed_out_and_not_joined(store):
    """Which of the two is meant is not guessed."""
    file_judged(store, "runs/a.md", "Two.")
    done = take(store, "item,rater,final\na.md,ana,8\n")
    assert [str(problem) for problem in done.unmatched] == [
        'l.csv:2: no evaluation has the id "a.md"; it is the name of a file that was judged: `join` file'
    ]
    assert not [item for item in labelled_items(store) if item.labels and item.evaluations]


def test_a_judge_elsewhere_stands_beside_people_and_is_not_one_of_them(store):
    """It is compared with people; no calibration takes its values for theirs."""
    for number in range(4):
        put(store, f"c{number}", output=f"Text {number}.")
    take(store, "item,rater,final\n" + "".join(f"c{n},ana,{5 + n}\n" for n in range(4)))
    done = take(store, "item,final\n" + "".join(f"c{n},{6 + n}\n" for n in range(4)), "m.csv", rater="judge:other")
    assert done.raters == ("judge:other",)
    report = evenhand.trust.agree(store, fields=["final"])
    assert [(entry.between, entry.judge) for entry in report.comparisons] == [
        ("judge and people", "judge:other"),
        ("judge and people", "model:a"),
        ("judges", None),
    ]
    assert report.comparisons[0].coefficient("bias").value == 1.0
    items = judged_items(store, judge="model:a")[1]
    assert [item.people["final"] for item in items] == [5, 6, 7, 8]
    assert {name for item in items for name in item.raters} == {"human:ana"}


def test_of_several_files_all_are_stored_or_none(evenhand_command, store):
    """A value that two files give differently is a conflict between them."""
    put(store, "a")
    Path("one.csv").write_text("item,final\na,8\n")
    Path("two.csv").write_text("item,final\na,7\n")
    wrong = evenhand_command("trust", "labels", "import", "one.csv", "two.csv", "--rater", "ana", "--store", "s.db")
    assert (wrong.code, stored(store)) == (2, [])
    assert 'two.csv:2: conflict: final by human:ana of "a" is 7 here and 8 in one.csv:2; keep one' in wrong.err
    both = ("--rater", "ana", "--rater", "bob", "--store", "s.db")
    done = evenhand_command("trust", "labels", "import", "one.csv", "two.csv", *both)
    assert (done.code, stored(store)) == (0, [("a", "human:ana", "final", "8"), ("a", "human:bob", "final", "7")])
    assert "two.csv: 1 label added" in done.out
    three = evenhand_command("trust", "labels", "import", "one.csv", *both)
    assert (three.code, "--rater is given 2 times for 1 files" in three.err) == (2, True)


def test_labels_of_what_nobody_judged_are_items_of_their_own_but_not_of_a_skill(store):
    put(store, "case")
    take(store, "item,rater,final\ncase,ana,8\nelse,ana,7\n")
    assert [item.item for item in labelled_items(store)][1:] == ["id:else"]
    assert len(labelled_items(store, skill="s")) == 1
    assert labelled_items(store, skill="other") == []
    take(store, "item,rater,safety\ncase,ana,8\n", "more.csv")
    (only,) = labelled_items(store, skill="s", fields=["safety"])
    assert [label.field for label in only.labels] == ["safety"]


def test_evaluations_without_a_text_are_known_by_their_id(store):
    evenhand.score({"id": "bare", "scores": seven(8)}, store=store)
    index = Index(store.evaluations())
    take(store, "item,rater,final\nbare,ana,8\n")
    take(store, "output,rater,final\nA text.,ana,8\n", "t.csv")
    assert {label.kind: index.item_of(label) for label in store.labels()} == {"id": "id:bare", "text": None}
    assert (index.ids, index.outputs) == (["bare"], {})


def test_two_files_that_number_their_items_alike_are_pointed_out(store):
    """Unless an evaluation ties the items together."""
    take(store, "item,rater,final\n1,ana,8\n", "one.csv")
    second = take(store, "item,rater,final\n1,bob,8\n2,bob,7\n", "two.csv")
    assert second.notes[-1].startswith("1 items have labels from one.csv too and are taken as the same items; if they")
    third = take(store, "item,rater,safety\n1,cem,8\n", "three.csv")
    assert not any("are taken as the same" in note for note in third.notes)
    put(store, "1")
    fourth = take(store, "item,rater,final\n1,dora,8\n", "four.csv")
    assert not any("are taken as the same" in note for note in fourth.notes)


# --- scales and rules


def test_another_scale_of_a_judged_field_needs_a_rule(store):
    text = "item,rater,final\na,ana,5\na,bob,3\n"
    with pytest.raises(
        InputError, match="final is scored from 1 to 10, and these labels are on 1-5; say how one becomes"
    ):
        take(store, text, scale="1-5")
    with pytest.raises(InputError, match=r"and these labels are on low<high; .* `rule` poor=2"):
        take(store, "item,rater,final\na,ana,low\n", scale="low<high")
    done = take(store, text, scale="1-5", rule="linear")
    assert [(label.value, label.scale, label.rule, label.written) for label in done.labels] == [
        ("10", "1-10", "1-5 linear", "5"),
        ("5.5", "1-10", "1-5 linear", "3"),
    ]
    with pytest.raises(InputError, match="`rule`: "):
        take(store, text, scale="1-5", rule="twice")


def test_notes_point_at_what_may_be_meant_otherwise(store):
    """Only low values; a field that no judge scores."""
    low = take(store, "item,rater,final\na,ana,5\nb,ana,3\n", dry_run=True)
    assert low.notes == ("no final is above 5; if people rated from 1 to 5, use `scale` 1-5 `rule` linear",)
    assert take(store, "item,rater,final\na,ana,5.5\nb,ana,3\n", dry_run=True).notes == ()
    assert take(store, "item,rater,final\na,ana,5\nb,ana,5\n", dry_run=True).notes == ()
    own = take(store, "item,rater,rating\na,ana,1\n", field="tone", dry_run=True)
    assert own.notes == ('no judge scores "tone", so it is compared among people only (see `roles` and `field`)',)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("11", 'final by ana of "a": 11 is outside the scale 1-10'),
        ('"7,5"', "; numbers with a decimal comma need `decimal_comma`=true"),
        ("x", 'final by ana of "a": '),
    ],
)
def test_a_value_off_its_scale_is_reported_with_its_line(store, cell, message):
    done = take(store, f"item,rater,final\na,ana,{cell}\nb,ana,8\n")
    assert message in str(done.problems[0]) and done.problems[0].line == 2


@pytest.mark.parametrize("cell", ["x,5", "7,x", "7.5.1"])
def test_only_a_number_with_a_comma_is_asked_about(store, cell):
    done = take(store, f'item,rater,final\na,ana,"{cell}"\nb,ana,8\n')
    assert "decimal" not in str(done.problems[0])


def test_long_and_unprintable_names_are_shown_short(store):
    done = take(store, f"item,rater,final\n{'x' * 40},ana,11\n{'x' * 41},ana,11\na\tb,ana,11\n")
    shown = [str(problem).partition(' of "')[2].partition('"')[0] for problem in done.problems]
    assert shown == ["x" * 40, "x" * 37 + "...", "a\\tb"]


# --- exported


def exported(store) -> str:
    return "".join(json.dumps(label_document(label)) + "\n" for label in store.labels())


def test_what_was_exported_comes_back_as_it_was(store):
    take(store, "item,rater,final\na,ana,5\nb,bob,3\n", scale="1-5", rule="linear")
    text = exported(store)
    assert json.loads(text.splitlines()[0])["schema"] == "evenhand/label/v1"
    other = evenhand.open_store("other.db")
    dry = take(other, text, "e.jsonl", dry_run=True)
    assert (dry.added, dry.dry_run, list(other.labels())) == (0, True, [])
    done = take(other, text, "e.jsonl")
    assert (done.added, done.known, done.items) == (2, 0, 2)
    assert (done.raters, done.fields, done.layout.shape) == (("human:ana", "human:bob"), ("final",), "exported labels")
    assert list(other.labels()) == list(store.labels())
    again = take(other, text, "e.jsonl")
    assert (again.added, again.known) == (0, 2)
    other.close()


def test_an_export_without_a_store_is_only_looked_at(store):
    take(store, "item,rater,final\na,ana,5\n")
    Path("e.jsonl").write_text(exported(store))
    done = import_labels(None, read_table("e.jsonl"), Options())
    assert (done.added, len(done.labels)) == (0, 1)


def test_an_exported_label_with_another_value_is_a_conflict(store):
    take(store, "item,rater,final\na,ana,5\n")
    line = json.loads(exported(store)) | {"value": "6"}
    done = take(store, json.dumps(line) + "\n", "e.jsonl")
    assert done.added == 0
    assert "is 6 here and 5 in the store" in str(done.problems[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rater": None}, "e.jsonl:2: is not an exported label: has no rater"),
        ({"kind": "name"}, "its kind must be submission, id, text or file, and its rater human:NAME or judge:NAME"),
        ({"rater": "ana"}, "its kind must be submission, id, text or file, and its rater human:NAME or judge:NAME"),
        ({"value": "5.0"}, "5.0 is not written as the scale 1-10 has it"),
        ({"value": "11"}, "11 is outside the scale 1-10"),
        ({"imported": "x"}, "is not an exported label"),
    ],
)
def test_a_line_that_is_not_an_exported_label_is_refused(store, change, message):
    """A rule may be missing; nothing else may."""
    take(store, "item,rater,final\na,ana,5\n")
    good = json.loads(exported(store))
    lines = [json.dumps(good), json.dumps(good | change)]
    with pytest.raises(InputError) as error:
        take(store, "\n".join(lines) + "\n", "e.jsonl")
    assert message in str(error.value)
