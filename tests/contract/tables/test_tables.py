"""Tables of evaluations: every row comes to what `score`, `rank` and the rule of histories say of it, in every format.

The arithmetic of histories stands here anew, in fractions.
"""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import evenhand
from contract.doors import run_here

FLAGS = ("plain-secret", "unguarded-destroy", "open-admin-port", "wildcard-admin", "floating-version")
BONUSES = ("rollback-rehearsed", "automatic-abort", "plan-annotated", "failure-exercised", "artifact-verified")
"""Some of the rubric devops: 1.5, 1 and 0.5 three times; with all of them the caps are passed."""
RULE = ("--rubric", "devops")


def evaluations(number: int, seed: int = 1) -> list[dict]:
    """Rows in no order of time, of three skills; scores crowd, so that ranks and windows have ties."""
    draw = Random(seed)
    rows = []
    for place in range(number):
        scores = {name: draw.choice((7, 7, 7.5, 8, draw.randint(10, 100) / 10)) for name in evenhand.DIMENSIONS}
        rows.append(
            {
                "id": f"e{place:03d}",
                "skill": draw.choice("abc"),
                "created": f"2026-01-{draw.randint(1, 28):02d}T{draw.randint(0, 23):02d}:00:{place % 60:02d}Z",
                **scores,
                "red_flags": draw.sample(FLAGS, draw.choice((0, 0, 1, 2, 4))),
                "bonuses": draw.sample(BONUSES, draw.choice((0, 0, 1, 5))),
            }
        )
    return rows


def write(path: Path, rows: list[dict]) -> None:
    lists = ("red_flags", "bonuses")
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows({**row, **{name: ";".join(row[name]) for name in lists}} for row in rows)
    else:
        of_text = {name: pa.list_(pa.string()) for name in lists}
        columns = {name: pa.array([row[name] for row in rows], of_text.get(name)) for name in rows[0]}
        table = pa.table({name: col if name in lists or pa.types.is_string(col.type) else col.cast(pa.float64())
                          for name, col in columns.items()})  # fmt: skip
        if path.suffix == ".parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            pyarrow.feather.write_feather(table, path, compression="uncompressed")


def read(path: Path) -> list[dict]:
    if path.suffix in (".jsonl", ".rejected"):
        return [json.loads(line, parse_float=Decimal) for line in path.read_text(encoding="utf-8").splitlines()]
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return [*csv.DictReader(file)]
    table = pyarrow.parquet.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)
    return table.to_pylist()


def scored(folder: Path, rows: list[dict], *options: str, ending: str = ".jsonl") -> dict[str, dict]:
    write(folder / f"in{ending}", rows)
    anew = ("--set", "output.overwrite=true")
    ran = run_here("table", f"in{ending}", f"out{ending}", *RULE, *anew, *options, cwd=folder)
    assert ran.code == 0, ran.err
    return {row["id"]: row for row in read(folder / f"out{ending}")}


def test_a_row_has_the_score_of_its_scorecard_and_the_rank_of_its_ranking(tmp_path):
    """Beside `score` and `rank`, in every row."""
    rows = evaluations(60)
    found = scored(tmp_path, rows)
    lines = [
        {
            "id": row["id"], "skill": row["skill"], "judge": "human:ana", "rubric": "devops",
            "scores": {name: row[name] for name in evenhand.DIMENSIONS},
            "red_flags": row["red_flags"], "bonuses": row["bonuses"],
        }
        for row in rows
    ]  # fmt: skip
    (tmp_path / "cards.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    ran = run_here("score", "cards.jsonl", "--format", "jsonl", "--store", "none", cwd=tmp_path)
    cards = {card["id"]: card for card in map(json.loads, ran.out.splitlines())}
    assert len(cards) == 60
    for id, card in cards.items():
        row = found[id]
        for name in ("composite", "final"):
            assert float(row[name]) == card[name]
        assert (float(row["deduction"]), float(row["bonus"])) == (
            card["deduction"]["applied"],
            card["bonus"]["applied"],
        )
        assert (row["grade"], row["label"]) == (card["grade"], card["label"])
    (tmp_path / "scored.jsonl").write_text(ran.out, encoding="utf-8")
    ranked = json.loads(run_here("rank", "scored.jsonl", "--format", "json", "--store", "none", cwd=tmp_path).out)
    assert {entry["id"]: entry["rank"] for entry in ranked["entries"]} == {id: row["rank"] for id, row in found.items()}


def test_a_row_is_compared_with_the_ten_before_it_of_its_skill(tmp_path):
    """R13 to R15: sample deviation, more than two of them from the mean, exactly; provisional below ten."""
    rows = evaluations(120, seed=2)
    found = scored(tmp_path, rows)
    flagged = 0
    for skill in "abc":
        line = sorted((row for row in rows if row["skill"] == skill), key=lambda row: (row["created"], row["id"]))
        for place, row in enumerate(line):
            window, result = line[max(0, place - 10) : place], found[row["id"]]
            n = len(window)
            assert (result["history"], result["provisional"]) == (n, 2 <= n < 10)
            for name in evenhand.DIMENSIONS:
                past = [Fraction(str(earlier[name])) for earlier in window]
                total, squares = sum(past), sum(value * value for value in past)
                if not n:
                    assert result[f"{name}_mean"] is None and result[f"{name}_flagged"] is None
                    continue
                assert float(result[f"{name}_mean"]) == pytest.approx(float(total / n))
                if n == 1:
                    assert result[f"{name}_deviation"] is None
                    continue
                spread = n * squares - total * total
                assert float(result[f"{name}_deviation"]) == pytest.approx(sqrt(spread / (n * (n - 1))))
                off = n * Fraction(str(row[name])) - total
                assert result[f"{name}_flagged"] == ((n - 1) * off * off > 4 * n * spread)
                flagged += result[f"{name}_flagged"]
    assert flagged > 20


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_every_format_holds_the_same_results(ending, tmp_path):
    rows = evaluations(40, seed=3)
    expected, found = scored(tmp_path, rows), scored(tmp_path, rows, ending=ending)
    for id, row in expected.items():
        for name in ("final", "composite", "deduction", "bonus", "rank", "history"):
            assert Decimal(str(found[id][name])) == Decimal(str(row[name])), name
        assert found[id]["grade"] == row["grade"]
        for name in evenhand.DIMENSIONS:
            flagged = "" if row[f"{name}_flagged"] is None and ending == ".csv" else row[f"{name}_flagged"]
            assert str(found[id][f"{name}_flagged"]).lower() == str(flagged).lower()


def test_ranks_within_groups_and_without_history(tmp_path):
    """`--rank-by` ranks each skill by itself; without ranks or history their columns are not there."""
    rows = evaluations(40, seed=4)
    whole, grouped = scored(tmp_path, rows), scored(tmp_path, rows, "--rank-by", "skill")
    for skill in "abc":
        ids = [row["id"] for row in rows if row["skill"] == skill]
        ranks = [whole[id]["rank"] for id in ids]
        assert [grouped[id]["rank"] for id in ids] == [1 + sum(other < rank for other in ranks) for rank in ranks]
    bare = scored(tmp_path, rows, "--set", "table.no_rank=true", "--set", "table.no_history=true")
    assert not {"rank", "history", "safety_flagged"} & {*next(iter(bare.values()))}
    assert {id: row["final"] for id, row in bare.items()} == {id: row["final"] for id, row in whole.items()}


WRONG: dict[str, list[tuple[Any, str]]] = {
    "correctness": [(11, "11 is not a number from 1 to 10"), (0.99, "0.99 is not a number from 1 to 10"),
                    ("good", "good is not a number from 1 to 10"), (None, "correctness is missing")],
    "red_flags": [(["no-such"], "no-such is not a red flag of rubric devops")],
    "bonuses": [(["no-such"], "no-such is not a bonus of rubric devops")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("column", "value", "reason"), [(col, *pair) for col, pairs in WRONG.items() for pair in pairs]
)
def test_a_row_that_cannot_be_scored_is_named_with_its_reason(column, value, reason, tmp_path):
    """The others are scored as if it were not there; exit code 2, or 0 where rejects are allowed."""
    rows = evaluations(6, seed=5)
    rows[3][column] = value
    write(tmp_path / "in.jsonl", rows)
    ran = run_here("table", "in.jsonl", "out.jsonl", *RULE, cwd=tmp_path)
    assert ran.code == 2 and "5 of 6 rows scored" in ran.out + ran.err
    (rejected,) = read(tmp_path / "out.jsonl.rejected")
    assert (rejected["file"], rejected["row"]) == ("in.jsonl", 4)
    assert reason in rejected["reason"] and rejected["reason"].startswith(column)
    kept = {row["id"]: row for row in read(tmp_path / "out.jsonl")}
    alone = tmp_path / "alone"
    alone.mkdir()
    assert kept == scored(alone, rows[:3] + rows[4:])
    allowed = run_here("table", "in.jsonl", "two.jsonl", *RULE, "--set", "table.allow_rejects=true", cwd=tmp_path)
    assert allowed.code == 0


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("id,correctness\na,7\n", (), "safety"),
        ("", (), "in.csv"),
        ("id,skill\n", ("--map", "safety=harm"), "harm"),
        (None, (), "in.csv"),
    ],
)
def test_a_file_that_is_not_a_table_of_evaluations_is_refused(content, options, said, tmp_path):
    """Every problem on a line, exit code 2, and nothing is written."""
    if content is not None:
        (tmp_path / "in.csv").write_text(content, encoding="utf-8")
    ran = run_here("table", "in.csv", "out.csv", *RULE, *options, cwd=tmp_path)
    assert ran.code == 2 and said in ran.err and "Traceback" not in ran.err
    assert all(line.startswith("error:") for line in ran.err.splitlines())
    assert not (tmp_path / "out.csv").exists()


def test_an_output_that_is_there_is_kept_unless_told_otherwise(tmp_path):
    rows = evaluations(5)
    write(tmp_path / "in.jsonl", rows)
    (tmp_path / "out.jsonl").write_text("mine\n")
    kept = run_here("table", "in.jsonl", "out.jsonl", *RULE, cwd=tmp_path)
    assert kept.code == 2 and (tmp_path / "out.jsonl").read_text() == "mine\n"
    replaced = run_here("table", "in.jsonl", "out.jsonl", *RULE, "--set", "output.overwrite=true", cwd=tmp_path)
    assert replaced.code == 0 and len(read(tmp_path / "out.jsonl")) == 5


def test_verdicts_on_criteria_become_scores_or_bounds(tmp_path):
    """Three points for a yes, one taken away: 2 of 3 on the way from 1 to 10 is 7; undecided is from 7 to 10."""
    criteria = [{"criteria": "Names the ticket.", "weight": 3}, {"criteria": "Invents a number.", "weight": -1}]
    (tmp_path / "criteria.json").write_text(json.dumps(criteria), encoding="utf-8")
    made = run_here("rubric", "convert", "criteria.json", "-o", "tickets.md", cwd=tmp_path)
    assert made.code == 0, made.err
    verdicts = {
        "a": ("yes", "yes"), "b": ("yes", "no"), "c": ("no", "no"), "d": ("yes", "cannot tell"), "e": ("maybe", "no"),
    }  # fmt: skip
    lines = [
        f"{id},names-the-ticket,{first}\n{id},invents-a-number,{second}\n" for id, (first, second) in verdicts.items()
    ]
    (tmp_path / "v.csv").write_text("id,criterion,verdict\n" + "".join(lines), encoding="utf-8")
    ran = run_here("table", "v.csv", "out.csv", "--verdicts", "--rubric", "tickets.md", cwd=tmp_path)
    assert ran.code == 2  # e
    found = {
        row["id"]: (row["correctness"], row["correctness_low"], row["correctness_high"])
        for row in read(tmp_path / "out.csv")
    }
    assert found == {
        "a": ("7.00", "7.00", "7.00"), "b": ("10.00", "10.00", "10.00"), "c": ("1.00", "1.00", "1.00"),
        "d": ("", "7.00", "10.00"),
    }  # fmt: skip
    (rejected,) = read(tmp_path / "out.csv.rejected")
    assert "maybe" in rejected["reason"]
