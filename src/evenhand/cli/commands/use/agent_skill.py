"""evenhand agent skill: the skills for other agents, installed where each of them looks."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.presenter import format_option, present
from evenhand.cli.shared import DONE, SAID_NO, CommandGroup, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from evenhand.agents.installation import Place, State

NAMES = ("claude", "codex", "copilot", "gemini", "cursor", "all")


def _where(function: Callable[..., int]) -> Callable[..., int]:
    """Which agents, and where, and how to show what was done."""
    for option in (
        format_option(),
        click.option("--force", is_flag=True, help="Also replace or remove files that were changed by hand."),
        click.option("--user", is_flag=True, help="In your home folder, for every project, instead of this folder."),
        click.option(
            "--for",
            "agents",
            type=click.Choice(NAMES),
            multiple=True,
            default=("all",),
            show_default="all",
            help="Which agent. Several may be given.",
        ),
    ):
        function = option(function)
    return function


@click.group("skill", cls=CommandGroup)
def command() -> None:
    """Use evenhand inside another agent: two skills, and a plug-in with hooks.

    The skill evenhand-judge teaches an agent to judge an output or a run; evenhand-rubric helps it write a rubric.
    The agent reads, evenhand checks the quotes and does the arithmetic: no key and no set-up.

    \b
    Examples:
      evenhand agent skill install
      evenhand agent skill install --for claude --user
      evenhand agent skill check
      evenhand agent skill remove
    """


@command.command("install")
@_where
def install(agents: tuple[str, ...], user: bool, force: bool, format: str) -> int:
    """Install the skills where agents look for them.

    claude: .claude/skills; codex, copilot and gemini: .agents/skills; cursor: .cursor/skills; all: the first two, which
    Cursor reads as well. Skills that are there already are brought up to date. A skill that was changed by hand is left
    alone, with exit code 2, unless you use --force.

    \b
    Examples:
      evenhand agent skill install
      evenhand agent skill install --for codex --user
    """
    from evenhand.agents import installation

    base = _base(user)
    words = {"missing": "installed", "current": "up to date", "outdated": "updated"}
    _show(installation.install(installation.places(agents, base), force=force), words, "replaced", format)
    if shutil.which("evenhand") is None:
        say("note: evenhand is not on the PATH, so agents cannot run it; pipx install evenhand puts it there")
    return DONE


@command.command("remove")
@_where
def remove(agents: tuple[str, ...], user: bool, force: bool, format: str) -> int:
    """Remove the skills again, and the folders that are then empty.

    With --user, the plug-in is taken out of Claude Code and Codex as well, by their own commands.

    \b
    Examples:
      evenhand agent skill remove
      evenhand agent skill remove --for claude --user
    """
    from evenhand.agents import installation
    from evenhand.agents.plugin_removal import remove_plugin

    removed = installation.remove(installation.places(agents, _base(user)), force=force)
    plugins = remove_plugin(agents) if user else []
    shown = [(f"the plug-in of {plugin.agent}", plugin.done) for plugin in plugins]
    _show(removed, {"missing": "not there"}, "removed", format, shown)
    return SAID_NO if any(plugin.failed for plugin in plugins) else DONE


def _show(
    places: Iterable[tuple[Place, State]],
    words: Mapping[str, str],
    otherwise: str,
    format: str,
    plugins: Iterable[tuple[str, str]] = (),
) -> None:
    """What was done to each skill, and to the plug-in of each agent."""
    rows = [{"folder": _short(place.folder), "done": words.get(state, otherwise)} for place, state in places]
    rows += [{"folder": folder, "done": done} for folder, done in plugins]
    present(format, lambda: rows, plain=lambda: [f"{row['done']}  {row['folder']}" for row in rows])


@command.command("check")
@click.option("--path", is_flag=True, help="Only print the folder of the plug-in: skills, hooks and the MCP server.")
@format_option()
def check(path: bool, format: str) -> int:
    """Report which skills are installed, in this project and for you, and whether they work.

    A skill works if it is of this version, its keys are those of the open specification, and the command
    evenhand is on the PATH. Exit code 1 if a skill that is installed does not work.

    With --path, the folder of the plug-in for Claude Code and Codex is printed, to install it from there.

    \b
    Examples:
      evenhand agent skill check --format json
      claude plugin marketplace add "$(evenhand agent skill check --path)"
    """
    if path:
        from evenhand.agents.skills import plugin_folder

        folder = str(plugin_folder())
        present(format, lambda: {"folder": folder}, plain=lambda: [folder])
        return DONE
    from evenhand.agents import installation

    on_path = shutil.which("evenhand")
    rows = []
    for scope, base in (("project", Path()), ("user", Path.home())):
        for place in installation.places(("all", "cursor"), base):
            if (state := place.state()) != "missing":
                rows.append(_row(scope, place, state, on_path is not None))
    broken = any(not row["works"] for row in rows)
    none = "no skill is installed here or for you; install them with: evenhand agent skill install"
    present(format, lambda: rows, plain=lambda: list(map(_line, rows)) or [none])
    return SAID_NO if broken else DONE


def _line(row: dict[str, Any]) -> str:
    mark = "works" if row["works"] else "BROKEN"
    return "; ".join([f"{mark}  {row['folder']} ({row['state']})", *row["problems"]])


def _row(scope: str, place: Place, state: State, on_path: bool) -> dict[str, Any]:
    problems = place.problems()
    if state == "outdated":
        problems.append(f"from evenhand {place.version()}; update it with: evenhand agent skill install")
    if not on_path:
        problems.append("the command evenhand is not on the PATH")
    works = state != "outdated" and not problems
    shown = {"skill": place.skill.name, "scope": scope, "folder": _short(place.folder), "state": state}
    return {**shown, "works": works, "problems": problems}


def _base(user: bool) -> Path:
    return Path.home() if user else Path()


def _short(folder: Path) -> str:
    """A folder as a user would write it."""
    for base, mark in ((Path.cwd(), ""), (Path.home(), "~/")):
        if folder.is_relative_to(base):
            return mark + folder.relative_to(base).as_posix()
    return str(folder)
