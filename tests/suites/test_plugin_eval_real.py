"""The real Claude Code runs a plugin's cases against a scripted model; its result is read, decided, held to a gate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_agents import Asked, ScriptedServer, installed_plugin_eval

from evenhand.providers.commands.wire import Call

pytestmark = pytest.mark.slow

CASES = 6
GRADERS = {
    "conventional": "type: regex\npattern: '^(feat|fix|refactor):'\nweight: 2",
    "names-both": "type: llm\ncriteria: PASS if the reply names fetchUser.",
    "skill-fired": "type: tool_used\ntool: Skill",
}


def plugin(folder: Path) -> None:
    """Six cases with three graders each; the skill makes all the difference."""
    skill = folder / "skills" / "tidy-commit" / "SKILL.md"
    manifest = folder / ".claude-plugin" / "plugin.json"
    texts = {
        manifest: json.dumps({"name": "probe", "version": "0.0.1"}),
        skill: "---\nname: tidy-commit\ndescription: Write commit messages.\n---\nUse conventional commits.\n",
    }
    for number in range(CASES):
        place = folder / "evals" / f"case-{number}"
        texts[place / "prompt.md"] = f"Write a commit message: getUser became fetchUser in file {number}.\n"
        texts |= {place / "graders" / f"{name}.md": f"---\n{keys}\n---\n" for name, keys in GRADERS.items()}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def answer(asked: Asked) -> str | list[Call]:
    """With the skill a conventional message, without it a plain sentence; the judge of the runner tells them apart."""
    if "evaluation judge" in asked.system:
        return "PASS" if "fetchUser" in asked.user.rpartition("Agent output")[2] else "FAIL"
    everything = json.dumps(asked.body)
    if "tidy-commit" not in everything or "Skill" not in asked.tools:
        return "I renamed a function."
    if "tool_result" not in everything:
        return [Call("Skill", {"skill": "probe:tidy-commit"})]
    return "refactor: rename getUser to fetchUser"


def test_the_real_client_is_run_and_its_result_read_decided_and_gated(tmp_path: Path) -> None:
    """Six of six, from 0 to 1: better, green; the model is known, the skill fired, the numbers are the runner's own."""
    commands = installed_plugin_eval()
    plugin(tmp_path / "probe")
    (tmp_path / "home").mkdir()
    with ScriptedServer() as server:
        server.answer = answer
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR", "VIRTUAL_ENV") if name in os.environ}
        environment = kept | {
            "HOME": str(tmp_path / "home"), "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "ANTHROPIC_BASE_URL": server.address, "ANTHROPIC_API_KEY": "scripted", "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
        }  # fmt: skip

        def evenhand(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-m", "evenhand", *arguments], cwd=tmp_path, env=environment, text=True,
                capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=500,
            )  # fmt: skip

        ran = evenhand(
            "better", "probe", "--run", "--yes", "--max-cost", "5", "--store", "kept.db", "--format", "json",
            "--set", "plugin.model=claude-sonnet-5", "--set", "plugin.arm_runs=1", "--set", "run.jobs=2",
            "--set", "plugin.arguments=--trust-plugin",
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
    (contrast,) = json.loads(ran.stdout)["decision"]["contrasts"]
    assert (contrast["verdict"], contrast["better"], contrast["estimate"]) == ("better", CASES, 1)
    (file,) = (tmp_path / "probe" / "evals" / "results").glob("*/aggregate-result.json")
    assert json.loads(file.read_text(encoding="utf-8"))["suite"]["modelOverride"] == "claude-sonnet-5"
    assert len(list((file.parent / "traces").glob("*.jsonl"))) == 2 * CASES
    gated = evenhand("gate", "probe", "--better", "--min-score", "1", "--store", "none")
    assert gated.returncode == 0, gated.stdout + gated.stderr
    shown = evenhand("run", "show", "latest", "--store", "kept.db", "--format", "json")
    assert json.loads(shown.stdout)["contrasts"][0]["verdict"] == "better"
