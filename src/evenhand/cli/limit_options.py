"""The limits that `gate` and `judge` hold scorecards to."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

import click

from evenhand.core.basics.methodology import GRADES
from evenhand.core.basics.numbers import score

Command = TypeVar("Command", bound=Callable[..., Any])


class _Points(click.ParamType[Decimal]):
    """A score, read exactly."""

    name = "points"

    def convert(self, value: Any, param: Any, context: Any) -> Decimal:
        try:
            return value if isinstance(value, Decimal) else score(value)
        except ValueError as error:
            self.fail(f"{error}; give a number from 1 to 10", param, context)


def limit_options(command: Command) -> Command:
    """--min-score, --min-grade, --no-red-flag and --no-fault."""
    for option in (
        click.option(
            "--no-fault",
            "no_fault",
            is_flag=False,
            flag_value="minor",
            type=click.Choice(["minor", "major", "critical"]),
            help="Red if checks found a fault or an expectation is unmet, of at least this severity if one is given.",
        ),
        click.option("--no-red-flag", "flags", metavar="ID", multiple=True, help="Red if this red flag was raised."),
        click.option(
            "--min-grade",
            type=click.Choice([grade.letter for grade in GRADES], case_sensitive=False),
            help="Red if a grade is below this.",
        ),
        click.option("--min-score", type=_Points(), help="Red if a final score is below this."),
    ):
        command = option(command)
    return command
