"""evenhand trust: whether a judge can be used for what it is used for."""

from __future__ import annotations

import click

from evenhand.cli.commands.trust import agree, anchors, calibrate, estimate, labels, probe, review
from evenhand.cli.shared import CommandGroup


@click.group("trust", cls=CommandGroup)
def command() -> None:
    """Find out whether a judge can be used: people's labels, agreement, calibration, probes.

    \b
    Examples:
      evenhand trust labels import labels.csv
      evenhand trust agree
      evenhand trust probe openai:gpt-4o --quick
    """


for _below in (labels, review, agree, calibrate, estimate, probe, anchors):
    command.add_command(_below.command)
