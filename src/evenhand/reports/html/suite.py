"""A suite's run as a page: its verdict in a sentence, the work, a row a case and a column a variant, then the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from evenhand.decisions.decision import Decision
from evenhand.decisions.gate import Ruling
from evenhand.decisions.suite_table import suite_table
from evenhand.decisions.table import ResultsTable
from evenhand.decisions.values.suite_run import StoredDetail, SuiteRun
from evenhand.decisions.words import shown
from evenhand.errors import shortened_line
from evenhand.in_words import dollars
from evenhand.reports.charts import QualityChart, quality_chart
from evenhand.reports.comparison.suite_decision import FACT_COLUMNS, basis_lines, conclusion_lines, fact_rows
from evenhand.reports.comparison.verdict_answer import AnswerReport
from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.html.preferences import preference_sections
from evenhand.reports.html.texts.judged_text import EventView, judged_text
from evenhand.reports.html.texts.word_diff import text_changes
from evenhand.reports.html.walker import View
from evenhand.reports.scorecard import summary_nodes
from evenhand.work.agent_run import CaseResult, RunId
from evenhand.work.answer_text import answer_text
from evenhand.work.submission import Submission

MOST_CASES = 200
"""Cases in the matrix. Of more, those with the largest differences are shown, and the page says so."""

BEGINNING = 160
"""Characters of an output in a cell of the matrix."""


class Shown(NamedTuple):
    """The first run of a variant on a case: how its output begins, and all that is shown of it, beside its rivals."""

    beginning: str
    pieces: Sequence[tuple[str, str]]
    """Its text in parts; each with the element that marks it as different, or nothing."""
    left_out: int


class Cell(NamedTuple):
    """A variant on a case."""

    variant: str
    value: str
    """The mean that the decision compares, or that there is none."""
    change: str
    """How far that is from the reference's; empty for the reference itself and where either has no value."""
    direction: str
    """`up`, `down`, or empty."""
    problem: str
    """Why a run was lost or not scored."""
    met: str
    spent: str
    shown: Shown | None
    runs: Sequence[Mapping[str, Any]]


class Line(NamedTuple):
    """A case: a row of the matrix."""

    case: str
    tags: Sequence[str]
    cells: Sequence[Cell]
    worst: float
    """The largest fall in any cell; the lower, the further up the row stands."""
    is_worse: bool
    has_failed: bool
    opens: bool
    """Whether there is more to show than the row has."""


def suite_page(
    run: SuiteRun,
    decision: Decision,
    results: Sequence[CaseResult],
    rulings: Sequence[Ruling] = (),
    details: Mapping[RunId, StoredDetail] | None = None,
    address: Callable[[str], str] | None = None,
    answer: AnswerReport | None = None,
) -> Page:
    """A run: the work first, a row for each case, those that fell furthest at the top; then what follows from it.

    `address` is that of an evaluation's page.
    """
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
        lines=sorted((_line(table, runs, case, run) for case in cases), key=lambda line: line.worst),
        left_out=len(table.cases) - len(cases),
        opened=sum(detail.card is not None for detail in details.values()),
        unopened=unopened,
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
    """Sentences, each with the indented ones below it."""
    groups: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" ") and groups:
            groups[-1][1].append(line.strip())
        elif line:
            groups.append((line, []))
    return groups


def _line(
    table: ResultsTable, runs: Mapping[tuple[str, str], list[Mapping[str, Any]]], case: str, run: SuiteRun
) -> Line:
    means = {variant: _mean(table, case, variant) for variant in run.variants}
    before = means.get(run.reference)
    texts = _texts(runs, case, run)
    changes = {
        variant: float(mean - before)
        for variant, mean in means.items()
        if variant != run.reference and mean is not None and before is not None
    }
    cells = [_cell(table, runs, case, variant, means[variant], changes.get(variant), texts) for variant in run.variants]
    worst = min(changes.values(), default=0.0)
    has_failed = any(cell.problem for cell in cells)
    return Line(
        case,
        _tags(table, case),
        cells,
        # Rows without a difference stand below those that fell; of one variant alone the lowest value comes first.
        worst if len(run.variants) > 1 else float(next(iter(means.values())) or 0),
        worst < 0,
        has_failed,
        any(entry["detail"] or entry["scores"] or entry["faults"] for cell in cells for entry in cell.runs)
        or any(len(cell.runs) > 1 for cell in cells),
    )


def _mean(table: ResultsTable, case: str, variant: str) -> Fraction | None:
    """The mean of the runs that have a value, a lost one counted as the worst; None where none has."""
    rows = table.cell(case, variant)
    known = [row.ends(table.scale)[0] for row in rows if row.value is not None or row.lost]
    return sum(known, Fraction(0)) / len(known) if known else None


def _cell(
    table: ResultsTable,
    runs: Mapping[tuple[str, str], list[Mapping[str, Any]]],
    case: str,
    variant: str,
    mean: Fraction | None,
    change: float | None,
    texts: Mapping[str, Shown],
) -> Cell:
    rows = table.cell(case, variant)
    unscored = sum(row.value is None and not row.lost for row in rows)
    value = shown(float(mean), table.measure, sign=False) if mean is not None else "no value"
    counts = [(sum(bool(row.lost) for row in rows), "lost"), (unscored, "unscored")]
    of_cell = sorted(runs.get((case, variant), []), key=lambda entry: entry["repeat"])
    results = [entry["result"] for entry in of_cell]
    met, expected = sum(result.met for result in results), sum(result.expectations for result in results)
    problem = next((entry["reason"] for entry in of_cell if entry["reason"]), "")
    return Cell(
        variant,
        ", ".join([value, *(f"{count} {what}" for count, what in counts if count and mean is not None)]),
        "" if not change else shown(change, table.measure),
        "" if not change else "up" if change > 0 else "down",
        problem if any(count for count, _ in counts) else "",
        f"{met} of {expected}" if expected else "",
        _spent(results),
        texts.get(variant),
        of_cell,
    )


def _texts(runs: Mapping[tuple[str, str], list[Mapping[str, Any]]], case: str, run: SuiteRun) -> dict[str, Shown]:
    """What the first run of each variant put out, with what differs from the reference's marked."""
    outputs: dict[str, tuple[str, int]] = {}
    for variant in run.variants:
        for entry in sorted(runs.get((case, variant), []), key=lambda entry: entry["repeat"])[:1]:
            detail = entry["detail"]
            if detail is not None and detail.output is not None:
                outputs[variant] = (answer_text(detail.output), detail.left_out)
    texts = {name: Shown(_beginning(text), [(text, "")], cut) for name, (text, cut) in outputs.items()}
    if run.reference in outputs:
        before = outputs[run.reference][0]
        rivals = [name for name in outputs if name != run.reference]
        for name in rivals:
            gone, new = marked_differences(before, outputs[name][0])
            texts[name] = texts[name]._replace(pieces=new)
            if len(rivals) == 1:  # beside several, what one of them lacks is no mark of the reference
                texts[run.reference] = texts[run.reference]._replace(pieces=gone)
    return texts


def marked_differences(before: str, after: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Two texts in parts: those that the other one lacks are marked as deleted or inserted."""
    lines = text_changes(before, after)
    if lines is None:
        return [(before, "")], [(after, "")]
    sides: tuple[list[tuple[str, str]], list[tuple[str, str]]] = [], []
    for pair in (pair for lines_together in lines for pair in lines_together.pairs):
        for side, pieces, mark in ((sides[0], pair.before, "del"), (sides[1], pair.after, "ins")):
            side.extend((piece.text, mark if piece.changed and piece.text.strip() else "") for piece in pieces)
            if pieces or pair.kind in ("same", "changed"):
                side.append(("\n", ""))
    return _joined(sides[0]), _joined(sides[1])


def _joined(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbours with the same mark as one part."""
    joined: list[tuple[str, str]] = []
    for text, mark in pieces:
        if joined and joined[-1][1] == mark:
            joined[-1] = (joined[-1][0] + text, mark)
        else:
            joined.append((text, mark))
    return joined


def _beginning(text: str) -> str:
    return shortened_line(" ".join(text.split()), BEGINNING)


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
        "view": None if detail is None or detail.card is None else View(summary_nodes(detail.card)),
    }


def _events(detail: StoredDetail) -> Sequence[EventView]:
    """The transcript as a scorecard's page shows it, without marks: their numbers would be those of another cell."""
    events = detail.transcript.events
    if not events:
        return ()
    return judged_text(Submission(detail.output or "", source=events[0].place.file, events=events), ()).events


def _picture(decision: Decision) -> QualityChart | None:
    """Quality upward, cost to the right (time where no cost is known); None when there is nothing to place."""
    priced = all(facts.cost_per_run is not None for facts in decision.variants)
    entries = []
    for facts in decision.variants:
        spent = facts.cost_per_run if priced else facts.seconds
        if facts.mean is not None and spent is not None:
            unit = f"${spent:.4f} a run" if priced else f"{spent:.1f} seconds a run"
            text = f"{facts.name}: {shown(facts.mean, decision.measure, sign=False)}, {unit}"
            entries.append((facts.name, float(spent), facts.mean, text))
    most = max((amount for _, amount, _, _ in entries), default=0.0)
    ends = (1.0, 10.0) if decision.measure == "final score" else (0.0, 1.0)
    low, high = (shown(end, decision.measure, sign=False) for end in ends)
    along = "cost of a run" if priced else "seconds of a run"
    return quality_chart(entries, ends, (low, high), along, f"${most:.4f}" if priced else f"{most:.1f} s")
