"""Judges: what each did and cost, where it failed, and how far two agree on the same work."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from decimal import Decimal
from typing import Any, Final

from evenhand.evaluations.judge_use import JudgeFigures, JudgeUse, PairAgreement, judge_figures
from evenhand.evaluations.newest import newest_records
from evenhand.store.protocol import Store
from evenhand.store.tables.filter import Filter
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.remembered import Remembered, of_evaluations
from evenhand.web.parameters import Parameters
from evenhand.web.responses import page_route

LOOKED_AT: Final = 1_000
"""The newest evaluations that are looked at, unless more are asked for."""

MOST_LOOKED_AT: Final = 10_000


class Span:
    """The period that the evaluations on a page cover."""

    def __init__(self) -> None:
        self.first = self.last = ""

    def over(self, store: Store, skill: str, most: int, *, only: str = "") -> Iterator[dict[str, Any]]:
        """The documents of the newest evaluations, noting when they were made; empty where the text lacks `only`."""
        for record in newest_records(store, Filter(skill), most=most):
            self.last = self.last or record.created
            self.first = record.created
            yield record.document if only in record.scorecard else {}


@of_evaluations
def judges(store: Store, parameters: Parameters) -> Page:
    """Every judge of the newest evaluations."""
    skill = parameters.text("skill")
    most = parameters.number("last", LOOKED_AT, most=MOST_LOOKED_AT)

    def work_out() -> tuple[JudgeFigures, Span]:
        span = Span()
        return judge_figures(span.over(store, skill, most)), span

    figures, span = _figures.of(evaluations_key(store, skill, most), work_out)
    rows = [_row(use) for use in figures.judges]
    pairs = [_pair(pair) for pair in figures.pairs]
    return Page(
        name="judges",
        title="Judges",
        template="judges.html",
        document={
            "evaluations": figures.evaluations,
            "from": span.first or None,
            "to": span.last or None,
            "judges": rows,
            "pairs": pairs,
        },
        sheet=Sheet(tuple(rows[0]) if rows else ("judge",), [list(row.values()) for row in rows]),
        shown={"skill": skill, "first": span.first, "last": span.last, "most": MOST_LOOKED_AT},
    )


_figures: Final[Remembered[tuple[JudgeFigures, Span]]] = Remembered()


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


ROUTES: Final = (page_route("/judges", judges),)
