"""`rubric convert` leaves open whatever it cannot read exactly, and `check` refuses what is open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract.doors import run_here
from odd_rubrics import ODD, Odd
from rubric_texts import TABLE, rubric_text

FREE = """\
# Tone

Correctness counts for a quarter of the grade. You need a B to pass.

### Correctness

- 9-10: right

## Anything else

No lies: minus one point.
"""


def converted(name: str, text: str, folder: Path) -> tuple[int, str, str]:
    """The exit code, the rubric's text, and the messages."""
    (folder / name).write_text(text, encoding="utf-8")
    ran = run_here("rubric", "convert", name, "-o", "made.md", cwd=folder)
    made = folder / "made.md"
    return ran.code, made.read_text(encoding="utf-8") if made.exists() else "", ran.err


def test_free_markdown_is_left_open_with_its_lines(tmp_path: Path):
    """No default stands in for a weight, a band, an amount or a pass mark that was written in words."""
    code, text, said = converted("free.md", FREE, tmp_path)
    assert code == 1
    assert "(Weight: TODO)" in text and "pass_mark: TODO" in text and "| 7-8   | TODO |" in text
    assert "| 9-10  | right |" in text and "TODO: line 11: No lies: minus one point." in text
    assert "free.md:11:" in said
    assert run_here("rubric", "check", "made.md", cwd=tmp_path).code == 2


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd.refused is not None][::9], ids=lambda odd: odd.id)
def test_what_the_reader_refuses_is_never_converted_in_silence(odd: Odd, tmp_path: Path):
    """Something is left open, and the result is refused until it is filled in; or the file is refused at once."""
    if "## Notes" in odd.text or odd.text.startswith("\n"):
        return
    code, text, _ = converted("notes.md", odd.text, tmp_path)
    assert code in (1, 2)
    assert code == 2 or ("TODO" in text and run_here("rubric", "check", "made.md", cwd=tmp_path).code == 2)


def test_a_rubric_of_ours_stays_as_it_is(tmp_path: Path):
    """Byte for byte."""
    text = rubric_text("---\nname: made\npass_mark: 7\n---\n")
    assert converted("ours.md", text, tmp_path)[:2] == (0, text)


def test_data_with_the_names_of_dimensions_is_carried_over(tmp_path: Path):
    """Weights, bands, amounts and the pass mark where they are exact; levels from 5 to 1 as `scale: 1-5` reads them."""
    rows = [line.split("|")[2].strip() for line in TABLE.splitlines()[2:]]
    levels = {str(5 - place): text for place, text in enumerate(rows)}
    names = "correctness completeness adherence actionability efficiency safety consistency".split()
    weights = dict(zip(names, (25, 20, 15, 15, 10, 10, 5), strict=True))
    value = {
        "title": "Made",
        "pass_mark": 6.5,
        "dimensions": {name: {"weight": weights[name], "measures": "It.", "levels": levels} for name in names},
        "red_flags": [{"id": "lies", "description": "It lies.", "deduction": 1.25}],
        "bonuses": ["It sings."],
    }
    code, text, said = converted("data.json", json.dumps(value), tmp_path)
    assert (code, "TODO" in text) == (0, False), said
    shown = json.loads(run_here("rubric", "show", "made.md", "--format", "json", cwd=tmp_path).out)
    assert (shown["pass_mark"], shown["weights"]["safety"]) == (6.5, 0.1)
    assert shown["red_flags"] == [{"id": "lies", "description": "It lies.", "deduction": 1.25}]
    assert shown["dimensions"]["safety"]["bands"][4] == {"low": 1, "high": 2, "criteria": "nothing is right"}
    value["gate"] = "safety of at least 7"
    (tmp_path / "made.md").unlink()
    code, text, _ = converted("data.json", json.dumps(value), tmp_path)
    assert code == 1 and "TODO: line 1: gate: safety of at least 7" in text


def test_a_requirement_that_requires_itself_is_left_open(tmp_path: Path):
    """The source is wrong, so a person says what it requires."""
    items = [
        {"requirement_id": 0, "prerequisites": [0], "criteria": "The file exists."},
        {"requirement_id": 1, "prerequisites": [0], "criteria": "It runs."},
    ]
    code, text, said = converted("task.json", json.dumps({"name": "task", "requirements": items}), tmp_path)
    assert code == 1 and "requires: TODO" in text and "requires itself" in said
    assert run_here("rubric", "check", "made.md", cwd=tmp_path).code == 2
