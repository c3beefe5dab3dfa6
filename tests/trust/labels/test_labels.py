"""People's labels: read from any table, joined to evaluations, kept apart from history; nothing is guessed."""

from __future__ import annotations

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import seven

import evenhand
from evenhand.errors import InputError
from evenhand.files.tables import read_table
from evenhand.stats.agreement.label_scales import rule_from, scale_from
from evenhand.trust.labels.label_import import import_labels
from evenhand.trust.labels.label_matches import labelled_items
from evenhand.trust.labels.rating_tables import read_entries
from evenhand.trust.labels.table_layout import Options, roles_from

OUTPUT = "The bug is in line 3.\nFix the loop.\n"


@pytest.fixture
def table(tmp_path):
    """A table from the text or bytes of a file."""

    def read(text: str | bytes, name: str = "labels.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        made = read_table(str(path), **options)
        return made._replace(source=name)

    return read


def entries(table, *mapped: str, **options):
    return read_entries(table, Options(roles=roles_from(mapped), **options))


def given(table, *mapped: str, **options) -> set[tuple[str, str, str, str]]:
    """Item, rater, field and value of every entry."""
    return {tuple(entry)[1:5] for entry in entries(table, *mapped, **options)[0]}


def put(store, id: str = "case-1", judge: str = "model:a", score: int = 8, output: str | None = OUTPUT):
    return evenhand.score(
        {"id": id, "skill": "review", "judge": judge, "scores": seven(score)}, output=output, id=id, store=store
    )


# --- shapes of tables

LONG = "item,rater,final\n1,ana,8\n1,bob,7\n2,ana,\n2,bob,6\n"
WIDE = "item,ana,bob\n1,8,7\n2,,6\n"
LINES = """{"item": 1, "rater": "ana", "final": 8}
{"item": "1", "rater": {"name": "bob"}, "final": 7.0}
{"item": 2, "rater": "bob", "final": 6}"""
NESTED = """{"id": 1, "ratings": {"ana": 8, "bob": 7}}
{"id": 2, "ratings": {"ana": null, "bob": 6}}"""
SAME = {("1", "ana", "final", "8"), ("1", "bob", "final", "7"), ("2", "bob", "final", "6")}


@pytest.mark.parametrize(
    ("text", "name", "mapped"),
    [
        (LONG, "l.csv", ()),
        (LONG.replace(",", ";"), "l.csv", ()),
        (LONG.replace(",", "\t"), "l.tsv", ()),
        (LONG.replace(",", "|"), "l.txt", ()),
        ("\ufeff" + LONG, "l.csv", ()),
        (LONG.encode("utf-16"), "l.csv", ()),
        (LONG.replace("\n", "\r\n"), "l.csv", ()),
        (LONG.replace("\n", "\n\n"), "l.csv", ()),
        (LONG.replace("2,ana,\n", "2,ana,NA\n"), "l.csv", ()),
        ("Case ID,Annotator,points\n1,ana,8\n1,bob,7\n2,bob,6\n", "l.csv", ("points=final",)),
        ("item,coder,dimension,score\n1,ana,Final,8\n1,bob,final,7\n2,bob,final,6\n", "l.csv", ()),
        ("video_id\tworker\tfinal\n1\tana\t8\n1\tbob\t7\n2\tbob\t6\n", "l.tsv", ()),
        (LINES, "l.jsonl", ()),
        (f"[{LINES.replace(chr(10), ',')}]", "l.json", ()),
        (WIDE, "w.csv", ("ana=ana:final", "bob=bob:final")),
        (NESTED, "w.jsonl", ("ana=ana:final", "bob=bob:final")),
    ],
)  # fmt: skip
def test_the_same_labels_in_many_shapes(table, text, name, mapped):
    """Separators, encodings, line ends, names of columns, JSON: what they say is the same."""
    assert given(table(text, name), *mapped) == SAME


def test_raters_in_columns_and_raters_in_rows_say_the_same(table):
    """Wide either way round; the field is what --field says."""
    turned = "coder,1,2\nana,8,\nbob,7,6\n"
    assert given(table(WIDE), field="final") == given(table(turned), field="final") == SAME


def test_rows_without_names_are_numbered_where_columns_are_clearly_raters(table):
    """Or where --set labels.rows=true says so; nothing else is taken for a rater."""
    text = "rater1,rater2\n8,7\n,6\n"
    numbered = {("1", "rater1", "rating", "8"), ("1", "rater2", "rating", "7"), ("2", "rater2", "rating", "6")}
    assert given(table(text)) == numbered
    assert given(table(text.replace("rater1", "A").replace("rater2", "B")), rows=True) == {
        (item, rater.replace("rater1", "A").replace("rater2", "B"), field, text)
        for item, rater, field, text in numbered
    }


def test_a_column_called_score_holds_what_field_says(table):
    """In a long table as in a wide one."""
    assert given(table(LONG.replace("final", "score")), field="final") == SAME


def test_row_names_as_data_frames_write_them_name_the_items(table):
    """A first column without a name, as R and pandas write it."""
    assert given(table(",ana,bob\n1,8,7\n2,,6\n"), field="final") == SAME


def test_decimal_commas_are_read_on_request(table):
    """Nobody can tell 7,5 from two values otherwise."""
    made = table("item;ana;bob\n1;7,5;8\n", decimal_comma=True)
    assert given(made) == {("1", "ana", "rating", "7.5"), ("1", "bob", "rating", "8")}


def test_a_parquet_file_is_read_like_any_other(tmp_path):
    """Missing numbers are missing, and whole floats are whole."""
    rows = {"item": ["1", "1", "2", "2"], "rater": ["ana", "bob", "ana", "bob"], "final": [8.0, 7.0, float("nan"), 6.0]}
    pq.write_table(pa.table(rows), tmp_path / "l.parquet")
    assert given(read_table(str(tmp_path / "l.parquet"))) == SAME


def test_parquet_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    """No traceback."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"l\.parquet: reading Parquet needs .* pip install 'evenhand\[batch\]'"):
        read_table("l.parquet")


def test_a_judge_and_a_person_side_by_side_are_two_raters(table):
    """Though "human" and "judge" could name a column of raters."""
    layout = entries(table("item,human,judge\n1,8,7\n2,6,6\n"))[1]
    assert [who for _, who, _ in layout.values] == ["human", "judge"]
    assert [who for _, who, _ in entries(table("id,human,gpt\n1,8,7\n2,6,6\n"))[1].values] == ["human", "gpt"]


def test_judgements_one_a_line_are_labels(table):
    """The judgement files that evenhand score reads, with scores as numbers or as objects."""
    text = json.dumps({"id": "c", "judge": "human:ana", "scores": {"safety": {"score": 9}, "correctness": 7}})
    assert given(table(text, "j.jsonl")) == {("c", "human:ana", "safety", "9"), ("c", "human:ana", "correctness", "7")}


def test_what_a_table_was_read_as_is_reported(table):
    """The shape, the columns used and left out, and how many cells had no value."""
    layout = entries(table("id,colour,rater,final,comment\n1,red,ana,8,well\n2,,ana,,\n"))[1]
    assert (layout.shape, layout.item, layout.raters) == ("one row for each item and rater", "id", "rater")
    assert (layout.ignored, layout.missing) == (("colour",), 1)


@pytest.mark.parametrize(
    ("text", "mapped", "message"),
    [
        ("1,9,2\n2,6,1\n", (), r"labels.csv:1: has no header: the first row holds numbers"),
        ("case-1,9,2\ncase-2,6,1\n", (), r"the first row looks like data, not like column names"),
        ("A,B\n1,2\n3,3\n", (), r"no column is known to name the items; say which, as in `roles` A=item .* or `rows`"),
        ("item\n1\n", (), r"has one column only; columns are separated by comma, semicolon, tab, pipe"),
        ("item,a,a\n1,2,3\n", (), r'labels.csv:1: has two columns named "a"'),
        ("item,a,b\n1,2\n", (), r"labels.csv:2: has 2 cells, and the header has 3"),
        ("item,a,b\n", (), r"has column names but no rows"),
        ("", (), r"is empty"),
        ("item,a,b\n1,,\n", (), r"has no values: every cell is empty or missing"),
        ("item,a,remark\n1,2,good\n", (), r'the column "remark" holds words .* `roles` remark=ignore'),
        ("item,rater,x\n1,ana,2\n1,bob,3\n", (), r"no column holds values; name it, as in `roles` COLUMN=final"),
        ("item,final\n1,2\n", (), r"no column says who rated; name it, as in `roles` COLUMN=rater, or use `rater`"),
        ("item,unit,a\n1,2,3\n", (), r"several columns could be the item: item, unit; say which: `roles` item=item"),
        ("item,a\n1,2\n", ("final=a",), r'there is no column "final"; did you mean `roles` a=final\?'),
        ("item,a\n1,2\n", ("b=final",), r'there is no column "b"; columns: item, a'),
        ("item,a\n1,2\n", ("b",), r'`roles` "b" is not COLUMN=FIELD'),
        ("item,rater,final\n,ana,2\n", (), r'labels.csv:2: has values but no item in the column "item"'),
        ("item,rater,final\n1,,2\n", (), r'labels.csv:2: has values but no rater in the column "rater"'),
        ("item,rater,final\n1,ana,2\n1 ,bob,2\n", (), r"labels.csv:3: the item '1 ' differs from '1' of line 2"),
        ("item,rater,final\n1,ana,2\n2,Ana,2\n", (), r"labels.csv:3: the rater 'Ana' differs from 'ana' of line 2"),
        ('item,a\n1,"2\n', (), r"cannot be read as a table"),
        ("item,a\n1,\xe9\n".encode("latin-1"), (), r"labels.csv:2: is not UTF-8; name its encoding, as in `enc"),
    ],
)  # fmt: skip
def test_an_ambiguous_table_is_refused_with_advice(tmp_path, monkeypatch, text, mapped, message):
    """The file and line, and the option that helps."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message):
        entries(read_table("labels.csv"), *mapped)


def test_another_encoding_and_another_missing_word_are_named(table):
    """Nobody can tell latin-1 from cp1252, or 99 from a rating."""
    text = "item,rater,final\ncafé,ana,8\nthé,ana,99\n".encode("latin-1")
    assert given(table(text, encoding="latin-1", missing=["99"])) == {("café", "ana", "final", "8")}


# --- scales and rules


@pytest.mark.parametrize(
    ("scale", "rule", "value", "expected"),
    [
        ("1-5", "linear", "1", "1"),  # the lowest stays the lowest
        ("1-5", "linear", "4", "7.75"),  # 1 + 9 * 3/4
        ("1-5", "linear", "5", "10"),
        ("0-3", "linear", "1", "4"),  # 1 + 9 * 1/3
        ("1-8", "linear", "2", "2.29"),  # 1 + 9/7 = 2.2857..., half up
        ("1-5", "1=1,2=3,3=5,4=8,5=10", "4", "8"),
    ],
)
def test_a_rule_moves_a_value_exactly(scale, rule, value, expected):
    """Linear between the ends, or pair by pair; hundredths, half up."""
    assert rule_from(rule, scale_from(scale)).apply(value, scale_from(scale)) == expected


@pytest.mark.parametrize(
    ("scale", "message"),
    [("5-1", "5 is not below 1"), ("five", '"five" is not a scale; valid: a range such as 1-5'), ("a<a", "repeated")],
)
def test_a_scale_that_is_none_is_refused(scale, message):
    """The error lists the valid ones."""
    with pytest.raises(ValueError, match=message):
        scale_from(scale)


@pytest.mark.parametrize(
    ("rule", "message"), [("double", "not a rule"), ("1=11", "outside 1 to 10"), ("1=2,1=3", "two values for one")]
)
def test_an_unknown_rule_is_refused(rule, message):
    """The error lists the valid ones."""
    with pytest.raises(ValueError, match=message):
        rule_from(rule, scale_from("1-5"))


def test_another_scale_needs_a_rule(table, store):
    """From 1 to 5 never becomes from 1 to 10 by itself; with a rule it does, and the label says by which."""
    text = "item,rater,final\n1,ana,4\n"
    with pytest.raises(InputError, match=r"final is scored from 1 to 10, and these labels are on 1-5; say how"):
        import_labels(store, table(text), Options(), scales=["1-5"])
    import_labels(store, table(text), Options(), scales=["1-5"], rules=["linear"])
    (label,) = store.labels()
    assert (label.value, label.scale, label.written, label.rule) == ("7.75", "1-10", "4", "1-5 linear")


def test_low_values_only_bring_a_note(table, store):
    """Nobody can tell a hard rater from one who thought that 5 is the best."""
    done = import_labels(store, table("item,rater,final\n1,ana,4\n2,ana,5\n"), Options())
    assert done.notes == ("no final is above 5; if people rated from 1 to 5, use `scale` 1-5 `rule` linear",)


# --- what is wrong with rows


def test_every_bad_row_is_listed_and_nothing_is_stored(table, store):
    """Off the scale, not a number, twice with the same value, twice with another; then `skip_bad` keeps the rest."""
    text = 'item,rater,final\n1,ana,11\n2,ana,good\n3,ana,7\n3,ana,7\n4,ana,6\n4,ana,5\n5,ana,9\n6,ana,"7,5"\n'
    done = import_labels(store, table(text), Options())
    assert [(problem.line, problem.message) for problem in done.problems] == [
        (2, 'final by ana of "1": 11 is outside the scale 1-10'),
        (3, 'final by ana of "2": "good" is not a number; if it means that there is no value: `missing`=good'),
        (5, 'duplicate: final by ana of "3" is on line 4 already; keep one'),
        (7, 'conflict: final by ana of "4" is on line 6 already, with 6 there and 5 here; keep one'),
        (9, 'final by ana of "6": "7,5" is not a number; numbers with a decimal comma need `decimal_comma`=true'),
    ]
    assert (done.added, list(store.labels())) == (0, [])
    assert import_labels(store, table(text), Options(), skip_bad=True).added == 2
    assert [(label.item, label.value) for label in store.labels()] == [("3", "7"), ("5", "9")]


def test_grades_and_passes_are_checked_too(table, store):
    """A letter that is none, and a pass that is neither."""
    text = "item,rater,grade,pass\n1,ana,B+,yes\n2,ana,E,maybe\n"
    done = import_labels(store, table(text), Options(), skip_bad=True)
    assert [problem.line for problem in done.problems] == [3, 3]
    assert {(label.field, label.value) for label in store.labels()} == {("grade", "B+"), ("pass", "pass")}


def test_a_dry_run_lists_everything_and_stores_nothing(table, store):
    """The same result, with nothing added."""
    done = import_labels(store, table(LONG), Options(), dry_run=True)
    assert (len(done.labels), done.added, list(store.labels())) == (3, 0, [])


def test_importing_twice_adds_nothing_and_another_value_is_a_conflict(table, store):
    """Labels are never replaced."""
    assert import_labels(store, table(LONG), Options()).added == 3
    again = import_labels(store, table(LONG), Options())
    assert (again.added, again.known, again.problems) == (0, 3, ())
    changed = import_labels(store, table(LONG.replace("ana,8", "ana,9")), Options())
    (problem,) = changed.problems
    assert 'final by human:ana of "1" is 9 here and 8 in the store (from labels.csv:2)' in problem.message
    assert [label.value for label in store.labels() if label.rater == "human:ana"] == ["8"]


def test_another_file_that_numbers_its_items_alike_brings_a_note(table, store):
    """Item 1 of one study is hardly item 1 of another."""
    import_labels(store, table(LONG), Options())
    other = table("item,rater,final\n1,cem,3\n", "other.csv")
    assert any(
        "1 items have labels from labels.csv too" in note for note in import_labels(store, other, Options()).notes
    )


# --- joining


def test_labels_join_by_id_by_submission_and_by_text(table, store):
    """All three name the same item; an item that nobody judged is listed, and kept."""
    card = put(store)
    by_id = "item,rater,final\ncase-1,ana,8\ncase-9,ana,7\n"
    assert [problem.message for problem in import_labels(store, table(by_id), Options()).unmatched] == [
        'no evaluation has the id "case-9"'
    ]
    by_submission = f"submission,rater,final\n{card.receipt.submission},bob,7\n"
    assert import_labels(store, table(by_submission), Options()).unmatched == ()
    by_text = json.dumps({"output": OUTPUT, "rater": "cem", "final": 6})
    assert import_labels(store, table(by_text, "l.jsonl"), Options()).unmatched == ()
    first, other = labelled_items(store)
    assert first.item == card.receipt.submission
    assert {(label.rater, label.value) for label in first.labels} == {
        ("human:ana", "8"),
        ("human:bob", "7"),
        ("human:cem", "6"),
    }
    assert [record.id for record in first.by_judges] == ["case-1"]
    assert (other.item, other.evaluations, len(other.labels)) == ("id:case-9", (), 1)


def test_a_label_joins_once_its_item_is_judged(table, store):
    """Whether people or the judge came first makes no difference."""
    import_labels(store, table("item,rater,final\ncase-1,ana,8\n"), Options())
    put(store)
    (item,) = labelled_items(store)
    assert (len(item.labels), len(item.evaluations)) == (1, 1)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (
            "item,rater,final\n case-1,ana,8\n",
            "l.csv",
            'conflict: " case-1" differs from the id "case-1" in white space',
        ),
        (
            json.dumps({"text": OUTPUT.strip(), "rater": "a", "final": 8}),
            "l.jsonl",
            "differs from the output of an eval",
        ),
    ],
)
def test_what_differs_in_white_space_only_is_a_conflict(table, store, text, name, message):
    """It may be the same item or not: a person must say."""
    put(store)
    done = import_labels(store, table(text, name), Options())
    (problem,) = done.problems
    assert message in problem.message
    assert problem.line is not None
    assert list(store.labels()) == []


def test_labels_never_enter_a_skills_history(table, store):
    """The window before and after is the same."""
    put(store)
    before = store.timeline("review")
    import_labels(store, table(f"item,rater,{','.join(evenhand.DIMENSIONS)}\ncase-1,ana,1,1,1,1,1,1,1\n"), Options())
    assert store.timeline("review") == before
    assert len(list(store.labels())) == 7


@pytest.mark.slow
def test_a_store_hands_its_labels_on(table, store_address, tmp_path, evenhand_command):
    """`store import` of a SQLite store brings them along, once."""
    source = evenhand.open_store(str(tmp_path / "source.db"))
    put(source)
    import_labels(source, table(LONG), Options())
    evenhand_command("store", "create", "--store", store_address)
    for _ in range(2):
        assert evenhand_command("store", "import", str(tmp_path / "source.db"), "--store", store_address).code == 0
    target = evenhand.open_store(store_address)
    assert list(target.labels()) == list(source.labels())
    target.close()
    source.close()


# --- the command


@pytest.mark.slow
def test_the_command_imports_lists_and_exports(tmp_path, evenhand_command):
    """And what was exported can be imported elsewhere."""
    (tmp_path / "labels.csv").write_text(LONG)
    done = evenhand_command("trust", "labels", "import", "labels.csv", "--store", "a.db", "--format", "json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert (document["added"], document["items"], document["raters"]) == (3, 2, ["human:ana", "human:bob"])
    listed = evenhand_command("trust", "labels", "list", "--store", "a.db").out.splitlines()
    assert [line.split() for line in listed] == [
        ["field", "rater", "scale", "labels"], ["final", "human:ana", "1-10", "1"], ["final", "human:bob", "1-10", "2"],
    ]  # fmt: skip
    exported = evenhand_command("trust", "labels", "list", "--all", "--store", "a.db").out
    (tmp_path / "exported.jsonl").write_text(exported)
    assert evenhand_command("trust", "labels", "import", "exported.jsonl", "--store", "b.db").code == 0
    assert evenhand_command("trust", "labels", "list", "--store", "b.db").out.splitlines() == listed


def test_a_bad_file_exits_with_2_and_says_why(tmp_path, evenhand_command):
    """No traceback, and no store is made."""
    (tmp_path / "labels.csv").write_text("item,rater,final\n1,ana,12\n")
    done = evenhand_command("trust", "labels", "import", "labels.csv", "--store", "a.db")
    assert done.code == 2
    assert 'error: labels.csv:2: final by ana of "1": 12 is outside the scale 1-10' in done.err
    assert "nothing was stored" in done.err
    assert not (tmp_path / "a.db").exists()
