"""The real Claude Code and Codex call the MCP server, and what it answers goes back to their model, which is scripted.

The commands of the how-to page are run with the real Claude Code and Codex.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, seven
from real_agents import Asked, ScriptedServer, installed_commands

import evenhand
from evenhand.providers.commands.wire import Call

pytestmark = pytest.mark.slow

WORK = "The parser keeps every comment of the file and reports the line of each mistake.\n"
GOOD = {
    "scores": seven({"score": 8, "justification": "It says where.", "evidence": ["reports the line of each mistake."]})
}
BAD = {"scores": seven({"score": 8, "evidence": ["reports the column of each mistake."]})}
WAIT = "WaitForMcpServers"
"""What Claude Code offers its model while servers are still starting."""
SEARCH = "tool_search"
"""How Codex's model finds the tools of servers."""
SERVER = {"command": sys.executable, "args": ["-m", "evenhand", "agent", "mcp", "--store", "store.db"]}


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "work.md").write_text(WORK)
    return folder


def judge_with_tools(asked: Asked) -> str | list[Call]:
    """A model that begins, hands in a wrong quote, fixes it when told to, and reports the grade it was shown."""
    prefix = next((name.removesuffix("judge_begin") for name in asked.tools if name.endswith("judge_begin")), None)
    seen = asked.user + json.dumps(asked.body.get("input", ""))
    if prefix is None and SEARCH in asked.tools:
        if '"name": "judge_begin"' not in seen:
            time.sleep(0.5)  # the server is still starting
            return [Call(SEARCH, {"query": "evenhand judge_begin judge_submit"})]
        prefix = "mcp__evenhand__"
    if prefix is None:
        return [Call(WAIT, {})] if WAIT in asked.tools else "ok"
    if "B+" in seen:
        return "The grade is B+."
    handle = re.search(r"<<<submission ([0-9a-f]{32})", seen)
    if handle is None:
        return [Call(f"{prefix}judge_begin", {"file": "work.md", "skill": "parsing"})]
    judgement = GOOD if "is not in the work as written" in seen else BAD
    return [Call(f"{prefix}judge_submit", {"handle": handle[1], "judgement": judgement})]


def test_claude_code_judges_through_the_server(project: Path, tmp_path: Path, model: ScriptedServer):
    """The call arrives, its result goes back, a wrong quote is fixed, and the scorecard is in the store."""
    commands = installed_commands()
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"evenhand": SERVER}}))
    model.answer = judge_with_tools
    options = ["--mcp-config", str(tmp_path / "mcp.json"), "--strict-mcp-config", "--setting-sources", ""]
    ran = subprocess.run(
        [commands / "claude", "-p", "Judge work.md.", "--allowedTools", "mcp__evenhand", *options],
        cwd=project,
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "ANTHROPIC_BASE_URL": model.address,
            "ANTHROPIC_API_KEY": "key",
            "MCP_TIMEOUT": "120000",  # milliseconds: the machine may be busy
            "ENABLE_TOOL_SEARCH": "false",  # show the model every tool, instead of letting it search
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.stdout.strip() == "The grade is B+.", (ran.stdout, ran.stderr, [sorted(a.tools) for a in model.asked])
    tools = {tool["name"]: tool for asked in model.asked for tool in asked.body.get("tools", ())}
    assert "Begin to judge an output" in tools["mcp__evenhand__judge_begin"]["description"]
    (record,) = evenhand.open_store(str(project / "store.db")).evaluations()
    card = json.loads(record.scorecard)
    assert (card["final"], card["judge"]["name"]) == (8, "agent:claude-code")


def test_codex_judges_through_the_server(project: Path, tmp_path: Path, model: ScriptedServer):
    """The same with Codex, whose model first searches for the tools."""
    model.answer = judge_with_tools
    provider = f'{{name="s",base_url="{model.address}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}}'
    server = f'{{command="{sys.executable}",args={json.dumps(SERVER["args"])},startup_timeout_sec=120'
    if path := os.environ.get("PYTHONPATH"):  # Codex passes on only what it is told to
        server += f",env={{PYTHONPATH={json.dumps(path)}}}"
    settings = ['model_provider="s"', f"model_providers.s={provider}", f"mcp_servers.evenhand={server}}}"]
    options = [option for setting in settings for option in ("--config", setting)]
    options += ["--sandbox", "danger-full-access", "--skip-git-repo-check", "--model", "gpt-5.5"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CODEX")}
    ran = subprocess.run(
        [installed_commands() / "codex", "exec", *options, "-"],
        cwd=project,
        env={**environment, "HOME": str(tmp_path), "SCRIPTED_KEY": "key"},
        input="Judge work.md.",
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.stdout.strip() == "The grade is B+.", (ran.stdout, ran.stderr)
    (record,) = evenhand.open_store(str(project / "store.db")).evaluations()
    card = json.loads(record.scorecard)
    assert card["final"] == 8
    assert card["judge"]["name"].startswith("agent:codex")


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_the_page_shows_commands_that_the_agents_understand(project: Path, tmp_path: Path, agent: str):
    """Each adds the server to the agent's own configuration, in a home of its own."""
    commands = installed_commands()
    page = (ROOT / "docs" / "how-to" / "judge-inside-an-agent.md").read_text(encoding="utf-8")
    lines = [
        line
        for line in page.splitlines()
        if line.startswith(f"{agent} mcp add") and line.endswith("evenhand agent mcp")
    ]
    assert lines
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("CODEX_HOME", None)
    for line in lines:
        subprocess.run(["bash", "-c", line], cwd=project, env=environment, check=True, capture_output=True, timeout=120)
    if agent == "codex":
        table = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
        assert table is not None
        assert table[1] in (tmp_path / ".codex" / "config.toml").read_text()
    else:
        written = json.loads((project / ".mcp.json").read_text())["mcpServers"]["evenhand"]
        assert (written["command"], written["args"]) == ("evenhand", ["agent", "mcp"])
