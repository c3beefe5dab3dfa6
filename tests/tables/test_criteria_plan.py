"""Criteria over a long table of verdicts: the same scores as one by one, and as the independent oracle."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from criteria_oracle import VERDICTS, leaves, random_root, what_counts
from criteria_oracle import score as oracle_score
from evenhand.core.rubric import Criterion, Group, Tree
from evenhand.errors import InputError
from evenhand.tables.criteria_plan import STRANGE, TWICE, CriteriaPlan
from test_criteria_value import tree_of

Row = tuple[str, str, str]


def scored(trees: Mapping[str, Tree], rows: list[Row]) -> dict[str, dict[str, Any]]:
    table = pa.table({name: [row[n] for row in rows] for n, name in enumerate(("id", "criterion", "verdict"))})
    connection = duckdb.connect()
    connection.register("verdicts", table)
    found = connection.sql(CriteriaPlan(trees).query("verdicts")).to_arrow_table().to_pylist()
    return {row["id"]: row for row in found}


def again(chance: random.Random, node: dict[str, Any]) -> dict[str, Any]:
    """The same tree with other verdicts."""
    if "children" in node:
        return {**node, "children": [again(chance, child) for child in node["children"]]}
    return {**node, "verdict": chance.choice(VERDICTS)}


@pytest.mark.slow
def test_random_trees_agree_with_the_oracle():
    """Thirty trees with twenty evaluations each; what is too large for exact arithmetic in a table is refused."""
    chance = random.Random(27)
    compared = refused = 0
    for _ in range(30):
        first, partly = random_root(chance), chance.choice([Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)])
        tree, _ = tree_of(first, partly)
        roots = {f"e{n}": again(chance, first) for n in range(20)}
        rows = [(id, leaf["id"], leaf["verdict"]) for id, root in roots.items() for leaf in leaves(root)]
        chance.shuffle(rows)
        try:
            found = scored({"correctness": tree}, rows)
        except InputError:
            refused += 1
            continue
        for id, root in roots.items():
            ends = found[id]["correctness_low"], found[id]["correctness_high"]
            assert (None if None in ends else ends) == oracle_score(root, what_counts([root]), partly)
            assert (found[id][TWICE], found[id][STRANGE]) == (0, 0)
            compared += 1
    assert compared > 500 and refused < 5


def leaf(id: str, points: str, *requires: str) -> Criterion:
    return Criterion(id, f"{id} holds.", Fraction(points), requires)


def test_criteria_of_several_dimensions_require_each_other():
    """b, of completeness, requires a, which is not met: it counts as no. 1 + 9 * 0 = 1 and 1 + 9 * 2/3 = 7."""
    trees = {"correctness": Tree((leaf("a", "1"),)), "completeness": Tree((leaf("b", "1", "a"), leaf("c", "2")))}
    found = scored(trees, [("x", "a", "no"), ("x", "b", "yes"), ("x", "c", "yes")])["x"]
    assert [found[name] for name in ("correctness_low", "correctness_high")] == [100, 100]
    assert [found[name] for name in ("completeness_low", "completeness_high")] == [700, 700]


def test_a_verdict_that_is_missing_cannot_be_decided():
    found = scored({"safety": Tree((leaf("a", "1"), leaf("b", "1")))}, [("x", "a", "yes")])["x"]
    assert (found["safety_low"], found["safety_high"]) == (550, 1000)


@pytest.mark.parametrize(
    ("rows", "twice", "strange"),
    [
        ([("x", "a", "yes"), ("x", "a", "yes")], 1, 0),
        ([("x", "a", "yes"), ("x", "a", "no")], 1, 0),
        ([("x", "a", "maybe")], 0, 1),
        ([("x", "z", "yes")], 0, 1),
    ],
)
def test_answers_given_twice_and_unknown_ones_are_counted(rows: list[Row], twice: int, strange: int):
    found = scored({"safety": Tree((leaf("a", "1"),))}, rows)["x"]
    assert (found[TWICE], found[STRANGE]) == (twice, strange)


def test_large_points_and_fractions_stay_exact():
    """(10**9 - 1) / (10**9 - 1 + 1/3), which a binary number cannot tell from 1 + 9 * 1 = 10 in hundredths; and a
    value just below a half: 1 + 9 * 0.4994... is 5.49 and not 5.50."""
    big = Tree((leaf("a", "999999999"), leaf("b", "1/3")))
    assert scored({"safety": big}, [("x", "a", "yes"), ("x", "b", "no")])["x"]["safety_low"] == 1000
    points = Fraction(4995, 9000) - Fraction(1, 10**6)  # 1 + 9 * p = 5.994991: 5.99, while 5.995 would be 6.00
    below = Tree((leaf("a", str(points)), leaf("b", str(1 - points))))
    assert scored({"safety": below}, [("x", "a", "yes"), ("x", "b", "no")])["x"]["safety_low"] == 599


def test_numbers_that_do_not_fit_are_refused():
    groups = [Group(f"g{n}", "", Fraction(1), (leaf(f"a{n}", f"999999{n:03}.5"),)) for n in range(40)]
    with pytest.raises(InputError, match="nested too deeply, with too many different weights"):
        CriteriaPlan({"safety": Tree(tuple(groups))})


RUBRIC = """#### Criteria

- `a` (1 point): A holds.
- `b` (3 points): B holds.

"""


@pytest.fixture
def rubric(tmp_path: Path) -> str:
    from evenhand.rubrics.new import rubric_text

    text = rubric_text("mine", "default")
    place = text.index("### Completeness")
    (tmp_path / "mine.md").write_text(text[:place] + RUBRIC + text[place:])
    return str(tmp_path / "mine.md")


VERDICTS_CSV = """run,criterion,verdict
x,a,yes
x,b,no
y,b,cannot tell
y,a,yes
z,a,does not apply
z,b,does not apply
"""


@pytest.mark.slow
def test_a_file_of_verdicts_becomes_a_table_of_scores(evenhand_command: Any, tmp_path: Path, rubric: str):
    """x has 1 of 4 points, 3.25; y from 1/4 to 1; of z nothing applies."""
    (tmp_path / "v.csv").write_text(VERDICTS_CSV)
    done = evenhand_command("table", "v.csv", "out.csv", "--verdicts", "--rubric", rubric, "--map", "id=run")
    assert (done.code, done.out) == (0, "3 of 3 evaluations scored with rubric mine: out.csv\n")
    assert (tmp_path / "out.csv").read_text().splitlines() == [
        "id,correctness,correctness_low,correctness_high",
        "x,3.25,3.25,3.25",
        "y,,3.25,10.00",
        "z,,,",
    ]


@pytest.mark.slow
def test_evaluations_with_wrong_verdicts_are_rejected_with_their_rows(
    evenhand_command: Any, tmp_path: Path, rubric: str
):
    rows = "id,criterion,verdict\nx,a,yes\nx,a,no\ny,c,yes\nz,a,maybe\nw,a,yes\nw,b,yes\n"
    (tmp_path / "v.csv").write_text(rows)
    done = evenhand_command("table", "v.csv", "out.csv", "--verdicts", "--rubric", rubric)
    assert done.code == 2 and "3 evaluations were rejected; see out.csv.rejected" in done.err
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == ["w,10.00,10.00,10.00"]
    rejected = [json.loads(line) for line in (tmp_path / "out.csv.rejected").read_text().splitlines()]
    assert [(row["row"], row["reason"]) for row in rejected] == [
        (2, "x: a second verdict on a; the first is in row 1"),
        (3, 'y: rubric mine: unknown criterion "c"; valid: a, b'),
        (4, 'z: a: unknown verdict "maybe"; valid: yes, no, partly, does not apply, cannot tell'),
    ]


@pytest.mark.slow
def test_a_table_without_the_columns_or_a_rubric_without_criteria(evenhand_command: Any, tmp_path: Path, rubric: str):
    (tmp_path / "v.csv").write_text("id,criterion,verdikt\nx,a,yes\n")
    done = evenhand_command("table", "v.csv", "out.csv", "--verdicts", "--rubric", rubric)
    assert done.code == 2 and "the column verdict is missing" in done.err and "Is verdikt meant for it?" in done.err
    done = evenhand_command("table", "v.csv", "out.csv", "--verdicts")
    assert done.code == 2 and "rubric default has no criteria" in done.err
    done = evenhand_command("table", "v.csv", "out.csv", "--verdicts", "--rank-by", "id")
    assert done.code == 2 and "--verdicts goes with" in done.err
