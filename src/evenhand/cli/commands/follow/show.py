"""evenhand show: a stored evaluation, a transcript as it is understood, or scorecards computed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.cards import CardWriter, Layout
from evenhand.cli.ci_formats import CI_FORMATS
from evenhand.cli.commands.follow.show_transcript import show_transcript
from evenhand.cli.commands.follow.show_verification import show_verification
from evenhand.cli.presenter import PLAIN_FORMATS, present, report_option, write_json_line
from evenhand.cli.shared import DONE, audit_option, needed_store, rubric_option, store_option
from evenhand.documents.scorecard import scorecard_json
from evenhand.errors import InputError
from evenhand.in_words import listed
from evenhand.judging.kept.rubric_texts import rubric_of_card
from evenhand.judging.recommended import recommended_json
from evenhand.store.stored_cards import card_of, stored_submission
from evenhand.store.tables.browsed_lists import Listed, paid_for

if TYPE_CHECKING:
    from evenhand.reports.tree import Report


def _show_entry(entry: Listed, format: str) -> None:
    """Show what is known of a cell of a suite that has no evaluation."""
    cost = paid_for(entry)
    facts = {
        "id": entry.id,
        "skill": entry.skill,
        "created": entry.created,
        "state": entry.state,
        "kind": entry.kind,
        "title": entry.title,
        "reason": entry.reason,
        "final": None if entry.final is None else entry.final / 100,
        "suite": entry.suite_run,
        "variant": entry.variant,
        "cost": None if cost is None else float(cost),
    }
    if format not in ("terminal", "json", "jsonl"):
        raise InputError(
            f"{entry.id} has no scorecard to lay out as {format}; see: evenhand run show {entry.suite_run}"
        )
    present(format, lambda: facts, terminal=lambda: print("\n".join(_lines(facts))))


def _lines(facts: dict[str, Any]) -> list[str]:
    known = {name: value for name, value in facts.items() if value not in (None, "")}
    return [f"{name:<9}{value}" for name, value in known.items()]


@click.command("show")
@click.argument("targets", metavar="ID|FILE...", nargs=-1, required=True)
@click.option("--verify", is_flag=True, help="Compute scorecards again and compare every field.")
@click.option("--judged", metavar="FILE", help="With --verify: the output that was judged.")
@click.option("--calibration", metavar="FILE", help="With --verify: the calibration that the judge had.")
@rubric_option
@click.option("--from", "origin", metavar="FORMAT", help="The format of a transcript. Default: recognised by content.")
@click.option("--events", type=click.IntRange(min=0), metavar="N", help="How many events of a transcript to show.")
@audit_option
@store_option
@report_option(*CI_FORMATS)
def command(
    targets: tuple[str, ...],
    verify: bool,
    judged: str | None,
    calibration: str | None,
    rubric: str | None,
    origin: str | None,
    events: int | None,
    audit: bool,
    store: str | None,
    format: str,
) -> int:
    """Show a stored evaluation, or how a transcript was understood; with --verify, recompute scorecards.

    ID is an evaluation's id, the start of it, or `latest`. FILE is an output or a transcript: what is shown is its
    task, events, tools, errors, tokens and cost, as a judge would see them.

    With --verify, scorecards, in files or by id, are computed again from their own scores, weights, flags and bonuses,
    and their hashes are checked; any change is named. No judge is asked.

    \b
    Examples:
      evenhand show 0197f2c1
      evenhand show 0197f2c1 -o report.html
      evenhand show session.jsonl --events 100
      evenhand show scorecard.json --verify
      evenhand show scorecard.json --verify --judged review.md --rubric code-review

    Exit code 1 when --verify finds a difference, 2 when something could not be read.
    """
    if verify:
        return show_verification(
            targets, rubric=rubric, judged=judged, calibration=calibration, store=store, format=_no_page(format)
        )
    if judged is not None or calibration is not None or rubric is not None:
        raise click.UsageError("--judged, --calibration and --rubric go with --verify.")
    if len(targets) > 1:
        raise click.UsageError("show one at a time; several files go with --verify.")
    if targets[0] == "-" or Path(targets[0]).exists():
        return show_transcript(targets[0], origin, events, _no_page(format))
    _show_evaluation(targets[0], audit, store, format)
    return DONE


def _no_page(format: str) -> str:
    if format not in PLAIN_FORMATS:
        raise InputError(f"only an evaluation is shown as {format}; use {listed(PLAIN_FORMATS, 'or')}")
    return format


def _show_evaluation(id: str, audit: bool, store: str | None, format: str) -> None:
    kept = needed_store(store)
    record = kept.get(id)
    if record is None and (entry := kept.entry(id)) is not None:
        _show_entry(entry, format)
        return
    if record is None:
        raise InputError(f'no evaluation in {kept.url} has the id "{id}"; see: evenhand history')
    card = card_of(record)
    rubric = rubric_of_card(card, kept)

    def report() -> Report:
        from evenhand.reports.scorecard import scorecard_report

        return scorecard_report(card, rubric, stored_submission(kept, record))

    def document() -> Any:
        text = scorecard_json(card, audit=True) if audit else record.scorecard
        return json.loads(recommended_json(card, rubric=rubric, text=text))

    if format in CI_FORMATS:
        writer = CardWriter(format, one=True, layout=Layout(audit=audit))
        writer.card(card)
        writer.end()
    elif format == "jsonl" and not audit:
        write_json_line(recommended_json(card, rubric=rubric, text=record.scorecard))
    else:
        present(format, document, report=report, full=audit)
