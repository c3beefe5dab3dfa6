"""The report of a suite's run: its verdict, the work, a row a case and a column a variant, then the rest. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from evenhand.decisions.decision import Decision
from evenhand.decisions.gate import Ruling
from evenhand.decisions.suite_run import StoredDetail, SuiteRun
from evenhand.decisions.suite_table import suite_table
from evenhand.decisions.table import ResultsTable
from evenhand.decisions.what_to_change import Answer
from evenhand.decisions.words import shown
from evenhand.errors import shortened_line
from evenhand.files import codec
from evenhand.in_words import dollars
from evenhand.reports.comparison.decision import Verdict, basis_items, run_sentences, verdict_report
from evenhand.reports.comparison.preferences import preference_lines, preference_nodes
from evenhand.reports.comparison.word_diff import text_changes
from evenhand.reports.scorecard import summary_nodes
from evenhand.reports.tree import (
    Case,
    Cell,
    Item,
    Items,
    Line,
    Matrix,
    Node,
    Report,
    Section,
    Span,
    Transcript,
    Weight,
    Words,
    Written,
    text_of,
)
from evenhand.work.agent_run import NOT_CONFINED, CaseResult, RunId
from evenhand.work.answer_text import answer_text
from evenhand.work.submission import Submission

MOST_CASES: Final = 200
"""Cases in the matrix. Of more, those with the largest differences are shown, and the report says so."""
BEGINNING: Final = 160
"""Characters of an output in a cell of the matrix."""

Address = Callable[[str], str]
_Details = Mapping[RunId, StoredDetail]


def run_report(
    run: SuiteRun,
    decision: Decision,
    results: Iterable[CaseResult] = (),
    *,
    rulings: Sequence[Ruling] = (),
    answer: Answer | None = None,
    details: _Details | None = None,
    address: Address = lambda id: "",
    is_brief: bool = False,
) -> Report:
    """A run: the answer, and unless brief the work and what all of it rests on.

    `details` are the scorecards and outputs at hand, `address` is that of an evaluation's page.
    """
    return verdict_report(
        Verdict(
            decision=decision,
            says=run_sentences(run, decision),
            name=run.suite,
            kicker=f"{run.suite}, run {run.id}, {run.created}",
            warning=NOT_CONFINED if NOT_CONFINED in run.notes else "",
            answer=answer,
            work=() if is_brief else (_work(run, decision, list(results), details or {}, address),),
            rulings=rulings,
            basis=() if is_brief else basis_items(run, decision),
            more=() if is_brief else tuple(_pairs(run)),
        ),
        is_brief=is_brief,
    )


def decision_document(
    decision: Decision, head: dict[str, Any], rulings: Sequence[Ruling] = (), answer: Answer | None = None
) -> dict[str, Any]:
    """A decision as JSON; `head` is the run's own document, whose pairs are beside the contrasts here."""
    pairs = {"pairs": head["pairs"]} if "pairs" in head else {}
    return {
        **codec.document(decision),
        "run": {name: value for name, value in head.items() if name != "pairs"},
        "rulings": [*map(codec.document, rulings)],
        **({} if answer is None else {"answer": codec.document(answer)}),
        **pairs,
    }


def shown_cases(decision: Decision, cases: Sequence[str]) -> list[str]:
    """The cases of the matrix: all, or those that differ most."""
    if len(cases) <= MOST_CASES:
        return sorted(cases)
    largest: dict[str, float] = {}
    for contrast in decision.contrasts:
        for difference in contrast.differences:
            largest[difference.case] = max(largest.get(difference.case, 0.0), abs(difference.difference))
    return sorted(sorted(cases), key=lambda case: -largest.get(case, -1.0))[:MOST_CASES]


def _pairs(run: SuiteRun) -> Iterator[Node]:
    if run.pairs is None:
        return
    judges = ", ".join(identity["name"] for identity in run.pairs.judges)
    first = Line(
        f"{judges} compared the outputs of the first run of each case in both orders. This is beside the decision "
        "above, which is by scores."
    )
    answer = Line(preference_lines(run.pairs)[0], "strong")
    yield Section(title="Side by side", nodes=(first, answer, *preference_nodes(run.pairs)), id="pairs")


def _work(
    run: SuiteRun, decision: Decision, results: Sequence[CaseResult], details: _Details, address: Address
) -> Section:
    """The matrix; what fell furthest stands first."""
    table = suite_table(run, results)
    chosen = shown_cases(decision, table.cases)
    by_cell: dict[tuple[str, str], list[CaseResult]] = {}
    for result in sorted(results, key=lambda result: result.id.repeat):
        by_cell.setdefault(result.id[:2], []).append(result)
    cases = sorted((_case(table, run, case, by_cell, details, address) for case in chosen), key=lambda pair: pair[0])
    against = f" and how far it is from {run.reference}" if len(run.variants) > 1 else ""
    with_output = "the output of the first run, " if details else ""
    caption = (
        f"The largest falls first. A cell has {with_output}the mean over the runs of a case{against}, expectations "
        "met, tokens and cost of all its runs"
    )
    notes = []
    if left := len(table.cases) - len(chosen):
        notes.append(
            f"The {len(chosen)} cases that differ most; {left} others are left out. --format csv and --format results "
            "have them all."
        )
    with_cards = sum(detail.card is not None for detail in details.values())
    inside = {*chosen}
    unopened = sum(
        result.evaluation is not None and ((detail := details.get(result.id)) is None or detail.card is None)
        for result in results
        if result.id.case in inside
    )
    matrix = Matrix(tuple(run.variants), tuple(case for _, case in cases), caption)
    below = []
    if with_cards and unopened:
        below.append(
            f"Scorecards are shown of the first runs, for the cases listed first: {with_cards} in all. Of {unopened} "
            "other runs there are the numbers; evenhand show shows their scorecards."
        )
    quiet: list[Node] = [Line(note, "quiet") for note in below]
    return Section(title="Cases", nodes=(*map(Line, notes), matrix, *quiet), id="cases")


def _case(
    table: ResultsTable,
    run: SuiteRun,
    case: str,
    by_cell: Mapping[tuple[str, str], Sequence[CaseResult]],
    details: _Details,
    address: Address,
) -> tuple[float, Case]:
    """A row with what it is ordered by: its largest fall, or the value of one variant alone."""
    means = {variant: _mean(table, case, variant) for variant in run.variants}
    before = means.get(run.reference)
    texts = _texts(run, case, by_cell, details)
    changes = {
        variant: float(mean - before)
        for variant, mean in means.items()
        if variant != run.reference and mean is not None and before is not None
    }
    cells = []
    for variant in run.variants:
        runs = by_cell.get((case, variant), ())
        opened = _opened(runs, texts.get(variant), details, address)
        cells.append(
            _cell(table, case, variant, means[variant], changes.get(variant), runs, texts.get(variant), opened)
        )
    worst = min(changes.values(), default=0.0)
    tags = next((row.tags for name in table.variants for row in table.cell(case, name) if row.tags), ())
    return (
        worst if len(run.variants) > 1 else float(next(iter(means.values())) or 0),
        Case(
            name=case,
            tags=tuple(tags),
            cells=tuple(cells),
            is_worse=worst < 0,
            has_failed=any(cell.problem for cell in cells),
        ),
    )


def _mean(table: ResultsTable, case: str, variant: str) -> Fraction | None:
    """The mean of the runs that have a value, a lost one counted as the worst; None where none has."""
    rows = table.cell(case, variant)
    known = [row.ends(table.scale)[0] for row in rows if row.value is not None or row.lost]
    return sum(known, Fraction(0)) / len(known) if known else None


def _cell(
    table: ResultsTable,
    case: str,
    variant: str,
    mean: Fraction | None,
    change: float | None,
    runs: Sequence[CaseResult],
    written: Written | None,
    opened: tuple[Node, ...],
) -> Cell:
    rows = table.cell(case, variant)
    counts = [
        (sum(bool(row.lost) for row in rows), "lost"),
        (sum(row.value is None and not row.lost for row in rows), "unscored"),
    ]
    value = shown(float(mean), table.measure, sign=False) if mean is not None else "no value"
    missing = [f"{count} {what}" for count, what in counts if count]
    met, expected = sum(result.met for result in runs), sum(result.expectations for result in runs)
    problem = next((reason for result in runs if (reason := result.reason or result.unscored)), "")
    beginning = "" if written is None else text_of(written.words) or "empty"
    return Cell(
        value=", ".join([value, *(missing if mean is not None else ())]),
        change="" if not change else shown(change, table.measure),
        weight="plain" if not change else "good" if change > 0 else "bad",
        problem=problem if missing else "",
        figures=tuple(filter(None, (f"{met} of {expected} met" if expected else "", _spent(runs)))),
        beginning=shortened_line(" ".join(beginning.split()), BEGINNING),
        opened=opened,
    )


def _texts(
    run: SuiteRun, case: str, by_cell: Mapping[tuple[str, str], Sequence[CaseResult]], details: _Details
) -> dict[str, Written]:
    """What the first run of each variant put out, with what differs from the reference's marked."""
    outputs: dict[str, tuple[str, int]] = {}
    for variant in run.variants:
        for result in by_cell.get((case, variant), ())[:1]:
            detail = details.get(result.id)
            if detail is not None and detail.output is not None:
                outputs[variant] = (answer_text(detail.output), detail.left_out)
    texts = {name: Written(text, cut) for name, (text, cut) in outputs.items()}
    if run.reference in outputs:
        before = outputs[run.reference]
        rivals = [name for name in outputs if name != run.reference]
        for name in rivals:
            gone, new = marked_differences(before[0], outputs[name][0])
            texts[name] = Written(new, outputs[name][1])
            if len(rivals) == 1:  # beside several, what one of them lacks is no mark of the reference
                texts[run.reference] = Written(gone, before[1])
    return texts


def marked_differences(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Two texts in parts: those that the other one lacks are marked."""
    lines = text_changes(before, after)
    if lines is None:
        return (Span(before),), (Span(after),)
    sides: tuple[list[Span], list[Span]] = ([], [])
    for pair in (pair for together in lines for pair in together.pairs):
        marks: tuple[Weight, Weight] = ("gone", "new")
        for side, pieces, mark in zip(sides, (pair.before, pair.after), marks, strict=True):
            side.extend(Span(piece.text, mark if piece.changed and piece.text.strip() else "plain") for piece in pieces)
            if pieces or pair.kind in ("same", "changed"):
                side.append(Span("\n"))
    return _joined(sides[0]), _joined(sides[1])


def _joined(pieces: Iterable[Span]) -> tuple[Span, ...]:
    """Neighbours with the same mark as one part."""
    joined: list[Span] = []
    for piece in pieces:
        if joined and joined[-1].weight == piece.weight:
            joined[-1] = Span(joined[-1].text + piece.text, piece.weight)
        else:
            joined.append(piece)
    return tuple(joined)


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


# --- what a cell opens


def _opened(
    runs: Sequence[CaseResult], written: Written | None, details: _Details, address: Address
) -> tuple[Node, ...]:
    """The output of the first run, then every run with its scorecard, output and transcript; nothing where a row has
    all there is to say."""
    known = [details.get(result.id) for result in runs]
    if len(runs) < 2 and not any(known) and not any(result.dimensions or result.faults for result in runs):
        return ()
    items = [
        _run(result, detail, address, is_shown=written is not None and place == 0)
        for place, (result, detail) in enumerate(zip(runs, known, strict=True))
    ]
    return (*([] if written is None else [written]), Items(tuple(items)))


def _run(result: CaseResult, detail: StoredDetail | None, address: Address, *, is_shown: bool) -> Item:
    met = f"{result.met} of {result.expectations} expectations met" if result.expectations else ""
    final = "" if result.final is None else f"{result.final / 100:.2f} {result.grade or ''}".strip()
    head = f"run {result.id.repeat}: " + ", ".join(filter(None, (result.outcome, final, met, _spent([result]))))
    if reason := result.reason or result.unscored:
        head += f"; {reason}"
    scores = ", ".join(f"{name} {score / 100:.2f}" for name, score in result.dimensions if score is not None)
    faults = ", ".join(f"{check} ({severity})" for check, severity in result.faults)
    nodes: list[Node] = [Line(line, "quiet") for line in (scores, f"faults: {faults}" if faults else "") if line]
    if result.evaluation:
        where = address(result.evaluation)
        name = f"scorecard {result.evaluation}" if where else f"scorecard: evenhand show {result.evaluation}"
        nodes.append(_command((Span(name, "quiet", address=where),)))
    if detail is not None:
        nodes += _stored(detail, is_shown=is_shown)
    return Item(head=head, below=tuple(nodes))


def _stored(detail: StoredDetail, *, is_shown: bool) -> Iterator[Node]:
    """What a store or the kept runs have of one run; an output that `is_shown` already is left out."""
    if detail.card is not None:
        yield Section(title="Scorecard", nodes=summary_nodes(detail.card), folded=True)
    if detail.output is not None and not is_shown:
        yield Section(title="Output", nodes=(Written(detail.output, detail.left_out),), folded=True)
    transcript = detail.transcript
    if transcript.events:
        source = transcript.events[0].place.file
        nodes: list[Node] = [Transcript(Submission(detail.output or "", source=source, events=transcript.events))]
        if transcript.left_out:
            nodes.append(Line(f"{transcript.left_out:,} more events are left out", "quiet"))
        yield Section(title="Transcript", nodes=tuple(nodes), folded=True)
    if transcript.path:
        why = f"Transcript not shown: {transcript.problem}. " if transcript.problem else ""
        yield _command((Span(f"{why}All of it: evenhand show {transcript.path}", "quiet"),))


def _command(words: Words) -> Items:
    """A line with a command to copy, which no full stop may follow."""
    return Items((Item(head=words),))
