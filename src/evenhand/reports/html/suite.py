"""A suite's run as a page: the decision, quality beside cost, and cases by variants with every run behind its cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.decisions.decision import Decision
from evenhand.decisions.gate import Ruling
from evenhand.decisions.suite_table import suite_table
from evenhand.decisions.table import ResultsTable
from evenhand.decisions.values.suite_run import StoredDetail, SuiteRun
from evenhand.decisions.words import shown
from evenhand.in_words import dollars
from evenhand.reports.comparison.suite_decision import FACT_COLUMNS, basis_lines, conclusion_lines, fact_rows
from evenhand.reports.comparison.verdict_answer import AnswerReport
from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.html.preferences import preference_sections
from evenhand.reports.html.scorecard import card_view
from evenhand.reports.html.texts.judged_text import EventView, judged_text
from evenhand.work.agent_run import CaseResult, RunId
from evenhand.work.submission import Submission

MOST_CASES = 200
"""Cases in the grid. Of more, those with the largest differences are shown, and the page says so."""


class Point(NamedTuple):
    """A variant in the picture of quality and cost."""

    x: float
    y: float
    name: str
    text: str


def suite_page(
    run: SuiteRun,
    decision: Decision,
    results: Sequence[CaseResult],
    rulings: Sequence[Ruling] = (),
    changes: Mapping[str, str] | None = None,
    details: Mapping[RunId, StoredDetail] | None = None,
    address: Callable[[str], str] | None = None,
    answer: AnswerReport | None = None,
) -> Page:
    """A run; `changes` are diffs between two variants' outputs, by case, `address` is that of an evaluation's page."""
    table = suite_table(run, results)
    cases = shown_cases(decision, table.cases)
    chosen = set(cases)
    runs: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    details = details or {}
    unopened = 0
    for result in results:
        if result.id.case in chosen:
            detail = details.get(result.id)
            unopened += result.evaluation is not None and (detail is None or detail.card is None)
            runs.setdefault(result.id[:2], []).append(_run(result, detail, address))
    body = render(
        "suite.html",
        run=run,
        conclusions=conclusion_lines(run, decision),
        answer=answer,
        groups=_groups(basis_lines(run, decision)),
        rulings=rulings,
        columns=FACT_COLUMNS,
        facts=fact_rows(decision),
        picture=_picture(decision),
        variants=run.variants,
        rows=[(case, _tags(table, case), [_cell(table, runs, case, name) for name in run.variants]) for case in cases],
        left_out=len(table.cases) - len(cases),
        opened=sum(detail.card is not None for detail in details.values()),
        unopened=unopened,
        changes=changes or {},
        pairs=None if run.pairs is None else preference_sections(run.pairs),
        readers=[] if run.pairs is None else [identity["name"] for identity in run.pairs.judges],
    )
    return page(f"{run.suite}: {run.id}", body)


def shown_cases(decision: Decision, cases: Sequence[str]) -> list[str]:
    """The cases of the grid: all, or those that differ most."""
    if len(cases) <= MOST_CASES:
        return sorted(cases)
    largest: dict[str, float] = {}
    for contrast in decision.contrasts:
        for difference in contrast.differences:
            largest[difference.case] = max(largest.get(difference.case, 0.0), abs(difference.difference))
    return sorted(sorted(cases), key=lambda case: -largest.get(case, -1.0))[:MOST_CASES]


def _tags(table: ResultsTable, case: str) -> tuple[str, ...]:
    return next((row.tags for name in table.variants for row in table.cell(case, name) if row.tags), ())


def _groups(lines: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Sentences with the indented ones below them."""
    groups: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" ") and groups:
            groups[-1][1].append(line.strip())
        elif line:
            groups.append((line, []))
    return groups


def _cell(
    table: ResultsTable, runs: Mapping[tuple[str, str], list[Mapping[str, Any]]], case: str, variant: str
) -> dict[str, Any]:
    """The runs of one variant on one case: the mean that the decision compares, or what it rests on."""
    rows = table.cell(case, variant)
    known = [float(row.ends(table.scale)[0]) for row in rows if row.value is not None or row.lost]
    mean = shown(sum(known) / len(known), table.measure, sign=False) if known else "no value"
    counts = [(sum(bool(row.lost) for row in rows), "lost"), (len(rows) - len(known), "unscored")]
    text = ", ".join([mean, *(f"{count} {what}" for count, what in counts if count and known)])
    of_cell = sorted(runs.get((case, variant), []), key=lambda entry: entry["repeat"])
    return {"value": text, "runs": of_cell, "spent": _spent([entry["result"] for entry in of_cell])}


def _spent(results: Sequence[CaseResult]) -> str:
    """What the runs took, added up: tokens and cost, each only where every run states it."""
    parts = []
    tokens = [result.tokens for result in results if result.tokens is not None]
    costs = [result.cost for result in results if result.cost is not None]
    if results and len(tokens) == len(results):
        parts.append(f"{sum(tokens):,} tokens")
    if results and len(costs) == len(results):
        parts.append(dollars(sum(costs, Decimal(0))))
    return ", ".join(parts)


def _run(result: CaseResult, detail: StoredDetail | None, address: Callable[[str], str] | None) -> Mapping[str, Any]:
    scores = [f"{name} {score / 100:.2f}" for name, score in result.dimensions if score is not None]
    return {
        "repeat": result.id.repeat,
        "result": result,
        "spent": _spent([result]),
        "outcome": result.outcome,
        "reason": result.reason or result.unscored,
        "final": "" if result.final is None else f"{result.final / 100:.2f}",
        "grade": result.grade or "",
        "scores": ", ".join(scores),
        "met": f"{result.met} of {result.expectations} expectations met" if result.expectations else "",
        "faults": ", ".join(f"{check} ({severity})" for check, severity in result.faults),
        "evaluation": result.evaluation or "",
        "address": address(result.evaluation) if address and result.evaluation else "",
        "detail": detail,
        "events": () if detail is None else _events(detail),
        "view": None if detail is None or detail.card is None else card_view(detail.card),
    }


def _events(detail: StoredDetail) -> Sequence[EventView]:
    """The transcript as a scorecard's page shows it, without marks: their numbers would be those of another cell."""
    events = detail.transcript.events
    if not events:
        return ()
    return judged_text(Submission(detail.output or "", source=events[0].place.file, events=events), ()).events


def _picture(decision: Decision) -> dict[str, Any] | None:
    """Quality upward, cost to the right (time where no cost is known); None when there is nothing to place."""
    priced = all(facts.cost_per_run is not None for facts in decision.variants)
    entries = []
    for facts in decision.variants:
        spent = facts.cost_per_run if priced else facts.seconds
        if facts.mean is not None and spent is not None:
            entries.append((facts.name, float(spent), facts.mean))
    if not entries:
        return None
    most = max(amount for _, amount, _ in entries) or 1.0
    low, high = (1.0, 10.0) if decision.measure == "final score" else (0.0, 1.0)
    points = []
    for name, amount, mean in entries:
        unit = f"${amount:.4f} a run" if priced else f"{amount:.1f} seconds a run"
        text = f"{name}: {shown(mean, decision.measure, sign=False)}, {unit}"
        points.append(Point(60 + 320 * amount / most, 200 - 170 * (mean - low) / (high - low), name, text))
    ticks = [(200, shown(low, decision.measure, sign=False)), (30, shown(high, decision.measure, sign=False))]
    along = "cost of a run" if priced else "seconds of a run"
    return {"points": points, "ticks": ticks, "along": along, "most": f"${most:.4f}" if priced else f"{most:.1f} s"}
