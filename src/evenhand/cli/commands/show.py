"""evenhand show: a stored evaluation."""

from __future__ import annotations

import click

from evenhand.cli.report_option import report_option
from evenhand.cli.shared import (
    console,
    indented,
    needed_store,
    one_line,
    store_option,
    write,
    write_json_line,
)
from evenhand.core.documents.scorecard import scorecard_document
from evenhand.errors import InputError
from evenhand.evaluations.comparisons import card_of, submission_of
from evenhand.evaluations.rubric_texts import rubric_of_card


@click.command("show")
@click.argument("id", metavar="ID")
@click.option("--audit", is_flag=True, help="Show every line of the arithmetic, and the receipt.")
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
    if record is None:
        raise InputError(f'no evaluation in {kept.url} has the id "{id}"; see: evenhand history')
    card = card_of(record)
    if format == "jsonl" and not audit:
        write_json_line(record.scorecard)
    elif format in ("json", "jsonl"):
        import json

        document = scorecard_document(card, audit=True) if audit else json.loads(record.scorecard)
        write(indented(document) if format == "json" else one_line(document))
    elif format == "markdown":
        from evenhand.reports.markdown import scorecard_markdown

        write(scorecard_markdown(card, rubric_of_card(card, kept)))
    elif format == "html":
        from evenhand.reports.html.scorecard import scorecard_page

        write(scorecard_page(card, submission_of(record), rubric_of_card(card, kept)))
    else:
        from evenhand.reports.terminal import print_scorecard

        print_scorecard(card, console(), rubric=rubric_of_card(card, kept), audit=audit)
