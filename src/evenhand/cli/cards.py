"""Scorecards written as they come, in any of the formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evenhand.cli.shared import console, indented, say, write, write_json_line
from evenhand.core.documents.scorecard import scorecard_json
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.pipeline.keeping import Keeper


class CardWriter:
    """Writes scorecards as they come, in one of the formats."""

    def __init__(self, format: str, *, one: bool, audit: bool, full: bool, keeper: Keeper | None = None) -> None:
        self._format = format
        self._keeper = keeper
        self._one = one
        self._audit = audit
        self._whole = one or full or audit
        self._letters: list[str] = []
        self._disputed = False
        self._cases: list[object] = []
        self._count = 0
        self._console = console() if format == "terminal" else None

    def card(self, card: Scorecard) -> None:
        """One scorecard."""
        self._count += 1
        if self._format == "jsonl":
            write_json_line(self._json(card))
        elif self._format == "json":
            opening = "" if self._one else "[\n" if self._count == 1 else ",\n"
            write(opening + indented(json.loads(self._json(card))).rstrip("\n"))
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

    def _json(self, card: Scorecard) -> str:
        stored = None if self._keeper is None or self._audit else self._keeper.stored_text(card)
        return stored or scorecard_json(card, audit=self._audit)

    def _show(self, card: Scorecard) -> None:
        from evenhand.reports.panel import is_disputed
        from evenhand.reports.terminal import print_card_line, print_scorecard

        assert self._console is not None
        self._letters.append(card.grade.letter if card.grade else "-")
        if not self._whole:
            print_card_line(card, self._console)
            self._disputed = self._disputed or is_disputed(card)
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
            if self._disputed:
                from evenhand.reports.panel import DISPUTED_LEGEND

                say(DISPUTED_LEGEND)


def _where(error: InputError) -> str:
    first = error.problems[0]
    return str(first.source) if first.line is None else f"{first.source}:{first.line}"
