"""`--format` with HTML among the formats, and `-o FILE`, whose ending decides the format."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from evenhand.cli.output_option import output_option, written_into
from evenhand.cli.shared import format_option

Command = TypeVar("Command", bound=Callable[..., Any])

_BY_ENDING = {
    ".html": "html",
    ".htm": "html",
    ".svg": "svg",
    ".md": "markdown",
    ".json": "json",
    ".jsonl": "jsonl",
    ".xml": "junit",
    ".sarif": "sarif",
    ".csv": "csv",
    ".parquet": "parquet",
}
"""The format that a file's name suggests."""


def report_option(*more: str) -> Callable[[Command], Any]:
    """--format, with HTML and any more formats that this command has, and --output."""

    def decorate(command: Command) -> Any:
        @wraps(command)
        def into_file(*arguments: Any, into: str | None, overwrite: bool, **options: Any) -> Any:
            options["format"] = format_of(into, options["format"], *more)
            with written_into(into, overwrite=overwrite, format=options["format"]):
                return command(*arguments, **options)

        output = output_option("Its ending decides the format where --format is not given.")
        return format_option("html", *more)(output(into_file))

    return decorate


def format_of(into: str | None, format: str, *more: str, otherwise: str | None = None) -> str:
    """The format that was asked for, or the one that a file's ending suggests, or `otherwise` for any other file."""
    source = click.get_current_context().get_parameter_source("format")
    if into is None or source is click.core.ParameterSource.COMMANDLINE:
        return format
    suggested = _BY_ENDING.get(Path(into).suffix.lower(), "")
    return suggested if suggested in ("html", "markdown", "json", "jsonl", *more) else otherwise or format
