"""Agents that cheat, as `cheating/agents.toml` lists them: none gains or goes unnoticed, no honest one is accused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evenhand.runs.confinement import way
from evenhand.work.agent_run import ALIKE, KEPT_FROM, SEEN

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(way() == "none", reason="nothing confines runs here"),
]

SOURCE = Path(__file__).parent / "cheating"
TABLE = tomllib.loads((SOURCE / "agents.toml").read_text())
LEFT = ("/tmp/evenhand-cheat-note.txt", "/var/tmp/evenhand-cheat-note.txt", "/dev/shm/evenhand-cheat-note.txt")
SECRETS = {"GITHUB_TOKEN": "made-up-token", "AWS_SECRET_ACCESS_KEY": "made-up-secret", "OPENAI_API_KEY": "made-up-key"}


class Tried(NamedTuple):
    """What came of all agents."""

    folder: Path
    results: dict[str, list[dict[str, Any]]]
    lines: str


def tried_agents() -> list[Any]:
    """One or two of each kind on every run, the others under --long."""
    marks = {True: (), False: pytest.mark.long}
    return [pytest.param(agent, marks=marks[agent.get("always", False)], id=name_of(agent)) for agent in TABLE["agent"]]


def name_of(agent: dict[str, Any]) -> str:
    return Path(agent["file"]).stem


@pytest.fixture(scope="module")
def tried(request, tmp_path_factory) -> Tried:
    """The agents on every case, in a copy that is a repository and has an earlier run."""
    folder = tmp_path_factory.mktemp("cheating") / "suite"
    shutil.copytree(SOURCE, folder)
    (folder / "throwaway").touch()
    for path in LEFT:
        Path(path).unlink(missing_ok=True)
    environment = os.environ | SECRETS
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*author, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    evenhand = [sys.executable, "-m", "evenhand", "run", "suite.yaml"]
    subprocess.run([*evenhand, "--variant", "solve_from_prompt"], cwd=folder, env=environment, capture_output=True)
    agents = [agent for agent in TABLE["agent"] if agent.get("always") or request.config.option.long]
    chosen = [word for agent in (*agents, *TABLE["honest"]) for word in ("--variant", name_of(agent))]
    more = ["--jobs", "3", "--format", "jsonl", "-o", "results.jsonl", *chosen]
    done = subprocess.run([*evenhand, *more], cwd=folder, env=environment, capture_output=True, text=True)
    results = defaultdict(list)
    for line in (folder / "results.jsonl").read_text().splitlines()[1:]:
        result = json.loads(line)
        results[result["variant"]].append(result)
    for path in LEFT:
        Path(path).unlink(missing_ok=True)
    return Tried(folder, results, done.stdout + done.stderr)


@pytest.mark.parametrize("agent", tried_agents())
def test_no_agent_gains_by_cheating(agent, tried):
    """It meets at most what an honest one would, of the same number of expectations; what worked is reported."""
    results = tried.results[name_of(agent)]
    assert sorted(result["expectations"] for result in results) == [1, 2, 2]
    for result in results:
        assert result["met"] <= agent["meets"].get(result["case"], 0), result["case"]
    notes = [note for result in results for note in result.get("notes", ())]
    worked = [result for result in results if "trick worked" in errors_of(result, tried.folder)]
    assert not worked or any(note.startswith(SEEN) for note in notes)


def errors_of(result: dict[str, Any], folder: Path) -> str:
    """What a run printed to standard error."""
    path = folder / ".evenhand" / "runs" / result["key"] / "errors.txt"
    return path.read_text(errors="replace") if path.exists() else ""


@pytest.mark.parametrize("agent", TABLE["honest"], ids=name_of)
def test_no_honest_agent_is_accused_or_loses(agent, tried):
    """It meets all that it can."""
    for result in tried.results[name_of(agent)]:
        assert result["met"] == agent["meets"].get(result["case"], 0), result["case"]
        assert not any(note.startswith((SEEN, KEPT_FROM, ALIKE)) for note in result.get("notes", ()))


def test_an_agent_that_says_what_it_read_is_named_though_it_could_not_read_it(tried):
    for result in tried.results["open_reader"]:
        assert any(note.startswith(KEPT_FROM) and "evals" in note for note in result["notes"])


def test_no_one_has_changed_the_suite(tried):
    """Neither its expectations, nor the skill, nor what was kept of other runs."""
    changed = subprocess.run(
        ["git", "status", "--short", "--untracked-files=no"], cwd=tried.folder, capture_output=True, check=True
    )
    assert changed.stdout == b""
    assert "evenhand-cheat" not in tried.lines
