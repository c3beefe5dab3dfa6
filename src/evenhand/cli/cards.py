"""Scorecards written as they are made, in any format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evenhand.cli.shared import console, indented, one_line, say, write, write_json_line
from evenhand.core.documents.scorecard import scorecard_json
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.reports.cases import case_name

if TYPE_CHECKING:
    from evenhand.core.values.submission import Submission
    from evenhand.judging.keeper import Keeper


class FirstSubmission:
    """The first submission of a run: a page of one scorecard shows it."""

    def __init__(self) -> None:
        self.submission: Submission | None = None

    def see(self, submission: Submission) -> None:
        """A submission that is about to be scored."""
        self.submission = self.submission or submission

    def watch(self, submissions: Iterable[Submission | InputError]) -> Iterator[Submission | InputError]:
        """The same submissions."""
        for submission in submissions:
            if not isinstance(submission, InputError):
                self.see(submission)
            yield submission


def not_calibrated(card: Scorecard) -> bool:
    """Report a final score that the calibration asked for does not reach."""
    calibration = card.calibration
    if calibration is None or not calibration.labels or card.final is None or "final" in calibration.scores:
        return False
    say(f"error: the calibration does not fit {card.output or card.id}: {calibration.left_out['final']}")
    return True


class CardWriter:
    """Writes scorecards as they are made, in one of the formats."""

    def __init__(
        self,
        format: str,
        *,
        one: bool,
        audit: bool,
        full: bool,
        brief: bool = False,
        keeper: Keeper | None = None,
        first_submission: FirstSubmission | None = None,
    ) -> None:
        self._format = format
        self._keeper = keeper
        self._first_submission = first_submission or FirstSubmission()
        self._one = one
        self._audit = audit
        self._brief = brief
        self._whole = one or full or audit or brief
        self._letters: list[str] = []
        self._disputed = False
        self._cases: list[object] = []
        self._remarks: list[Any] = []
        self._cards: list[Scorecard] = []
        self._errors: list[str] = []
        self._count = 0
        self._first = ""
        """As JSON, the first scorecard, until it is known whether others follow."""
        self._pages: list[tuple[str, Scorecard]] = []
        self._console = console() if format == "terminal" else None

    def card(self, card: Scorecard, source: str = "") -> None:
        """One scorecard; `source` is the file it came from, for a list of scorecards that have no ids."""
        self._count += 1
        if self._format == "jsonl":
            write_json_line(self._text(card))
        elif self._format == "json":
            self._json(indented(json.loads(self._text(card))).rstrip("\n"))
        elif self._format == "markdown":
            from evenhand.reports.markdown import scorecard_markdown
            from evenhand.rubrics.resolved import rubric_used

            write(("\n---\n\n" if self._count > 1 else "") + scorecard_markdown(card, rubric_used(card)))
        elif self._format == "grading":
            from evenhand.core.documents.grading import grading_document

            self._json(indented(grading_document(card)).rstrip("\n"))
        elif self._format in ("junit", "ctrf"):
            from evenhand.reports.ci.junit import card_case

            self._cases.append(card_case(card, case_name(card, source)))
        elif self._format in ("sarif", "github"):
            from evenhand.cli.locations import located_remarks

            self._remarks += located_remarks([card])
        elif self._format == "otlp":
            self._cards.append(card)
        elif self._format == "html":
            self._pages.append((case_name(card, source), card))
        else:
            self._show(card, case_name(card, source))

    def _json(self, text: str) -> None:
        """One scorecard of one document: a list, unless one file gave one scorecard."""
        if self._count == 1 and self._one:
            self._first = text
            return
        if self._first:
            write(f"[\n{self._first}")
            self._first = ""
        write(("[\n" if self._count == 1 else ",\n") + text)

    def failed(self, error: InputError) -> None:
        """One judgement that could not be read."""
        self._errors.append(str(error))
        if self._format in ("junit", "ctrf"):
            from evenhand.reports.ci.junit import Case

            self._cases.append(Case(name=_where(error), group="evenhand", error=str(error)))

    def _text(self, card: Scorecard) -> str:
        """A scorecard's document; what was stored a moment ago is not written again."""
        stored = None if self._keeper is None or self._audit else self._keeper.stored_text(card)
        return stored or scorecard_json(card, audit=self._audit)

    def _show(self, card: Scorecard, name: str) -> None:
        from evenhand.reports.panel import is_disputed
        from evenhand.reports.terminal import print_card_line, print_scorecard

        assert self._console is not None
        self._letters.append(card.grade.letter if card.grade else "-")
        if not self._whole:
            print_card_line(card, self._console, name)
            self._disputed = self._disputed or is_disputed(card)
            for warning in card.warnings:
                say(f"warning: {name}: {warning}")
            return
        from evenhand.rubrics.resolved import rubric_used

        if self._count > 1:
            self._console.print()
        print_scorecard(card, self._console, rubric=rubric_used(card), audit=self._audit, brief=self._brief)

    def end(self) -> None:
        """Write what comes after the last scorecard."""
        if self._format in ("json", "grading"):
            if self._first or (self._one and not self._count):
                write(self._first and f"{self._first}\n")
            else:
                write("\n]\n" if self._count else "[]\n")
        elif self._format == "junit":
            from evenhand.reports.ci.junit import junit_xml

            write(junit_xml("evenhand score", self._cases))  # type: ignore[arg-type]
        elif self._format == "ctrf":
            from evenhand.clock import microseconds, now
            from evenhand.reports.ci.ctrf import ctrf_document

            cases: Any = self._cases
            write(indented(ctrf_document("evenhand score", cases, moment=microseconds(now()) // 1000)))
        elif self._format == "sarif":
            from evenhand.reports.ci.sarif import sarif_document

            write(indented(sarif_document(self._remarks)))
        elif self._format == "otlp":
            from evenhand.reports.otlp import otlp_document

            write(one_line(otlp_document(self._cards)))
        elif self._format == "github":
            from evenhand.reports.ci.github import annotation_lines

            write("".join(f"{line}\n" for line in annotation_lines((), self._remarks, self._errors)))
        elif self._format == "html":
            write(self._page())
        elif self._format == "terminal" and not self._one and self._count:
            from evenhand.reports.document import grade_counts

            say(f"{self._count} scored: {grade_counts(self._letters)}")
            if self._disputed:
                from evenhand.reports.panel import DISPUTED_LEGEND

                say(DISPUTED_LEGEND)

    def _page(self) -> str:
        """One scorecard with what was judged beside it, or a list of several."""
        if len(self._pages) != 1 or self._errors:
            from evenhand.reports.html.scorecards import scorecards_page

            return scorecards_page(self._pages, self._errors)
        from evenhand.core.basics.canonical import sha256
        from evenhand.core.documents.receipt import canonical_submission
        from evenhand.reports.html.scorecard import scorecard_page
        from evenhand.rubrics.resolved import rubric_used

        ((_, card),) = self._pages
        submission = self._first_submission.submission
        if submission is not None and sha256(canonical_submission(submission)) != card.receipt.submission:
            submission = None
        return scorecard_page(card, submission, rubric_used(card))


def _where(error: InputError) -> str:
    first = error.problems[0]
    return str(first.source) if first.line is None else f"{first.source}:{first.line}"
