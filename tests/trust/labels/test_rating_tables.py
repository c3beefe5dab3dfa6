"""Tables of ratings: which columns are items, raters and values, and which tables are refused rather than guessed."""

from __future__ import annotations

import pytest

import evenhand
from evenhand import InputError
from evenhand.files.delimited import NAMELESS
from evenhand.files.tables import Row, Table
from evenhand.stats.agreement.label_scales import scale_from
from evenhand.trust.labels.rating_columns import (
    is_one_rater,
    names_an_item,
    names_fields,
    names_raters,
    names_weakly,
    word_of,
)
from evenhand.trust.labels.rating_tables import read_entries, read_ratings
from evenhand.trust.labels.table_layout import Options, roles_from
from evenhand.trust.labels.value_scales import by_field, scale_of_values
from evenhand.trust.rater_agreement import agree_table


def table(text: str) -> Table:
    """A table from lines with cells between commas; empty ones are missing."""
    head, *lines = [line.strip().split(",") for line in text.strip().splitlines()]
    head = [name or NAMELESS for name in head]
    rows = [
        Row(number, {name: cell or None for name, cell in zip(head, line, strict=True)})
        for number, line in enumerate(lines, start=2)
    ]
    return Table("t.csv", tuple(head), tuple(rows))


def read(text: str | Table, *mapped: str, **options):
    return read_entries(table(text) if isinstance(text, str) else text, Options(roles_from(mapped), **options))


def values(text: str | Table, *mapped: str, **options) -> list[tuple[str, str, str, str]]:
    """Item, rater, field and value of every entry."""
    return [entry[1:5] for entry in read(text, *mapped, **options)[0]]


def refused(text: str | Table, *mapped: str, **options) -> str:
    with pytest.raises(InputError) as error:
        read(text, *mapped, **options)
    return str(error.value)


# --- words


@pytest.mark.parametrize(
    ("name", "is_item", "is_rater", "is_field", "is_weak"),
    [
        ("item", True, False, False, False),
        ("Items", True, False, False, False),
        ("unit_id", True, False, False, False),
        ("Case No", True, False, False, False),
        ("docid", True, False, False, False),
        ("id", True, False, False, True),
        ("Row", True, False, False, True),
        ("task", True, False, False, True),
        ("tasks", True, False, False, False),
        ("rater", False, True, False, False),
        ("worker-id", False, True, False, False),
        ("Annotator Name", False, True, False, False),
        ("criterion", False, False, True, False),
        ("dimensions", False, False, True, False),
        ("remark", False, False, False, False),
        ("items_of", False, False, False, False),
    ],
)
def test_columns_are_known_by_their_words(name, is_item, is_rater, is_field, is_weak):
    """Plurals, ids, names and numbers of them too."""
    found = names_an_item(name), names_raters(name), names_fields(name), names_weakly(name)
    assert found == (is_item, is_rater, is_field, is_weak)


@pytest.mark.parametrize("name", ["rater1", "judge_2", "Coder A", "annotator-b", "human12"])
def test_a_numbered_rater_is_one(name):
    assert is_one_rater(name)


@pytest.mark.parametrize("name", ["rater", "rater12a", "raters1", "item1", "rater ab"])
def test_other_names_are_not_one_rater(name):
    assert not is_one_rater(name)


def test_a_column_name_becomes_one_lower_case_word():
    assert word_of("  Case - No.1 ") == "case_no_1"


# --- roles


def test_roles_are_columns_with_what_they_hold():
    """The last equals sign counts; a pattern may stand alone."""
    assert roles_from(["score=final", "a=b=rater", " x = item ", "{rater}", "{rater}_s=safety"]) == {
        "score": "final",
        "a=b": "rater",
        "x": "item",
        "{rater}": "",
        "{rater}_s": "safety",
    }


@pytest.mark.parametrize("pair", ["score", "=final", "score=", " = "])
def test_a_mapping_that_is_none_is_refused(pair):
    with pytest.raises(InputError, match="is not COLUMN=FIELD, such as score=final, name=rater or case=item"):
        roles_from([pair])


def test_a_pattern_names_the_rater_and_the_field_of_each_column():
    """Columns called like items, and those that are named by themselves, are left out."""
    text = "item,final_ana,final_bob,safety_ana\n1,8,7,6\n"
    assert values(text, "{field}_{rater}") == [
        ("1", "ana", "final", "8"),
        ("1", "bob", "final", "7"),
        ("1", "ana", "safety", "6"),
    ]
    assert values(text, "{field}_{rater}", "safety_ana=ignore") == [
        ("1", "ana", "final", "8"),
        ("1", "bob", "final", "7"),
    ]
    assert values("item,ana s,bob s\n1,8,7\n", "{rater} s=safety") == [
        ("1", "ana", "safety", "8"),
        ("1", "bob", "safety", "7"),
    ]
    assert values("item,a_b,c_d\n1,8,7\n", "{rater}", field="final") == [
        ("1", "a_b", "final", "8"),
        ("1", "c_d", "final", "7"),
    ]
    assert refused("item,a,b\n1,8,7\n", "{rater}_x").endswith(
        'no column is named like "{rater}_x" in `roles`; columns: item, a, b'
    )


def test_a_column_may_have_its_own_rater_and_field():
    text = "item,x,y\n1,8,7\n2,6,\n"
    assert values(text, "x=ana:final", "y=bob:safety") == [
        ("1", "ana", "final", "8"),
        ("1", "bob", "safety", "7"),
        ("2", "ana", "final", "6"),
    ]
    assert read(text, "x=ana:final", "y=bob:safety")[1].shape == "one row for each item"


@pytest.mark.parametrize(
    ("text", "mapped", "message"),
    [
        ("item,a,b\n1,2,3\n", ("c=final",), 't.csv: there is no column "c"; columns: item, a, b'),
        ("item,a,b\n1,2,3\n", ("final=a",), 't.csv: there is no column "final"; did you mean `roles` a=final?'),
        ("item,My Score,b\n1,2,3\n", ("my_score=final",), "did you mean `roles` 'My Score=final'?"),
        ("item,a,b,final\n1,x,y,3\n", ("a=rater", "b=rater"), "`roles` names two columns as the rater: a, b; keep one"),
        ("item,rater,judge,final\n1,x,y,3\n", (), "several columns could name the rater: rater, judge; say which"),
        ("case,unit,a,b\n1,1,2,3\n", (), "several columns could be the item: case, unit; say which: `roles` case=item"),
    ],
)  # fmt: skip
def test_a_role_that_does_not_fit_is_refused(text, mapped, message):
    assert message in refused(text, *mapped)


def test_several_columns_may_name_an_item_together():
    """Both parts, in the order of the options; a row that lacks one has no item."""
    text = "doc,part,rater,final\na,1,ana,8\na,2,ana,7\n"
    made, layout = read(text, "doc=item", "part=item")
    assert [entry.item for entry in made] == ["a / 1", "a / 2"]
    assert layout.item == "doc + part"
    assert 't.csv:2: has values but no item in the column "doc + part"' in refused(
        "doc,part,rater,final\na,,ana,8\n", "doc=item", "part=item"
    )


def test_a_weak_name_names_the_item_only_if_no_other_does():
    """`id` beside `case` numbers the rows."""
    text = "id,case,rater,final\n1,x,ana,8\n"
    made, layout = read(text)
    assert (made[0].item, layout.ignored) == ("x", ("id",))
    assert read("id,rater,final\n1,ana,8\n")[0][0].item == "1"


@pytest.mark.parametrize(
    ("head", "kind"),
    [("item", "id"), ("submission", "submission"), ("output", "text"), ("Response", "text"), ("clip_id", "id")],
)
def test_the_name_of_a_column_tells_what_its_items_are(head, kind):
    assert read(f"{head},rater,final\nx,ana,8\n")[1].kind == kind


def test_an_id_of_anything_comes_before_a_text_and_two_such_ids_tell_nothing():
    assert read("output,clip_id,rater,final\nx,7,ana,8\n")[0][0].item == "7"
    assert read("output,clip_id,shot_id,rater,final\nx,7,9,ana,8\n")[0][0].item == "x"


def test_the_first_column_names_the_items_if_its_values_can_only_be_names():
    """All different and words, or counted from 0 or 1; numbers of any other kind are ratings."""
    for names in (("x", "y"), ("1", "2"), ("0", "1")):
        made = read(f"what,a,b\n{names[0]},8,7\n{names[1]},6,5\n")[0]
        assert [entry.item for entry in made][::2] == list(names)
    for names in (("x", "x"), ("2", "3"), ("5", "1")):
        assert "no column is known to name the items" in refused(f"what,a,b\n{names[0]},8,7\n{names[1]},6,5\n")
    assert "no column is known to name the items" in refused("what,a,b\nx,8,7\n")


def test_a_first_row_of_numbers_looks_like_data():
    assert "the first row looks like data, not like column names" in refused("case-1,9,2\ncase-2,6,1\n")
    assert "no column is known to name the items; say which, as in `roles` A=item" in refused("A,B\n1,2\n3,3\n")


def test_a_kind_that_is_asked_for_chooses_its_column():
    """By text rather than by id."""
    text = "item,output,rater,final\n1,abc,ana,8\n"
    assert [(layout.items, layout.kind) for layout in (read(text)[1], read(text, kind="text")[1])] == [
        (("item",), "id"),
        (("output",), "text"),
    ]
    assert read(text, "output=item")[1].kind == "text"
    assert read(text, "output=item", kind="id")[1].kind == "id"


# --- shapes


def test_rows_and_columns_may_be_items():
    """Without names they are numbered."""
    rows = "a,b\n8,7\n,6\n"
    assert values(rows, rows=True) == [("1", "a", "rating", "8"), ("1", "b", "rating", "7"), ("2", "b", "rating", "6")]
    assert "`rows` says that no column names the items; leave out `roles` COLUMN=item" in refused(
        rows, "a=item", rows=True
    )


def test_a_column_of_raters_alone_makes_the_others_items():
    made, layout = read("rater,x,y\nana,8,7\nbob,,6\n")
    assert [entry[1:5] for entry in made] == [
        ("x", "ana", "rating", "8"),
        ("y", "ana", "rating", "7"),
        ("y", "bob", "rating", "6"),
    ]
    assert (layout.shape, layout.missing) == ("raters in rows, items in columns", 1)


def test_one_rater_of_all_values_may_be_named():
    assert values("item,final\n1,8\n", rater="ana") == [("1", "ana", "final", "8")]
    assert "no column says who rated" in refused("item,final\n1,8\n")


def test_raters_without_names_are_numbered_item_by_item():
    """The second value of an item is by the second rater."""
    assert values("item,final\n1,8\n2,7\n1,6\n", unnamed="rater") == [
        ("1", "rater 1", "final", "8"),
        ("2", "rater 1", "final", "7"),
        ("1", "rater 2", "final", "6"),
    ]


def test_cells_may_hold_lists_of_values_and_of_names():
    """In the order of the list; a value that is missing is left out, a rater without a name has its number."""
    listed = Table(
        "t.jsonl",
        ("item", "scores", "who"),
        (Row(1, {"item": "1", "scores": "[8, null, 6]", "who": '["ana", "bob"]'}),),
    )
    assert values(listed, "scores=final", "who=rater") == [
        ("1", "ana", "final", "8"),
        ("1", " 3".strip(), "final", "6"),
    ]
    made, layout = read(listed, "scores=final", "who=ignore", rater="r")
    assert [(entry.rater, entry.text) for entry in made] == [("r 1", "8"), ("r 3", "6")]
    assert (layout.shape, layout.missing) == ("one row for each item, values in lists", 1)
    found = read(Table("t.jsonl", ("item", "Care"), (Row(1, {"item": "1", "Care": "[8, 7]"}),)))[0]
    assert [(entry.field, entry.text) for entry in found] == [("care", "8"), ("care", "7")]


def test_a_column_may_say_which_field_a_row_is_of():
    """In lower case; without a word there it is what --field says."""
    text = "item,rater,dimension,score\n1,ana,Safety,8\n2,ana,,7\n"
    assert values(text, field="final") == [("1", "ana", "safety", "8"), ("2", "ana", "final", "7")]


# --- doubt


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,a,b,remark\n1,2,3,good\n2,3,3,bad\n", 'the column "remark" holds words where other raters gave numbers'),
        ("item,a,b,group\n1,yes,no,x\n2,no,yes,y\n", 'the column "group" has no value in common with the other raters'),
        (",1,2\nx,3,4\ny,4,4\n", "the columns 1 to 2 could be items or raters; use `roles`"),
        ("item,yes,no\nyes,3,1\nno,2,4\n", "rows and columns have the same names: cells may count items by two raters"),
        ("item,x,y,z\n1,0,1,2\n2,1,1,1\n3,3,0,0\n4,0,0,3\n", "every row adds up to 3: cells may count the raters"),
        ("item,tone_ana,tone_bob,care_ana,care_bob\n1,2,3,3,3\n", "use `roles` '{field}_{rater}'"),
        ("item,rater1.tone,rater1.care,rater2.tone,rater2.care\n1,2,3,3,3\n", "use `roles` '{rater}.{field}'"),
    ],
)  # fmt: skip
def test_columns_that_do_not_look_like_raters_of_one_field_are_refused(text, message):
    """With the option that settles it."""
    assert message in refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "item,a,b,c\n1,2,3,good\n2,3,3,4\n",  # words among numbers of one rater are found later, by their line
        "item,a,b\n1,yes,x\n2,no,y\n",  # two raters alone may share nothing
        "item,a,b,c\n1,yes,no,x\n2,no,yes,yes\n",
        "item,a,b,c\n1,p,q,x\n2,r,s,y\n",  # nobody shares anything
        "item,1,2\nx,3,4\ny,4,4\n",
        "item,x,y,z\n1,0,1,2\n2,1,1,1\n3,3,0,0\n",  # three rows may add up by chance
        "item,x,y\n1,0,3\n2,1,2\n3,3,0\n4,0,3\n",
        "item,x,y,z\n1,1,1,2\n2,1,2,1\n3,2,1,1\n4,1,1,2\n",  # no zero: counts of nobody are missing
        "item,x,y,z\n1,0,1,2\n2,1,1,2\n3,3,0,0\n4,0,0,3\n",
        "item,rater1,rater2,rater3\n1,0,1,2\n2,1,1,1\n3,3,0,0\n4,0,0,3\n",
        "item,x,y,z\n1,0,1,0\n2,1,0,0\n3,0,0,1\n4,0,0,1\n",  # a single choice each adds up to 1
        "item,tone_ana,tone_bob,care_ana\n1,2,3,3\n",
        "item,tone_ana,tone_bob\n1,2,3\n",
    ],
)
def test_columns_that_may_well_be_raters_are_taken_as_such(text):
    assert read(text)[1].shape == "items in rows, raters in columns"


# --- scales


def scale(text: str, *mapped: str, **options) -> str:
    made = table(text)
    entries, _ = read(made, *mapped, **options)
    return scale_of_values(made, entries).name


@pytest.mark.parametrize(
    ("cells", "name"), [("1,2.5", "numbers"), ("good,bad", "categories"), ("1,good\n2,good,1", "categories")]
)
def test_values_are_numbers_or_categories(cells, name):
    assert scale(f"item,rater1,rater2\n1,{cells}\n") == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "item,rater1,rater2,rater3\n1,1,2,none\n2,1,2,3\n",
            't.csv:2: "none" by rater3 is not a number, as most values of rating are; use `missing`=none if',
        ),
        ("item,rater1,rater2\n1,good,Good\n", '"Good" and "good" of line 2 differ in case or white space only'),
    ],
)  # fmt: skip
def test_words_that_are_most_likely_something_else_are_refused(text, message):
    with pytest.raises(InputError) as error:
        scale(text)
    assert message in str(error.value)


def test_decimal_commas_are_asked_about():
    made = Table("t.csv", ("item", "rater1", "rater2"), (Row(2, {"item": "1", "rater1": "7,5", "rater2": "-8,25"}),))
    entries, _ = read(made)
    with pytest.raises(
        InputError, match=r't.csv:2: "7,5" is not a number; if it has a decimal comma, use `decimal_comma`=true'
    ):
        scale_of_values(made, entries)


def test_options_hold_for_a_field_or_for_all():
    fields = {"final": None, "tone": None}
    assert by_field(["final=1-5"], fields, "scale") == {"final": "1-5"}
    assert by_field(["1-7"], fields, "scale") == {"final": "1-7", "tone": "1-7"}
    assert by_field(["final=1-5", "1-7"], fields, "scale") == {"final": "1-5", "tone": "1-7"}
    assert by_field(["1=2,2=4"], fields, "rule") == {"final": "1=2,2=4", "tone": "1=2,2=4"}
    with pytest.raises(InputError, match='`scale` "style=1-5": no values of "style" here; fields: final, tone'):
        by_field(["style=1-5"], fields, "scale")


# --- reading and agreement


def test_ways_of_reading_are_known_by_name(tmp_path):
    (tmp_path / "t.csv").write_text("x;y\n8;7\n6;5\n")
    made, options = read_ratings(str(tmp_path / "t.csv"), {"separator": ";", "rows": True}, roles={}, field="final")
    assert (made.columns, options.rows, options.field, options.unnamed) == (("x", "y"), True, "final", "")
    assert read_ratings(str(tmp_path / "t.csv"), {"by_place": True}, roles={})[1].unnamed == "rater"
    with pytest.raises(InputError, match=r'unknown setting "labels\.speed"; did you mean'):
        evenhand.trust.agree(tmp_path / "t.csv", settings={"labels.speed": 1})
    with pytest.raises(InputError, match=r"labels\.skip: -1 is not valid; give a whole number, 0 or more"):
        evenhand.trust.agree(tmp_path / "t.csv", settings={"labels.skip": -1})
    with pytest.raises(InputError, match="`by_place` says whose each value is, `anonymous` that this is not known"):
        read_ratings(str(tmp_path / "t.csv"), {"by_place": True, "anonymous": True}, roles={})


def agreed(text: str, tmp_path, **more):
    (tmp_path / "t.csv").write_text(text)
    return evenhand.trust.agree(tmp_path / "t.csv", resamples=20, **more)


def test_what_was_read_is_noted(tmp_path):
    """The shape, categories that may have an order, cells without a value, columns left out."""
    report = agreed("item,rater,rating,remark\n1,ana,low,x\n1,bob,mid,y\n2,ana,high,z\n2,bob,,x\n", tmp_path)
    assert report.notes[0] == "read as one row for each item and rater"
    assert report.notes[1].startswith("rating is read as categories without an order; if they have one, give it for")
    assert report.notes[2:] == ("1 value is missing", "columns left out: remark")
    two = agreed("item,a,b\n1,low,mid\n2,,\n3,mid,\n", tmp_path)
    assert two.notes == ("read as items in rows, raters in columns", "3 values are missing")


def test_bad_values_are_refused_or_left_out_on_request(tmp_path):
    """Of two values by one rater neither counts if they differ; the first counts if they are the same."""
    text = "item,rater,final\n1,ana,8\n1,ana,9\n2,ana,7\n2,ana,7\n3,ana,6\n1,bob,8\n2,bob,7\n3,bob,12\n"
    with pytest.raises(InputError) as error:
        agreed(text, tmp_path, scale="1-10")
    messages = [str(problem) for problem in error.value.problems]
    assert [message.partition("t.csv:")[2].partition(":")[0] for message in messages] == ["3", "5", "9"]
    assert 'ana rated "1" on line 2 already; keep one' in messages[0]
    assert "final by bob: 12 is outside the scale 1-10" in messages[2]


def test_only_the_first_twenty_problems_are_listed(tmp_path):
    def problems(count: int) -> list[str]:
        rows = "".join(f"{number},ana,11\n" for number in range(count))
        with pytest.raises(InputError) as error:
            agreed(f"item,rater,final\n{rows}", tmp_path, scale="1-10")
        return [problem.message for problem in error.value.problems]

    assert len(problems(20)) == 20
    assert problems(21)[-1] == "and 1 more like these"
    assert len(problems(23)) == 21 and problems(23)[-1] == "and 3 more like these"


def test_judges_are_compared_with_people_and_each_other(tmp_path):
    """A judge that shares no item with people has nothing to be compared on."""
    text = "item,ana,bob,m1,m2,m3\n1,8,7,8,8,\n2,6,6,7,6,\n3,,,,,5\n4,7,7,7,7,\n"
    report = agreed(text, tmp_path, judges=["m1", "m2", "m3"])
    assert [(entry.between, entry.judge) for entry in report.comparisons] == [
        ("people", None),
        ("judge and people", "m1"),
        ("judge and people", "m2"),
        ("judges", None),
    ]
    assert report.comparisons[0].raters == ("ana", "bob")
    one = agreed("item,ana,m1\n1,8,8\n2,6,7\n", tmp_path, judges=["m1"])
    assert [entry.between for entry in one.comparisons] == ["judge and people"]
    alone = agreed("item,m1,m2\n1,8,8\n2,6,7\n", tmp_path, judges=["m1", "m2"])
    assert [entry.between for entry in alone.comparisons] == ["judges"]
    raters = agreed("item,a,b\n1,8,8\n2,6,7\n", tmp_path)
    assert [entry.between for entry in raters.comparisons] == ["raters"]
    named = agreed("item,a,b\n1,8,8\n2,6,7\n", tmp_path, fields=["final"])
    assert [(entry.between, entry.field) for entry in named.comparisons] == [("people", "final")]
    with pytest.raises(InputError, match='no rater is named "c"; raters: a, b'):
        agreed("item,a,b\n1,8,8\n", tmp_path, judges=["d", "c"])


@pytest.mark.parametrize(("values_", "name"), [("B,A-", "grades"), ("B,x", "categories"), ("8,7", "numbers")])
def test_grades_are_known_where_all_values_are_some(tmp_path, values_, name):
    first, second = values_.split(",")
    report = agreed(f"item,rater,grade\n1,ana,{first}\n1,bob,{second}\n2,ana,{first}\n2,bob,{second}\n", tmp_path)
    assert report.comparisons[0].scale == name


def test_a_scale_is_counted_point_by_point_where_all_values_are_on_its_points():
    """1 to 5 has five categories though three were seen; 0.5 to 5 and one of 100 points have none."""

    def categories(scale_name: str, *pairs: tuple[object, object]) -> float | None:
        left, right = zip(*pairs, strict=True)
        made = evenhand.trust.agree({"a": list(left), "b": list(right)}, scale=scale_name, resamples=20)
        return made.comparisons[0].coefficient("ac1").value

    same = [(1, 1), (2, 3), (3, 3), (2, 2)]
    assert categories("1-5", *same) != categories("1-3", *same)
    assert scale_from("1-5").low == 1
    assert categories("1-1000", *same) == categories("1-2000", *same)


def test_gwet_s_coefficient_counts_all_categories_of_the_scale():
    """Shares 2/8, 3/8 and 3/8 of five categories: pe = (0.1875 + 0.234375 * 2) / 4, pa = 3/4."""
    report = evenhand.trust.agree({"a": [1, 2, 3, 2], "b": [1, 3, 3, 2]}, scale="1-5", resamples=20)
    pe = (0.25 * 0.75 + 2 * 0.375 * 0.625) / (5 - 1)
    assert report.comparisons[0].coefficient("ac1").value == pytest.approx((0.75 - pe) / (1 - pe))


def test_bad_values_are_left_out_on_request():
    """Of two different values by one rater neither counts; of two equal ones the first does."""
    text = "item,rater,final\n1,ana,8\n1,ana,9\n2,ana,7\n2,ana,7\n3,ana,6\n1,bob,8\n2,bob,7\n3,bob,12\n"
    report = agree_table(table(text), Options(), scales=["1-10"], resamples=20, skip_bad=True)
    assert report.notes[1].startswith("final: 3 values left out, the first because: t.csv:3: ana rated")
    assert (report.comparisons[0].items, report.comparisons[0].values) == (1, 2)
    assert report.comparisons[0].coefficient("exact").value == 1  # item 2 alone has two values


def test_lists_of_words_are_not_lists_of_ratings():
    rows = tuple(Row(n, {"item": f"{n}", "tags": '["a", "b"]', "final": "8"}) for n in (1, 2))
    made, layout = read(Table("t.jsonl", ("item", "tags", "final"), rows), rater="ana")
    assert [entry.text for entry in made] == ["8", "8"] and layout.ignored == ("tags",)


def test_a_value_between_the_points_is_not_counted_by_points():
    """2.5 on a scale from 1 to 5: the scale's points are not categories then."""
    halves = {"a": [1, 2.5, 3, 2.5], "b": [1, 2.5, 3, 3]}
    on_scale, free = (evenhand.trust.agree(halves, scale=scale, resamples=20) for scale in ("1-5", None))
    values = [report.comparisons[0].coefficient("ac1").value for report in (on_scale, free)]
    assert values[0] == pytest.approx(values[1])


def test_a_rater_that_is_named_comes_before_columns_called_like_one():
    made, layout = read("item,rater,judge,final\n1,x,ana,8\n", "judge=rater")
    assert [(entry.rater, entry.text) for entry in made] == [("ana", "8")]
    assert (layout.raters, layout.ignored) == ("judge", ("rater",))


def test_a_single_row_of_the_name_of_a_column_is_an_item():
    assert values("item,x\nx,3\n") == [("x", "x", "rating", "3")]


def test_words_beside_a_number_with_a_comma_are_categories():
    made = Table("t.csv", ("item", "rater1", "rater2"), (Row(2, {"item": "1", "rater1": "7,5", "rater2": "good"}),))
    entries, _ = read(made)
    assert scale_of_values(made, entries).name == "categories"


# --- rankings
