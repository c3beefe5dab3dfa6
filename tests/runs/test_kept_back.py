"""A skill's folder goes into a workspace without the suite's own files, wherever they lie: no agent finds answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand
from evenhand.cli.main import run as run_command
from evenhand.decisions.suite import Recorded, Skill, Variant
from evenhand.runs.planned import Planner
from evenhand.runs.workspaces.kept_back import KeptBack, answer_paths, kept_back
from suite_values import planned, shell, suite_of

ANSWER = "the-answer-is-xylophone"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill with one file that an agent needs."""
    folder = tmp_path / "project" / "greet"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: greet\n---\nGreet.\n")
    (folder / "scripts" / "greet.py").write_text("print('hello')\n")
    return folder


def copied(skill: Path, tmp_path: Path, *paths: Path, revision: str | None = None) -> set[str]:
    """The files of a skill that are copied into a workspace when some paths are the suite's own."""
    variant = planned(shell("true"), tmp_path, skill=Skill(str(skill), revision)).variant
    planner = Planner([variant], tmp_path / "revisions", KeptBack(map(str, paths)))
    listing = planner.plan(planned(shell("true"), tmp_path).case, variant, 1).listing
    start = ".claude/skills/greet/"
    return {entry.target.removeprefix(start) for entry in listing if entry.target.startswith(start)}


WHOLE = {"SKILL.md", "scripts", "scripts/greet.py"}


def test_everything_else_of_a_skill_is_copied(skill, tmp_path):
    """Nothing is missing that does not belong to a suite; a folder named evals further down is the skill's own."""
    (skill / "scripts" / "evals").mkdir()
    (skill / "scripts" / "evals" / "a.py").write_text("x")
    assert copied(skill, tmp_path) == WHOLE | {"scripts/evals", "scripts/evals/a.py"}


@pytest.mark.parametrize("name", ["evals", "Evals", "EVALS", ".evenhand", ".git", "scripts/.evenhand"])
def test_folders_of_cases_and_results_are_never_copied(skill, tmp_path, name):
    """In whatever case their names are written: some file systems do not tell."""
    (skill / name).mkdir()
    (skill / name / "evals.json").write_text(ANSWER)
    assert copied(skill, tmp_path) == WHOLE


def test_the_suites_own_files_are_left_out_wherever_they_lie(skill, tmp_path):
    """A file, and all of a folder."""
    (skill / "suite.yaml").write_text(ANSWER)
    (skill / "scripts" / "cases").mkdir()
    (skill / "scripts" / "cases" / "expect.yaml").write_text(ANSWER)
    assert copied(skill, tmp_path, skill / "suite.yaml", skill / "scripts" / "cases") == WHOLE


def test_of_one_recorded_output_only_the_file_is_the_suites_own(tmp_path):
    """Not all that is in its folder; where a name stands for the case, the whole folder is."""
    suite = suite_of(Variant("a", Recorded(str(tmp_path / "answer.md"))))
    assert str(tmp_path / "answer.md") in answer_paths(suite) and str(tmp_path) not in answer_paths(suite)
    several = suite_of(Variant("a", Recorded(str(tmp_path / "outputs" / "{case}.md"))))
    assert str(tmp_path / "outputs") in answer_paths(several)


def test_a_copy_and_a_hard_link_of_a_file_are_the_file(skill, tmp_path):
    """The suite lies elsewhere; the same bytes under another name are not copied either. Empty files are alike."""
    suite, empty = tmp_path / "suite.yaml", tmp_path / "empty.md"
    suite.write_text(ANSWER)
    empty.write_text("")
    (skill / "copy.txt").write_text(ANSWER)
    os.link(suite, skill / "linked.txt")
    (skill / "__init__.py").write_text("")
    assert copied(skill, tmp_path, suite, empty) == WHOLE | {"__init__.py"}


def test_links_that_lead_to_the_suite_are_left_out(skill, tmp_path):
    """To a file, to a folder that holds it, and to the skill's own evals; a link inside the skill stays."""
    suite = tmp_path / "project" / "suite.yaml"
    suite.write_text(ANSWER)
    (skill / "evals").mkdir()
    (skill / "evals" / "evals.json").write_text(ANSWER)
    for name, target in {
        "to-file": suite,
        "to-folder": suite.parent,
        "to-root": "/",
        "to-evals": "evals",
        "to-one-of-evals": "evals/evals.json",
        "up": "..",
        "itself": ".",
        "elsewhere": tmp_path / "elsewhere",
        "chained": "to-file",
        "fine": "scripts/greet.py",
        "nowhere": "not-there",
    }.items():
        (skill / name).symlink_to(target)
    (tmp_path / "elsewhere" / "cases").mkdir(parents=True)
    cases = tmp_path / "elsewhere" / "cases" / "cases.jsonl"
    cases.write_text(f"{ANSWER} elsewhere")
    assert copied(skill, tmp_path, suite, cases) == WHOLE | {"fine", "nowhere"}


def test_a_skill_of_a_git_revision_is_copied_without_them_too(skill, tmp_path):
    """By the path in the skill: an earlier version of the suite has other bytes."""
    (skill / "evals").mkdir()
    (skill / "evals" / "evals.json").write_text(ANSWER)
    (skill / "suite.yaml").write_text("an earlier version")
    git = ["git", "-C", str(skill.parent), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    (skill / "suite.yaml").write_text(ANSWER)
    assert copied(skill, tmp_path, skill / "suite.yaml", revision="HEAD") == WHOLE


def test_a_folder_of_cases_around_the_skill_does_not_hide_the_skill(tmp_path, skill, monkeypatch):
    """What lies above a skill is not in it."""
    suite = evenhand.read_suite  # the reader that people use
    (skill.parent / "cases.jsonl").write_text(json.dumps({"id": "a", "prompt": "Greet."}) + "\n")
    (skill.parent / "suite.yaml").write_text(
        "suite: s\ncases: [cases.jsonl]\nvariants: {v: {command: [cat, '{prompt_file}'], skill: ./greet}}\n"
    )
    read = suite(skill.parent / "suite.yaml")
    assert read.sources == (str(skill.parent / "cases.jsonl"),)
    held = kept_back(read._replace(sources=(str(skill.parent), str(skill))))
    planner = Planner(read.variants, tmp_path / "revisions", held)
    names = {entry.target.rpartition("/")[2] for entry in planner.plan(read.cases[0], read.variants[0], 1).listing}
    assert {"SKILL.md", "greet.py"} <= names


GREP = (
    "import os, sys\n"
    "for place, folders, files in os.walk('.', followlinks=True):\n"
    "    for name in files:\n"
    "        try:\n"
    "            text = open(os.path.join(place, name), errors='replace').read()\n"
    "        except OSError:\n"
    "            continue\n"
    "        for word in text.replace('\"', ' ').split():\n"
    "            if word.startswith('the-answer-is'):\n"
    "                print(word)\n"
    "                sys.exit()\n"
    "print('no idea')\n"
)


@pytest.mark.slow
def test_an_agent_that_greps_for_the_answer_gains_nothing(tmp_path, skill, monkeypatch, capsys):
    """The skill's folder holds evals.json, the suite, its cases, a link and a copy: both variants know nothing."""
    monkeypatch.chdir(tmp_path)
    evals = {
        "skill_name": "greet",
        "evals": [{"id": 1, "prompt": "Say it.", "expected_output": ANSWER, "expectations": [f"contains {ANSWER}"]}],
    }
    (skill / "evals").mkdir()
    (skill / "evals" / "evals.json").write_text(json.dumps(evals))
    (skill / "copy.json").write_text(json.dumps(evals))
    (skill / "link").symlink_to(skill / "evals" / "evals.json")
    (skill / "agent.txt").write_text(GREP)
    (skill / "tests").mkdir()
    cases = [{"id": "c", "prompt": "Say it.", "expect": [{"answer": {"contains": ANSWER}}]}]
    (skill / "tests" / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)) + "\n")
    (tmp_path / "agent.py").write_text(GREP)
    (skill / "suite.yaml").write_text(
        f"suite: s\ncases: [tests/cases.jsonl, evals/evals.json]\nvariants:\n"
        f"  without: {{command: [{sys.executable}, {tmp_path}/agent.py]}}\n  with: {{like: without, skill: .}}\n"
    )

    def command(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["evenhand", *arguments])
        run_command()
        return capsys.readouterr().out

    plan = command("run", str(skill / "suite.yaml"), "--dry-run")
    assert (
        "not copied with the skill greet, as agents must not find answers: "
        "copy.json, evals, link, suite.yaml, tests/cases.jsonl"
    ) in plan
    document = json.loads(command("run", str(skill / "suite.yaml"), "--dry-run", "--format", "json"))
    assert [entry["skill"] for entry in document["left_out"]] == ["greet"]
    result = json.loads(command("run", str(skill / "suite.yaml"), "--store", "none", "--format", "json"))
    assert {variant["name"]: variant["met"] for variant in result["variants"]} == {"without": 0, "with": 0}
