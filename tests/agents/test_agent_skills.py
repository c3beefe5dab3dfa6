"""The skills for other agents: valid, installed where agents look, and true: their commands run as written."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Ran
from fake_agent import fake_claude

import evenhand
from evenhand.agents.installation import AGENTS, RECORD
from evenhand.agents.skills import KEYS, Skill, plugin_folder, problems_in, shipped_skills

SKILLS = {skill.name: skill for skill in shipped_skills()}
TEXTS = [(skill.name, path) for skill in SKILLS.values() for path in skill.files]
GOOD = "---\nname: a-skill\ndescription: Does something.\n---\n\n# Text\n"


def test_two_skills_are_shipped():
    """One judges, one writes rubrics."""
    assert set(SKILLS) == {"evenhand-judge", "evenhand-rubric"}


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_keeps_to_the_open_specification(name: str):
    """Its keys, its lengths, and every reference one level deep, existing and mentioned."""
    text = SKILLS[name].files["SKILL.md"].decode()
    assert list(problems_in(name, text)) == []
    mentioned = set(re.findall(r"`(references/[\w.-]+)`", text))
    assert mentioned == {path for path in SKILLS[name].files if path != "SKILL.md"}
    assert all(path.count("/") == 1 for path in mentioned)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GOOD.replace("---\n", "", 1), "does not begin with keys"),
        (GOOD.replace("description", "model: big\ndescription"), 'unknown key "model"; valid: name'),
        (GOOD.replace("description: Does something.\n", ""), "the key description is missing"),
        (GOOD.replace("a-skill", "another"), "must be the folder's name"),
        (GOOD.replace("a-skill", "a--skill"), "must be the folder's name"),
        (GOOD.replace("something.", "x" * 1024), "longer than 1024 characters"),
        (GOOD.replace("something.", "<b>x</b>"), "contains < or >"),
        (GOOD.replace("Does something.", "[1]"), "description must be text"),
        (GOOD.replace("description", "metadata: {a: 1}\ndescription"), "metadata must map text to text"),
        (GOOD.replace("Does", "a: b: c"), "not valid YAML"),
        (GOOD + "x\n" * 499, "500 lines or more"),
    ],
)
def test_what_breaks_the_specification(text: str, words: str):
    """Each rule, broken alone."""
    assert list(problems_in("a-skill", GOOD)) == []
    (problem,) = problems_in("a-skill", text)
    assert words in problem
    assert len(KEYS) == 6


def session(path: Path) -> None:
    """A short Claude Code session."""
    base = {"sessionId": "s", "parentUuid": None, "cwd": "/w", "version": "2.1", "timestamp": "2026-11-01T10:00:00Z"}
    answer = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "The review is in review.md."}]}
    entries: list[dict[str, Any]] = [
        {**base, "type": "user", "uuid": "1", "message": {"role": "user", "content": "Review the change."}},
        {**base, "type": "assistant", "uuid": "2", "message": answer},
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")


EXPECTED = {"evenhand score judgement.yaml": 3, "evenhand rubric convert": 1}
"""Exit codes other than 0: the example leaves a dimension unscored, and a conversion leaves things to decide."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "path"), TEXTS)
def test_every_command_in_a_skill_runs_as_written(name: str, path: str, tmp_path: Path):
    """In a folder with the files the text speaks of; the judgement is the one shown in the skill."""
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    (tmp_path / ".git").mkdir()
    session(tmp_path / "session.jsonl")
    (tmp_path / "old-rubric.yaml").write_text("criteria:\n  - name: Correctness\n    description: True.\n")
    (tmp_path / "evenhand" / "rubrics").mkdir(parents=True)
    fake_claude(tmp_path / "bin")
    judgement = re.search(r"```yaml\n(.*?)```", SKILLS["evenhand-judge"].files["SKILL.md"].decode(), re.DOTALL)
    assert judgement is not None
    (tmp_path / "judgement.yaml").write_text(judgement[1], encoding="utf-8")
    paths = [str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}
    for block in re.findall(r"```sh\n(.*?)```", SKILLS[name].files[path].decode(), re.DOTALL):
        for command in block.splitlines():
            code = next((code for start, code in EXPECTED.items() if command.startswith(start)), 0)
            done = subprocess.run(
                shlex.split(command), cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=60
            )
            assert done.returncode == code, f"{command}: {done.stderr.decode()}"


def test_the_judgement_shown_in_the_skill_is_marked_as_an_agents(tmp_path: Path):
    """And every quote in it is in the work."""
    text = SKILLS["evenhand-judge"].files["SKILL.md"].decode()
    assert "judge: agent:claude-code" in text
    work = " ".join((ROOT / "examples" / "review.md").read_text(encoding="utf-8").split())
    quotes = re.findall(r'evidence: \["(.*?)"\]', text)
    assert len(quotes) == 4
    assert all(quote in work for quote in quotes)


FOLDERS = [(agent, folders) for agent, folders in AGENTS.items()]


@pytest.mark.parametrize(("agent", "folders"), FOLDERS)
@pytest.mark.slow
def test_install_check_and_remove(
    agent: str, folders: tuple[str, ...], tmp_path: Path, evenhand_command: Callable[..., Ran]
):
    """Installed where the agent looks, reported as working, and gone without a trace."""
    (tmp_path / "kept.txt").touch()
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = evenhand_command("agent", "skill", "install", "--for", agent, **environment)
    assert ran.code == 0, ran.err
    for folder in folders:
        for name, skill in SKILLS.items():
            for path, data in skill.files.items():
                assert (tmp_path / folder / name / path).read_bytes() == data
    again = evenhand_command("agent", "skill", "install", "--for", agent, **environment)
    assert again.out.count("up to date") == 2 * len(folders)
    checked = evenhand_command("agent", "skill", "check", "--format", "json", **environment)
    rows = json.loads(checked.out)
    assert checked.code == 0
    assert {(row["state"], row["works"], row["scope"]) for row in rows} == {("current", True, "project")}
    assert len(rows) == 2 * len(folders)
    assert evenhand_command("agent", "skill", "remove", "--for", agent, **environment).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "kept.txt"]
    assert "no skill is installed" in evenhand_command("agent", "skill", "check", **environment).out


@pytest.mark.slow
def test_user_installs_into_the_home_folder(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """For every project."""
    home = tmp_path / "home"
    home.mkdir()
    ran = evenhand_command("agent", "skill", "install", "--for", "claude", "--user", HOME=str(home))
    assert "installed  home/.claude/skills/evenhand-judge" in ran.out
    assert (home / ".claude/skills/evenhand-judge/SKILL.md").is_file()


@pytest.mark.slow
def test_what_was_changed_by_hand_is_left_alone(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """Neither overwritten nor removed, unless that is asked for; nothing is half done."""
    evenhand_command("agent", "skill", "install")
    mine = tmp_path / ".claude" / "skills" / "evenhand-judge" / "SKILL.md"
    mine.write_text("mine", encoding="utf-8")
    for verb in ("install", "remove"):
        ran = evenhand_command("agent", "skill", verb)
        assert ran.code == 2
        assert ".claude/skills/evenhand-judge: SKILL.md changed by hand and not" in ran.err
        assert mine.read_text(encoding="utf-8") == "mine"
        assert (tmp_path / ".agents" / "skills" / "evenhand-rubric" / "SKILL.md").is_file()
    assert evenhand_command("agent", "skill", "install", "--force").code == 0
    assert mine.read_bytes() == SKILLS["evenhand-judge"].files["SKILL.md"]
    foreign = tmp_path / ".cursor" / "skills" / "evenhand-judge"
    foreign.mkdir(parents=True)
    (foreign / "SKILL.md").write_text("theirs", encoding="utf-8")
    ran = evenhand_command("agent", "skill", "install", "--for", "cursor")
    assert (ran.code, "was not installed by evenhand" in ran.err) == (2, True)
    assert not (foreign.parent / "evenhand-rubric").exists()


@pytest.mark.slow
def test_an_older_version_is_reported_and_updated(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """Files of the old version that the new one lacks are removed."""
    evenhand_command("agent", "skill", "install", "--for", "claude")
    folder = tmp_path / ".claude" / "skills" / "evenhand-judge"
    old = Skill("evenhand-judge", {"SKILL.md": b"old", "gone.md": b"gone"})
    for path, data in old.files.items():
        (folder / path).write_bytes(data)
    shutil.rmtree(folder / "references")
    (folder / RECORD).write_text(json.dumps({"version": "0.0.1", "files": old.fingerprints}), encoding="utf-8")
    ran = evenhand_command("agent", "skill", "check")
    assert ran.code == 1
    assert "BROKEN  .claude/skills/evenhand-judge (outdated)" in ran.out
    assert "from evenhand 0.0.1" in ran.out
    assert (
        "updated  .claude/skills/evenhand-judge" in evenhand_command("agent", "skill", "install", "--for", "claude").out
    )
    assert not (folder / "gone.md").exists()
    assert (folder / "references" / "own-work.md").is_file()


@pytest.mark.slow
def test_check_says_when_the_command_is_not_on_the_path(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """An agent could read the skill, and then not run it."""
    evenhand_command("agent", "skill", "install", "--for", "claude")
    ran = evenhand_command("agent", "skill", "check", PATH=str(tmp_path))
    assert ran.code == 1
    assert "the command evenhand is not on the PATH" in ran.out


def test_the_plug_in_is_complete(evenhand_command: Callable[..., Ran]):
    """Manifest, marketplace, skills, hooks and MCP server in one folder, with the names the agents expect."""
    folder = plugin_folder()
    assert evenhand_command("agent", "skill", "check", "--path").out == f"{folder}\n"
    manifest = json.loads((folder / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    market = json.loads((folder / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text(encoding="utf-8"))
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", manifest["name"])
    assert manifest["version"] == evenhand.__version__
    assert "hooks" not in manifest  # Codex refuses it there
    assert [plugin["name"] for plugin in market["plugins"]] == [manifest["name"]]
    assert set(hooks) == {"description", "hooks"}  # Codex refuses any other key
    assert set(hooks["hooks"]) == {"Stop", "SubagentStop"}
    commands = [hook["command"] for groups in hooks["hooks"].values() for group in groups for hook in group["hooks"]]
    assert set(commands) == {"evenhand agent hook"}
    servers = json.loads((folder / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]
    assert servers == {"evenhand": {"command": "evenhand", "args": ["agent", "mcp"]}}
