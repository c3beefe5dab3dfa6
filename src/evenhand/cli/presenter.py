"""How results are shown: the formats, `-o FILE`, and the one place that chooses between a command's writers.

Machine output goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from evenhand.cli.output_option import output_option, written_into
from evenhand.in_words import listed
from evenhand.work.printable import UNPRINTABLE, is_printable, printable

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.reports.tree import Report

Command = TypeVar("Command", bound=Callable[..., Any])
Writer = Callable[[], str | None]
"""Returns the text to write, or None if it has printed something itself."""

_BY_ENDING: Final = {
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
    ".tex": "latex",
    ".txt": "terminal",
}
"""The format that a file's name suggests."""


PLAIN_FORMATS: Final = ("terminal", "markdown", "json", "jsonl")
"""The formats that all commands have."""


def format_option(*extra: str) -> Callable[[Command], Command]:
    """--format, with the formats that all commands have and any more that this one has."""
    formats = (*PLAIN_FORMATS, *extra)
    return click.option(
        "--format",
        "-f",
        "format",
        type=click.Choice(formats, case_sensitive=False),
        metavar="FORMAT",  # all of them side by side are wider than a terminal
        default="terminal",
        show_default=True,
        help=f"How to show the result: {listed(formats, 'or')}.",
    )


def report_option(*extra: str) -> Callable[[Command], Any]:
    """--format, with HTML and any more formats that this command has, and --output."""

    def decorate(command: Command) -> Any:
        @wraps(command)
        def into_file(*arguments: Any, into: str | None, overwrite: bool, **options: Any) -> Any:
            options["format"] = format_of(into, options["format"], *extra)
            written = written_into(into, overwrite=overwrite, format=options["format"])
            with written, known_ending(into, *extra):
                return command(*arguments, **options)

        output = output_option("Its ending decides the format where --format is not given.")
        return format_option("html", *extra)(output(into_file))

    return decorate


def format_of(into: str | None, format: str, *extra: str, otherwise: str | None = None) -> str:
    """The format that was asked for, or the one that a file's ending suggests, or `otherwise` without an ending."""
    if into is None or _is_given("format"):
        return format
    suggested = _BY_ENDING.get(Path(into).suffix.lower(), "")
    return suggested if suggested in _known(extra) else otherwise or format


@contextmanager
def known_ending(into: str | None, *extra: str) -> Iterator[None]:
    """UsageError for a file whose ending no format of this command has, unless a format was asked for.

    A file that is there is refused at the end, so that it is called an input if the command reads it.
    """
    exists = into is not None and Path(into).exists()
    if not exists:
        _refuse_ending(into, extra)
    yield
    if exists:
        _refuse_ending(into, extra)


def _refuse_ending(into: str | None, extra: tuple[str, ...]) -> None:
    if into is None or _is_given("format") or not (ending := Path(into).suffix.lower()):
        return
    known = _known(extra)
    if _BY_ENDING.get(ending, "") not in known and not (Path(into).exists() and not Path(into).is_file()):
        endings = ", ".join(ending for ending, name in _BY_ENDING.items() if name in known)
        table = ending in (".csv", ".tex") and click.get_current_context().info_name in ("better", "run")
        elsewhere = f" A stored run as a table: evenhand run table latest -o {into}." if table else ""
        raise click.UsageError(
            f"{into}: this command writes no {ending} file; endings: {endings}. Or give --format.{elsewhere}"
        )


def _known(extra: tuple[str, ...]) -> tuple[str, ...]:
    return ("html", "markdown", "json", "jsonl", "terminal", *extra)


def _is_given(option: str) -> bool:
    return click.get_current_context().get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE


def csv_text(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows that have the same columns as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def present(format: str, document: Callable[[], Any], **writers: Any) -> None:
    """Write a result in the format that was asked for, by one of its `all_writers`; the others do not run."""
    write_as(format, all_writers(document, **writers))


def write_as(format: str, writers: Mapping[str, Writer]) -> None:
    """Write a result by the writer of a format."""
    if format not in writers:
        raise click.UsageError(f"--format {format} does not go with this; formats: {', '.join(sorted(writers))}.")
    text = writers[format]()
    if text is not None:
        write(text)


def all_writers(
    document: Callable[[], Any],
    *,
    plain: Callable[[], Iterable[str]] | None = None,
    report: Callable[[], Report] | None = None,
    full: bool = False,
    **writers: Writer,
) -> dict[str, Writer]:
    """A result's writers by format.

    `document` is the result for programs; a list has a line for each entry in JSONL. `plain` lines are shown as they
    are on a terminal, and listed in Markdown. A `report` has a writer for each format that people read; when `full`, a
    terminal shows what is folded. `writers` are for other formats, or replace these.
    """
    by_format: dict[str, Writer] = {
        "json": lambda: indented(document()),
        "jsonl": lambda: _json_lines(document()),
    }
    if plain is not None:
        by_format |= {"terminal": lambda: _text(plain()), "markdown": lambda: _listed(plain())}
    if report is not None:
        by_format |= {
            "terminal": lambda: show_report(report(), full=full),
            "markdown": lambda: _as_markdown(report()),
            "html": lambda: _as_page(report()),
        }
    return by_format | writers


def show_report(report: Report, *, full: bool = False, stderr: bool = False) -> None:
    """A report on the terminal; when `full`, with what is folded."""
    from evenhand.reports.terminal.walker import print_report

    print_report(report, console(stderr=stderr), full=full)


def _as_markdown(report: Report) -> str:
    from evenhand.reports.markdown import report_markdown

    return report_markdown(report)


def _as_page(report: Report) -> str:
    from evenhand.reports.html.walker import report_page

    return report_page(report)


def lone(documents: Sequence[Any]) -> Any:
    """The one document itself, or a list of several or none."""
    return documents[0] if len(documents) == 1 else list(documents)


def _json_lines(document: Any) -> str:
    return "".join(map(one_line, document if isinstance(document, list) else [document]))


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _listed(lines: Iterable[str]) -> str:
    from evenhand.reports.markdown_pieces import safe

    return "".join(f"- {safe(line)}\n" for line in lines if line)


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    from evenhand.reports.markdown_pieces import table_markdown

    return table_markdown(headings, rows)


def console(*, stderr: bool = False) -> Console:
    """The terminal, in its own width, with colours only if it is one; text cannot send it control codes."""
    from rich.console import Console
    from rich.segment import Segment

    class CleanConsole(Console):
        def render(self, *arguments: Any, **options: Any) -> Iterator[Segment]:
            for text, style, control in super().render(*arguments, **options):
                yield Segment(text if control else printable(text), style, control)

    return CleanConsole(stderr=stderr, highlight=False, soft_wrap=False, emoji=False, markup=False)


def write(text: str) -> None:
    """Output in UTF-8 whatever the terminal's own encoding, with nothing in it that a terminal would obey.

    What is judged, and what models answer, is someone else's text. JSON keeps it whole: see `harmless_json`.
    """
    sys.stdout.buffer.write(printable(text).encode())


def write_json_line(text: str) -> None:
    """A document that is one line of JSON already, without its end."""
    sys.stdout.buffer.write(harmless_json(text).encode() + b"\n")


def harmless_json(text: str) -> str:
    """JSON with every character that a terminal obeys, or no reader sees, written as an escape: the same data."""
    return text if is_printable(text) else UNPRINTABLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def one_line(document: Any) -> str:
    """A document as one line of JSON."""
    return harmless_json(json.dumps(document, ensure_ascii=False)) + "\n"


def indented(document: Any) -> str:
    """A document as indented JSON."""
    return harmless_json(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"
