"""The real Claude Code and Codex as variants of a suite, with and without a skill, against a scripted model."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path

import pytest
from real_agents import Asked, ScriptedServer, installed_commands

from evenhand.decisions.suite import Case, Command, Limits, Skill, StartFile, Suite, Variant
from evenhand.providers.commands.wire import Call
from evenhand.suites.suite_run import OpenSuite, SuiteOptions

pytestmark = pytest.mark.slow

DESCRIPTION = "Greet people by their full name"


def command_of(agent: str, server: ScriptedServer) -> Command:
    """The agent's command, with a HOME of its own and the scripted model."""
    commands = installed_commands()
    environment = {
        "PATH": os.pathsep.join([str(commands), os.environ["PATH"]]),
        "ANTHROPIC_BASE_URL": server.address,
        "ANTHROPIC_API_KEY": "key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "SCRIPTED_KEY": "key",
    }
    if agent == "claude":
        words = ("claude", "-p", "--no-chrome", "--allowedTools", "Write", "--max-turns", "6")
        return Command((str(commands / words[0]), *words[1:]), environment=environment, stdin="{prompt}")
    provider = f'{{name="s",base_url="{server.address}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}}'
    options = ("--config", 'model_provider="s"', "--config", f"model_providers.s={provider}", "--model", "gpt-5.5")
    more = ("--sandbox", "danger-full-access", "--skip-git-repo-check", "{prompt}")
    return Command((str(commands / "codex"), "exec", *options, *more), environment=environment)


def greeter(agent: str, server: ScriptedServer) -> None:
    """A model that greets well if it is shown the skill; in Claude Code it also writes a file."""

    def answer(asked: Asked) -> str | list[Call]:
        if DESCRIPTION not in json.dumps(asked.body):
            return "hi"
        if agent == "claude" and asked.tools and "File created" not in json.dumps(asked.body):
            folder = next(line for line in asked.system.splitlines() if "orking directory: " in line)
            path = f"{folder.rpartition(': ')[2].strip()}/greeting.md"
            return [Call("Write", {"file_path": path, "content": "Hello, Ada Lovelace!\n"})]
        return "Hello, Ada Lovelace!"

    server.answer = answer


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_real_agent_is_run_with_and_without_a_skill(agent, tmp_path):
    """It finds the skill in its workspace only, its transcript is read, and what it wrote is a diff."""
    skill = tmp_path / "greet"
    skill.mkdir()
    (skill / "SKILL.md").write_text(f"---\nname: greet\ndescription: {DESCRIPTION}.\n---\nUse full names.\n")
    (tmp_path / "people.txt").write_text("Ada Lovelace\n")
    case = Case(
        "ada",
        "Greet Ada.",
        files=(StartFile(str(tmp_path / "people.txt"), "people.txt"),),
        expect=[{"answer": {"contains": "Ada Lovelace"}}],
    )
    limits = Limits(seconds=Decimal(120))
    with ScriptedServer() as server:
        greeter(agent, server)
        command = command_of(agent, server)
        variants = (
            Variant("without_skill", command, limits=limits),
            Variant("with_skill", command, Skill(str(skill)), limits),
        )
        with OpenSuite(Suite("real", (case,), variants), tmp_path / "runs", SuiteOptions(jobs=2)) as running:
            judged = {item.run.id.variant: item for item in running.results()}
        calls = len(server.asked)
        with OpenSuite(Suite("real", (case,), variants), tmp_path / "runs", SuiteOptions()) as running:
            assert len(list(running.results())) == 2
        assert len(server.asked) == calls  # nothing is run twice
    for name, met in (("without_skill", 0), ("with_skill", 1)):
        run, result = judged[name].run, judged[name].result
        assert (run.outcome, run.reason) == ("finished", ""), name
        assert run.transcript is not None and Path(run.transcript).is_file()
        assert run.input_tokens is not None and run.input_tokens > 0
        assert (result.met, result.expectations) == (met, 1)
        submission = judged[name].submission
        assert submission is not None
        assert submission.format == {"claude": "claude-code", "codex": "codex"}[agent]
    if agent == "claude":
        changes = judged["with_skill"].run.changes
        assert changes is not None
        assert "+++ b/greeting.md\n@@ -0,0 +1 @@\n+Hello, Ada Lovelace!\n" in Path(changes).read_text()
    assert judged["without_skill"].run.changes is None
