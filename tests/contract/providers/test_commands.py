"""An agent's command as a judge: tried before it is asked, given nothing it could use, and every failure in words."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from fake_agent import fake_claude

from contract.goldens import compare_json
from contract.providers.asking import OUTPUT, ask, golden, result

HERE = Path(__file__).parent
MODES = ("good", "no version", "no login", "tools", "leaks", "never asks", "late tools", "other model", "crashes",
         "garbage", "quota", "budget", "refuses")  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_a_command_in_every_mood(mode: str, tmp_path: Path):
    """One call for everything; what it reports to have cost; nothing from one that could reach a tool."""
    fake_claude(tmp_path / "bin", mode)
    ran = ask(tmp_path, "--judge", "claude-code", environment={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"})
    shown = result(ran)
    shown["says"] = [line.replace(str(tmp_path), "FOLDER") for line in shown["says"]]
    compare_json(golden(HERE, f"claude-{mode}"), shown)


def test_what_a_command_is_given(tmp_path: Path):
    """An empty folder, few variables, its arguments; the work on standard input only."""
    fake_claude(tmp_path / "bin")
    names = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "MY_SECRET": "x", "ANTHROPIC_API_KEY": "of-mine"}
    ran = ask(tmp_path, "--judge", "claude-code:opus", "--max-cost", "2", environment=names)
    assert ran.code == 0, ran.err
    seen = json.loads((tmp_path / "bin" / "seen.json").read_text(encoding="utf-8"))
    assert seen["folder"] == [] and OUTPUT.split("\n")[0] in seen["prompt"]
    assert "MY_SECRET" not in seen["environment"]
    assert not [argument for argument in seen["arguments"] if OUTPUT.split("\n")[0] in argument]
    arguments = ["(a path)" if "/" in argument else argument for argument in seen["arguments"]]
    arguments = ["(a schema)" if argument.startswith("{") else argument for argument in arguments]
    names_of_claude = sorted(
        name for name in seen["environment"] if name.startswith(("ANTHROPIC", "CLAUDE", "DISABLE"))
    )
    compare_json(HERE / "golden" / "claude-arguments.json", [arguments, names_of_claude])


def test_a_command_that_hangs_is_ended_with_what_it_started(tmp_path: Path):
    """After the time that is set, named in the message."""
    fake_claude(tmp_path / "bin", "hangs")
    settings = "[judges.claude-code]\ntotal_timeout = 2\n"
    names = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    ran = ask(tmp_path, "--judge", "claude-code", settings=settings, environment=names)
    assert ran.code in (3, 4) and "no reply within 2 seconds; set total_timeout under" in ran.err
    for process in (tmp_path / "bin" / "pids").read_text().split():
        status, patience = Path("/proc", process, "status"), 100
        while status.exists() and "State:\tZ" not in status.read_text() and patience:
            patience -= 1  # it was killed; a busy machine may take a moment to end it
            time.sleep(0.05)
        assert patience


@pytest.mark.parametrize(
    ("switch", "words"),
    [("CLAUDE_CODE_USE_BEDROCK", "it is set up for Amazon Bedrock"), ("ANTHROPIC_UNIX_SOCKET", "it is set up with")],
)
def test_a_command_set_up_for_another_server_is_refused(switch: str, words: str, tmp_path: Path):
    """Its question would go where no one has tried it."""
    fake_claude(tmp_path / "bin")
    names = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", switch: "1"}
    ran = ask(tmp_path, "--judge", "claude-code", environment=names)
    assert ran.code == 2 and words in ran.err


@pytest.mark.parametrize("command", ["claude-code", "codex", "gemini-cli"])
def test_a_command_that_is_not_there(command: str, tmp_path: Path):
    """With the way to install it."""
    ran = ask(tmp_path, "--judge", command, environment={"PATH": "/nowhere"})
    assert ran.code == 2 and f"{command} is not installed" in ran.err and "npm install -g" in ran.err
