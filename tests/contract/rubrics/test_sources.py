"""What `rubric convert` makes of files of other tools and forms, what it says of them, and what it writes back."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from contract.doors import run_here
from contract.goldens import compare

HERE = Path(__file__).parent
HOW: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "sources" / "how.yaml").read_text(encoding="utf-8"))
EXACT = [
    name
    for name, how in HOW.items()
    if "to" in how and name not in ("graded.json", "nested.json", "one-task.jsonl", "two-evals-second.json")
]
"""Sources that come back as they went in: verdicts and other entries are no part of a rubric."""


def convert(name: str, folder: Path) -> str:
    """What a source becomes, with what the command says; written to made.md, or shown where it is a judgement."""
    shutil.copy(HERE / "sources" / name, folder)
    options = HOW[name].get("options", [])
    verdicts = "--verdicts" in options
    said = ""
    for into, chosen in (("made.json", options), ("made.md", [])) if verdicts else (("made.md", options),):
        ran = run_here("rubric", "convert", name, *chosen, "-o", into, cwd=folder)
        said += f"exit code {ran.code}\n{ran.err}"
    made = [path.read_text(encoding="utf-8") for path in (folder / "made.json", folder / "made.md") if path.exists()]
    return said + "".join(f"---- made\n{text}" for text in made)


def written_back(name: str, folder: Path) -> tuple[str, str]:
    """The source as its tool writes it, from the rubric; and what that tool cannot say."""
    where = HOW[name]["options"][1:2] if "--dimension" in HOW[name].get("options", []) else []
    more = ["--dimension", *where] if where else []
    ran = run_here("rubric", "convert", "made.md", "--to", HOW[name]["to"], *more, cwd=folder)
    return ran.out, ran.err


@pytest.mark.parametrize("name", HOW)
def test_a_source_is_converted(name: str, tmp_path: Path):
    """With its losses, open places and errors; and written back, if its tool is known."""
    shown = convert(name, tmp_path)
    if "to" in HOW[name]:
        shown += "---- written back\n" + "".join(written_back(name, tmp_path))
    compare(HERE / "golden" / "sources" / f"{name}.txt", shown)


@pytest.mark.parametrize("name", EXACT)
def test_a_source_comes_back_unchanged(name: str, tmp_path: Path):
    """Through the Markdown of a rubric, nothing lost."""
    convert(name, tmp_path)
    read: Any = {".toml": tomllib.loads, ".yaml": yaml.safe_load}.get(Path(name).suffix, json.loads)
    text = (HERE / "sources" / name).read_text(encoding="utf-8")
    source: Any = [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else read(text)
    if name == "promptfoo.yaml":
        del source["tests"][1]  # another entry is converted by itself
    back = written_back(name, tmp_path)[0]
    assert (tomllib.loads if HOW[name]["to"] == "harbor" else yaml.safe_load)(back) == source


TOOLS = ("paperbench", "devai", "healthbench", "harbor", "list", "points", "sentences", "skill-creator", "promptfoo")


@pytest.mark.parametrize("case", ["criteria", "criteria-deep", "plain"])
def test_a_rubric_of_ours_is_written_for_each_tool(case: str, tmp_path: Path):
    """What the tool has no word for is listed with its line. Without criteria, or with some in two dimensions, it is an
    error."""
    shutil.copy(HERE / "cases" / f"{case}.md", tmp_path)
    shown = ""
    one = ["--dimension", "correctness"] if case == "criteria-deep" else []
    for tool in (*TOOLS, "deepbench"):
        ran = run_here("rubric", "convert", f"{case}.md", "--to", tool, *one, cwd=tmp_path)
        shown += f"---- {tool}: exit code {ran.code}\n{ran.out}{ran.err}"
        if case == "plain":
            break
    for more in ([], ["--dimension", "safety"], ["--dimension", "completeness"], ["--dimension", "charm"]):
        ran = run_here("rubric", "convert", f"{case}.md", "--to", "list", *more, cwd=tmp_path)
        shown += f"---- {' '.join(more)}: exit code {ran.code}\n{ran.out}{ran.err}"
    compare(HERE / "golden" / "tools" / f"{case}.txt", shown)
