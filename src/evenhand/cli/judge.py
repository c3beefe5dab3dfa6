"""evenhand judge: an output or a transcript in, a scorecard out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli.cards import CardWriter
from evenhand.cli.progress import counted
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    NOT_SCORED,
    SAID_NO,
    chosen_store,
    complain,
    format_option,
    not_stored,
    rubric_option,
    say,
    store_option,
)
from evenhand.errors import InputError

if TYPE_CHECKING:
    from decimal import Decimal

    from evenhand.core.model import Scorecard


@click.command("judge")
@click.argument("outputs", metavar="OUTPUT...", nargs=-1, required=True)
@click.option("--task", metavar="FILE|TEXT", help="What was asked for, as a file or as text.")
@click.option("--skill", metavar="NAME", help="The skill that produced it; its history is compared.")
@rubric_option
@click.option("--judge", "judges", metavar="SPEC", multiple=True, default=("checks",), help="Who judges: checks.")
@click.option("--checks", "files", metavar="FILE", multiple=True, help="A Python file with checks of your own.")
@click.option("--from", "source", metavar="FORMAT", help="The format of the output; found by its content otherwise.")
@click.option("--fail-under", metavar="GRADE|SCORE", help="Exit with code 1 when a scorecard is below this.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="How many to judge at once.")
@click.option("--audit", is_flag=True, help="Show every line of the arithmetic, and the receipt.")
@click.option("--full", is_flag=True, help="Show whole scorecards also when there are many.")
@store_option
@click.option(
    "--keep", type=click.Choice(["text", "hash"]), help="Store the output's text (the default) or its hash only."
)
@format_option("junit")
def command(
    outputs: tuple[str, ...],
    task: str | None,
    skill: str | None,
    rubric: str | None,
    judges: tuple[str, ...],
    files: tuple[str, ...],
    source: str | None,
    fail_under: str | None,
    jobs: int,
    audit: bool,
    full: bool,
    store: str | None,
    keep: str | None,
    format: str,
) -> int:
    """Judge an output, or a whole agent transcript, with deterministic checks: no key, no network.

    OUTPUT is a text, a Claude Code session, a Codex rollout, a chat in OpenAI form, OpenTelemetry
    spans, an Inspect log, a git diff, a file of many submissions, or a folder of any of these; '-' is
    standard input. The judge is named "checks": it sees what a program can see, and the scorecard says
    what share of the weight rests on something that was checked.

    \b
    Examples:
      evenhand judge answer.md --task "Summarise the incident in at most 100 words"
      evenhand judge session.jsonl --skill fix-bug
      evenhand judge runs/ --jobs 2 --format jsonl > scorecards.jsonl
      evenhand judge answer.md --fail-under B-
    """
    from evenhand.judges.checks.judge import ChecksJudge
    from evenhand.judges.checks.registry import from_file, installed
    from evenhand.pipeline.judging import judge_each, read_submissions
    from evenhand.pipeline.keeping import Keeper

    if judges != ("checks",):
        raise click.BadParameter(
            f"the only judge there is so far is checks, not {', '.join(judges)}", param_hint="--judge"
        )
    limit = _limit(fail_under)
    judge = ChecksJudge([*installed(), *(check for path in files for check in from_file(path))])
    kept_in, settings = chosen_store(store, keep=keep)
    keeper = None if kept_in is None else Keeper(kept_in, keep_text=settings.keep == "text")
    one = len(outputs) == 1 and not Path(outputs[0]).is_dir()
    writer = CardWriter(format, one=one, audit=audit, full=full)
    submissions = read_submissions(outputs, format=source, task=_text(task), skill=skill)
    code = DONE
    try:
        for result in counted(judge_each(submissions, judge, rubric=rubric, keeper=keeper, jobs=jobs), quiet=one):
            if isinstance(result, InputError):
                complain(result)
                writer.failed(result)
                code = BAD_INPUT
                continue
            writer.card(result)
            if code == DONE:
                code = _verdict(result, limit)
    except KeyboardInterrupt:
        say("interrupted; what is shown above is finished and kept")
        code = 130
    writer.end()
    sys.stdout.flush()
    return not_stored(keeper, code)


def _text(task: str | None) -> str | None:
    """The task as text: the content of a file if there is one of this name."""
    if task is None or len(task) > 1000 or "\n" in task or not Path(task).is_file():
        return task
    from evenhand.reading.text import read_text

    return read_text(task)


def _limit(fail_under: str | None) -> Decimal | None:
    """The final score below which the command says no."""
    if fail_under is None:
        return None
    from evenhand.core.methodology import GRADES
    from evenhand.core.numbers import points, score

    for grade in GRADES:
        if grade.letter == fail_under.upper():
            return points(grade.lower)
    try:
        return score(fail_under)
    except ValueError as error:
        grades = ", ".join(grade.letter for grade in GRADES)
        raise click.BadParameter(
            f"{error}; give a number from 1 to 10 or a grade: {grades}", param_hint="--fail-under"
        ) from None


def _verdict(card: Scorecard, limit: Decimal | None) -> int:
    if card.final is None:
        return NOT_SCORED
    return SAID_NO if limit is not None and card.final < limit else DONE
