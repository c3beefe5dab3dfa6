"""Graders of `claude plugin eval` as expectations, and what these say of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from contract.doors import run_here


def imported(folder: Path, grader: str) -> tuple[list[Any], str]:
    """The expectations that a case with this grader gets, and what was listed."""
    graders = folder / "mine" / "evals" / "notes" / "graders"
    graders.mkdir(parents=True)
    (graders.parent / "prompt.md").write_text("Write the notes.\n", encoding="utf-8")
    (graders / "it.md").write_text(f"---\n{grader}\n---\n", encoding="utf-8")
    ran = run_here("run", "import", "mine", "-o", "suite.yaml", cwd=folder)
    assert ran.code == 0, ran.err
    (case,) = yaml.safe_load((folder / "suite.yaml").read_text(encoding="utf-8"))["cases"]
    return case.get("expect", []), ran.err


@pytest.mark.parametrize(
    ("grader", "expected"),
    [
        ("type: tool_used\ntool: Bash", {"calls": {"made": "Bash"}}),
        ("type: tool_used\ntool: Bash\nmin: 2\nmax: 3", {"calls": {"made": "Bash", "at_least": 2, "at_most": 3}}),
        ("type: tool_used\ntool: Bash\nmin: 0\nmax: 0", {"calls": {"not_made": "Bash"}}),
        ("type: tool_used\ntool: Bash\ninput_match: 'git commit -m \\d'",
         {"calls": {"made": {"name": "Bash", "matches": "git commit -m [0-9]"}}}),
        ("type: tool_order\nbefore: {tool: Read, input_match: 'a\\.md'}\nafter: Write",
         {"calls": {"in_order": [{"name": "Read", "matches": r"a\.md"}, "Write"]}}),
        ("type: file_exists\npath: '**/*.md'", {"file": {"path": "**/*.md", "exists": True}}),
        ("type: file_exists\npath: 'tmp/*'\nexists: false", {"file": {"path": "tmp/*", "exists": False}}),
    ],
)  # fmt: skip
def test_counts_patterns_and_globs_become_expectations(tmp_path: Path, grader: str, expected: Any) -> None:
    expectations, notes = imported(tmp_path, grader)
    assert expectations == [expected]
    assert "left out" not in notes


@pytest.mark.parametrize(
    ("grader", "what_to_do"),
    [
        ("type: regex\npattern: a\nmatch: 'count:2'", "write it as a sentence, or as a command that counts"),
        ("type: regex\npattern: a\ntarget: files", "expect the file by its name"),
        ("type: regex\npattern: a\ntarget: trace", "expect the calls, with a pattern under matches"),
        ("type: baseline\nbaseline_file: x", "write what must not get worse as a sentence"),
        ("type: file_exists\npath: '{a,b}.md'", "name the file, or write it with * alone"),
    ],
)
def test_what_cannot_be_expressed_is_listed_with_advice(tmp_path: Path, grader: str, what_to_do: str) -> None:
    expectations, notes = imported(tmp_path, grader)
    assert expectations == []
    assert "graders/it.md:" in notes and "left out: the grader it" in notes and what_to_do in notes


def ran(commands: list[str]) -> dict[str, Any]:
    """A transcript in which a shell was called with these commands."""
    calls = [
        {"id": str(number), "function": {"name": "Bash", "arguments": json.dumps({"command": text})}}
        for number, text in enumerate(commands)
    ]
    return {
        "messages": [
            {"role": "user", "content": "Commit it."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls),
            {"role": "assistant", "content": "Done."},
        ]
    }


@pytest.mark.parametrize(
    ("calls", "result", "why"),
    [
        ({"made": {"name": "Bash", "matches": 'git commit -m \\\\"'}}, "met", "the call was made"),
        ({"made": {"name": "Bash", "matches": "git push"}}, "unmet", "do not match git push"),
        ({"not_made": {"name": "Bash", "matches": "git push"}}, "met", "was not made"),
        ({"made": "Bash", "at_least": 2, "at_most": 2}, "met", "Bash was called 2 times"),
        ({"made": "Bash", "at_least": 3}, "unmet", "called 2 times, and at least 3 are expected"),
        ({"made": "Bash", "at_most": 1}, "unmet", "called 2 times, and at most 1 are expected"),
        ({"made": {"name": "Bash", "matches": "git add"}, "at_most": 1}, "met", "called 1 time"),
        (
            {"in_order": [{"name": "Bash", "matches": "commit"}, {"name": "Bash", "matches": "add"}]},
            "unmet",
            "not called after the",
        ),
    ],
)
def test_calls_are_counted_and_their_arguments_matched(
    tmp_path: Path, calls: dict[str, Any], result: str, why: str
) -> None:
    """Two calls: `git add .`, then `git commit -m "x"`."""
    line = ran(["git add .", 'git commit -m "x"']) | {"expect": [{"calls": calls}]}
    (tmp_path / "run.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    judged = run_here("judge", "run.jsonl", "--store", "none", "-f", "json", cwd=tmp_path)
    (expected,) = json.loads(judged.out)["expectations"]
    assert expected["result"] == result, judged.err
    assert why in expected["message"]


@pytest.mark.parametrize(
    ("pattern", "exists", "result"),
    [("*.md", True, "met"), ("**/*.md", True, "met"), ("*.txt", True, "unmet"), ("out/*", False, "unmet"),
     ("*.txt", False, "met"), ("[id]*.tsx", True, "met")],
)  # fmt: skip
def test_a_pattern_of_files_is_met_by_any_of_them(tmp_path: Path, pattern: str, exists: bool, result: str) -> None:
    """`a.md`, `out/b.md` and `[id].tsx` are there; brackets are names."""
    for name in ("a.md", "out/b.md", "[id].tsx"):
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text", encoding="utf-8")
    (tmp_path / "said.md").write_text("Done.", encoding="utf-8")
    (tmp_path / "expect.json").write_text(json.dumps([{"file": {"path": pattern, "exists": exists}}]), encoding="utf-8")
    judged = run_here(
        "judge", "said.md", "--expect", "expect.json", "--store", "none", "-f", "json",
        "--set", "judge.workspace=work", cwd=tmp_path,
    )  # fmt: skip
    (expected,) = json.loads(judged.out)["expectations"]
    assert expected["result"] == result, judged.err


@pytest.mark.parametrize(
    ("calls", "mistake"),
    [
        ({"made": "Bash", "at_least": -1}, "must be a whole number of 0 or more"),
        ({"in_order": ["Bash"], "at_most": 1}, "goes with made"),
        ({"made": {"name": "Bash", "matches": "("}}, "not a regular expression"),
    ],
)
def test_a_mistaken_count_or_pattern_is_refused(tmp_path: Path, calls: dict[str, Any], mistake: str) -> None:
    line = ran(["git add ."]) | {"expect": [{"calls": calls}]}
    (tmp_path / "run.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    judged = run_here("judge", "run.jsonl", "--store", "none", cwd=tmp_path)
    assert judged.code == 2 and mistake in judged.err
