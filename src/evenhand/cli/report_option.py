"""`--format` with HTML among the formats, and `-o FILE`: a report into a file, complete or not at all."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from evenhand.cli.shared import format_option
from evenhand.errors import InputError

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
        def into_file(*arguments: Any, into: str | None, **options: Any) -> Any:
            if into is None:
                return command(*arguments, **options)
            suggested = _BY_ENDING.get(Path(into).suffix.lower())
            if suggested in ("html", "markdown", "json", "jsonl", *more) and not _is_given("format"):
                options["format"] = suggested
            with written_into(into):
                return command(*arguments, **options)

        output = click.option(
            "--output",
            "-o",
            "into",
            metavar="FILE",
            help="Write the result into this file. Its ending decides the format where --format is not given.",
        )
        return format_option("html", *more)(output(into_file))

    return decorate


def _is_given(option: str) -> bool:
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


@contextmanager
def written_into(name: str) -> Iterator[None]:
    """Standard output goes into a file, which appears under its name when all of it is there."""
    path = Path(name)
    try:
        if path.is_dir():
            raise InputError(f"{name} is a folder; name a file, such as {path / 'report.html'}")
        new = path.with_name(f".{path.name}.new")
        path.parent.mkdir(parents=True, exist_ok=True)
        file = io.TextIOWrapper(new.open("wb"), encoding="utf-8")  # closed below
    except (OSError, ValueError) as error:
        raise _unwritable(name, error) from None
    try:
        with redirect_stdout(file):
            yield
        try:
            file.close()
            new.replace(path)
        except OSError as error:
            raise _unwritable(name, error) from None
    finally:
        new.unlink(missing_ok=True)
    print(f"written: {name}", file=sys.stderr)


def _unwritable(name: str, error: OSError | ValueError) -> InputError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(f"{name} cannot be written: {why}")
