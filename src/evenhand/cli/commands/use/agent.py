"""evenhand agent: what agents use of evenhand."""

from __future__ import annotations

import click

from evenhand.cli.commands.use import agent_skill, hook, mcp
from evenhand.cli.shared import CommandGroup


@click.group("agent", cls=CommandGroup)
def command() -> None:
    """Judging inside agents: skills, a hook that checks claims, tools over MCP.

    \b
    Examples:
      evenhand agent skill install --for claude-code
      evenhand agent mcp
    """


for _below in (agent_skill, hook, mcp):
    command.add_command(_below.command)
