"""Findings over all runs: how often each check found a fault, and the faults of one check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evenhand.core.receipt import quoted
from evenhand.store.figures.fault_counts import SEVERITIES, CheckCount, FaultCounts, fault_counts
from evenhand.store.figures.newest import newest_records
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import REACH, Key
from evenhand.store.tables.filter import Filter
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.judge_list import LOOKED_AT, MOST_LOOKED_AT, Span, evaluations_key
from evenhand.web.pages.remembered import Remembered, of_evaluations
from evenhand.web.parameters import Parameters, key_text
from evenhand.web.responses import page_route

SHOWN: Final = 50
"""Faults on a page; the last evaluation on it is shown whole, so there may be a few more."""


@of_evaluations
def findings(store: Store, parameters: Parameters) -> Page:
    """Every check, or the faults that one of them found."""
    check = parameters.text("check")
    return _of_check(store, parameters, check) if check else _overview(store, parameters)


def _overview(store: Store, parameters: Parameters) -> Page:
    skill = parameters.text("skill")
    most = parameters.number("last", LOOKED_AT, most=MOST_LOOKED_AT)

    def work_out() -> tuple[FaultCounts, Span]:
        span = Span()
        return fault_counts(span.over(store, skill, most, only='"findings":')), span

    counts, span = _counts.of(evaluations_key(store, skill, most), work_out)
    rows = [_row(count) for count in counts.checks]
    return Page(
        name="findings",
        title="Findings",
        template="findings.html",
        document={
            "evaluations": counts.evaluations,
            "checked": counts.checked,
            "from": span.first or None,
            "to": span.last or None,
            "checks": rows,
        },
        sheet=Sheet(tuple(rows[0]) if rows else ("check",), [list(row.values()) for row in rows]),
        shown={"skill": skill, "first": span.first, "last": span.last, "most": MOST_LOOKED_AT},
    )


_counts: Final[Remembered[tuple[FaultCounts, Span]]] = Remembered()


def _row(count: CheckCount) -> dict[str, Any]:
    return {
        "check": count.check,
        "faults": count.faults,
        **{severity: getattr(count, severity) for severity in SEVERITIES},
        "evaluations_with_faults": count.evaluations,
        "in_order": count.in_order,
    }


def _of_check(store: Store, parameters: Parameters, check: str) -> Page:
    skill = parameters.text("skill")
    name = quoted(check)
    rows: list[dict[str, Any]] = []
    record: Record | None = None
    following: Key | None = None
    records = newest_records(store, Filter(skill), most=REACH, before=parameters.key("before"))
    for number, record in enumerate(records, start=1):
        if name in record.scorecard:  # most do not have the check, and parsing them would take nearly all the time
            faults = [finding for finding in record.document.get("findings") or () if finding["check"] == check]
            rows += [_fault(record, finding) for finding in faults if finding["severity"] in SEVERITIES]
        if len(rows) >= SHOWN or number == REACH:
            following = Key(record.completed, record.id)
            break
    return Page(
        name=f"findings-{check}",
        title=f"Findings of {check}",
        template="findings_of_check.html",
        document={"check": check, "faults": rows, "next": key_text(following) or None},
        sheet=Sheet(tuple(rows[0]) if rows else ("id",), [list(row.values()) for row in rows]),
        shown={"skill": skill, "searched_to": record.created if record is not None else ""},
    )


def _fault(record: Record, finding: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": record.id,
        "skill": record.skill,
        "created": record.created,
        "severity": finding["severity"],
        "dimension": finding["dimension"],
        "message": finding["message"],
        "quote": finding.get("quote"),
        "line": finding.get("line"),
    }


ROUTES: Final = (page_route("/findings", findings),)
