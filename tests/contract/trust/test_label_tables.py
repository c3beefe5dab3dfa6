"""Tables of labels as people have them, one a file: each is read right, or refused with what to do; none is misread.

A case has the options of `evenhand trust labels import`, the table, and then either every label that it holds or what
the refusal must name.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from random import Random

import pytest

import evenhand
from contract.doors import run_here

CASES = sorted(Path(__file__).with_name("tables").glob("*.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_table_is_read_right_or_refused_with_advice(case, tmp_path):
    """A refusal stores nothing, is one line for each problem, and says what to do."""
    options, _, rest = case.read_bytes().decode().partition("\n--- table\n")
    table, kind, expected = rest.rpartition("\n--- read\n")
    if not kind:
        table, kind, expected = rest.rpartition("\n--- refused\n")
    (tmp_path / "labels.csv").write_bytes(f"{table}\n".encode())
    store = evenhand.open_store(str(tmp_path / "s.db"))
    store.create()
    store.close()
    ran = run_here("trust", "labels", "import", "labels.csv", *shlex.split(options), "--store", "s.db", cwd=tmp_path)
    exported = run_here("trust", "labels", "list", "--all", "--store", "s.db", cwd=tmp_path)
    labels = [json.loads(line) for line in exported.out.splitlines()]
    found = [" ".join(label[name] for name in ("item", "rater", "field", "value")) for label in labels]
    if "read" in kind:
        assert (ran.code, ran.err.count("error")) == (0, 0), ran.err
        assert sorted(found) == sorted(expected.splitlines())
    else:
        assert (ran.code, found) == (2, [])
        for part in expected.splitlines():
            assert part.replace("line ", "labels.csv:") in ran.err.replace("\n", " "), ran.err


def judged_ids(folder, *ids: str) -> None:
    """A store with an evaluation of each id."""
    with evenhand.open_store(str(folder / "s.db")) as store:
        store.create()
        for id in ids:
            scores = dict.fromkeys(evenhand.DIMENSIONS, 7)
            evenhand.score({"skill": "s", "judge": "model:a", "scores": scores}, id=id, store=store, rubric="default")


@pytest.mark.parametrize(
    ("column", "names", "names_the_id"),
    [
        ("id", ("A-1", "A-2"), 'differs from the id "a-1"'),
        ("file", ("out/a-1.md", "out/a-2.md"), 'there is the id "a-1"'),
        ("output", ("a-1", "a-2"), 'there is the id "a-1"'),
    ],
)
def test_ids_that_differ_by_case_or_suffix_are_named_and_joined_on_request(column, names, names_the_id, tmp_path):
    """By case, by the ending and folder of a file, or under a column that says they are texts."""
    judged_ids(tmp_path, "a-1", "a-2")
    rows = "".join(f"{name},{mark}\n" for name, mark in zip(names, (8, 5), strict=True))
    (tmp_path / "labels.csv").write_text(f"{column},ana\n{rows}", encoding="utf-8")
    command = ("trust", "labels", "import", "labels.csv", "--field", "final", "--store", "s.db")
    told = run_here(*command, "--dry-run", cwd=tmp_path)
    assert names_the_id in told.err and "--set labels.fold_ids=true" in told.err
    folded = run_here(*command, "--set", "labels.fold_ids=true", cwd=tmp_path)
    assert folded.code == 0, folded.err
    exported = run_here("trust", "labels", "list", "--all", "--store", "s.db", cwd=tmp_path)
    labels = [json.loads(line) for line in exported.out.splitlines()]
    assert [(label["kind"], label["item"]) for label in labels] == [("id", "a-1"), ("id", "a-2")]


def test_a_scale_that_seems_turned_round_is_asked_about(tmp_path):
    """By the doctor and beside the coefficients; not of raters who have nothing in common."""
    marks = [
        (8, 7, 8),
        (5, 5, 6),
        (9, 9, 9),
        (3, 4, 4),
        (7, 7, 8),
        (6, 5, 6),
        (2, 3, 4),
        (8, 8, 9),
        (4, 4, 5),
        (9, 8, 9),
    ]
    rows = "".join(f"q{place},{10 - ana},{bob},{model}\n" for place, (ana, bob, model) in enumerate(marks))
    (tmp_path / "turned.csv").write_text(f"item,ana,bob,model\n{rows}", encoding="utf-8")
    asked = "ana falls when the others rise: is ana's scale inverted?"
    for command in (("labels", "doctor", "turned.csv"), ("agree", "turned.csv", "--judge", "model")):
        assert asked in " ".join(run_here("trust", *command, cwd=tmp_path).out.split())
    rows = "".join(f"q{place},{10 - ana},{bob}\n" for place, (ana, bob, _) in enumerate(marks))
    (tmp_path / "two.csv").write_text(f"item,ana,bob\n{rows}", encoding="utf-8")
    two = run_here("trust", "labels", "doctor", "two.csv", cwd=tmp_path).out
    assert "ana falls when bob rises: is one of their scales inverted?" in two and two.count("inverted?") == 1
    draw = Random(2)
    rows = "".join(f"q{place},{draw.randint(1, 10)},{draw.randint(1, 10)}\n" for place in range(60))
    (tmp_path / "dice.csv").write_text(f"item,ana,bob\n{rows}", encoding="utf-8")
    assert "inverted?" not in run_here("trust", "labels", "doctor", "dice.csv", cwd=tmp_path).out
