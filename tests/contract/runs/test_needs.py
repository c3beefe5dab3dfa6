"""What a run needs and cannot reach is named, with the line that allows it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import worlds

CASES = "suite: needs\ncases: [{id: a, prompt: x, expect: [{answer: {contains: Paris}}]}]\n"


@pytest.fixture
def notes(evenhand_command: Callable[..., Any], tmp_path: Path) -> Callable[..., list[str]]:
    """What is said of a program, beside which `answers.json` is, with some lines more in its suite."""
    if worlds.way_in("bubblewrap", tmp_path) not in ("bubblewrap", "Landlock"):
        pytest.skip("nothing confines runs here")

    def run(program: str, **suite: object) -> list[str]:
        (tmp_path / "suite").mkdir(exist_ok=True)
        (tmp_path / "suite" / "answers.json").write_text('"Paris"')
        (tmp_path / "suite" / "agent.py").write_text(program)
        variants = {"agent": {"command": [sys.executable, "./agent.py"]}}
        lines = [f"{key}: {json.dumps(value)}\n" for key, value in {"variants": variants, **suite}.items()]
        (tmp_path / "suite" / "suite.yaml").write_text(CASES + "".join(lines))
        words = "run suite/suite.yaml --set gate.undecided=ok --store none --format jsonl -o results.jsonl"
        (tmp_path / "results.jsonl").unlink(missing_ok=True)
        evenhand_command(*words.split())
        (result,) = map(json.loads, (tmp_path / "results.jsonl").read_text().splitlines()[1:])
        return [note for note in result["notes"] if not note.startswith("confined")] + [f"met {result['met']}"]

    return run


def test_a_file_elsewhere_is_named_with_the_line_to_add(notes: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text('"Paris"')
    program = f"print(open('{tmp_path}/elsewhere.json').read())"
    needed = f"{tmp_path}/elsewhere.json"
    assert notes(program) == [
        f"it seems to need {needed}, which it cannot read; to allow it, write reads: [{needed}] under limits", "met 0"
    ]  # fmt: skip
    assert notes(program, limits={"reads": [needed]}) == ["met 1"]


def test_a_file_beside_the_suite_that_is_looked_for_in_the_workspace_is_named(
    notes: Callable[..., list[str]], tmp_path: Path
) -> None:
    """A program that was written to run in the suite's folder. Not the suite itself, in which the answers are."""
    beside = f"{tmp_path}/suite/answers.json"
    assert notes("print(open('answers.json').read())") == [
        f"it seems to need {beside} in its workspace; to put it there, write files: [{beside}] under the cases", "met 0"
    ]  # fmt: skip
    assert notes("print(open('suite.yaml').read())") == ["met 0"]


def test_a_listed_folder_that_holds_the_suite_is_read_without_it(notes: Callable[..., list[str]]) -> None:
    program = "import os\nhere = os.path.dirname(__file__)\nprint(open(here + '/answers.json').read())\n"
    assert notes(program, limits={"reads": ["."]}) == ["met 1"]
    (refused, met) = notes(f"{program}\nprint(open(here + '/suite.yaml').read())", limits={"reads": ["."]})
    assert "it seems to have tried to read the answers" in refused and "suite.yaml" in refused
    assert met == "met 0", "it failed"


@pytest.mark.parametrize("path", ["/", "/root", "/run/lock", "/sys/kernel"])
def test_what_no_suite_should_open_is_not_advised(notes: Callable[..., list[str]], path: str) -> None:
    """Whole top-level folders, the kernel's, and where sockets lie."""
    assert notes(f"import sys\nsys.stderr.write('cannot open {path}: Permission denied')\nprint('London')") == ["met 0"]
