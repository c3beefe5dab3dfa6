"""Scorecards written as they are made, in any format."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evenhand.cli.presenter import console, indented, write, write_as, write_json_line
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import BAD_INPUT, DONE, NOT_SCORED, SAID_NO, as_one, audit_option, complain, say
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.reports.cases import UNNAMED, case_name

if TYPE_CHECKING:
    from collections import Counter

    from evenhand.decisions.gate import Ruling
    from evenhand.judging.keeper import Keeper
    from evenhand.reports.unread_table import UnreadTable
    from evenhand.work.submission import Submission


_FIRST = (SAID_NO, BAD_INPUT, NOT_SCORED, DONE)
"""Exit codes by precedence: the first that applies is used."""


class Layout(NamedTuple):
    """How much of each scorecard is shown."""

    audit: bool = False
    brief: bool = False
    full: bool = False


_brief = setting_option("report.brief", default=False)
layout_options = as_one(
    "layout",
    Layout,
    Layout._fields,
    audit_option,
    _brief,
    click.option("--full", is_flag=True, help="Show full scorecards even when there are many."),
)
"""--audit and --full, as the parameter `layout`."""
layout_settings = as_one(
    "layout",
    Layout,
    Layout._fields,
    setting_option("report.audit", default=False),
    _brief,
    setting_option("report.full", default=False),
)
"""The same as settings, for a command with many options."""


def not_calibrated(card: Scorecard) -> bool:
    """Report a final score that the calibration asked for does not reach."""
    calibration = card.calibration
    if calibration is None or not calibration.labels or card.final is None or "final" in calibration.scores:
        return False
    say(f"error: the calibration does not fit {card.output or card.id}: {calibration.left_out['final']}")
    return True


def unanswered(card: Scorecard) -> bool:
    """Whether a judge was asked about a sentence and could not tell."""
    return card.checked is not None and any(
        expected.by and expected.result == "undecided" for expected in card.checked.expectations
    )


class FirstSubmission:
    """The first submission of a run: a page of one scorecard shows it."""

    def __init__(self) -> None:
        self.submission: Submission | None = None

    def see(self, submission: Submission) -> None:
        """A submission that is about to be scored."""
        self.submission = self.submission or submission

    def watch(self, submissions: Iterable[Submission | InputError]) -> Iterator[Submission | InputError]:
        """Pass submissions on, noting each one."""
        for submission in submissions:
            if not isinstance(submission, InputError):
                self.see(submission)
            yield submission


class CardWriter:
    """Writes scorecards as they are made, in one of the formats."""

    def __init__(
        self,
        format: str,
        *,
        one: bool,
        layout: Layout,
        keeper: Keeper | None = None,
        seen: FirstSubmission | None = None,
    ) -> None:
        self._format = format
        self._keeper = keeper
        self._seen = seen or FirstSubmission()
        self._one = one
        self._audit = layout.audit
        self._brief = layout.brief
        self._whole = one or any(layout)
        self._letters: list[str] = []
        self._costs: list[Decimal | None] = []
        """What models took for each; None where that is not known."""
        self._unread = 0
        self._asks = 0
        """How many sentences need a judge."""
        self._answers: Counter[str] | None = None
        """How many sentences are met, unmet and undecided, where nothing else was asked."""
        self._disputed = False
        self._table: UnreadTable | None = None
        self._collected: list[Any] = []
        """What is written after the last scorecard, which depends on the format."""
        self._rulings: list[Ruling] = []
        """The rulings of a gate, where the format shows them."""
        self._errors: list[str] = []
        self._count = 0
        self._first = ""
        """As JSON, the first scorecard, until it is known whether others follow."""
        self._console = console() if format == "terminal" else None
        self._on_card: Callable[[Scorecard, str], None] = {
            "jsonl": lambda card, _: write_json_line(self._text(card)),
            "json": lambda card, _: self._json(json.loads(self._text(card))),
            "markdown": self._markdown,
            "grading": self._grading,
            "terminal": self._show,
        }.get(format, self._collect)

    def write_all(
        self,
        results: Iterable[tuple[Scorecard | InputError, str]],
        verdict: Callable[[Scorecard], int] = lambda card: NOT_SCORED if card.final is None else DONE,
    ) -> int:
        """Write results with their sources as they are made, and report the errors; returns the exit code.

        A red gate (1) goes before all, then a result that cannot be used (2), then one without a score (3).
        """
        code = DONE
        try:
            for result, source in results:
                if isinstance(result, InputError):
                    complain(result)
                    self.failed(result)
                    said = BAD_INPUT
                else:
                    self.card(result, source)
                    said = verdict(result)
                code = min(code, said, key=_FIRST.index)
        except KeyboardInterrupt:
            say("interrupted; everything shown above is complete" + (" and stored" if self._keeper else ""))
            code = 130
        self.end()
        sys.stdout.flush()
        return code

    def card(self, card: Scorecard, source: str = "") -> None:
        """One scorecard; `source` is the file it came from, for a list of scorecards that have no ids."""
        self._count += 1
        self._letters.append(card.grade.letter if card.grade else "-")
        if card.unread:
            self._unread += 1
            self._count_answers(card)
        if card.panel is not None:
            self._costs.append(card.panel.calls.cost)
        self._on_card(card, source)

    def _count_answers(self, card: Scorecard) -> None:
        if card.checked is None:
            return
        from collections import Counter

        from evenhand.core.criteria_results import sentences_of
        from evenhand.reports.findings import only_criteria

        self._asks += len(sentences_of(card.checked))
        if only_criteria(card):
            self._answers = self._answers or Counter()
            self._answers.update(expected.result for expected in card.checked.expectations)

    def _collect(self, card: Scorecard, source: str) -> None:
        """Keep only what the format shows of a scorecard: there may be many."""
        if self._format in ("junit", "ctrf"):
            from evenhand.reports.exchange.junit import card_case
            from evenhand.rubrics.resolved import rubric_used

            self._collected.append(card_case(card, case_name(card, source), rubric_used(card)))
        elif self._format in ("sarif", "github"):
            from evenhand.cli.locations import located_remarks

            self._collected += located_remarks([card])
        else:
            self._collected.append((case_name(card, source), card))

    def _markdown(self, card: Scorecard, _: str) -> None:
        from evenhand.reports.markdown import report_markdown
        from evenhand.reports.scorecard import scorecard_report
        from evenhand.rubrics.resolved import rubric_used

        text = report_markdown(scorecard_report(card, rubric_used(card)))
        write(("\n---\n\n" if self._count > 1 else "") + text)

    def _grading(self, card: Scorecard, _: str) -> None:
        from evenhand.reports.exchange.skill_creator import grading_document

        self._json(grading_document(card))

    def _json(self, document: dict[str, Any]) -> None:
        """One scorecard of one document: a list, unless one file gave one scorecard."""
        text = indented(document).rstrip("\n")
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
            from evenhand.reports.exchange.junit import Case

            self._collected.append(Case(name=_where(error), group="evenhand", error=str(error)))

    def ruled(self, ruling: Ruling) -> None:
        """What a gate says of the scorecard before."""
        if self._format in ("junit", "ctrf", "github", "sarif"):
            self._rulings.append(ruling)
        if self._format in ("junit", "ctrf"):  # the gate decides, and no pass mark beside it
            case = self._collected[-1]
            self._collected[-1] = case._replace(failure="", error="", says=case.says or case.error)

    def _text(self, card: Scorecard) -> str:
        """A scorecard's document; what was stored a moment ago is not written again."""
        from evenhand.judging.recommended import recommended_json

        stored = None if self._keeper is None or self._audit else self._keeper.stored_text(card)
        return recommended_json(card, text=stored, audit=self._audit)

    def _show(self, card: Scorecard, source: str) -> None:
        from evenhand.reports.panel import is_disputed
        from evenhand.reports.terminal.reports import print_card_line
        from evenhand.reports.unread_table import UnreadTable

        assert self._console is not None
        name = case_name(card, source)
        if not self._whole:
            if card.unread:
                self._table = self._table or UnreadTable()
                self._table.add(card, name if card.skill == UNNAMED else f"{card.skill}  {name}")
            else:
                print_card_line(card, self._console, name)
            self._disputed = self._disputed or is_disputed(card)
            for warning in card.warnings:
                say(f"warning: {name}: {warning}")
            return
        from evenhand.reports.scorecard import evaluation_title, scorecard_report
        from evenhand.reports.terminal.walker import print_report
        from evenhand.rubrics.resolved import rubric_used

        if self._count > 1:
            self._console.print()
        report = scorecard_report(card, rubric_used(card), brief=self._brief)
        if not self._one and not evaluation_title(card).startswith(name):
            self._console.print(name, style="bold")
        print_report(report, self._console, full=self._audit)

    def end(self) -> None:
        """Write what comes after the last scorecard."""
        if self._format in ("json", "grading"):
            if self._first or (self._one and not self._count):
                write(self._first and f"{self._first}\n")
            else:
                write("\n]\n" if self._count else "[]\n")
        elif self._format == "terminal" and not self._one and self._count:
            if self._table is not None:
                assert self._console is not None
                for line in self._table.lines(self._console.width):
                    self._console.print(line, markup=False, highlight=False, no_wrap=True, overflow="crop")
            if self._unread < self._count or self._table is None:
                self._say_counts()
            if self._disputed:
                from evenhand.reports.panel import DISPUTED_LEGEND

                say(DISPUTED_LEGEND)
        elif self._on_card == self._collect:
            from evenhand.cli.ci_formats import ci_writers, ruling_cases, ruling_rows

            collected, rulings = self._collected, self._rulings
            writers = ci_writers(
                "evenhand score",
                cases=lambda: [*collected, *ruling_cases(rulings)],
                rows=lambda: ruling_rows(rulings),
                remarks=lambda: collected,
                cards=lambda: (card for _, card in collected),
                errors=self._errors,
            )
            write_as(self._format, {**writers, "html": self._page})
        if self._count and self._format != "terminal" and self._is_into_file():
            self._say_counts()

    @staticmethod
    def _is_into_file() -> bool:
        """Whether the result goes to a file, so that nothing of it is seen here."""
        context = click.get_current_context(silent=True)
        return context is not None and str(context.params.get("into") or "-") != "-"

    def _say_counts(self) -> None:
        """How many there are, their grades, and what they cost."""
        from evenhand.reports.scorecard import counts_line

        known = [cost for cost in self._costs if cost is not None]
        # One unknown cost makes the sum unknown: the rest of it would look like all of it.
        cost = sum(known, Decimal(0)) if known and len(known) == len(self._costs) else None
        say(counts_line(self._letters, cost, unread=self._unread, asks=self._asks, answers=self._answers))

    def _page(self) -> str:
        """One scorecard with what was judged beside it, or a list of several."""
        from evenhand.reports.html.walker import report_page
        from evenhand.reports.scorecard import scorecard_report, scorecards_report

        if len(self._collected) != 1 or self._errors:
            return report_page(scorecards_report(self._collected, self._errors))
        from evenhand.rubrics.resolved import rubric_used
        from evenhand.work.submission import submission_sha256

        ((_, card),) = self._collected
        submission = self._seen.submission
        if submission is not None and submission_sha256(submission) != card.receipt.submission:
            submission = None
        return report_page(scorecard_report(card, rubric_used(card), submission))


def _where(error: InputError) -> str:
    first = error.problems[0]
    return str(first.source) if first.line is None else f"{first.source}:{first.line}"
