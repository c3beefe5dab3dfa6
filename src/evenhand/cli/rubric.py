"""evenhand rubric: list, show, check, new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    SAID_NO,
    complain,
    console,
    format_option,
    indented,
    one_line,
    say,
    write,
)
from evenhand.core.text.printable import printable
from evenhand.errors import InputError, Problem


@click.group("rubric")
def command() -> None:
    """The rubrics: what good means in a domain.

    A rubric is looked up by path, then in the project's evenhand/rubrics/, then among the built-in ones.

    \b
    Examples:
      evenhand rubric list
      evenhand rubric show code-review
      evenhand rubric new our-reviews --from code-review
      evenhand rubric check evenhand/rubrics/our-reviews.md
    """


@command.command("list")
@format_option()
def list_rubrics(format: str) -> int:
    """List the rubrics that can be named.

    \b
    Example:
      evenhand rubric list --format json
    """
    from evenhand.rubrics.library import load_place, places

    code = DONE
    rows = []
    for place in places():
        try:
            rubric = load_place(place)
        except InputError as error:
            complain(error)
            code = BAD_INPUT
            continue
        rows.append({"name": place.name, "origin": place.origin, "title": rubric.title, "domain": rubric.domain})
    if format == "markdown":
        write("| name | origin | judges |\n|---|---|---|\n")
        write("".join(f"| {row['name']} | {row['origin']} | {row['domain'] or row['title']} |\n" for row in rows))
    elif format == "terminal":
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("name", style="bold", no_wrap=True)
        table.add_column("origin", style="dim")
        table.add_column("judges", overflow="fold")
        for row in rows:
            table.add_row(row["name"], row["origin"], row["domain"] or row["title"])
        console().print(table)
    else:
        _write_rows(rows, format)
    return code


@command.command()
@click.argument("name", metavar="NAME|FILE")
@format_option()
def show(name: str, format: str) -> None:
    """Show a rubric: dimensions with their bands, red flags, bonuses.

    \b
    Examples:
      evenhand rubric show code-review
      evenhand rubric show evenhand/rubrics/mine.md --format json
    """
    from evenhand.core.documents.scorecard import rubric_document
    from evenhand.pipeline.api import load_rubric

    rubric = load_rubric(name)
    if format == "json":
        write(indented(rubric_document(rubric)))
    elif format == "jsonl":
        write(one_line(rubric_document(rubric)))
    elif format == "markdown":
        from evenhand.reports.markdown import rubric_markdown

        write(rubric_markdown(rubric))
    else:
        from evenhand.reports.terminal import print_rubric

        print_rubric(rubric, console())


@command.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Exit with code 1 when a rubric is weak.")
@format_option()
def check(files: tuple[str, ...], strict: bool, format: str) -> int:
    """Check rubrics: what is wrong with them, and what makes them weak.

    Weak are overlapping, missing or empty bands, leftover placeholders, a red flag that restates a
    dimension's lowest band, too many flags, bonuses that cannot be reached, a name that is not the file's.

    \b
    Example:
      evenhand rubric check evenhand/rubrics/*.md --strict

    Exit code 2 for an error; with --strict exit code 1 for a weakness.
    """
    from evenhand.rubrics.check import check_rubric

    rows: list[dict[str, Any]] = []
    code = DONE

    def found(kind: str, path: str, problem: Problem) -> None:
        rows.append({"file": path, "line": problem.line, "kind": kind, "message": problem.message})
        if format == "terminal":
            said = f"{kind}: {problem}"
            say(said) if kind == "error" else print(printable(said))

    for path in files:
        before = len(rows)
        try:
            for problem in check_rubric(path):
                found("weak", path, problem)
            if len(rows) > before and strict and code == DONE:
                code = SAID_NO
        except InputError as error:
            for problem in error.problems:
                found("error", path, problem)
            code = BAD_INPUT
        if len(rows) == before and format == "terminal":
            print(f"{path}: sound")
    if format == "markdown":
        write("".join(f"- {row['kind']}: {_where(row)}: {row['message']}\n" for row in rows))
    elif format != "terminal":
        _write_rows(rows, format)
    return code


@command.command()
@click.argument("name", metavar="NAME")
@click.option("--from", "base", metavar="BUILTIN", default="default", show_default=True, help="Where to start from.")
def new(name: str, base: str) -> None:
    """Start a rubric of your own in the project's evenhand/rubrics/.

    \b
    Examples:
      evenhand rubric new api-design
      evenhand rubric new our-reviews --from code-review
    """
    from evenhand.rubrics.new import new_rubric

    path = new_rubric(name, base)
    print(path)
    say(f"edit it, then: evenhand rubric check {path}")


def _where(row: dict[str, Any]) -> str:
    return row["file"] if row["line"] is None else f"{row['file']}:{row['line']}"


def _write_rows(rows: Sequence[Any], format: str) -> None:
    write(indented(rows) if format == "json" else "".join(map(one_line, rows)))
