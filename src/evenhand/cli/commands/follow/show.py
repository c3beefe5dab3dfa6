"""evenhand show: a stored evaluation."""

from __future__ import annotations

import json
from typing import Any

import click

from evenhand.cli.presenter import console, present, report_option, write_json_line
from evenhand.cli.shared import audit_option, needed_store, store_option
from evenhand.documents.scorecards.scorecard import scorecard_json
from evenhand.errors import InputError
from evenhand.evaluations.comparisons import card_of, stored_submission
from evenhand.evaluations.rubric_texts import rubric_of_card
from evenhand.judging.recommended import recommended_json
from evenhand.store.tables.browsed_lists import Listed, paid_for


def _show_entry(entry: Listed, format: str) -> None:
    """A cell of a suite that has no evaluation: what is known of it."""
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
    if format in ("html", "markdown"):
        raise InputError(
            f"{entry.id} has no scorecard to lay out as {format}; see: evenhand suite show {entry.suite_run}"
        )
    present(format, lambda: facts, terminal=lambda: print("\n".join(_lines(facts))))


def _lines(facts: dict[str, Any]) -> list[str]:
    known = {name: value for name, value in facts.items() if value not in (None, "")}
    return [f"{name:<9}{value}" for name, value in known.items()]


@click.command("show")
@click.argument("id", metavar="ID")
@audit_option
@store_option
@report_option()
def command(id: str, audit: bool, store: str | None, format: str) -> None:
    """Show a stored evaluation by its id, or by the start of it.

    \b
    Examples:
      evenhand show 0197f2c1
      evenhand show 0197f2c1 --format json
      evenhand show 0197f2c1 -o report.html
    """
    kept = needed_store(store)
    record = kept.get(id)
    if record is None and (entry := kept.entry(id)) is not None:
        _show_entry(entry, format)
        return
    if record is None:
        raise InputError(f'no evaluation in {kept.url} has the id "{id}"; see: evenhand history')
    card = card_of(record)
    rubric = rubric_of_card(card, kept)

    def terminal() -> None:
        from evenhand.reports.terminal.reports import print_scorecard

        print_scorecard(card, console(), rubric=rubric, audit=audit)

    def markdown() -> str:
        from evenhand.reports.markdown import scorecard_markdown

        return scorecard_markdown(card, rubric)

    def html() -> str:
        from evenhand.reports.html.scorecard import scorecard_page

        return scorecard_page(card, stored_submission(kept, record), rubric)

    def document() -> Any:
        text = scorecard_json(card, audit=True) if audit else record.scorecard
        return json.loads(recommended_json(card, rubric=rubric, text=text))

    if format == "jsonl" and not audit:
        write_json_line(recommended_json(card, rubric=rubric, text=record.scorecard))
    else:
        present(format, document, terminal=terminal, markdown=markdown, html=html)
