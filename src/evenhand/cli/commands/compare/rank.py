"""evenhand rank: scorecards or judgements in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from evenhand.cli.presenter import present, report_option
from evenhand.cli.shared import BAD_INPUT, DONE, NOT_SCORED, chosen_store, complain, rubric_option, store_option
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.judging.files import Named, rank_cards
from evenhand.judging.kept.found_cards import find_cards
from evenhand.reports.cases import distinct_names


@click.command("rank")
@click.argument("entries", metavar="FILE|ID...", nargs=-1, required=True)
@rubric_option
@store_option
@report_option()
def command(entries: tuple[str, ...], rubric: str | None, store: str | None, format: str) -> int:
    """Put scorecards, judgements or stored evaluations in order, best first.

    Equal final scores are ordered by correctness, safety, completeness, actionability, adherence,
    efficiency, consistency, then fewer red flags, then more bonuses. Entries equal in all of these share
    a rank. The table names the rule that put each entry above the next.

    \b
    Examples:
      evenhand rank a.yaml b.yaml c.json
      evenhand rank scorecards.jsonl --format json
      evenhand rank 0197f2c1 0197f2d4

    Exit code 2 when a file could not be read (the others are still ranked), 3 when an entry has no
    final score.
    """
    from evenhand.reports.ranking import ranking_report

    names: dict[str, str] = {}
    ranking, failures = rank_cards(_noting(names, find_cards(entries, chosen_store(store)[0], rubric=rubric)))
    for failure in failures:
        complain(failure)

    def document() -> Any:
        whole = codec.document(ranking)
        return whole["entries"] if format == "jsonl" else whole

    present(format, document, report=lambda: ranking_report(ranking, distinct_names(names)))
    return BAD_INPUT if failures else NOT_SCORED if ranking.unranked else DONE


def _noting(names: dict[str, str], cards: Iterable[Named | InputError]) -> Iterator[Named | InputError]:
    """Hand scorecards on, and remember what people call each; the scorecards themselves may be too many to keep."""
    for entry in cards:
        if isinstance(entry, Named):
            names[entry.name] = entry.label
        yield entry
