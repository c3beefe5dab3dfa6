"""The limits that `gate` and `judge` hold scorecards to."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from evenhand.cli.shared import Read
from evenhand.core.basics.methodology import GRADES
from evenhand.core.basics.numbers import ALLOWED, score


def _points(value: Any) -> Any:
    try:
        return score(value)
    except ValueError as error:
        raise ValueError(f"{error}; give {ALLOWED}") from None


_OPTIONS = (
    click.option("--min-score", type=Read("points", _points), help="Red if a final score is below this."),
    click.option(
        "--min-grade",
        type=click.Choice([grade.letter for grade in GRADES], case_sensitive=False),
        help="Red if a grade is below this.",
    ),
    click.option("--no-red-flag", "no_red_flags", metavar="ID", multiple=True, help="Red if this red flag was raised."),
    click.option(
        "--no-fault",
        is_flag=False,
        flag_value="minor",
        type=click.Choice(["minor", "major", "critical"]),
        help="Red if checks found a fault or an expectation is unmet, of at least this severity if one is given.",
    ),
)


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--min-score, --min-grade, --no-red-flag and --no-fault, as the parameter `gate`."""

    @wraps(command)
    def with_gate(*arguments: Any, **options: Any) -> Any:
        from evenhand.core.history.gate import Gate

        limits = {name: options.pop(name) for name in ("min_score", "min_grade", "no_red_flags", "no_fault")}
        return command(*arguments, gate=Gate(**limits), **options)

    decorated: Callable[..., Any] = with_gate
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
