"""Take the plug-in out of Claude Code and Codex again, with their own commands."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final, NamedTuple

_SECONDS: Final = 60


class Removal(NamedTuple):
    """What became of the plug-in in one agent."""

    agent: str
    done: str
    """removed, or not there; otherwise what the agent's command said."""

    @property
    def failed(self) -> bool:
        return self.done not in ("removed", "not there")


_COMMANDS: Final = {
    "claude": (("plugin", "list"), ("plugin", "uninstall", "evenhand@evenhand")),
    "codex": (("plugin", "list"), ("plugin", "remove", "evenhand@evenhand")),
}
"""For each agent: what lists its plug-ins, and what removes ours."""
_MARKETPLACE: Final = ("plugin", "marketplace", "remove", "evenhand")


def remove_plugin(agents: tuple[str, ...]) -> list[Removal]:
    """Remove the plug-in and its marketplace from every one of these agents that is installed and has it."""
    wanted = [agent for agent in _COMMANDS if agent in agents or "all" in agents]
    return [_removal(agent) for agent in wanted if shutil.which(agent)]


def _removal(agent: str) -> Removal:
    listing, removing = _COMMANDS[agent]
    code, listed = _run(agent, *listing)
    if code or "evenhand@evenhand" not in listed:
        return Removal(agent, "not there")
    code, said = _run(agent, *removing)
    if code:
        return Removal(agent, f"not removed: {said}; try: {agent} {' '.join(removing)}")
    _run(agent, *_MARKETPLACE)  # it is ours alone; it may be gone already
    return Removal(agent, "removed")


def _run(*command: str) -> tuple[int, str]:
    """The exit code of a command, and the last line it printed or all of it where it succeeded."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, " ".join(str(error).split())
    text = (done.stdout + done.stderr).decode(errors="replace").strip()
    return done.returncode, text if not done.returncode else (text.splitlines() or ["no message"])[-1]
