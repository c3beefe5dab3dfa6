"""Judges: what each can be used for, what it did and cost, how far two agree, and what checks found.

Of one judge also the newest card of its self-test, and what its anchors show.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from evenhand.core.judgement import PERSON
from evenhand.files import codec
from evenhand.reports.html.walker import report_body
from evenhand.reports.trust.anchors import anchors_report, run_document
from evenhand.reports.trust.judge_card import cards_report
from evenhand.reports.trust.judge_uses import uses_rows
from evenhand.stats.trust.judge_card import card_document
from evenhand.store.figures.fault_counts import SEVERITIES, CheckCount, FaultCounts
from evenhand.store.figures.judge_use import JudgeFigures, JudgeUse, PairAgreement, judge_figures
from evenhand.store.figures.newest import newest_records
from evenhand.store.protocol import Store
from evenhand.store.tables.filter import Filter
from evenhand.trust.anchors import open_alarms, reports
from evenhand.trust.judge_uses import stored_uses, uses_by_judge, uses_with_card
from evenhand.trust.probes import stored_outcomes
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.remembered import Figures, Remembered, of_evaluations
from evenhand.web.parameters import Parameters
from evenhand.web.responses import page_route

LOOKED_AT: Final = 1_000
"""The newest evaluations that are looked at, unless more are asked for."""

MOST_LOOKED_AT: Final = 10_000

MOST_WITH_USES: Final = 3_000
"""With more evaluations, what a judge can be used for is on its own page only."""


class Span:
    """The period that the evaluations on a page cover."""

    def __init__(self) -> None:
        self.first = self.last = ""

    def over(self, store: Store, skill: str, most: int) -> Iterator[dict[str, Any]]:
        """The documents of the newest evaluations, noting when they were made."""
        for record in newest_records(store, Filter(skill), most=most):
            self.last = self.last or record.created
            self.first = record.created
            yield record.document


def judges(store: Store, parameters: Parameters) -> Page:
    """Every judge of the newest evaluations; or one of them, by its name."""
    return _judge(store, parameters) if parameters.text("name") else _all(store, parameters)


@of_evaluations
def _all(store: Store, parameters: Parameters) -> Page:
    skill = parameters.text("skill")
    most = parameters.number("last", LOOKED_AT, most=MOST_LOOKED_AT)

    def work_out() -> tuple[JudgeFigures, FaultCounts, Span]:
        span, faults = Span(), FaultCounts()
        return judge_figures(faults.counting(span.over(store, skill, most))), faults, span

    figures, faults, span = _figures.of(evaluations_key(store, skill, most), work_out)
    rows = [_row(use) for use in figures.judges]
    uses = _uses_of(store, [row["judge"] for row in rows])
    lost = len(store.listing(Filter(skill, state="lost"), limit=most, reach=most).rows)
    pairs = [_pair(pair) for pair in figures.pairs]
    return Page(
        name="judges",
        title="Judges",
        template="judges.html",
        document={
            "evaluations": figures.evaluations,
            "kept": figures.evaluations + lost,
            "lost": lost,
            "from": span.first or None,
            "to": span.last or None,
            "judges": [row | {"uses": uses.get(row["judge"], [])} for row in rows],
            "pairs": pairs,
            "checked": faults.checked,
            "checks": [_check(count) for count in faults.checks()],
        },
        sheet=Sheet(tuple(rows[0]) if rows else ("judge",), [list(row.values()) for row in rows]),
        shown={"skill": skill, "first": span.first, "last": span.last, "most": MOST_LOOKED_AT},
    )


def _uses_of(store: Store, names: Sequence[str]) -> dict[str, list[tuple[str, str, str, str]]]:
    """By judge: what it was shown as, a use, the answer and what that rests on, by people's labels and reviews.

    Empty where no person said anything, and where evaluations are so many that only a judge's own page works it out.
    """
    said = any(name.startswith(PERSON) for name in names) or any(True for _ in store.labels())
    if not said or not isinstance(store.state_of_newest(MOST_WITH_USES)[1], int):
        return {}

    def work_out() -> dict[str, list[tuple[str, str, str, str]]]:
        return {
            name: [(key, *row) for key, verdicts in found for row in uses_rows(verdicts)]
            for name, found in uses_by_judge(store).items()
        }

    return _uses.of(store, "uses", work_out, many=True)


_uses: Final[Figures[dict[str, list[tuple[str, str, str, str]]]]] = Figures()
_figures: Final[Remembered[tuple[JudgeFigures, FaultCounts, Span]]] = Remembered()


def evaluations_key(store: Store, skill: str, most: int) -> tuple[Hashable, ...]:
    """What tells the newest evaluations of a store, or of one of its skills, from any others."""
    if skill:
        return store.url, skill, tuple(store.newest_keys(skill, limit=most))
    return store.url, skill, most, store.state_of_newest(most)


def _row(use: JudgeUse) -> dict[str, Any]:
    return {
        "judge": use.name,
        "evaluations": use.evaluations,
        "mean_final": _number(use.mean),
        "scored": use.scored,
        "unscored": use.unscored,
        "failures": use.failures,
        "calls": use.asked,
        "stored_replies": use.stored,
        "repairs": use.repairs,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "cost": float(use.cost) if use.asked else None,
        "unpriced": use.unpriced,
    }


def _check(count: CheckCount) -> dict[str, Any]:
    return {
        "check": count.check,
        "faults": count.faults,
        **{severity: getattr(count, severity) for severity in SEVERITIES},
        "evaluations_with_faults": count.evaluations,
        "in_order": count.in_order,
    }


def _pair(pair: PairAgreement) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "submissions": pair.submissions,
        "scores": pair.scores,
        "mean_difference": _number(pair.mean_difference),
        "within_a_point": round(pair.same / pair.scores, 3),
        "disputed": round(pair.disputed / pair.scores, 3),
    }


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(round(value, 2))


_ANCHOR_COLUMNS: Final = ("set", "created", "anchors", "alarm", "moved")


def _judge(store: Store, parameters: Parameters) -> Page:
    """Whether a judge can be trusted, as far as its probes and anchors show; either may be missing."""
    name = parameters.text("name")
    outcomes = stored_outcomes(store, name) if store.judge_cards(judge=name, limit=1) else []
    sets = dict.fromkeys(run.set_name for run in store.anchor_runs(judge=name))
    runs = [report for set_name in sets for report in reports(store, set_name) if report.judge["name"] == name]
    newest = [[*filter(lambda report: report.set_name == set_name, runs)] for set_name in sets]
    alarm = open_alarms(store).get(name) if runs else None
    card = outcomes[0].card if outcomes else None
    by_labels = stored_uses(store, name)
    uses = {key: uses_with_card(found, card) for key, found in by_labels.items()} or (
        {name: card.uses} if card is not None else {}
    )
    documents: list[dict[str, Any]] = [run_document(report) for report in runs]
    return Page(
        name="judge",
        title=name,
        template="judge.html",
        document={
            "judge": name,
            "uses": {key: [codec.document(entry) for entry in found] for key, found in uses.items()},
            "card": card_document(*outcomes[0]) if outcomes else None,
            "anchors": documents,
            "open_alarm": None if alarm is None else {"raised": alarm.raised, "moved": alarm.says},
        },
        sheet=Sheet(
            _ANCHOR_COLUMNS, [[_cell(document, column) for column in _ANCHOR_COLUMNS] for document in documents]
        ),
        shown={
            "judge": name,
            "uses": [(key, uses_rows(found)) for key, found in uses.items()],
            "cards": [report_body(cards_report([outcome]), f"card-{at}") for at, outcome in enumerate(outcomes)],
            "sets": [
                report_body(anchors_report(runs[0].set_name, runs), f"set-{at}") for at, runs in enumerate(newest)
            ],
            "alarm": alarm,
        },
    )


def _cell(document: dict[str, Any], column: str) -> str | int:
    if column == "moved":
        return ", ".join(str(entry["field"]) for entry in document["moved"] if entry["alarm"])
    if column == "alarm":
        return str(document["alarm"]).lower()
    value: str | int = document[column]
    return value


ROUTES: Final = (page_route("/judges", judges),)
