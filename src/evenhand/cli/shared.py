"""What every command shares: options, formats, exit codes, where output goes.

Machine output goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from evenhand.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

DONE, SAID_NO, BAD_INPUT, NOT_SCORED = 0, 1, 2, 3
"""Exit codes; 4, out of reach, comes with the first thing that can be."""

FORMATS = ("terminal", "markdown", "json", "jsonl")

format_option = click.option(
    "--format",
    "-f",
    "format",
    type=click.Choice(FORMATS, case_sensitive=False),
    default="terminal",
    show_default=True,
    help="How to show the result.",
)
rubric_option = click.option(
    "--rubric", "-r", metavar="NAME|FILE", help="The rubric, by name or path. See: evenhand rubric list"
)
files_argument = click.argument("files", metavar="FILE...", nargs=-1, required=True)


def console() -> Console:
    """A terminal that is as wide as it says, and coloured only if it is one."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False, emoji=False, markup=False)


def complain(error: InputError) -> None:
    """Every problem on a line of its own, on standard error."""
    for problem in error.problems:
        say(f"error: {problem}")


def say(text: str) -> None:
    """A line on standard error."""
    print("".join(char if char.isprintable() else "\ufffd" for char in text), file=sys.stderr)


def write(text: str) -> None:
    """Machine output, in UTF-8 whatever the terminal's own encoding."""
    sys.stdout.buffer.write(text.encode())


def one_line(document: Any) -> str:
    """A document as one line of JSON."""
    return json.dumps(document, ensure_ascii=False) + "\n"


def indented(document: Any) -> str:
    """A document as JSON for reading."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
