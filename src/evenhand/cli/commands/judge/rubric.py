"""evenhand rubric: list, show, check, test, new, convert."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.output_option import STDOUT, output_option, written_into
from evenhand.cli.presenter import console, format_option, markdown_table, present, write
from evenhand.cli.shared import BAD_INPUT, DONE, SAID_NO, CommandGroup, complain, say
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Problem, unknown
from evenhand.files.text import read_text
from evenhand.in_words import counted
from evenhand.rubrics.conversion.criteria_formats import NAMES as CRITERIA_FORMATS
from evenhand.work.names import slug
from evenhand.work.printable import printable

if TYPE_CHECKING:
    from evenhand.rubrics.conversion.criteria_files import ConvertedCriteria
    from evenhand.rubrics.new import Answers
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
      evenhand rubric convert old-rubric.yaml -o evenhand/rubrics/our-reviews.md
    """


@command.command("list")
@format_option()
def list_rubrics(format: str) -> int:
    """List the rubrics that can be named: the project's and the built-in ones.

    \b
    Example:
      evenhand rubric list
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
def show(name: str, format: str) -> int:
    """Show a rubric: dimensions with their bands, red flags, bonuses.

    \b
    Examples:
      evenhand rubric show code-review
      evenhand rubric show evenhand/rubrics/mine.md --format json
    """
    from evenhand.documents.scorecard import rubric_document
    from evenhand.rubrics.resolved import resolve

    rubric, _, _, warnings = resolve(name)
    for warning in warnings:
        say(f"warning: {warning}")

    def terminal() -> None:
        from evenhand.reports.rubric import rubric_report
        from evenhand.reports.terminal.walker import print_report

        print_report(rubric_report(rubric), console())

    def markdown() -> str:
        from evenhand.reports.markdown import rubric_markdown

        return rubric_markdown(rubric)

    present(format, lambda: rubric_document(rubric), terminal=terminal, markdown=markdown)
    return DONE


@command.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Exit with code 1 when a rubric is weak.")
@click.option(
    "--checks", metavar="FILE", multiple=True, help="A Python file of checks that red flags and criteria may name."
)
@format_option()
def check(files: tuple[str, ...], strict: bool, checks: tuple[str, ...], format: str) -> int:
    """Check rubrics: what is wrong with them, how they will be used, and what makes them weak.

    Everything that the file says in a place that scores is either read or an error with its line; all errors are
    shown at once. A rubric without errors is shown as it will be used, and below that follows "sound".

    Weaknesses are empty bands, leftover placeholders, a red flag that restates a dimension's lowest band, too many
    flags, bonuses and criteria that cannot be reached, criteria that say the same.

    \b
    Example:
      evenhand rubric check evenhand/rubrics/*.md --strict

    Exit code 2 for an error; with --strict exit code 1 for a weakness.
    """
    from evenhand.rubrics.account import account, account_document, account_lines
    from evenhand.rubrics.check import parsed_rubric, weaknesses

    rows: list[dict[str, Any]] = []
    understood: dict[str, list[tuple[str, str]]] = {}
    code = DONE
    for path in files:
        try:
            parsed = parsed_rubric(path)
        except InputError as error:
            code = BAD_INPUT
            rows += [_row("error", path, problem) for problem in error.problems]
            if format == "terminal":
                complain(error)
            continue
        errors = [*_undecidable(parsed), *_undetectable(parsed, checks)]
        weak = weaknesses(parsed)
        rows += [_row("error", path, problem) for problem in errors] + [_row("weak", path, problem) for problem in weak]
        rows += map(account_document, account(parsed))
        understood[path] = list(account_lines(parsed))
        if errors:
            code = BAD_INPUT
        elif weak and strict and code == DONE:
            code = SAID_NO
        if format == "terminal":
            _print_understood(path, understood[path])
            for problem in errors:
                say(f"error: {problem}")
            for problem in weak:
                print(printable(f"weak: {problem}"))
            if not errors:
                print(counted(len(weak), "weakness", "weaknesses") if weak else "sound")

    def markdown() -> str:
        problems = [f"- {row['kind']}: {_where(row)}: {row['message']}\n" for row in rows if "message" in row]
        listed = [f"- {path}: {label}: {text}\n" for path, lines in understood.items() for label, text in lines]
        return "".join([*problems, *listed])

    present(format, lambda: rows, terminal=lambda: None, markdown=markdown)  # the terminal has been told by then
    return code


def _row(kind: str, path: str, problem: Problem) -> dict[str, Any]:
    return {"file": path, "line": problem.line, "kind": kind, "message": problem.message}


def _print_understood(path: str, lines: list[tuple[str, str]]) -> None:
    """A rubric as it will be used."""
    from textwrap import fill

    width = min(console().width, 100)
    print(printable(f"{path}   as it will be used"))
    for name, text in lines:
        lines_of = fill(text, width, initial_indent=f" {name:<13}", subsequent_indent=" " * 14, break_on_hyphens=False)
        print(printable(lines_of.replace("\u00a0", " ")))


@command.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--from", "base", metavar="RUBRIC|TEXT", help="A rubric to start from, or a sentence that says what is judged."
)
@format_option()
def new(name: str, base: str | None, format: str) -> None:
    """Start a rubric of your own in the project's evenhand/rubrics/.

    Without --from it asks three questions on a terminal: what is judged, what matters most, what must never happen.
    The file is sound as it is written; edit its bands to fit.

    \b
    Examples:
      evenhand rubric new api-design
      evenhand rubric new our-reviews --from code-review
      evenhand rubric new release-notes --from "Release notes, written for the people who upgrade"
    """
    from evenhand.rubrics.library import DEFAULT
    from evenhand.rubrics.new import Answers, is_rubric, new_rubric

    if base is None:
        path = new_rubric(name, DEFAULT, _asked() if _on_a_terminal() else Answers())
    elif is_rubric(base):
        path = new_rubric(name, base)
    else:
        path = new_rubric(name, DEFAULT, Answers(domain=base))
    present(format, lambda: {"rubric": str(path)}, plain=lambda: [str(path)])
    say(f"edit it, then: evenhand rubric check {path}")


def _on_a_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _asked() -> Answers:
    """The three questions; an empty answer leaves the part as it is."""
    from evenhand.rubrics.new import Answers

    domain = click.prompt("What is judged, and for whom?", default="", show_default=False, prompt_suffix=" ", err=True)
    first = click.prompt(
        f"What matters most ({', '.join(DIMENSIONS)})?",
        default="",
        show_default=False,
        show_choices=False,
        prompt_suffix=" ",
        type=click.Choice(["", *DIMENSIONS]),
        err=True,
    )
    never = click.prompt("What must never happen?", default="", show_default=False, prompt_suffix=" ", err=True)
    return Answers(domain, first, never)


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
@click.option("--judge", metavar="SPEC", help="A model that drafts the open places, each with a quote from FILE.")
@output_option()
def convert(
    file: str,
    dimension: str | None,
    entry: int | None,
    verdicts: bool,
    to: str | None,
    judge: str | None,
    into: str | None,
    overwrite: bool,
) -> int:
    """Turn a rubric of another form into one of ours, or criteria of ours into another tool's.

    FILE is YAML, JSON or Markdown. What our reader understands is taken over. Every weight, band,
    amount or pass mark that is not is left open: TODO, with its source line beside it, and so is all else that may
    score. `rubric check` refuses the result until a person has filled in what is open; no default stands in for it.
    With --judge a model drafts the open places; each draft stands beside its TODO with the quote it rests on.

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
    from collections import Counter
    from pathlib import Path

    from evenhand.rubrics.conversion.criteria_files import converted_criteria, exported_criteria, name_of
    from evenhand.rubrics.conversion.open_places import BANDS, convert_rubric

    if to is not None:
        return _written_for(exported_criteria(file, to, dimension), into, overwrite)
    name = name_of(file) if into in (None, STDOUT) else slug(Path(into).stem)
    criteria = converted_criteria(read_text(file), file, name=name, dimension=dimension or DIMENSIONS[0], entry=entry)
    if criteria is not None:
        return _criteria_written(criteria, into, overwrite, verdicts)
    with written_into(into, overwrite=overwrite, keeps_own=True):
        own_name = None if into in (None, STDOUT) else name
        converted = convert_rubric(file, name=own_name)
        if judge is not None and converted.open:
            from evenhand.cli.commands.judge.rubric_draft import drafted

            drafts = drafted(file, converted.open, judge)
            converted = convert_rubric(file, name=own_name, drafts=drafts)
            have = counted(len(drafts), "open place has", "open places have")
            say(f"{have} a draft beside the TODO; a person accepts it")
        write(converted.text)
    for place in converted.open:
        if place.problem.line is not None:
            say(f"open: {place.problem}")
    missing = [place.name for place in converted.open if place.problem.line is None]
    bands = Counter(name.rpartition(" ")[2] for name in missing if name.startswith("band "))
    whole = {name for name, count in bands.items() if count == len(BANDS)}
    missing = list(dict.fromkeys(_together(name, whole) for name in missing))
    if missing:
        say(f"open: {file}: nothing read in the source for: {', '.join(missing)}")
    count = len(converted.open)
    if count:
        left = counted(count, "place is", "places are")
        say(f"{left} left open; fill in every TODO, then: evenhand rubric check {into or 'FILE'}")
    return SAID_NO if count else DONE


def _together(name: str, whole: set[str]) -> str:
    """The name of a missing band, or of all bands of a dimension that has none."""
    dimension = name.rpartition(" ")[2]
    return f"bands of {dimension}" if name.startswith("band ") and dimension in whole else name


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
    for problem in criteria.open:
        say(f"open: {problem}")
    if criteria.open:
        say(f"fill in every TODO, then: evenhand rubric check {into or 'FILE'}")
    return SAID_NO if criteria.open and not verdicts else DONE


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


def _undetectable(parsed: ParsedRubric, files: tuple[str, ...]) -> list[Problem]:
    """The red flags that are to be raised by a check that does not exist."""
    named = [flag for flag in parsed.rubric.red_flags if flag.detect]
    if not named:
        return []
    from evenhand.findings.registry import built_in, from_file, installed  # few red flags name a check

    checks = (*built_in(), *installed(), *(check for file in files for check in from_file(file)))
    known = [check.id for check in checks]
    return [
        Problem(
            f"red flag {flag.id}: detect: {unknown('check', flag.detect, known, most=3, otherwise=_OWN_CHECKS)}",
            parsed.source,
            parsed.lines.get(("red_flags", flag.id)),
        )
        for flag in named
        if flag.detect not in known
    ]


_OWN_CHECKS = "the checks are listed in the reference; for a file of your own add --checks FILE"


def _where(row: dict[str, Any]) -> str:
    return row["file"] if row["line"] is None else f"{row['file']}:{row['line']}"
