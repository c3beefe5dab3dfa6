"""Published ratings in the layouts that their authors publish them in, and the coefficients printed beside them."""

from __future__ import annotations

import json

import duckdb
import pytest

from evenhand.files.tables import read_table
from evenhand.stats.agreement.ratings import ANONYMOUS
from evenhand.trust.labels.table_layout import Options, roles_from
from evenhand.trust.rater_agreement import agree_table

ANXIETY = """"rater1" "rater2" "rater3"
"1" 3 3 2
"2" 3 6 1
"3" 3 4 4
"4" 4 6 4
"5" 5 2 3
"6" 5 4 2
"7" 2 2 1
"8" 3 4 6
"9" 5 3 1
"10" 2 3 1
"11" 2 2 1
"12" 6 3 2
"13" 1 3 3
"14" 5 3 3
"15" 2 2 1
"16" 2 2 1
"17" 1 1 3
"18" 2 3 3
"19" 4 3 2
"20" 3 4 2
"""
"""R's irr::anxiety as write.table writes it: names of rows without a column name."""

FOUR_RATERS = """Units,Rater1,Rater2,Rater3,Rater4
1,1,1,NA,1
2,2,2,3,2
3,3,3,3,3
4,3,3,3,3
5,2,2,2,2
6,1,2,3,4
7,4,4,4,4
8,1,1,2,1
9,2,2,2,2
10,NA,5,5,5
11,NA,NA,1,1
12,NA,NA,3,NA
"""
BEN_GERRY = """Group,Units,Ben,Gerry
G2,1,a,b
G2,2,a,a
G1,3,b,b
G1,4,b,b
G1,5,d,b
G2,6,c,c
G1,7,c,c
G2,8,c,c
G2,9,e,e
G1,10,d,NA
G1,11,d,d
G2,12,a,d
"""
SIX_PSYCHIATRISTS = """Units,Depression,Personality,Schizophrenia,Neurosis,Other
1,0,0,0,6,0
2,0,3,0,0,3
3,0,1,4,0,1
4,0,0,0,0,6
5,0,3,0,3,0
6,2,0,4,0,0
7,0,0,4,0,2
8,2,0,3,1,0
9,2,0,0,4,0
10,0,0,0,0,6
11,1,0,0,5,0
12,1,1,0,4,0
13,0,3,3,0,0
14,1,0,0,5,0
15,0,2,0,3,1
"""
FOUR_CATEGORISERS = """Group,a,b,c
A,3,0,1
A,2,1,1
A,2,1,1
A,2,0,2
A,3,1,0
A,3,1,0
A,0,4,0
A,0,3,1
A,0,0,4
B,3,1,0
B,0,4,0
B,0,3,1
B,0,2,2
B,0,0,4
B,3,1,0
"""
ABSTRACTORS = ",Ectopic,AIU,NIU\nEctopic,13,0,0\nAIU,0,20,7\nNIU,0,4,56\n"
TWO_CODERS = ",V,N,P\nV,53,5,2\nN,11,14,5\nP,1,6,3\n"
THREE_CODERS = (
    "coder "
    + " ".join(f"u{n}" for n in range(15))
    + """
a *    *    *    *    *    3    4    1    2    1    1    3    3    *    3
b 1    *    2    1    3    3    4    3    *    *    *    *    *    *    *
c *    *    2    1    3    4    4    *    2    1    1    3    3    *    4
"""
)
"""The first example of the Python package krippendorff: a coder a line, * where there is no value."""

COUNTS = """
WITH wide AS (SELECT row_number() OVER () AS item, COLUMNS('^[^UG].*') FROM read_csv('{file}')),
     long AS (UNPIVOT wide ON COLUMNS(* EXCLUDE item) INTO NAME rating VALUE count)
SELECT item, rating FROM long, range(count) ORDER BY item
"""
"""A query for columns of categories whose cells count raters."""
CROSSED = """
WITH wide AS (SELECT column0 AS first, * EXCLUDE (column0) FROM read_csv('{file}')),
     long AS (UNPIVOT wide ON COLUMNS(* EXCLUDE first) INTO NAME second VALUE count),
     pairs AS (SELECT row_number() OVER () AS item, first, second FROM long, range(count))
SELECT item, 'a' AS rater, first AS rating FROM pairs UNION ALL SELECT item, 'b', second FROM pairs
"""
"""The same for a table of two raters, whose cells count items."""

_WINES = {"A": "11366789", "B": "23845579", "C": "03135679", "D": "12436298"}
WINES = "Wine,Judge,Scores\n" + "".join(
    f"{wine},{judge},{score}\n" for judge, scores in _WINES.items() for wine, score in enumerate(scores, start=1)
)


@pytest.fixture
def values(tmp_path):
    """The coefficients of a table's first comparison, by name."""

    def read(text: str, *mapped: str, name: str = "ratings.csv", reading=None, scales=(), **options):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        if "query" in options:
            made = duckdb.sql(options.pop("query").format(file=path))
            lines = [made.columns, *(map(str, row) for row in made.fetchall())]
            path.write_text("".join(",".join(line) + "\n" for line in lines))
        table = read_table(str(path), **(reading or {}))
        report = agree_table(table, Options(roles_from(mapped), **options), scales=scales, resamples=50, full=True)
        return {entry.name: entry.value for entry in report.comparisons[0].coefficients}

    return read


PUBLISHED = {
    "irr: anxiety": (ANXIETY, (), {}, {"icc-2-1": 0.198, "icc-3-1": 0.216}),
    "irrCAC: cac.raw4raters": (
        FOUR_RATERS, (), {},
        {"ac1": 0.77544, "kappa-fleiss": 0.76117, "alpha-nominal": 0.74342, "ac2-linear": 0.85874,
         "ac2-quadratic": 0.914},
    ),
    "irrCAC: cac.ben.gerry": (
        BEN_GERRY, ("Group=ignore",), {}, {"ac1": 0.66144, "alpha-nominal": 0.66489, "kappa-fleiss": 0.64935},
    ),
    "irrCAC: distrib.6raters": (
        SIX_PSYCHIATRISTS, (), {"unnamed": ANONYMOUS, "query": COUNTS},
        {"ac1": 0.4448007, "kappa-fleiss": 0.4139265, "alpha-nominal": 0.4204384},
    ),
    "irrCAC: cac.dist4cat": (FOUR_CATEGORISERS, (), {"unnamed": ANONYMOUS, "query": COUNTS}, {"ac1": 0.3518903}),
    "irrCAC: cont3x3abstractors": (
        ABSTRACTORS, (), {"query": CROSSED},
        {"kappa": 0.7964094, "ac1": 0.8493305, "alpha-nominal": 0.7972585, "kappa-fleiss": 0.7962397, "exact": 0.89},
    ),
    "Cohen's kappa of a table": (TWO_CODERS, (), {"query": CROSSED}, {"kappa": 0.429, "exact": 0.70}),
    "krippendorff: readme": (
        THREE_CODERS, (), {},
        {"alpha-nominal": 0.691, "alpha-interval": 0.811},
    ),
    "pingouin: icc": (
        WINES, (), {},
        {"icc-1-1": 0.727521, "icc-2-1": 0.727689, "icc-3-1": 0.729487,
         "icc-1-k": 0.914384, "icc-2-k": 0.914450, "icc-3-k": 0.915159},
    ),
}  # fmt: skip
"""What the packages' manuals print, to the digits that they print."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_table_gives_its_published_coefficients(values, name):
    """Read the way its authors publish it, with at most one option that an error message names."""
    text, mapped, options, published = PUBLISHED[name]
    made = values(text, *mapped, **options)
    for coefficient, value in published.items():
        digits = len(str(value).partition(".")[2])
        assert round(made[coefficient], digits) == value, coefficient


def test_kappa_of_more_than_two_raters_is_the_mean_over_pairs(values):
    """Light's kappa; with five raters too, where it has no interval."""
    columns = {"a": "11223312", "b": "11223322", "c": "12223311", "d": "13221312", "e": "33213312"}

    def table(*names: str) -> str:
        rows = zip(*(columns[name] for name in names), strict=True)
        return f"item,{','.join(names)}\n" + "".join(f"{n},{','.join(row)}\n" for n, row in enumerate(rows))

    for raters in ("abc", "abcde"):
        pairs = [(one, other) for place, one in enumerate(raters) for other in raters[place + 1 :]]
        for name in ("kappa", "kappa-linear", "kappa-quadratic"):
            mean = sum(values(table(*pair))[name] for pair in pairs) / len(pairs)
            assert values(table(*raters))[name] == pytest.approx(mean), (raters, name)


def test_raters_who_differ_from_item_to_item_have_the_one_way_icc(values):
    """Four wines, two of six people each: as Shrout and Fleiss' first case; no item has all raters.

    Means 1.5, 4, 6, 9 around 5.125: between items 2 * 30.1875 / 3 = 20.125; within them (0.5 + 2 + 0 + 2) / 4 = 1.125.
    """
    text = "item,rater,rating\n1,a,1\n1,b,2\n2,c,3\n2,d,5\n3,e,6\n3,f,6\n4,a,8\n4,c,10\n"
    made = values(text)
    assert made["icc-1-1"] == pytest.approx((20.125 - 1.125) / (20.125 + 1.125))
    assert made["icc-1-k"] == pytest.approx((20.125 - 1.125) / 20.125)
    assert made["icc-2-1"] is None and made["icc-3-k"] is None


# --- layouts of data sets of the field

SUMMARIES = "".join(
    json.dumps(
        {
            "id": doc, "model_id": model, "decoded": "...", "references": ["a", "b"],
            "expert_annotations": [{"coherence": one, "fluency": 5}, {"coherence": other, "fluency": 4}],
            "turker_annotations": [{"coherence": 3, "fluency": 3}] * 3,
        }
    ) + "\n"
    for doc, model, one, other in (("d1", "M0", 1, 2), ("d1", "M1", 4, 4), ("d2", "M0", 5, 4), ("d2", "M1", 2, 2))
)  # fmt: skip
DIALOGUES = json.dumps(
    [
        {
            "context": context,
            "annotators": ["ana", "bob"],
            "responses": [
                {"model": "A", "Natural": [first, 3], "Overall": [5, 4]},
                {"model": "B", "Natural": [1, 1], "Overall": [2, 3]},
            ],
        }
        for context, first in (("c1", 3), ("c2", 2))
    ],
    indent=1,
)
EXACT_HALF = {"exact": 0.5}
LAYOUTS = {
    # equal: d1/M1 and d2/M1 of four summaries
    "annotations as a list of objects": (
        SUMMARIES, ("id=item", "model_id=item", "expert_annotations.coherence=expert:coherence"),
        {"name": "s.jsonl"}, EXACT_HALF,
    ),
    # Natural: 3-3, 1-1, 2-3, 1-1
    "lists inside a list": (
        DIALOGUES, ("context=item", "model=item"), {"name": "d.json", "reading": {"each": ["responses"]}},
        {"exact": 0.75},
    ),
    "annotations with ids of their own": (
        "".join(
            json.dumps({"id": n, "annotations": [{"id": 9, "rater": "x", "score": 2}, {"rater": "y", "score": other}]})
            + "\n"
            for n, other in ((1, 2), (2, 3))
        ),
        (), {"name": "a.jsonl"}, EXACT_HALF,
    ),
    "annotations as lists by field": (
        '{"id": 1, "annotations": {"Fluent": [2, 2]}}\n{"id": 2, "annotations": {"Fluent": [1, 2]}}\n',
        (), {"name": "a.jsonl"}, EXACT_HALF,
    ),
    "a list of values in a cell": ('id,quality\n1,"[1, 1]"\n2,"[2, 3]"\n', (), {}, EXACT_HALF),
    "several columns that name an item": (
        "system\tseg\trater\tscore\nA\t1\tx\t1\nA\t1\ty\t1\nB\t1\tx\t2\nB\t1\ty\t3\n", ("system=item", "seg=item"), {},
        EXACT_HALF,
    ),
    "no header": (
        "a\t1\tyes\nb\t1\tyes\na\t2\tno\nb\t2\tyes\n", ("1=rater", "2=item", "3=rating"),
        {"reading": {"header": False}}, EXACT_HALF,
    ),
    "quotation marks that are text": (
        'item\trater\tsource\tscore\n1\tx\t5" wide\t1\n1\ty\t"so\t1\n2\tx\t-\t2\n2\ty\t-\t3\n', (),
        {"reading": {"quotes": False}}, EXACT_HALF,
    ),
    "fields by raters in columns": (
        "id,overall_quality_r1,overall_quality_r2,tone_r1,tone_r2\n1,3,4,5,5\n2,2,2,4,4\n", ("{field}_{rater}",), {},
        EXACT_HALF,
    ),
    "raters whose values add up to the same": (
        "item,a,b,c\n1,0,0,2\n2,1,1,0\n3,1,1,0\n4,0,0,2\n", ("{rater}",), {}, {"exact": pytest.approx(1 / 3)},
    ),
    "raters by their place": ("story,score\n1,1\n1,1\n2,2\n2,3\n", (), {"unnamed": "rater"}, EXACT_HALF),
    "words in order, in any case": (
        "item;a;b\n1;Strongly agree;strongly  Agree\n2;agree;Disagree\n", (),
        {"scales": ["disagree<agree<strongly agree"]}, {"exact": 0.5, "adjacent": 1.0},
    ),
    "below zero": ("item,a,b\n1,-3,-3\n2,3,2\n", (), {"scales": ["-3..3"]}, EXACT_HALF),
    "empty columns of a spreadsheet": ("item,a,b,,\n1,1,1,,\n2,2,3,,\n", (), {}, EXACT_HALF),
    "columns that are items": (",1,2\nana,1,2\nbob,1,3\n", ("row=rater",), {}, EXACT_HALF),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_of_the_field_is_read(values, name):
    """With the mapping that a person would write."""
    text, mapped, options, expected = LAYOUTS[name]
    made = values(text, *mapped, **options)
    assert {coefficient: made[coefficient] for coefficient in expected} == expected  # type: ignore[attr-defined]


def test_packed_tables_are_read(values, tmp_path):
    """As data sets are offered for download; a damaged one is refused."""
    import gzip

    from evenhand.errors import InputError

    packed = gzip.compress(b"item,a,b\n1,1,1\n2,2,3\n")
    (tmp_path / "r.csv.gz").write_bytes(packed)
    assert read_table(str(tmp_path / "r.csv.gz")).columns == ("item", "a", "b")
    (tmp_path / "r.csv.gz").write_bytes(packed[:-10])
    with pytest.raises(InputError, match="is a damaged gzip file, or breaks off"):
        read_table(str(tmp_path / "r.csv.gz"))
    (tmp_path / "r.xlsx").write_bytes(b"PK\x03\x04...")
    with pytest.raises(InputError, match="workbook; save the sheet as CSV"):
        read_table(str(tmp_path / "r.xlsx"))


DOUBTFUL = {
    "a group beside raters": (BEN_GERRY, (), 'the column "Group" has no value in common .* `roles` Group=ignore'),
    "decimal commas": ("item;a;b\n1;7,5;8\n2;6;6,5\n", (), r":2: .7,5. is not a number; .* `decimal_comma`=true"),
    "a dash for no value": ("item,a,b\n1,3,4\n2,-,4\n3,5,5\n", (), r":3: .-. by a is not a number, .* `missing`=-"),
    "counts": (SIX_PSYCHIATRISTS, (), "every row adds up to 6: .* a row for each rating"),
    "a cross table": (ABSTRACTORS, (), "rows and columns have the same names: .* a row for each rating"),
    "fields by raters": ("id,x_r1,x_r2,y_r1,y_r2\n1,3,4,5,5\n", (), r"several fields by several raters; .*\{rater\}"),
    "columns that are numbered": (",1,2\nana,1,2\nbob,1,3\n", (), "could be items or raters; use `roles` row=rater"),
    "words in two spellings": ("item,a,b\n1,Yes,no\n2,yes,no\n", (), r':3: "yes" and "Yes" of line 2 differ in case'),
    "no values by name": ("item,rater,x\n1,a,2\n1,b,3\n", (), "no column holds values; name it, as in `roles`"),
    "nobody named": ("item,score\n1,2\n1,3\n", (), "no column says who rated; .* `by_place` or `anonymous`"),
    "two columns of raters": (
        "item,human,worker id,score\n1,x,a,2\n1,x,b,3\n", (), "several columns could name the rater: human, worker id"
    ),
    "an item of two columns": (
        "doc,model,rater,score\n1,A,x,2\n1,B,x,3\n", (), 'x rated "1" on line 2 already; .*`roles` COLUMN=item'
    ),
    "a name that is nearly right": (
        "Story ID,a,b\n1,1,2\n", {"mapped": ["Story_ID=item"]}, "did you mean `roles` 'Story ID=item'"
    ),
    "a pattern without a match": ("item,a,b\n1,1,2\n", {"mapped": ["x_{rater}"]}, "no column is named like"),
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_would_be_misread_is_refused_with_the_option_that_settles_it(values, name):
    """No table is read as something else than it is without a word."""
    from evenhand.errors import InputError

    text, options, message = DOUBTFUL[name]
    options = dict(options)
    with pytest.raises(InputError, match=message):
        values(text, *options.pop("mapped", ()), **options)


def test_second_values_can_be_left_out(tmp_path, evenhand_command):
    """Of two different values by one rater neither counts; of two equal ones, one."""
    (tmp_path / "r.csv").write_text("item,rater,score\n1,a,2\n1,b,2\n1,b,2\n2,a,3\n2,a,4\n2,b,3\n3,a,5\n3,b,5\n")
    done = evenhand_command(
        "trust", "agree", "r.csv", "--set", "labels.skip_bad=true", "--format", "json", "--set", "trust.resamples=200"
    )
    document = json.loads(done.out)
    assert document["comparisons"][0]["items"] == 2
    assert any(note.startswith("rating: 2 values left out") for note in document["notes"])
