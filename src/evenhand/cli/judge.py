"""evenhand judge: an output or a transcript in, a scorecard out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

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

    from evenhand.core.values.scorecard import Scorecard
    from evenhand.judges.checks.judge import ChecksJudge


@click.command("judge")
@click.argument("outputs", metavar="OUTPUT...", nargs=-1, required=True)
@click.option("--task", metavar="FILE|TEXT", help="What was asked for, as a file or as text.")
@click.option("--skill", metavar="NAME", help="The skill that produced it; its history is compared.")
@rubric_option
@click.option(
    "--judge",
    "judges",
    metavar="SPEC",
    multiple=True,
    default=("checks",),
    show_default="checks",
    help="Who judges: checks, openai:MODEL, anthropic:MODEL, ollama:MODEL, local:FILE.gguf, replay:FILE, or a name "
    "from evenhand.toml. Several make a panel. See: evenhand judges",
)
@click.option("--base-url", metavar="URL", help="The OpenAI-compatible server that openai:MODEL is asked at.")
@click.option("--economy", is_flag=True, help="Ask a model for all dimensions in one call instead of one call each.")
@click.option(
    "--samples", type=click.IntRange(1, 100), default=1, show_default=True, help="How often to ask each question."
)
@click.option(
    "--temperature", type=click.FloatRange(0, 2), help="How freely a model answers. Default: 0, or 1 with --samples."
)
@click.option(
    "--quorum", type=click.IntRange(min=1), help="How many judges must score a dimension. Default: over half."
)
@click.option("--escalate-to", metavar="SPEC", help="A stronger judge, asked only where the others leave doubt.")
@click.option(
    "--concurrency", type=click.IntRange(min=1), help="Calls in flight at each provider. Default: 16, or its settings."
)
@click.option("--max-calls", type=click.IntRange(min=0), help="Stop before more calls than this are made.")
@click.option("--max-cost", metavar="DOLLARS", help="Stop before a call could cost more than this in all.")
@click.option("--dry-run", is_flag=True, help="Say how many calls, tokens and dollars it would take; ask nothing.")
@click.option("--show-prompt", is_flag=True, help="Show what a model would be asked, word for word; ask nothing.")
@click.option("--fresh", is_flag=True, help="Ask again, also where a reply is stored.")
@click.option(
    "--replies", metavar="FILE|none", help="Where models' replies are kept. Default: replies.db beside the store."
)
@click.option("--record", metavar="FILE", help="Write every exchange to a file that replay:FILE can read.")
@click.option("--checks", "files", metavar="FILE", multiple=True, help="A Python file with checks of your own.")
@click.option("--from", "source", metavar="FORMAT", help="The format of the output; found by its content otherwise.")
@click.option("--fail-under", metavar="GRADE|SCORE", help="Exit with code 1 when a scorecard is below this.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that run checks.")
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
    **asking: Any,
) -> int:
    """Judge an output, or a whole agent transcript: with checks, with a model, or with a panel of them.

    OUTPUT is a text, a Claude Code session, a Codex rollout, a chat in OpenAI form, OpenTelemetry
    spans, an Inspect log, a git diff, a file of many submissions, or a folder of any of these; '-' is
    standard input.

    Without --judge, deterministic checks judge: no key, no network. They see what a program can see,
    and the scorecard says what share of the weight rests on something that was checked.

    \b
    Examples:
      evenhand judge answer.md --task "Summarise the incident in at most 100 words"
      evenhand judge session.jsonl --skill fix-bug
      evenhand judge runs/ --jobs 2 --format jsonl > scorecards.jsonl
      evenhand judge answer.md --fail-under B-
      evenhand judge answer.md --judge openai:gpt-4o --judge anthropic:claude-sonnet-4-5
      evenhand judge runs/ --judge openai:my-model --base-url http://localhost:8000/v1 --economy --dry-run
    """
    from evenhand.pipeline.judging import judge_each, read_submissions
    from evenhand.pipeline.keeping import Keeper
    from evenhand.reading.text import text_or_file

    limit = _limit(fail_under)
    kept_in, settings = chosen_store(store, keep=keep)
    submissions = read_submissions(
        outputs, format=source, task=None if task is None else text_or_file(task), skill=skill
    )
    one = len(outputs) == 1 and not os.path.isdir(outputs[0])  # noqa: PTH112 (a name that is too long is no folder)
    keeper = None if kept_in is None else Keeper(kept_in, keep_text=settings.keep == "text")
    results: Iterable[Scorecard | InputError]
    if judges == ("checks",) and asking["escalate_to"] is None:
        _only_with_models(asking)
        run = None
        results = counted(judge_each(submissions, _checks(files), rubric=rubric, keeper=keeper, jobs=jobs), quiet=one)
    else:
        from evenhand.cli.model_run import model_run

        run = model_run(
            judges, asking, checks=lambda: _checks(files), rubric=rubric, store=settings.store, keeper=keeper
        )
        if asking["show_prompt"]:
            return run.show_prompts(submissions)
        if asking["dry_run"]:
            return run.show_plan(submissions, format)

        def total() -> int | None:
            return None if "-" in outputs else sum(1 for _ in read_submissions(outputs, format=source))

        results = run.results(submissions, total, quiet=one)
    writer = CardWriter(format, one=one, audit=audit, full=full, keeper=keeper)
    code = DONE
    try:
        for result in results:
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
    if run is not None:
        code = run.ended(code)
    return not_stored(keeper, code)


def _limit(fail_under: str | None) -> Decimal | None:
    """The final score below which the command says no."""
    if fail_under is None:
        return None
    from evenhand.core.basics.methodology import GRADES
    from evenhand.core.basics.numbers import points, score

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


def _checks(files: tuple[str, ...]) -> ChecksJudge:
    from evenhand.judges.checks.judge import ChecksJudge
    from evenhand.judges.checks.registry import from_file, installed

    return ChecksJudge([*installed(), *(check for path in files for check in from_file(path))])


def _only_with_models(asking: dict[str, Any]) -> None:
    """An option that says something to models says nothing to the checks: rather ask than ignore it."""
    unsaid = {"samples": 1}
    given = [name for name, value in asking.items() if value is not False and value != unsaid.get(name)]
    if given:
        option = "--" + given[0].replace("_", "-")
        raise click.UsageError(f"{option} is for models; name one with --judge, such as --judge openai:MODEL.")
