"""Two evaluations side by side: what moved, by how many points, and why. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import groupby, zip_longest
from typing import Any, Final

from evenhand.core.judgement import Evidence
from evenhand.core.numbers import plain
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.changes import Changes
from evenhand.files import codec
from evenhand.in_words import counted, listed
from evenhand.reports.cases import case_name
from evenhand.reports.judge_reasons import NO_SCORE, JudgeReason, judge_reasons
from evenhand.reports.panel import disputed_line, judge_names
from evenhand.reports.scorecard import grade_words
from evenhand.reports.tree import (
    Column,
    Diff,
    Facts,
    Head,
    Item,
    Items,
    Line,
    Node,
    Quote,
    Quotes,
    Report,
    Row,
    Section,
    Span,
    Table,
    Weight,
)
from evenhand.work.submission import Submission

MOST_CRITERIA: Final = 20
"""How many criteria that changed are listed; a tree may have hundreds."""

ARROW: Final = "\u2192"

Compare = Callable[[Sequence[str], Sequence[str]], str]
"""The address of the comparison of evaluations with others, by their ids."""
_COLUMNS: Final = (Column("what"), *(Column(name, right=True) for name in ("before", "after", "points")))
_RESULTS: Final[dict[str | None, Weight]] = {"met": "good", None: "quiet"}


def changes_report(
    before: Scorecard,
    after: Scorecard,
    changes: Changes,
    submissions: tuple[Submission | None, Submission | None] = (None, None),
    *,
    address: Callable[[str], str] = lambda id: "",
    is_brief: bool = False,
) -> Report:
    """What moved between two scorecards; when brief, the reasons are folded. `submissions` are what was judged, where
    known, `address` is that of an evaluation's page."""
    nodes: list[Node] = [
        Head(title=headline(before, after)),
        Facts(tuple((side, _side_words(card, address), "plain") for side, card in _sides(before, after))),
        Section(title="What moved", nodes=_moves(before, after, changes), id="moves"),
        *_criteria(changes),
        *_findings(changes),
        *_outputs(submissions),
        *_reasons(before, after, is_folded=is_brief),
        *_evidence("New evidence", changes.new_evidence),
        *_evidence("Evidence that is gone", changes.gone_evidence),
        *_listed("Judges", panel_lines(before, after)),
        *_listed("Before you conclude", changes.notes),
    ]
    return Report(f"{case_name(before)} and {case_name(after)}", tuple(nodes))


def change_document(before: Scorecard, after: Scorecard, changes: Changes) -> dict[str, Any]:
    """Changes between two scorecards as JSON."""
    return {
        "schema": "evenhand/comparison/v1",
        "before": _side(before),
        "after": _side(after),
        **codec.document(changes),
    }


def _side(card: Scorecard) -> dict[str, Any]:
    agreement = card.agreement
    return {
        "id": card.id,
        "final": (None if card.final is None else plain(card.final)),
        "judges": list(judge_names(card)),
        "spread": {} if agreement is None else {name: plain(width) for name, width in agreement.spread.items()},
        "disputed": [] if agreement is None else list(agreement.disputed),
    }


def headline(before: Scorecard, after: Scorecard) -> str:
    """Both scores; across rubrics, that this is no verdict."""
    sides = [
        f"{card.final or 'unscored'} ({card.grade.letter if card.grade else 'no grade'})" for card in (before, after)
    ]
    unlike = before.receipt.rubric != after.receipt.rubric
    return f" {ARROW} ".join(sides) + ("; no verdict: judged by different rubrics" if unlike else "")


def _sides(before: Scorecard, after: Scorecard) -> tuple[tuple[str, Scorecard], ...]:
    return (("before", before), ("after", after))


def _side_words(card: Scorecard, address: Callable[[str], str]) -> tuple[Span, ...]:
    judge = card.judge.get("name") or "no judge named"
    moment = card.created[:16].replace("T", " ")
    return (
        Span(grade_words(card), "strong"),
        Span(" "),
        Span(case_name(card), address=address(card.id)),
        Span(f" {moment}, {card.rubric}, {judge}", "quiet"),
    )


def _moves(before: Scorecard, after: Scorecard, changes: Changes) -> tuple[Node, ...]:
    rows = []
    for move in changes.moves:
        disputed = disputed_sides(move.name, before, after)
        name = (move.name, Span(f" disputed {disputed}" if disputed else "", "quiet"))
        rows.append(Row((name, _number(move.before), _number(move.after), (_signed(move.points),))))
    if changes.rest:
        rows.append(Row((rest_words(before, after), "", "", f"{changes.rest:+}")))
    if changes.final is not None and (rows or changes.final):
        rows.append(Row(("final score", "", "", f"{changes.final:+}"), "strong"))
    if not rows:
        return (Line("scores, red flags and bonuses are the same"),)
    return (Table(_COLUMNS, tuple(rows)),)


def _signed(points: Decimal | None) -> Span:
    if points is None:
        return Span("")
    return Span(f"{points:+}", "good" if points > 0 else "bad" if points < 0 else "plain")


def _criteria(changes: Changes) -> Iterator[Node]:
    """The criteria that are answered differently, the largest loss first."""
    if not changes.criteria:
        return
    rows = (
        Row((entry.id, entry.before or "not asked", entry.after or "not asked", (_signed(entry.points),)))
        for entry in changes.criteria[:MOST_CRITERIA]
    )
    nodes: list[Node] = [Table((Column("criterion"), *_COLUMNS[1:]), tuple(rows))]
    if (left := len(changes.criteria) - MOST_CRITERIA) > 0:
        nodes.append(Line(f"and {counted(left, 'more criterion', 'more criteria')}: --format json has all"))
    yield Section(title="Criteria", nodes=tuple(nodes), id="criteria")


def _findings(changes: Changes) -> Iterator[Node]:
    items = [
        Item(
            head=(
                *(_result(moved.before), f" {ARROW} ", _result(moved.after)),
                f" {moved.kind}: {moved.words}",
            )
        )
        for moved in changes.findings
    ]
    if items:
        yield Section(title="Findings that changed", nodes=(Items(tuple(items)),), id="findings")


def _result(word: str | None) -> Span:
    return Span(word or "none", _RESULTS.get(word, "bad"), tag=True)


def _outputs(submissions: tuple[Submission | None, Submission | None]) -> Iterator[Node]:
    before, after = submissions
    if before is not None and after is not None:
        yield Section(title="Outputs", nodes=(Diff(before.output, after.output),), id="outputs")


def _reasons(before: Scorecard, after: Scorecard, *, is_folded: bool) -> Iterator[Node]:
    """By dimension and judge; a judge who is on both sides stands in one row."""
    rows: list[Row] = []
    unchanged, silent = [], []
    for name in before.dimensions:
        sides = [_given(card, name) for card in (before, after)]
        pairs: list[tuple[str, JudgeReason | None, JudgeReason | None]] = []
        for judge in dict.fromkeys(reason.judge for side in sides for reason in side):
            given = [[reason for reason in side if reason.judge == judge] for side in sides]
            pairs += [(judge, left, right) for left, right in zip_longest(*given)]
        is_scored_alike = before.dimensions[name].score == after.dimensions[name].score
        if is_scored_alike and all(left == right for _, left, right in pairs):
            unchanged.append(name)
        elif not pairs:
            silent.append(name)
        else:
            rows += [Row((name, judge, _says(left), _says(right, left))) for judge, left, right in pairs]
    columns = tuple(map(Column, ("dimension", "judge", "before", "after")))
    nodes: list[Node] = [Table(columns, tuple(rows))] if rows else []
    if unchanged:
        nodes.append(Line(f"scored the same, for the same reasons: {', '.join(unchanged)}", "quiet"))
    if silent:
        nodes.append(Line(f"scored differently, with no reason given on either side: {', '.join(silent)}", "quiet"))
    if nodes:
        yield Section(title="Reasons, by dimension and judge", nodes=tuple(nodes), folded=is_folded, id="reasons")


def _given(card: Scorecard, name: str) -> tuple[JudgeReason, ...]:
    """Each judge's reason, or the only one's."""
    reasons = judge_reasons(card, name)
    if reasons:
        return reasons
    line = card.dimensions[name]
    words = line.justification or (line.unscored or "")
    judges = ", ".join(judge_names(card)) or "no judge named"
    return (JudgeReason(judges, NO_SCORE if line.score is None else str(line.score), words),) if words else ()


def _says(reason: JudgeReason | None, before: JudgeReason | None = None) -> tuple[Span, ...]:
    if reason is None:
        return (Span("did not judge it", "quiet"),)
    if reason == before:
        return (Span("the same", "quiet"),)
    return (Span(f"{reason.score} "), Span(reason.words) if reason.words else Span("no words", "quiet"))


def _evidence(title: str, moved: Sequence[tuple[str, Evidence]]) -> Iterator[Node]:
    items = [
        Item(head=name, below=(Quotes(tuple(Quote(evidence=quote, label=name) for _, quote in quotes)),))
        for name, quotes in groupby(moved, key=lambda pair: pair[0])
    ]
    if items:
        yield Section(title=title, nodes=(Items(tuple(items)),))


def _listed(title: str, lines: Sequence[str]) -> Iterator[Node]:
    if lines:
        yield Section(title=title, nodes=(Items(tuple(Item(head=line) for line in lines)),))


def rest_words(before: Scorecard, after: Scorecard) -> str:
    """What the points come from that no move explains."""
    calibrated = before.official is not None or after.official is not None
    return "rounding, caps, floor, ceiling and calibration" if calibrated else "rounding, caps, floor and ceiling"


def disputed_sides(name: str, before: Scorecard, after: Scorecard) -> str:
    """The sides on which a panel's judges disagree about a dimension: they may have moved, not the output."""
    sides = [
        side for side, card in _sides(before, after) if card.agreement is not None and name in card.agreement.disputed
    ]
    return " and ".join(sides)


def panel_lines(before: Scorecard, after: Scorecard) -> list[str]:
    """Who judged and where they disagree, when a side was judged by several."""
    judges = [judge_names(card) for card in (before, after)]
    if max(map(len, judges)) < 2:
        return []
    named = [listed(names) if names else "unknown" for names in judges]
    if judges[0] == judges[1]:
        lines = [f"judges on both sides: {named[0]}"]
    else:
        lines = [f"judges before: {named[0]}", f"judges after: {named[1]}"]
    for side, card in _sides(before, after):
        disputes = "" if card.agreement is None else disputed_line(card.agreement)
        lines += [f"disputed {side}: {disputes}"] if disputes else []
    return lines


def _number(value: Decimal | None) -> str:
    return "-" if value is None else str(value)
