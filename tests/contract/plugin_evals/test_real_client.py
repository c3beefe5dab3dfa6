"""The real `claude plugin eval` on a plugin, its model scripted: run, read, decide, gate, keep."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_agents import Asked, ScriptedServer, installed_plugin_eval

from contract.doors import run_here
from evenhand.providers.commands.wire import Call

pytestmark = pytest.mark.slow

CASES = 6


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A model that writes the message the skill asks for once it has read the skill, and never without it."""

    def answer(asked: Asked) -> str | list[Call]:
        seen = asked.system + asked.user + json.dumps(asked.body.get("messages", []))
        if "tidy-commit" not in seen or "Skill" not in asked.tools:
            return "I renamed a function."
        if "tool_result" not in seen:
            return [Call("Skill", {"skill": "probe:tidy-commit"})]
        return "refactor: rename getUser to fetchUser"

    with ScriptedServer() as found:
        found.answer = answer
        yield found


def plugin(folder: Path) -> Path:
    """A plugin with one skill and six cases, each graded by a pattern."""
    root = folder / "probe"
    skill = "---\nname: tidy-commit\ndescription: Commit messages.\n---\n\nBegin with feat, fix or refactor.\n"
    files = {
        ".claude-plugin/plugin.json": json.dumps({"name": "probe", "version": "0.0.1", "description": "Commits."}),
        "skills/tidy-commit/SKILL.md": skill,
    }
    for number in range(CASES):
        files[f"evals/rename-{number}/prompt.md"] = f"Write the commit message for rename number {number}.\n"
        files[f"evals/rename-{number}/graders/kind.md"] = "---\ntype: regex\n---\n^(feat|fix|refactor): \n"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_plugin_is_run_decided_gated_and_kept(tmp_path: Path, server: ScriptedServer) -> None:
    """Six of six cases are better with the skill: two-sided 2 / 2^6 = 0.031."""
    commands, root = installed_plugin_eval(), plugin(tmp_path)
    (tmp_path / "home").mkdir()
    environment = {
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "ANTHROPIC_BASE_URL": server.address,
        "ANTHROPIC_API_KEY": "key",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
        "EVENHAND_STORE": str(tmp_path / "e.db"),
    }
    ran = run_here(
        "better", str(root), "--run", "--yes", "--max-cost", "5", "-f", "json",
        "--set", "plugin.arm_runs=1", "--set", "plugin.model=claude-sonnet-5",
        "--set", "plugin.arguments=--trust-plugin", cwd=tmp_path, environment=environment,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    (contrast,) = json.loads(ran.out)["decision"]["contrasts"]
    assert (contrast["verdict"], contrast["better"], contrast["cases"]) == ("better", CASES, CASES)
    assert "kept as the run plugin-" in ran.err
    assert not any("not recorded" in remark for remark in json.loads(ran.out)["remarks"])
    again = run_here("better", str(root), "-f", "json", cwd=tmp_path, environment=environment)
    assert json.loads(again.out)["decision"]["contrasts"] == [contrast]
    gate = run_here("gate", str(root), "--better", "--min-score", "0.9", cwd=tmp_path, environment=environment)
    assert gate.code == 0, gate.out
    listed = run_here("run", "show", "latest", "-f", "json", cwd=tmp_path, environment=environment)
    (kept,) = json.loads(listed.out)["contrasts"]
    assert (kept["verdict"], kept["better"], kept["cases"]) == ("better", CASES, CASES)
