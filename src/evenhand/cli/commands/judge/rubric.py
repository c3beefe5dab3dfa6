"""evenhand rubric: list, show, check, test, new, convert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.commands.judge.rubric_test import command as test_command
from evenhand.cli.output_option import STDOUT, output_option, written_into
from evenhand.cli.presenter import console, format_option, markdown_table, present, write
from evenhand.cli.shared import BAD_INPUT, DONE, SAID_NO, CommandGroup, complain, say
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Problem
from evenhand.in_words import counted
from evenhand.names import slug
from evenhand.printable import printable
from evenhand.reading.text import read_text
from evenhand.rubrics.conversion.criteria_formats import NAMES as CRITERIA_FORMATS

if TYPE_CHECKING:
    from evenhand.rubrics.conversion.criteria_files import ConvertedCriteria
    from evenhand.rubrics.rubric_file import ParsedRubric


@click.group("rubric", cls=CommandGroup)
def command() -> None:
    """The rubrics: what good means in a domain.

    A rubric is looked up by path, then in the project's evenhand/rubrics/, then among the built-in ones.

    \b
    Examples:
      evenhand rubric list
      evenhand rubric show code-review
      evenhand rubric new our-reviews --from code-review
      evenhand rubric check evenhand/rubrics/our-reviews.md
      evenhand rubric test evenhand/rubrics/our-reviews.md --judge openai:gpt-4o
      evenhand rubric convert old-rubric.yaml -o evenhand/rubrics/our-reviews.md
    """


command.add_command(test_command)


@command.command("list")
@format_option()
def list_rubrics(format: str) -> int:
    """List the rubrics that can be named.

    \b
    Example:
      evenhand rubric list --format json
    """
    from evenhand.rubrics.library import places
    from evenhand.rubrics.resolved import resolve_place

    code = DONE
    rows = []
    for place in places():
        try:
            rubric, _, _, warnings = resolve_place(place)
        except InputError as error:
            complain(error)
            code = BAD_INPUT
            continue
        for warning in warnings:
            say(f"warning: {warning}")
        rows.append({"name": place.name, "origin": place.origin, "title": rubric.title, "domain": rubric.domain})
    headings = ("name", "origin", "judges")
    cells = [(row["name"], row["origin"], row["domain"] or row["title"]) for row in rows]

    def terminal() -> None:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("name", style="bold", no_wrap=True)
        table.add_column("origin", style="dim")
        table.add_column("judges", overflow="fold")
        for line in cells:
            table.add_row(*line)
        console().print(table)

    present(format, lambda: rows, terminal=terminal, markdown=lambda: markdown_table(headings, cells))
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
    from evenhand.documents.scorecards.scorecard import rubric_document
    from evenhand.rubrics.resolved import resolve

    rubric, _, _, warnings = resolve(name)
    for warning in warnings:
        say(f"warning: {warning}")

    def terminal() -> None:
        from evenhand.reports.terminal.reports import print_rubric

        print_rubric(rubric, console())

    def markdown() -> str:
        from evenhand.reports.markdown import rubric_markdown

        return rubric_markdown(rubric)

    present(format, lambda: rubric_document(rubric), terminal=terminal, markdown=markdown)


@command.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Exit with code 1 when a rubric is weak.")
@format_option()
def check(files: tuple[str, ...], strict: bool, format: str) -> int:
    """Check rubrics: what is wrong with them, and what makes them weak.

    Weak are overlapping, missing or empty bands, leftover placeholders, a red flag that restates a
    dimension's lowest band, too many flags, bonuses and criteria that cannot be reached, criteria that say the same. A
    name inside the file that is not the file's own is an error, and so is a criterion that requires itself or that no
    program can decide as it says, and a golden example that does not fit the criteria.

    \b
    Example:
      evenhand rubric check evenhand/rubrics/*.md --strict

    For a rubric that loads, it ends with what was taken from which line: weights, pass mark, red flags with their
    amounts, bonuses, and where the default counts.

    Exit code 2 for an error; with --strict exit code 1 for a weakness.
    """
    from evenhand.rubrics.account import account, account_document, account_lines
    from evenhand.rubrics.check import parsed_rubric, weaknesses

    rows: list[dict[str, Any]] = []
    code = DONE

    def report(kind: str, path: str, problem: Problem) -> None:
        rows.append({"file": path, "line": problem.line, "kind": kind, "message": problem.message})
        if format == "terminal":
            line = f"{kind}: {problem}"
            say(line) if kind == "error" else print(printable(line))

    for path in files:
        before = len(rows)
        try:
            parsed = parsed_rubric(path)
        except InputError as error:
            for problem in error.problems:
                report("error", path, problem)
            code = BAD_INPUT
            continue
        for problem in weaknesses(parsed):
            report("weak", path, problem)
        for problem in (*_undecidable(parsed), *_golden(parsed)):
            report("error", path, problem)
            code = BAD_INPUT
        if len(rows) > before and strict and code == DONE:
            code = SAID_NO
        if format == "terminal":
            if len(rows) == before:
                print(f"{path}: sound")
            for line in account_lines(parsed):
                print(printable(line))
        rows += map(account_document, account(parsed))
    present(
        format,
        lambda: rows,
        terminal=lambda: None,  # shown as it was found
        markdown=lambda: "".join(f"- {row['kind']}: {_where(row)}: {row['message']}\n" for row in rows),
    )
    return code


@command.command()
@click.argument("name", metavar="NAME")
@click.option("--from", "base", metavar="BUILTIN", default="default", show_default=True, help="Where to start from.")
@format_option()
def new(name: str, base: str, format: str) -> None:
    """Start a rubric of your own in the project's evenhand/rubrics/.

    \b
    Examples:
      evenhand rubric new api-design
      evenhand rubric new our-reviews --from code-review
    """
    from evenhand.rubrics.new import new_rubric

    path = new_rubric(name, base)
    present(format, lambda: {"rubric": str(path)}, plain=lambda: [str(path)])
    say(f"edit it, then: evenhand rubric check {path}")


@command.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--dimension",
    type=click.Choice(DIMENSIONS),
    metavar="NAME",
    help="Where a list or tree of criteria goes, correctness by default; with --to, which criteria to write.",
)
@click.option("--entry", metavar="N", type=click.IntRange(min=1), help="Which entry of a file that holds several.")
@click.option(
    "--verdicts", is_flag=True, help="Write the verdicts that the file holds, as a judgement to score with the rubric."
)
@click.option(
    "--to", metavar="FORMAT", help=f"Write a rubric's criteria for another tool: {', '.join(CRITERIA_FORMATS)}."
)
@output_option()
def convert(
    file: str,
    dimension: str | None,
    entry: int | None,
    verdicts: bool,
    to: str | None,
    into: str | None,
    overwrite: bool,
) -> int:
    """Turn a rubric of another form into one of ours, or criteria of ours into another tool's.

    FILE is YAML, JSON or Markdown (also tables), with whatever criteria it has. What needs no invention is converted:
    texts, levels whose scores are plain, weights, red flags, bonuses, the pass mark. What a person has to decide is
    listed on standard error with its line, and marked TODO(convert) in the result, which no command accepts until
    it is settled.

    Lists and trees of criteria go under one dimension: PaperBench's trees, DevAI's requirements, HealthBench's points,
    Harbor's reward TOML, a list of {"criteria", "weight"}, skill-creator's expectations, promptfoo's llm-rubric. What
    has no counterpart is listed line by line, and kept as a note where it can be written back.

    \b
    Examples:
      evenhand rubric convert old-rubric.yaml
      evenhand rubric convert paper.json --dimension correctness -o evenhand/rubrics/paper.md
      evenhand rubric convert graded.json --verdicts -o judgement.json
      evenhand rubric convert evenhand/rubrics/paper.md --to paperbench -o paper.json
      evenhand rubric convert grading.json -o evenhand/rubrics/grading.md

    Exit code 0 when the result is complete, 1 when something is left to decide.
    """
    from pathlib import Path

    from evenhand.rubrics.conversion.convert import convert_rubric
    from evenhand.rubrics.conversion.criteria_files import converted_criteria, exported_criteria, name_of

    if to is not None:
        return _written_for(exported_criteria(file, to, dimension), into, overwrite)
    name = name_of(file) if into in (None, STDOUT) else slug(Path(into).stem)
    criteria = converted_criteria(read_text(file), file, name=name, dimension=dimension or DIMENSIONS[0], entry=entry)
    if criteria is not None:
        return _criteria_written(criteria, into, overwrite, verdicts)
    with written_into(into, overwrite=overwrite, keeps_own=True):
        converted = convert_rubric(file, name=None if into in (None, STDOUT) else slug(Path(into).stem))
        write(converted.text)
    for problem in converted.decisions:
        say(f"decide: {problem}")
    count = len(converted.decisions)
    if count:
        say(f"{counted(count, 'thing is', 'things are')} left to decide; then: evenhand rubric check {into or 'FILE'}")
    return SAID_NO if count else DONE


def _written_for(exported: tuple[str, tuple[Problem, ...]], into: str | None, overwrite: bool) -> int:
    """Write criteria for another tool; what it cannot say goes to standard error."""
    text, losses = exported
    with written_into(into, overwrite=overwrite):
        write(text)
    for problem in losses:
        say(f"no counterpart: {problem}")
    return DONE


def _criteria_written(criteria: ConvertedCriteria, into: str | None, overwrite: bool, verdicts: bool) -> int:
    """Write a rubric made of another tool's criteria, or the verdicts that came with them."""
    if verdicts and not criteria.judgement:
        raise InputError("the file holds no verdicts")
    with written_into(into, overwrite=overwrite, keeps_own=True):
        write(criteria.judgement if verdicts else criteria.text)
    for problem in criteria.losses:
        say(f"no counterpart: {problem}")
    say(f"{counted(criteria.criteria, 'criterion', 'criteria')} from {criteria.format}")
    if criteria.value is not None:
        low, high = criteria.value
        ends = str(low) if low == high else f"{low} to {high}"
        say(f"the file's own verdicts are worth {ends} at the root; to score them: --verdicts")
    return DONE


def _undecidable(parsed: ParsedRubric) -> list[Problem]:
    """The criteria that name a program which cannot decide them."""
    trees = {name: criteria.tree for name, criteria in parsed.rubric.dimensions.items() if criteria.tree is not None}
    if not trees:
        return []
    from evenhand.judges.decided_criteria import undecidable  # few rubrics have criteria

    return [
        Problem(f"{id} cannot be decided: {why}", parsed.source, parsed.lines.get(("criteria", id)))
        for id, why in undecidable(trees)
    ]


def _golden(parsed: ParsedRubric) -> list[Problem]:
    """What is wrong with the golden examples of a rubric that has criteria."""
    if all(criteria.tree is None for criteria in parsed.rubric.dimensions.values()):
        return []
    from pathlib import Path

    from evenhand.trust.golden_examples import golden_problems  # few rubrics have criteria

    return golden_problems(Path(parsed.source), parsed.rubric)


def _where(row: dict[str, Any]) -> str:
    return row["file"] if row["line"] is None else f"{row['file']}:{row['line']}"
