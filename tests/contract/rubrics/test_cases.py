"""What `rubric check` says of each file in `cases/`: how it will be used, or every error with its line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from contract.doors import run_here
from contract.goldens import compare

HERE = Path(__file__).parent
CASES = sorted(path.stem for path in (HERE / "cases").glob("*.md"))


@pytest.mark.parametrize("case", CASES)
def test_a_rubric_file(case: str, tmp_path: Path):
    """What is read is printed as it will be used; a file named `bad-...` is refused, each problem at its line."""
    for path in (HERE / "cases").glob(f"{case}.*"):
        shutil.copy(path, tmp_path)
    ran = run_here("rubric", "check", f"{case}.md", cwd=tmp_path)
    compare(HERE / "golden" / f"{case}.txt", f"{ran.out}{ran.err}")
    assert ran.code == (2 if case.startswith("bad") else 0)
    if ran.code:
        return
    account = run_here("rubric", "check", f"{case}.md", "--format", "jsonl", cwd=tmp_path)
    compare(HERE / "golden" / f"{case}.account.jsonl", account.out)
    shown = run_here("rubric", "show", f"{case}.md", "--format", "json", cwd=tmp_path)
    document = json.loads(shown.out)
    document.pop("sha256")
    compare(HERE / "golden" / f"{case}.json", json.dumps(document, ensure_ascii=False, indent=1) + "\n")


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("bad")])
def test_a_rubric_is_written_and_read_back(case: str, tmp_path: Path):
    """`show --format markdown` and `convert` of the JSON give the same rubric, hash and all."""
    for path in (HERE / "cases").glob(f"{case}.*"):
        shutil.copy(path, tmp_path)
    published = run_here("rubric", "show", f"{case}.md", "--format", "json", cwd=tmp_path).out
    folder = tmp_path / "again"
    folder.mkdir()
    (folder / f"{case}.md").write_text(
        run_here("rubric", "show", f"{case}.md", "--format", "markdown", cwd=tmp_path).out, encoding="utf-8"
    )
    assert json.loads(run_here("rubric", "show", f"{case}.md", "--format", "json", cwd=folder).out) == json.loads(
        published
    )
