"""`evenhand agent skill remove --user` takes the plug-in out of the agents that have it, by their own commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Ran

LISTING = """#!/bin/sh
echo "$@" >> "$HOME/asked"
case "$*" in
  "plugin list") [ -e "$HOME/has-it" ] && echo "evenhand@evenhand (enabled)" || echo "no plug-ins" ;;
  "plugin uninstall evenhand@evenhand") {uninstall} ;;
esac
"""


@pytest.fixture
def remove(tmp_path: Path, evenhand_command: Callable[..., Ran]) -> Callable[..., tuple[Ran, list[str]]]:
    """Run the command beside a `claude` that does as told; what it was asked."""

    def run(*arguments: str, has_it: bool, uninstall: str = 'rm "$HOME/has-it"') -> tuple[Ran, list[str]]:
        home = tmp_path / "home"
        home.mkdir()
        program = tmp_path / "bin" / "claude"
        program.parent.mkdir()
        program.write_text(LISTING.format(uninstall=uninstall))
        program.chmod(0o755)
        if has_it:
            (home / "has-it").touch()
        path = os.pathsep.join([str(program.parent), str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        ran = evenhand_command("agent", "skill", "remove", *arguments, cwd=tmp_path, HOME=str(home), PATH=path)
        asked = home / "asked"
        return ran, asked.read_text().splitlines() if asked.exists() else []

    return run


@pytest.mark.slow
def test_the_plug_in_and_its_marketplace_are_removed(remove: Callable[..., tuple[Ran, list[str]]]):
    ran, asked = remove("--user", has_it=True)
    assert ran.code == 0, ran.err
    assert "removed  the plug-in of claude" in ran.out
    assert asked[1:] == ["plugin uninstall evenhand@evenhand", "plugin marketplace remove evenhand"]


@pytest.mark.slow
def test_an_agent_without_it_is_left_alone(remove: Callable[..., tuple[Ran, list[str]]]):
    ran, asked = remove("--user", has_it=False)
    assert ran.code == 0 and "not there  the plug-in of claude" in ran.out
    assert asked == ["plugin list"]


@pytest.mark.slow
def test_a_failure_is_reported_with_what_to_do(remove: Callable[..., tuple[Ran, list[str]]]):
    """Exit code 1: something that should be gone is still there."""
    ran, _ = remove("--user", has_it=True, uninstall="echo 'settings are locked' >&2; exit 3")
    assert ran.code == 1
    assert "not removed: settings are locked; try: claude plugin uninstall evenhand@evenhand" in ran.out


@pytest.mark.slow
def test_a_project_leaves_the_plug_in_of_the_user(remove: Callable[..., tuple[Ran, list[str]]]):
    _, asked = remove(has_it=True)
    assert asked == []
