"""Published trees and requirements: converted and back without a difference, verdicts worth what their files say."""

from __future__ import annotations

import gzip
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import evenhand
from contract.doors import run_here

DATA = Path(__file__).parents[4] / "shared" / "data" / "criteria"
KNOWN = {"all-in-one": "15421/21600", "semantic": "91/100", "stay-on": "3337/6930"}
"""What a published root score is as a fraction."""
CRITERIA = """#### Criteria

- `names` (2 points): It names it.
- `invents` (-3 points): It invents.
  - requires: names
  - applies when: there is a log
- `tests` (weight 4): Tests
  - `run`: They run.
  - `pass`: They pass.

"""


def published(pattern: str) -> list[Any]:
    """The files, or a single case that is skipped where they are not on this machine."""
    missing = pytest.param(None, marks=pytest.mark.skip(reason="the published trees are not on this machine"))
    return sorted((DATA / "paperbench").glob(pattern)) or [missing]


def convert(text: str, folder: Path) -> str:
    """What the command says while it writes made.md."""
    (folder / "source.json").write_text(text, encoding="utf-8")
    ran = run_here("rubric", "convert", "source.json", "-o", "made.md", cwd=folder)
    assert ran.code in (0, 1), ran.err
    return ran.err


def back(to: str, folder: Path) -> tuple[Any, str]:
    ran = run_here("rubric", "convert", "made.md", "--to", to, cwd=folder)
    return json.loads(ran.out), ran.err


@pytest.mark.slow
@pytest.mark.parametrize("path", published("*.rubric.json.gz"), ids=lambda path: path.name if path else "none")
def test_a_published_tree_comes_back_unchanged(path: Path, tmp_path: Path):
    text = gzip.decompress(path.read_bytes()).decode()
    convert(text, tmp_path)
    assert back("paperbench", tmp_path) == (json.loads(text), "")


@pytest.mark.slow
@pytest.mark.parametrize("path", published("*.graded.json.gz"), ids=lambda path: path.name if path else "none")
def test_a_published_graded_tree_has_its_root_score(path: Path, tmp_path: Path):
    """The file's own root score, a binary number, is the fraction rounded."""
    text = gzip.decompress(path.read_bytes()).decode()
    worth = re.search(r"verdicts are worth ([0-9/]+) at the root", convert(text, tmp_path))
    assert worth is not None
    assert float(Fraction(worth[1])) == pytest.approx(json.loads(text)["score"], abs=1e-12)
    expected = next((value for start, value in KNOWN.items() if path.name.startswith(start)), worth[1])
    assert Fraction(worth[1]) == Fraction(expected)


@pytest.mark.slow
def test_published_requirements_come_back_unchanged(tmp_path: Path):
    source = DATA / "devai.jsonl.gz"
    if not source.is_file():
        pytest.skip("the published tasks are not on this machine")
    for line in gzip.decompress(source.read_bytes()).decode().splitlines():
        (tmp_path / "made.md").unlink(missing_ok=True)
        convert(line, tmp_path)
        assert back("devai", tmp_path)[0] == json.loads(line)


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        (
            "paperbench",
            [
                "invents: paperbench has no negative points; -3 is written as it is",
                "invents: paperbench has no prerequisites; names is left out",
                'invents: the condition "there is a log" is left out',
            ],
        ),
        (
            "devai",
            [
                "names: devai has no points; 2 is left out",
                "invents: devai has no negative points; -3 is written as it is",
                "invents: devai has no points; -3 is left out",
                'invents: the condition "there is a log" is left out',
                "tests: devai has no groups; its criteria are listed with their share of its weight",
            ],
        ),
        (
            "healthbench",
            [
                "invents: healthbench has no prerequisites; names is left out",
                'invents: the condition "there is a log" is left out',
                "tests: healthbench has no groups; its criteria are listed with their share of its weight",
            ],
        ),
    ],
)
def test_what_another_tool_cannot_express_is_listed(to: str, expected: list[str], tmp_path: Path):
    convert(json.dumps([{"criteria": "Cites it.", "weight": 3}]), tmp_path)
    text = (tmp_path / "made.md").read_text(encoding="utf-8")
    start = text.index("#### Criteria")
    end = text.index("### ", start + 5)
    (tmp_path / "made.md").write_text(text[:start] + CRITERIA + text[end:], encoding="utf-8")
    document, said = back(to, tmp_path)
    assert [line.partition(": made.md:")[2].partition(": ")[2] for line in said.splitlines()] == expected
    if to == "healthbench":
        assert [item["points"] for item in document["rubrics"]] == [2, -3, 2, 2]  # 4 * 1/2 each


def test_the_verdicts_of_a_graded_tree_are_scored(tmp_path: Path):
    """3 of 6 are met and 1 cannot be told: 3/6 to 4/6, so 5.50 to 7.00."""
    source = Path(__file__).with_name("sources") / "graded.json"
    (tmp_path / "source.json").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    for options in (("-o", "made.md"), ("--verdicts", "-o", "made.json")):
        assert run_here("rubric", "convert", "source.json", *options, cwd=tmp_path).code == 0
    as_json = ("--rubric", "made.md", "--store", "none", "--format", "json")
    line = json.loads(run_here("score", "made.json", *as_json, cwd=tmp_path).out)["dimensions"]["correctness"]
    assert line["interval"] == {"low": 5.5, "high": 7} and line["criteria"]["value"] == {"low": "1/2", "high": "2/3"}


def test_prerequisites_and_points_are_those_of_the_source(tmp_path: Path):
    source = Path(__file__).with_name("sources") / "task.json"
    convert(source.read_text(encoding="utf-8"), tmp_path)
    tree = evenhand.load_rubric(tmp_path / "made.md").dimensions["correctness"].tree
    assert tree is not None
    assert [criterion.requires for criterion in tree.criteria()] == [
        (),
        ("requirement-0",),
        ("requirement-0", "requirement-1"),
    ]
