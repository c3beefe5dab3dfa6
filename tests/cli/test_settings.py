"""Settings of commands: `--set`, the environment, the project's file; what is wrong, and what was meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from conftest import ROOT, Ran

from evenhand.cli.main import evenhand
from evenhand.cli.setting_options import Setting
from evenhand.options.command_settings import SETTINGS, may_stand_in_a_file

Command = Callable[..., Ran]


@pytest.fixture
def judged(evenhand_command: Command, tmp_path: Path, fake_server) -> Callable[..., Ran]:
    """A plan of judging with one model: nothing is asked, and the number of calls shows which settings hold."""
    (tmp_path / "answer.md").write_text("The cache kept entries for an hour.\n", encoding="utf-8")

    def run(*arguments: str, **environment: str) -> Ran:
        asked = ("--judge", "openai:one", "--base-url", fake_server.url, "--dry-run", "--format", "json")
        place = ("--store", "none")
        return evenhand_command("judge", "answer.md", *asked, *place, *arguments, cwd=tmp_path, **environment)

    return run


def calls(ran: Ran) -> int:
    assert ran.code == 0, ran.err
    return int(json.loads(ran.out)["calls"])


def test_the_command_line_overrides_the_environment_and_that_the_file(judged, tmp_path: Path):
    """Two questions, asked once, twice, three and four times."""
    assert calls(judged()) == 2
    (tmp_path / "evenhand.toml").write_text("[judge]\nsamples = 2\n", encoding="utf-8")
    assert calls(judged()) == 4
    assert calls(judged(EVENHAND_JUDGE_SAMPLES="3")) == 6
    assert calls(judged("--set", "judge.samples=4", EVENHAND_JUDGE_SAMPLES="3")) == 8


def test_what_a_project_switches_on_can_be_switched_off_for_once(judged, tmp_path: Path):
    """Seven dimensions, and one question about flags."""
    (tmp_path / "evenhand.toml").write_text("[judge]\nthorough = true\n", encoding="utf-8")
    assert calls(judged()) == 8
    assert calls(judged("--set", "judge.thorough=false")) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("judge.smaples=3", 'unknown setting "judge.smaples"; did you mean judge.samples? see: evenhand docs settings'),
        ("judge.samples=300", 'judge.samples: "300" is not valid; give a whole number, 1 to 100'),
        ("judge.samples", '--set "judge.samples" is not NAME=VALUE, such as judge.samples=3'),
        ("gate.margin=1", "gate.margin has no effect on evenhand judge"),
        ("judge.thorough=maybe", 'judge.thorough: "maybe" is not true or false'),
    ],
)
def test_a_setting_that_is_wrong_is_one_line_with_what_was_meant(evenhand_command: Command, given: str, said: str):
    """Exit code 2, before anything is read."""
    done = evenhand_command("judge", "no-such-file.md", "--set", given)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err


def test_a_file_names_what_was_meant_with_its_line(judged, tmp_path: Path):
    """Also for a setting that only a person may give: such a file may come from someone else."""
    (tmp_path / "evenhand.toml").write_text('[judge]\nsmaples = 3\nworkspace = "/"\n', encoding="utf-8")
    done = judged()
    assert done.code == 2
    assert 'evenhand.toml:2: unknown setting "smaples"; did you mean samples?' in done.err
    assert 'evenhand.toml:3: unknown setting "workspace"' in done.err


@pytest.mark.parametrize(
    ("command", "typed", "said"),
    [
        ("judge", "--samples", "evenhand judge has no --samples; it is a setting: --set judge.samples=VALUE"),
        ("gate", "--margin", "evenhand gate has no --margin; it is a setting: --set gate.margin=VALUE"),
        ("judge", "--model", "use --judge openai:1; see"),
        ("gate", "--threshold", "use --min-score or --min-grade"),
        ("better", "--html", "use -o FILE.html"),
        ("judge", "--verbose", "use --set report.full=true"),
        ("score", "--verbose", "use --full or --audit"),
        ("run", "--model", "the suite names its judges"),
        ("rank", "--threshold", "did you mean: evenhand gate FILE --min-grade B-"),
    ],
)
def test_an_option_of_another_tool_is_answered_with_ours(evenhand_command: Command, command, typed, said):
    """What people type first."""
    done = evenhand_command(command, "x", typed, "1")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err


def _settings(command: click.Command) -> set[str]:
    found = {param.setting_name for param in command.params if isinstance(param, Setting)}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            found |= _settings(below)
    return found


def test_every_setting_that_is_declared_is_taken_by_a_command_and_on_the_page():
    """And no command takes one that is not."""
    assert _settings(evenhand) | {"judge.max_cost"} == SETTINGS.keys()  # that one is typed: --max-cost
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in SETTINGS if f"`{name}`" not in page] == []


def test_a_projects_file_sends_nothing_elsewhere_and_replaces_nothing():
    """What it may not set: where questions go, which files are read, what is overwritten."""
    for name in ("judge.escalate_to", "judge.replay", "judge.workspace", "judge.checks", "output.overwrite"):
        assert not may_stand_in_a_file(name), name
