"""Criteria of other tools become a rubric and come out again as they were; what has no counterpart is listed."""

from __future__ import annotations

import gzip
import json
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

import evenhand
from evenhand.core.values import Criterion, Group, Tree
from evenhand.rubrics.conversion.criteria_export import export_criteria
from evenhand.rubrics.conversion.criteria_files import ConvertedCriteria, converted_criteria, exported_criteria
from evenhand.rubrics.conversion.criteria_formats import FORMATS

DATA = Path(__file__).parents[3] / "shared" / "data" / "criteria"


def converted(tmp_path: Path, name: str, text: str, **more: Any) -> tuple[ConvertedCriteria, Path]:
    result = converted_criteria(text, name, name="made", **{"dimension": "correctness", **more})
    assert result is not None
    path = tmp_path / "made.md"
    path.write_text(result.text, encoding="utf-8")
    return result, path


def back(path: Path, to: str, dimension: str = "correctness") -> Any:
    text, losses = exported_criteria(str(path), to, dimension)
    read = tomllib.loads if to == "harbor" else yaml.safe_load if to == "promptfoo" else json.loads
    return read(text), [problem.message for problem in losses]


TREE = {
    "id": "6fb3259f-edad",
    "requirements": "The paper\nis reproduced.",
    "weight": 1,
    "task_category": None,
    "sub_tasks": [
        {"id": "a1", "requirements": "$f(x)=0$ is `defined`", "weight": 2, "sub_tasks": [], "task_category": "Code"},
        {"id": "Odd Id", "requirements": "It runs.", "weight": 0.5, "sub_tasks": []},
    ],
}
DEVAI = {
    "name": "01_Task",
    "query": "Do it.",
    "requirements": [
        {"requirement_id": 0, "prerequisites": [], "criteria": "It loads.", "category": "Data"},
        {"requirement_id": 1, "prerequisites": [0], "criteria": "It trains.", "category": "Model"},
    ],
    "preferences": ["Be quick."],
}
HEALTH = {
    "prompt": [{"role": "user", "content": "?"}],
    "rubrics": [
        {"criterion": "Names the dose.", "points": 5, "tags": ["axis:accuracy"]},
        {"criterion": "Invents a drug.", "points": -8, "tags": []},
    ],
}
HARBOR = {
    "judge": {"judge": "claude-code", "files": ["/app/main.py"]},
    "criterion": [
        {"description": "Is the code correct?", "type": "binary"},
        {"description": 'How "readable" is it?', "type": "likert", "points": 5, "weight": 2.0},
    ],
    "scoring": {"aggregation": "all-pass"},
}
LIST = [{"criteria": "Cites it.", "weight": 3}, {"criteria": "Invents it.", "weight": -1}]
POINTS = [{"criterion": "Cites it.", "points": 3}]
EVAL = {"id": 1, "prompt": "Go.", "files": [], "expectations": ["It says so.", "It is short."]}
SKILL = {"skill_name": "x", "evals": [EVAL]}
PROMPTFOO = {
    "prompts": ["{{q}}"],
    "tests": [
        {
            "vars": {"q": "Hi"},
            "assert": [
                {"type": "contains", "value": "x"},
                {"type": "llm-rubric", "value": "Is polite.", "weight": 2},
                {"type": "llm-rubric", "value": "Is short."},
            ],
        }
    ],
}
FILES = {
    "paperbench": ("tree.json", TREE),
    "devai": ("task.json", DEVAI),
    "healthbench": ("h.json", HEALTH),
    "list": ("l.json", LIST),
    "points": ("p.json", POINTS),
    "skill-creator": ("evals.json", SKILL),
    "promptfoo": ("p.yaml", PROMPTFOO),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_comes_out_as_it_went_in(tmp_path: Path, name: str):
    """Through the Markdown of a rubric and back, nothing lost."""
    file, document = FILES[name]
    result, path = converted(tmp_path, file, json.dumps(document))
    assert result.format == name
    again, _ = back(path, name)
    assert again == document


def test_harbors_toml_comes_out_as_it_went_in(tmp_path: Path):
    text = export_toml()
    result, path = converted(tmp_path, "quality.toml", text)
    again, _ = back(path, "harbor")
    assert again == HARBOR
    assert [problem.message for problem in result.losses] == [
        "judge has no counterpart in a rubric; it is kept as a note",
        "type likert has no counterpart: it is answered with yes, no or partly",
        "aggregation all-pass has no counterpart: criteria count by their weights",
    ]


def export_toml() -> str:
    return """[judge]
judge = "claude-code"
files = ["/app/main.py"]

[[criterion]]
description = "Is the code correct?"
type = "binary"

[[criterion]]
description = 'How "readable" is it?'
type = "likert"
points = 5
weight = 2.0

[scoring]
aggregation = "all-pass"
"""


def test_prerequisites_and_weights_are_imported(tmp_path: Path):
    _, path = converted(tmp_path, "task.json", json.dumps(DEVAI), dimension="completeness")
    tree = evenhand.load_rubric(str(path)).dimensions["completeness"].tree
    assert tree is not None
    assert [(c.id, c.requires) for c in tree.criteria()] == [
        ("requirement-0", ()),
        ("requirement-1", ("requirement-0",)),
    ]
    _, path = converted(tmp_path, "h.json", json.dumps(HEALTH))
    tree = evenhand.load_rubric(str(path)).dimensions["correctness"].tree
    assert tree is not None and [c.points for c in tree.criteria()] == [5, -8]


def test_what_has_no_counterpart_is_listed_with_its_line(evenhand_command: Any, tmp_path: Path):
    path = tmp_path / "task.json"
    path.write_text(json.dumps(DEVAI, indent=1))
    done = evenhand_command("rubric", "convert", str(path))
    assert done.code == 0 and "#### Criteria" in done.out
    assert f"no counterpart: {path}:3: query has no counterpart in a rubric; it is kept as a note" in done.err
    assert "2 criteria from devai" in done.err


def test_one_of_several_entries(tmp_path: Path):
    two = {"skill_name": "x", "evals": [{"id": 1, "expectations": ["A."]}, {"id": 2, "expectations": ["B."]}]}
    with pytest.raises(evenhand.InputError, match="choose one with --entry N, from 1 to 2"):
        converted(tmp_path, "evals.json", json.dumps(two))
    result, _ = converted(tmp_path, "evals.json", json.dumps(two), entry=2)
    assert "B." in result.text and "A." not in result.text
    lines = f"{json.dumps(DEVAI)}\n{json.dumps({**DEVAI, 'name': 'Second'})}\n"
    with pytest.raises(evenhand.InputError, match="has 2 entries"):
        converted(tmp_path, "all.jsonl", lines)
    assert "Second" in converted(tmp_path, "all.jsonl", lines, entry=2)[0].text


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("paperbench", ["invents: paperbench has no negative points; -3 is written as it is",
                        "invents: paperbench has no prerequisites; names is left out",
                        'invents: the condition "there is a log" is left out']),
        ("devai", ["names: devai has no points; 2 is left out",
                   "invents: devai has no negative points; -3 is written as it is",
                   "invents: devai has no points; -3 is left out",
                   'invents: the condition "there is a log" is left out',
                   "tests: devai has no groups; its criteria are listed with their share of its weight"]),
        ("healthbench", ["invents: healthbench has no prerequisites; names is left out",
                         'invents: the condition "there is a log" is left out',
                         "tests: healthbench has no groups; its criteria are listed with their share of its weight"]),
    ],
)  # fmt: skip
def test_what_another_tool_cannot_say_is_listed(tmp_path: Path, to: str, expected: list[str]):
    _, path = converted(tmp_path, "l.json", json.dumps(LIST))
    text = path.read_text()
    start = text.index("#### Criteria")
    end = text.index("### ", start + 5)
    criteria = """#### Criteria

- `names` (2 points): It names it.
- `invents` (-3 points): It invents.
  - requires: names
  - applies when: there is a log
- `tests` (weight 4): Tests
  - `run`: They run.
  - `pass`: They pass.

"""
    path.write_text(text[:start] + criteria + text[end:])
    document, losses = back(path, to)
    assert losses == expected
    if to == "healthbench":
        assert [item["points"] for item in document["rubrics"]] == [2, -3, 2, 2]  # 4 * 1/2 each


def graded(id: str, weight: int, score: float, valid: bool = True) -> dict[str, Any]:
    parts = {"id": id, "requirements": f"{id} holds.", "weight": weight, "sub_tasks": []}
    return {**parts, "score": score, "valid_score": valid, "explanation": ""}


GRADED = {**graded("root", 1, 0.5), "sub_tasks": [graded("a", 3, 1.0), graded("b", 2, 0.0), graded("c", 1, 0.0, False)]}


def test_a_graded_tree_brings_its_verdicts(evenhand_command: Any, tmp_path: Path):
    """3 of 6 are met and 1 cannot be told: 3/6 to 4/6, so 5.50 to 7.00."""
    tree, rubric, judgement = tmp_path / "g.json", tmp_path / "g.md", tmp_path / "j.json"
    tree.write_text(json.dumps(GRADED))
    done = evenhand_command("rubric", "convert", str(tree), "-o", str(rubric))
    assert done.code == 0 and "worth 1/2 to 2/3 at the root" in done.err
    assert evenhand_command("rubric", "convert", str(tree), "--verdicts", "-o", str(judgement)).code == 0
    done = evenhand_command("score", str(judgement), "--rubric", str(rubric), "--store", "none", "--format", "json")
    line = json.loads(done.out)["dimensions"]["correctness"]
    assert line["interval"] == {"low": 5.5, "high": 7} and line["criteria"]["value"] == {"low": "1/2", "high": "2/3"}


def shared(pattern: str) -> list[Path]:
    return sorted((DATA / "paperbench").glob(pattern))


@pytest.mark.slow
@pytest.mark.parametrize("path", shared("*.rubric.json.gz") or [None], ids=lambda path: path.name if path else "absent")
def test_published_trees_round_trip(tmp_path: Path, path: Path | None):
    if path is None:
        pytest.skip("the published trees are not on this machine")
    text = gzip.decompress(path.read_bytes()).decode()
    _, rubric = converted(tmp_path, "tree.json", text)
    again, losses = back(rubric, "paperbench")
    assert again == json.loads(text) and losses == []


@pytest.mark.slow
@pytest.mark.parametrize("path", shared("*.graded.json.gz") or [None], ids=lambda path: path.name if path else "absent")
def test_published_graded_trees_have_their_root_scores(tmp_path: Path, path: Path | None):
    """The file's own root score, a binary number, is the fraction rounded."""
    if path is None:
        pytest.skip("the published trees are not on this machine")
    text = gzip.decompress(path.read_bytes()).decode()
    result, _ = converted(tmp_path, "tree.json", text)
    assert result.value is not None and result.value.low == result.value.high
    assert float(result.value.low) == pytest.approx(json.loads(text)["score"], abs=1e-12)
    known = {"all-in-one": "15421/21600", "semantic": "91/100", "stay-on": "3337/6930"}
    expected = next((value for start, value in known.items() if path.name.startswith(start)), None)
    assert expected is None or result.value.low == Fraction(expected)


OURS = Tree(
    (
        Criterion("names-ticket", "The answer names the ticket, 41 of 42.", Fraction(2)),
        Criterion(
            "invents",
            "It states a number that is not in the log.",
            Fraction(-3),
            ("names-ticket",),
            "does not apply",
            "the task has a log",
        ),
        Group(
            "tests",
            "Tests",
            Fraction(5, 2),
            (
                Criterion(
                    "tests-run",
                    "The tests run.",
                    Fraction(1),
                    expect={"answer": {"contains": "pytest"}},
                    notes={"category": "Code"},
                ),
                Group(
                    "deeper",
                    "Deeper",
                    Fraction(1, 3),
                    (Criterion("secrets", "No secret is shown.", Fraction(1), check="secrets"),),
                ),
            ),
        ),
    ),
    Fraction(1, 3),
)


def test_every_format_is_written():
    """Whatever a tree holds."""
    for format in FORMATS:
        assert export_criteria(OURS, format, "Title").text


@pytest.mark.slow
def test_published_requirements_are_imported_with_their_prerequisites():
    """30 tasks; the judge equals people in 526 of 576 verdicts: kappa .819, with an interval that resamples tasks."""
    path = DATA / "devai.jsonl.gz"
    if not path.is_file():
        pytest.skip("the published tasks are not on this machine")
    from benchmarks.criteria_agreement import agreement

    result = agreement(gzip.decompress(path.read_bytes()).decode().splitlines())
    assert (result.tasks, result.verdicts, result.equal) == (30, 576, 526) and result.dependent > 100
    assert round(result.kappa, 3) == 0.819 and result.low < 0.819 < result.high


NAMED_TOML = """[[criterion]]
name = "correct"
description = "Is it right?"
type = "binary"

[[criterion]]
name = "coverage"
description = "How well is it tested?"
type = "numeric"
max = 100
weight = 0.1
"""


def test_named_criteria_of_harbor_keep_their_names(tmp_path: Path):
    result, path = converted(tmp_path, "quality.toml", NAMED_TOML)
    assert [problem.message for problem in result.losses] == [
        "type numeric has no counterpart: it is answered with yes, no or partly"
    ]
    tree = evenhand.load_rubric(str(path)).dimensions["correctness"].tree
    assert tree is not None and [c.id for c in tree.criteria()] == ["correct", "coverage"]
    assert back(path, "harbor")[0] == tomllib.loads(NAMED_TOML)
    with pytest.raises(evenhand.InputError, match=r"holds no \[\[criterion\]\] with a description"):
        converted(tmp_path, "reward.toml", '[[reward]]\nname = "x"\n')


def test_a_list_with_a_criterion_on_each_line(tmp_path: Path):
    lines = "".join(f"{json.dumps(item)}\n" for item in LIST)
    result, path = converted(tmp_path, "l.jsonl", lines)
    assert (result.format, result.criteria) == ("list", 2)
    assert back(path, "list")[0] == LIST
    with pytest.raises(evenhand.InputError) as error:
        converted(tmp_path, "l.jsonl", f'{lines}{{"criteria": "C.", "weight": "x"}}\n')
    assert error.value.problems[0].line == 3


def test_long_numbers_come_back_exactly(tmp_path: Path):
    """A third as a program writes it has sixteen digits."""
    third = [{"criteria": "A.", "weight": 0.3333333333333333}, {"criteria": "B.", "weight": 1e-07}]
    _, path = converted(tmp_path, "l.json", json.dumps(third))
    assert back(path, "list")[0] == third


def test_what_stands_around_an_entry_and_beside_it_is_listed(tmp_path: Path):
    two = {**PROMPTFOO, "tests": [*PROMPTFOO["tests"], {"vars": {}, "assert": []}]}
    result, _ = converted(tmp_path, "p.json", json.dumps(two))
    messages = [problem.message for problem in result.losses]
    assert "prompts has no counterpart in a rubric; it is kept as a note" in messages
    assert "1 other entry is left out; convert each with --entry N" in messages


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({**TREE, "sub_tasks": [{**TREE["sub_tasks"][0], "requirements": " "}]}, "without words cannot be judged"),  # type: ignore[dict-item, index]
        ({**TREE, "weight": -1}, "a group cannot have a negative weight"),
    ],
)
def test_a_tree_that_cannot_be_judged_is_refused(tmp_path: Path, tree: dict[str, Any], message: str):
    with pytest.raises(evenhand.InputError, match=message):
        converted(tmp_path, "tree.json", json.dumps(tree))
