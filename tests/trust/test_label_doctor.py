"""`labels doctor`, `--recode` and clusters in agreement: what a file holds, and what would become of it."""

from __future__ import annotations

import json

import pytest

from evenhand.errors import InputError
from evenhand.labels.rating_files import read_ratings
from evenhand.trust.label_doctor import diagnose, diagnosis_lines
from evenhand.trust.rater_agreement import agree_table

BENCH = {
    "annotations": [{"metric": "toxic", "category": "categorical", "labels_list": ["yes", "no"]}],
    "instances": [
        {"id": n, "annotations": {"toxic": {"majority_human": word, "individual_human_scores": [word, word]}}}
        for n, word in enumerate(["no", "yes", "no", "yes"])
    ],
}


@pytest.fixture
def ratings(tmp_path):
    def read(text: str, *, name: str = "t.csv", roles: dict[str, str] | None = None, **reading):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        table, options = read_ratings(str(path), reading, roles=roles or {})
        return table._replace(source=name), options

    return read


def test_fields_of_an_entry_keep_their_names_when_the_object_around_it_has_the_same(ratings):
    """Two people who always agree: alpha is 1, and the outer list of metrics is no rater."""
    roles = {"id": "item", "toxic.individual_human_scores": "toxic"}
    table, options = ratings(json.dumps(BENCH), name="bench.json", roles=roles, each=["instances"])
    (compared,) = agree_table(table, options).comparisons
    assert len(compared.raters) == 2
    assert compared.coefficient("alpha-nominal").value == 1.0


def test_a_file_that_is_one_object_is_told_how_to_be_read(ratings):
    """The list whose entries are the rows."""
    diagnosis = diagnose(*ratings(json.dumps(BENCH, indent=1), name="bench.json"))
    assert diagnosis.read_as == ""
    assert diagnosis.problems == (
        "bench.json: the file is one object; take a row for each entry of one of its lists: `each` instances",
    )


def test_a_diagnosis_says_what_each_column_holds_and_what_can_be_computed(ratings):
    """Two raters, one of whom left out an item."""
    diagnosis = diagnose(*ratings("item,ana,bo\na,1,2\nb,3,3\nc,5,\nd,4,4\n"))
    assert [column.holds for column in diagnosis.columns[1:]] == ["numbers from 1 to 5", "numbers from 2 to 4"]
    (field,) = diagnosis.fields
    assert (field.raters, field.items, field.values, field.shared) == (("ana", "bo"), 4, 7, 3)
    assert "alpha-interval" in diagnosis.computable[0]
    assert any(line.startswith("read as: items in rows, raters in columns") for line in diagnosis_lines(diagnosis))


def test_values_are_recoded(ratings):
    """model_a beside A: the same verdict under two names. A name that no value has is refused."""
    text = "item,ana,bo\n1,A,model_a\n2,B,model_b\n3,A,model_a\n"
    table, options = ratings(text, recode={"model_a": "A", "model_b": "B"})
    (compared,) = agree_table(table, options).comparisons
    assert compared.coefficient("kappa").value == 1.0
    with pytest.raises(InputError, match='no value is "model_x"; values: A, model_a, B, model_b'):
        agree_table(*ratings(text, recode={"model_x": "A"}))


def test_clusters_are_drawn_in_place_of_items(ratings):
    """Thirty cases, four runs each and all alike: the same value, and the interval of thirty cases."""
    draw = [(3 * case * case + case) % 7 for case in range(30)]
    rows = [
        f"{case}-{run},{value},{(value + case % 3) % 8},c{case}" for case, value in enumerate(draw) for run in range(4)
    ]
    table, options = ratings("item,ana,bo,case\n" + "\n".join(rows))
    alone = agree_table(table, options._replace(roles={"case": "ignore"})).comparisons[0].coefficient("alpha-interval")
    report = agree_table(table, options, cluster="case")
    together = report.comparisons[0].coefficient("alpha-interval")
    assert together.value == alone.value
    ratio = (together.interval.high - together.interval.low) / (alone.interval.high - alone.interval.low)
    assert 1.6 < ratio < 2.6  # sqrt(4) = 2
    assert "120 items of 30 clusters (cases or tasks): intervals draw clusters, not items" in report.notes


def test_fewer_than_twenty_clusters_have_no_interval(ratings):
    """However many items they have."""
    rows = [f"{n},{n % 5},{(n + n % 2) % 5},c{n % 19}" for n in range(95)]
    report = agree_table(*ratings("item,ana,bo,case\n" + "\n".join(rows)), cluster="case")
    found = report.comparisons[0].coefficient("alpha-interval")
    assert found.no_interval == "an interval needs at least 20 clusters, and there are 19"


def test_an_item_in_two_clusters_is_refused(ratings):
    """And a row without one."""
    with pytest.raises(InputError, match='the item "a" is in two clusters: x and y'):
        agree_table(*ratings("item,rater,score,case\na,ana,1,x\na,bo,2,y\n"), cluster="case")
    with pytest.raises(InputError, match=r't.csv:3: has no cluster in the column "case"'):
        agree_table(*ratings("item,rater,score,case\na,ana,1,x\nb,bo,2,\n"), cluster="case")


def test_the_command_shows_and_stores_nothing(evenhand_command, tmp_path):
    """Exit code 2 where the file cannot be read as it is."""
    (tmp_path / "t.csv").write_text("item,ana,bo\na,1,2\nb,3,3\n", encoding="utf-8")
    made = evenhand_command("labels", "doctor", "t.csv", "--format", "json")
    assert (made.code, json.loads(made.out)["fields"][0]["values"]) == (0, 4)
    (tmp_path / "bench.json").write_text(json.dumps(BENCH, indent=1), encoding="utf-8")
    wrong = evenhand_command("labels", "doctor", "bench.json")
    assert wrong.code == 2
    assert "--each instances" in wrong.out
