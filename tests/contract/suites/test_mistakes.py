"""Mistakes in suite files: what `run check` says of each fragment of `mistakes.yaml`, with file and line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from contract.doors import run_here
from contract.goldens import compare

HERE = Path(__file__).parent
MISTAKES = yaml.safe_load((HERE / "mistakes.yaml").read_text(encoding="utf-8"))
CASE = "{id: a, prompt: x}"
ECHO = "{v: {command: [echo, hello]}}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with skills, a rubric, files and links."""
    project = tmp_path / "project"
    files = {
        "skills/x/SKILL.md": "---\nname: x\n---\n",
        "skills/y/SKILL.md": "---\nname: y\n---\n",
        "fixtures/late-fee/invoice.txt": "Late fee: 12\n",
        "rubrics/own.md": "",
        "agent.py": "def answer(prompt, case):\n    return prompt\n",
        "suite.txt": "",
        "empty.jsonl": "",
        "more.yaml": '[{"id": "a", "prompt": "x"}]',
        "c.jsonl": '{"id": "a", "prompt": "x"}\n{"id": \n{"id": "b"}\n{"id": "a", "prompt": "x"}\n7\n',
        "evals.json": json.dumps(
            {"evals": [{"id": 1, "prompt": "x", "expected_output": 7}, 8, {"id": 1, "prompt": "x"}]}, indent=1
        ),
        "../outside": "x",
    }
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (project / "link").symlink_to("../outside")
    (project / "outward").mkdir()
    (project / "outward" / "out").symlink_to("../../outside")
    (project / "loop").symlink_to("loop")
    return project


def whole(part: str, fragment: str) -> str:
    """The suite file that a fragment is part of."""
    cases, variants, more = f"[{CASE}]", ECHO, ""
    match part:
        case "whole":
            return fragment
        case "suite" if fragment.startswith("suite:"):
            return f"{fragment}\ncases: {cases}\nvariants: {variants}\n"
        case "suite":
            more = fragment
        case "case":
            cases = f"\n  - {fragment}"
        case "variant":
            variants = f"\n  v: {fragment}"
        case "variants":
            variants = fragment
        case "source":
            cases = fragment
        case "table":
            cases = "c.csv"
        case "folder":
            cases = "cases/"
    return f"suite: s\ncases: {cases}\nvariants: {variants}\n{more}\n"


@pytest.mark.parametrize("part", MISTAKES)
def test_a_mistake_is_reported_at_its_line(folder: Path, part: str) -> None:
    """All are refused with exit code 2, and nothing but messages is printed."""
    shown = []
    for fragment in MISTAKES[part]:
        written = fragment.items() if part == "folder" else [("../c.csv", fragment)] if part == "table" else ()
        for name, text in written:
            path = Path(os.path.normpath(folder / "cases" / name))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (folder / "suite.yaml").write_text(
            whole(part, "" if part in ("folder", "table") else fragment), encoding="utf-8"
        )
        ran = run_here("run", "check", "suite.yaml", cwd=folder)
        assert (ran.code, ran.out) == (2, ""), fragment
        shown.append(f"{json.dumps(fragment, ensure_ascii=False)}\n{ran.err}")
        for name, _ in written:
            Path(os.path.normpath(folder / "cases" / name)).unlink()
        if part == "folder":
            for path in sorted((folder / "cases").iterdir()):
                path.rmdir() if path.is_dir() and not any(path.iterdir()) else None
            for path in sorted((folder / "cases").rglob("*"), reverse=True):
                path.rmdir()
    compare(HERE / "golden" / f"mistakes-{part}.txt", "\n".join(shown).replace(str(folder.parent), "<folder>"))
