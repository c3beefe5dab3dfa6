"""evenhand score: judgements in, scorecards out."""

from __future__ import annotations

import gc
import json
import sys

import click

from evenhand.cli.progress import counted
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    NOT_SCORED,
    OUT_OF_REACH,
    chosen_store,
    complain,
    console,
    files_argument,
    format_option,
    indented,
    rubric_option,
    say,
    store_option,
    write,
)
from evenhand.core.documents import scorecard_json
from evenhand.core.model import Scorecard
from evenhand.errors import InputError
from evenhand.pipeline.files import score_files


@click.command("score")
@files_argument
@rubric_option
@format_option("junit")
@click.option("--audit", is_flag=True, help="Show every line of the arithmetic, and the receipt.")
@click.option("--full", is_flag=True, help="Show whole scorecards also when there are many.")
@store_option
@click.option(
    "--keep", type=click.Choice(["text", "hash"]), help="Store the output's text (the default) or its hash only."
)
def command(
    files: tuple[str, ...],
    rubric: str | None,
    format: str,
    audit: bool,
    full: bool,
    store: str | None,
    keep: str | None,
) -> int:
    """Turn judgements into scorecards, compare each with its skill's earlier ones, and keep it.

    A judgement is a YAML or JSON file with seven scores, the red flags raised and the bonuses earned;
    a JSONL file holds one a line; '-' is standard input. When it names the output that was judged,
    every quote is checked against it.

    \b
    Examples:
      evenhand score review.yaml
      evenhand score review.yaml --rubric code-review --audit
      evenhand score many.jsonl --format jsonl --store none > scorecards.jsonl
      cat review.json | evenhand score - --format json

    Exit code 2 when a judgement could not be read (the others are still scored), 3 when a dimension
    is unscored, 4 when the scorecards are made but could not be stored.
    """
    gc.set_threshold(100_000, 50, 50)  # scorecards hold no cycles, so looking for them only costs time
    keeper = None
    if store != "none":
        from evenhand.pipeline.keeping import Keeper

        kept_in, settings = chosen_store(store, keep=keep)
        keeper = None if kept_in is None else Keeper(kept_in, keep_text=settings.keep == "text")
    batch = score_files(files, rubric=rubric, keeper=keeper)
    writer = _Writer(format, one=batch.one, audit=audit, full=full)
    code = DONE
    for result in counted(batch.results, quiet=batch.one or format == "terminal"):
        if isinstance(result, InputError):
            complain(result)
            writer.failed(result)
            code = BAD_INPUT
            continue
        writer.card(result)
        if result.final is None and code == DONE:
            code = NOT_SCORED
    writer.end()
    sys.stdout.flush()
    for id in keeper.conflicts if keeper is not None else ():
        say(f'warning: not stored: the id "{id}" belongs to another evaluation there; give this one another id')
    if keeper is not None and keeper.again:
        count = len(keeper.again)
        say(
            f"already stored: {keeper.again[0]}"
            if count == 1
            else f"{count} were stored already; nothing was added twice"
        )
    if keeper is not None and keeper.failure is not None:
        say(f"error: not stored: {keeper.failure}")
        return OUT_OF_REACH if code in (DONE, NOT_SCORED) else code
    return code


class _Writer:
    """Writes scorecards as they come, in one of the formats."""

    def __init__(self, format: str, *, one: bool, audit: bool, full: bool) -> None:
        self._format = format
        self._one = one
        self._audit = audit
        self._whole = one or full or audit
        self._letters: list[str] = []
        self._cases: list[object] = []
        self._count = 0
        self._console = console() if format == "terminal" else None

    def card(self, card: Scorecard) -> None:
        """One scorecard."""
        self._count += 1
        if self._format == "jsonl":
            write(scorecard_json(card, audit=self._audit) + "\n")
        elif self._format == "json":
            opening = "" if self._one else "[\n" if self._count == 1 else ",\n"
            write(opening + indented(json.loads(scorecard_json(card, audit=self._audit))).rstrip("\n"))
        elif self._format == "markdown":
            from evenhand.reports.markdown import scorecard_markdown

            write(("\n---\n\n" if self._count > 1 else "") + scorecard_markdown(card))
        elif self._format == "junit":
            from evenhand.reports.junit import card_case

            self._cases.append(card_case(card))
        else:
            self._show(card)

    def failed(self, error: InputError) -> None:
        """One judgement that could not be read."""
        if self._format == "junit":
            from evenhand.reports.junit import Case

            self._cases.append(Case(name=_where(error), group="evenhand", error=str(error)))

    def _show(self, card: Scorecard) -> None:
        from evenhand.reports.terminal import print_card_line, print_scorecard

        assert self._console is not None
        self._letters.append(card.grade.letter if card.grade else "-")
        if not self._whole:
            print_card_line(card, self._console)
            for warning in card.warnings:
                say(f"warning: {card.id}: {warning}")
            return
        if self._count > 1:
            self._console.print()
        print_scorecard(card, self._console, audit=self._audit)

    def end(self) -> None:
        """Close what was opened."""
        if self._format == "json":
            write(("\n" if self._count else "") if self._one else "\n]\n" if self._count else "[]\n")
        elif self._format == "junit":
            from evenhand.reports.junit import junit_xml

            write(junit_xml("evenhand score", self._cases))  # type: ignore[arg-type]
        elif self._format == "terminal" and not self._one and self._count:
            from evenhand.reports.document import grade_counts

            say(f"{self._count} scored: {grade_counts(self._letters)}")


def _where(error: InputError) -> str:
    first = error.problems[0]
    return str(first.source) if first.line is None else f"{first.source}:{first.line}"
