"""evenhand rubric test: a rubric tried with its golden examples."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from evenhand.cli.judge_options import model_options, run_options
from evenhand.cli.presenter import console, format_option, markdown_table, present
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import DONE, NOT_SCORED, OUT_OF_REACH, SAID_NO, chosen_store, say, store_option
from evenhand.errors import Unavailable, shortened
from evenhand.files import codec
from evenhand.in_words import counted, dollars

if TYPE_CHECKING:
    from evenhand.stats.trust.golden import GoldenCriterion, GoldenMiss, GoldenResult

SCHEMA = "evenhand/rubric-test/v1"
KEPT = "replies already paid for are kept; run the same command again to continue"


def _share(written: object) -> Decimal:
    try:
        share = Decimal(str(written))
    except InvalidOperation:
        raise ValueError(f"{written} is not a number") from None
    if not 0 < share <= 1:
        raise ValueError(f"{written} is not above 0 and at most 1; 0.9 means nine of ten")
    return share


@click.command("test")
@click.argument("rubric", metavar="RUBRIC")
@click.option(
    "--judge",
    "judges",
    metavar="SPEC",
    multiple=True,
    help="Who is asked: a provider with its model such as openai:gpt-4o, replay:FILE, or a name from evenhand.toml. "
    "See: evenhand judge list",
)
@setting_option("rubric.golden")
@setting_option("rubric.min_agreement", default=Decimal(1), read=_share)
@model_options("rubric")
@click.option("--dry-run", is_flag=True, help="Show how many calls, tokens and dollars it would take, and stop.")
@store_option
@format_option()
def command(
    rubric: str,
    judges: tuple[str, ...],
    golden: str | None,
    min_agreement: Decimal,
    dry_run: bool,
    store: str | None,
    format: str,
    **asking: Any,
) -> int:
    """Test a rubric: ask judges about golden examples, and compare with the verdicts that people expect.

    Golden examples are outputs with the expected verdict on each criterion and why, in blocks of YAML under the
    heading "Golden examples" of the rubric, or in NAME.golden.yaml beside NAME.md. For each criterion it shows how
    often judges agree, whether it is ambiguous (samples, judges or people differ), and whether it separates good from
    bad. Each is asked by itself, whatever it requires, unless the example says that the prerequisite is not met.

    With judge.per_call=N everything is asked a second time, N criteria in one call, to show what that costs in
    agreement. The result is that of asking one at a time.

    \b
    Examples:
      evenhand rubric test evenhand/rubrics/mine.md --judge openai:gpt-4o
      evenhand rubric test mine --judge openai:gpt-4o --set judge.samples=5 --set rubric.min_agreement=0.9
      evenhand rubric test mine --judge openai:gpt-4o --set judge.per_call=5 --set judge.record=replies.jsonl
      evenhand rubric test mine --judge replay:replies.jsonl --format json

    Exit code 1 when a criterion agrees too rarely, 3 when a judge gave no answer.
    """
    from evenhand.cli.model_run import write_plan
    from evenhand.trust.rubric_tests import RubricTest

    _, settings = chosen_store(store)
    options = run_options("rubric", asking, settings.store)
    is_given = click.get_current_context().get_parameter_source("per_call") is ParameterSource.COMMANDLINE
    test = RubricTest(
        rubric,
        judges,
        options,
        together=options.per_call if is_given else 1,
        golden=golden,
        min_agreement=min_agreement,
        notice=say,
        needs_key=not dry_run,
    )
    if dry_run:
        write_plan(test.plan(), format, {"verdicts": test.questions})
        return DONE
    try:
        result = test.run()
    except Unavailable as error:
        broken = test.budget.broken or test.budget.stopped is None
        say(f"error: {error}" if broken else f"stopped: {error}; {KEPT}")
        return OUT_OF_REACH if broken else NOT_SCORED
    present(
        format,
        lambda: codec.document(result, SCHEMA),
        terminal=lambda: _terminal(result),
        markdown=lambda: _markdown(result),
    )
    if result.passed:
        return DONE
    return NOT_SCORED if all(_enough(tested, min_agreement) for tested in result.criteria) else SAID_NO


def _enough(criterion: GoldenCriterion, least: Decimal) -> bool:
    return criterion.agreed >= least * criterion.verdicts


def _terminal(result: GoldenResult) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    screen.print(Text(_headline(result), style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("criterion", no_wrap=True)
    table.add_column("as expected", no_wrap=True)
    table.add_column("", overflow="fold")
    for criterion in result.criteria:
        style = "" if _enough(criterion, result.min_agreement) and not criterion.unanswered else "red"
        remarks = Text("; ".join(_remarks(criterion, result)))
        table.add_row(Text(criterion.id, style=style), Text(_agreed(criterion), style=style), remarks)
    screen.print()
    screen.print(table)
    for title, lines in _sections(result):
        screen.print()
        screen.print(Text(title, style="bold"))
        for line in lines:
            screen.print(Text(f"  {line}"))


def _markdown(result: GoldenResult) -> str:
    rows = [(f"`{tested.id}`", _agreed(tested), "; ".join(_remarks(tested, result))) for tested in result.criteria]
    table = markdown_table(("criterion", "as expected", "remarks"), rows)
    sections = [f"\n**{title}**\n\n" + "".join(f"- {line}\n" for line in lines) for title, lines in _sections(result)]
    return f"**{_headline(result)}**\n\n{table}{''.join(sections)}"


def _headline(result: GoldenResult) -> str:
    verdict = "passed" if result.passed else "not passed"
    judges = ", ".join(judge.judge for judge in result.judges) or "programs alone"
    examples = counted(result.examples, "example")
    return (
        f"{result.rubric}: {verdict}: {result.agreed} of {result.verdicts} verdicts as expected, {examples}, {judges}"
    )


def _agreed(criterion: GoldenCriterion) -> str:
    return f"{criterion.agreed} of {criterion.verdicts}" if criterion.verdicts else "-"


def _remarks(criterion: GoldenCriterion, result: GoldenResult) -> Iterator[str]:
    """What is worth knowing about a criterion, the most serious first."""
    if criterion.unanswered:
        yield f"{counted(criterion.unanswered, 'question')} without a usable answer"
    if criterion.separates is False:
        yield f'never separates good from bad: every answer is "{next(iter(criterion.answers))}"'
    splits = [
        f"{who} differ on {counted(len(names), 'example')}"
        for who, names in (
            ("samples", criterion.split_samples),
            ("judges", criterion.split_judges),
            ("people", criterion.split_people),
        )
        if names
    ]
    if splits:
        yield f"ambiguous: {', '.join(splits)}"
    if len(criterion.expected) == 1:
        yield f'every example expects "{next(iter(criterion.expected))}", so it is not known to separate anything'
    if result.together is not None and criterion.together is not None and criterion.together != criterion.agreed:
        yield f"{result.together.per_call} at once: {criterion.together} of {criterion.verdicts}"
    if criterion.decided_by:
        yield f"decided by {criterion.decided_by}"


def _sections(result: GoldenResult) -> Iterator[tuple[str, list[str]]]:
    if result.missed:
        yield "Not as expected", [line for miss in result.missed for line in _missed(miss)]
    if result.together is not None:
        yield f"Asking {result.together.per_call} criteria in one call", _together_lines(result)
    if len(result.judges) > 1:
        yield "Judges", [f"{judge.judge}: {judge.agreed} of {judge.verdicts}" for judge in result.judges]
    if result.untested:
        yield "Without an example", [", ".join(result.untested)]
    if result.calls:
        yield "Asked", [f"{counted(result.calls, 'call')}, {dollars(result.cost)}"]


def _missed(miss: GoldenMiss) -> Iterator[str]:
    who = miss.judge or "the program"
    votes = f" ({', '.join(f'{count} {answer}' for answer, count in miss.votes.items())})" if miss.votes else ""
    yield f"{miss.criterion}, {miss.example}: expected {miss.expected}, {who} says {miss.answer}{votes}"
    if miss.why:
        yield f"  expected because: {shortened(miss.why, 200)}"
    if miss.reason:
        yield f"  {who}: {shortened(miss.reason, 200)}"


def _together_lines(result: GoldenResult) -> list[str]:
    both = result.together
    assert both is not None
    if not both.verdicts:
        return ["no verdict was given both ways"]
    points = 100 * (both.together - both.alone) / both.verdicts
    change = (
        f"{abs(points):.0f} points {'less' if points < 0 else 'more'}" if both.together != both.alone else "the same"
    )
    lines = [
        f"{both.together} of {both.verdicts} as expected, {both.alone} when asked one at a time: {change}",
        f"{both.lost} lost, {both.gained} gained",
    ]
    if both.unanswered:
        lines.append(f"{counted(both.unanswered, 'question')} without a usable answer")
    return lines
