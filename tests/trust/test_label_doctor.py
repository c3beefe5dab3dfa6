"""`labels doctor` and clusters in agreement: what a file holds, and what would become of it."""

from __future__ import annotations

import json

import pytest

from evenhand.errors import InputError
from evenhand.trust.label_doctor import diagnose, diagnosis_lines
from evenhand.trust.labels.rating_tables import read_ratings
from evenhand.trust.rater_agreement import agree_table, agree_tables
from report_formats import agreement_lines

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
    """Two people who always agree: alpha is 1, and the outer list of metrics is not a rater."""
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
        "bench.json: the file is one object; take a row for each entry of one of its lists: `each`=instances",
    )


def test_a_diagnosis_says_what_each_column_holds_and_what_can_be_computed(ratings):
    """Two raters, one of whom left out an item."""
    diagnosis = diagnose(*ratings("item,ana,bo\na,1,2\nb,3,3\nc,5,\nd,4,4\n"))
    assert [column.holds for column in diagnosis.columns[1:]] == ["numbers from 1 to 5", "numbers from 2 to 4"]
    (field,) = diagnosis.fields
    assert (field.raters, field.items, field.values, field.shared) == (("ana", "bo"), 4, 7, 3)
    assert "alpha-interval" in diagnosis.computable[0]
    assert any(line.startswith("read as: items in rows, raters in columns") for line in diagnosis_lines(diagnosis))


def test_a_diagnosis_says_how_items_join_and_how_many_clusters_there_are(ratings):
    """Three files of two cases."""
    text = "file,rater,score,case\na.md,ana,1,x\nb.md,ana,3,x\nc.md,ana,2,y\na.md,bo,1,x\nb.md,bo,2,x\n"
    diagnosis = diagnose(*ratings(text), cluster="case")
    assert (diagnosis.joined_by, diagnosis.clusters) == ("file", 2)
    assert "clusters: 2" in diagnosis_lines(diagnosis)


@pytest.mark.slow
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
    made = evenhand_command("trust", "labels", "doctor", "t.csv", "--format", "json")
    assert (made.code, json.loads(made.out)["fields"][0]["values"]) == (0, 4)
    (tmp_path / "bench.json").write_text(json.dumps(BENCH, indent=1), encoding="utf-8")
    wrong = evenhand_command("trust", "labels", "doctor", "bench.json")
    assert wrong.code == 2
    assert "--set labels.each=instances" in wrong.out


def test_the_published_layout_of_judge_bench_from_the_command_line(evenhand_command, tmp_path):
    """Two people who always agree are two raters with an agreement of 1, although the file has a list of the same name
    around its instances."""
    (tmp_path / "bench.json").write_text(json.dumps(BENCH), encoding="utf-8")
    options = ("--set", "labels.each=instances", "--map", "id=item", "--map", "toxic.individual_human_scores=toxic")
    made = evenhand_command("trust", "agree", "bench.json", *options, "--format", "json")
    (compared,) = json.loads(made.out)["comparisons"]
    assert (made.code, len(compared["raters"])) == (0, 2)
    assert {entry["value"] for entry in compared["coefficients"] if entry["name"].startswith("alpha")} == {1.0}


def test_several_files_are_compared_as_one(evenhand_command, tmp_path):
    """Each by its own rater, one of them a judge; what the doctor says of all together."""
    for name, values in (("ana", (1, 2, 3, 4)), ("bob", (1, 2, 3, 5)), ("model", (2, 3, 4, 5))):
        rows = "".join(f"{item},{value}\n" for item, value in enumerate(values))
        (tmp_path / f"{name}.csv").write_text(f"item,score\n{rows}", encoding="utf-8")
    files = ("ana.csv", "bob.csv", "model.csv", "--rater", "ana", "--rater", "bob", "--rater", "judge:model")
    made = json.loads(evenhand_command("trust", "agree", *files, "--format", "json").out)
    assert made["source"] == "ana.csv, bob.csv, model.csv"
    assert [(entry["between"], entry["judge"]) for entry in made["comparisons"]] == [
        ("people", None),
        ("judge and people", "judge:model"),
    ]
    looked = evenhand_command("trust", "labels", "doctor", *files)
    assert looked.code == 0
    assert "all files together can be computed for rating: " in looked.out


def test_a_value_that_two_files_have_is_reported_with_both_places(ratings):
    """One rater, one item, two files."""
    first = ratings("item,rater,score\na,ana,1\nb,ana,2\n", name="one.csv")
    second = ratings("item,rater,score\na,ana,2\n", name="two.csv")
    with pytest.raises(InputError, match=r'two.csv:2: ana rated "a" on line 2 of one.csv already'):
        agree_tables([first, second])


def test_the_worst_disagreements_have_both_reasons(ratings):
    """The judge is 5 above the mean of 3 and 5 on b, 1 above on a, and right on c, which is not listed."""
    text = """item,rater,final,reason
a,ana,6,
b,ana,3,It is wrong.
c,ana,7,
b,bob,5,Half of it.
a,m,7,
b,m,9,All is well.
c,m,7,
"""
    (_, compared) = agree_table(*ratings(text), judges=["m"]).comparisons
    assert [(entry.item, entry.judge, entry.people, entry.difference) for entry in compared.worst] == [
        ("b", "9", "4", 5.0),
        ("a", "7", "6", 1.0),
    ]
    assert compared.worst[0].judge_reason == "All is well."
    assert compared.worst[0].people_reasons == ("ana: It is wrong.", "bob: Half of it.")
    lines = agreement_lines(agree_table(*ratings(text), judges=["m"], worst=1))
    start = lines.index("  Where they differ most")
    assert [line.strip() for line in lines[start + 1 : start + 5]] == [
        "b: judge 9, people 4 (+5.00)",
        "judge: All is well.",
        "ana: It is wrong.",
        "bob: Half of it.",
    ]
    assert not any(line.strip().startswith("a: judge") for line in lines)


def test_disagreements_on_words_go_by_their_order_where_they_have_one(ratings):
    """low and high are two steps apart; yes and no are just different."""
    text = "item,ana,m\n1,low,high\n2,low,medium\n3,low,low\n"
    (compared,) = agree_table(*ratings(text), judges=["m"], scales=["low<medium<high"]).comparisons
    assert [(entry.item, entry.difference) for entry in compared.worst] == [("1", 2.0), ("2", 1.0)]
    (compared,) = agree_table(*ratings("item,ana,m\n1,yes,no\n2,no,no\n3,yes,yes\n"), judges=["m"]).comparisons
    assert [(entry.item, entry.people, entry.difference) for entry in compared.worst] == [("1", "yes", None)]


@pytest.mark.slow
def test_clusters_stay_with_their_items_where_the_judge_left_some_out(ratings):
    """The first forty items, which the judge did not score, change nothing."""
    rows = [f"{n},{n % 5},{(n + n % 2) % 5},c{n // 4}" for n in range(120)]
    gaps = [f"x{n},{n % 5},,d{n // 4}" for n in range(40)]
    found = []
    for listed in (rows, gaps + rows):
        table, options = ratings("item,ana,m,case\n" + "\n".join(listed))
        (compared,) = agree_table(table, options, judges=["m"], cluster="case").comparisons
        found.append(compared.coefficient("alpha-interval").interval)
    assert found[0] == found[1]


def pairs_text(first: str, second: str, times: int = 4) -> str:
    """A table of two raters who give their words in turn."""
    words = [(a, b) for a in first.split() for b in second.split()] * times
    return "id,judge,human\n" + "".join(f"q{n},{a},{b}\n" for n, (a, b) in enumerate(words))


def test_raters_with_other_words_are_named_and_told_to_recode(ratings):
    """model_a beside A would count as disagreement; in the diagnosis and beside the coefficients."""
    table, options = ratings(pairs_text("model_a model_b tie", "A B tie"))
    note, unordered = diagnose(table, options).notes
    assert unordered.startswith("rating is read as categories without an order")
    assert note == (
        "rating: judge and human share only tie: judge has model_a, model_b, human A, B; "
        "if model_a and A mean the same, write both alike"
    )
    assert note in agree_table(table, options, resamples=1).notes
    assert diagnosis_lines(diagnose(table, options))[-2] == f"note: {note}"


@pytest.mark.parametrize(
    ("first", "second", "times"),
    [
        ("A B tie", "A B tie", 4),  # the same words
        ("A B C", "A B D", 4),  # two in common
        ("A", "B", 9),  # each always the same: they may well disagree
        ("A B tie", "C D tie", 0),  # one item for each pair of words, as of a crowd; see below
    ],
)
def test_raters_who_may_well_disagree_are_not_told_so(ratings, first: str, second: str, times: int):
    """Words that a rater has used once or twice do not tell which others it would use."""
    text = pairs_text(first, second, times) if times else "id,judge,human\nq1,A,C\nq2,B,D\nq3,tie,tie\n"
    assert not [note for note in diagnose(*ratings(text)).notes if "mean the same" in note]


def test_the_scale_of_the_object_around_the_rows_is_nobodys_rating(ratings):
    """In JUDGE-BENCH the ends of each metric's scale stand beside the items; only what an item has are labels of it."""
    bench = {
        "annotations": [{"metric": "quality", "category": "graded", "worst": 1, "best": 5}],
        "instances": [
            {"id": n, "annotations": {"quality": {"individual_human_scores": [n + 1, n + 2]}}} for n in range(3)
        ],
    }
    diagnosis = diagnose(*ratings(json.dumps(bench), name="bench.json", each=["instances"]))
    assert [field.field for field in diagnosis.fields] == ["quality.individual_human_scores"]
    assert "outer.annotations.worst" in diagnosis.left_out


def test_a_diagnosis_says_which_columns_are_not_read(ratings):
    """Where --map names what is read, the others are left out; clusters are not."""
    text = "item,ana,bo,judge,case\na,1,2,3,x\nb,3,3,3,y\n"
    diagnosis = diagnose(*ratings(text, roles={"judge": "judge:gpt:rating"}), cluster="case")
    assert diagnosis.left_out == ("ana", "bo")
    assert "not read: ana, bo" in diagnosis_lines(diagnosis)
    assert diagnose(*ratings("item,ana,bo\na,1,2\nb,3,3\n")).left_out == ()


def test_a_long_item_rated_twice_is_named_in_one_short_line(ratings):
    """Items may be whole texts."""
    text = json.dumps([{"text": "one\n" + "word " * 50, "score": 3, "rater": "ana"}] * 2)
    (problem,) = diagnose(*ratings(text, name="t.json")).problems
    assert '"one word word word word word word word word word word wor..." on line' in problem


def test_the_command_names_options_and_says_a_problem_once(evenhand_command, tmp_path):
    """`rater` is --rater on the command line, also where it may be given for each file."""
    for name in ("ana.csv", "bo.csv"):
        (tmp_path / name).write_text("id,score\na,1\nb,3\n", encoding="utf-8")
    made = evenhand_command("trust", "labels", "doctor", "ana.csv", "bo.csv")
    problems = [line for line in made.out.splitlines() if line.startswith("problem:")]
    assert (made.code, len(problems)) == (2, 2)
    assert (
        "or use --rater NAME for one, --set labels.by_place=true or --set labels.anonymous=true for several"
        in problems[0]
    )
    both = evenhand_command("trust", "agree", "ana.csv", "bo.csv")
    assert (both.code, "use --rater NAME for one" in both.err) == (2, True)
    (tmp_path / "twice.csv").write_text("item,rater,score\na,ana,1\na,ana,3\n", encoding="utf-8")
    assert (
        "leave both out with --set labels.skip_bad=true, or map"
        in evenhand_command("trust", "labels", "doctor", "twice.csv").out
    )
