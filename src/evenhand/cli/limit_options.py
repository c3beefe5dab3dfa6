"""The limits that `gate` and `judge` hold scorecards to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import Read, as_one
from evenhand.core.numbers import ALLOWED, exact, score
from evenhand.core.rules import GRADES

if TYPE_CHECKING:
    from evenhand.decisions.gate import Gate


def _points(value: Any) -> Any:
    try:
        return score(value)
    except ValueError as error:
        raise ValueError(f"{error}; give {ALLOWED}") from None


def _points_or_share(value: Any) -> Any:
    """Points; or a share below 1, which results of `claude plugin eval` are scored in."""
    try:
        share = exact(value)
    except ValueError:
        return _points(value)
    return share if 0 <= share < 1 else _points(value)


def _gate(**limits: Any) -> Gate:
    from evenhand.decisions.gate import Gate

    return Gate(**limits)


_NAMES = ("min_score", "min_grade", "no_red_flags", "no_fault")
_LIMITS = (
    click.option(
        "--min-grade",
        type=click.Choice([grade.letter for grade in GRADES], case_sensitive=False),
        help="Red if a grade is below this.",
    ),
    click.option(
        "--no-fault",
        is_flag=False,
        flag_value="minor",
        type=click.Choice(["minor", "major", "critical"]),
        help="Red if checks found a fault or an expectation is unmet, of at least this severity if one is given.",
    ),
)
_POINTS = click.option("--min-score", type=Read("points", _points), help="Red if a final score is below this.")
_SHARE = click.option(
    "--min-score",
    type=Read("points", _points_or_share),
    help="Red if a final score is below this; for a result of claude plugin eval, if its mean score (0 to 1) is.",
)
limit_options = as_one(
    "gate",
    _gate,
    _NAMES,
    _SHARE,
    *_LIMITS,
    click.option("--no-red-flag", "no_red_flags", metavar="ID", multiple=True, help="Red if this red flag was raised."),
)
"""--min-score, --min-grade, --no-red-flag and --no-fault, as the parameter `gate`."""
fewer_limit_options = as_one(
    "gate", _gate, _NAMES, _POINTS, *_LIMITS, setting_option("judge.no_red_flag", "no_red_flags")
)
"""The same for a command with many options: a red flag is named in a setting."""
