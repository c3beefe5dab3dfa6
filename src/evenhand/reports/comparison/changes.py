"""Two evaluations, or two sets of them, side by side: in words, and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from evenhand.core.history import changes_words
from evenhand.core.numbers import plain
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.sets.changes import Changes, CriterionShares
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.values.answer import Answer
from evenhand.decisions.words import shown
from evenhand.errors import shortened_line
from evenhand.files import codec
from evenhand.in_words import counted, listed
from evenhand.reports.comparison.suite_decision import method_lines
from evenhand.reports.panel import disputed_line, judge_names
from evenhand.reports.tree import evidence_note

MOST_CRITERIA = 20
"""How many criteria that changed are listed; a tree may have hundreds."""


def change_lines(before: Scorecard, after: Scorecard, changes: Changes) -> list[str]:
    """What moved, line by line, then the sum."""
    grades = [card.grade.letter if card.grade else "no grade" for card in (before, after)]
    lines = [f"{before.final or 'unscored'} ({grades[0]}) -> {after.final or 'unscored'} ({grades[1]})"]
    if before.receipt.rubric != after.receipt.rubric:
        lines[0] += "; no verdict: judged by different rubrics"
    if not changes.moves:
        lines.append("scores, red flags and bonuses are the same")
    for move in changes.moves:
        moved = "" if move.points is None else f"  {move.points:+}"
        disputed = disputed_sides(move.name, before, after)
        note = f"  (disputed {disputed})" if disputed else ""
        lines.append(f"{move.name}: {_shown(move.before)} -> {_shown(move.after)}{moved}{note}")
    if changes.rest:
        lines.append(f"{rest_words(before, after)}: {changes.rest:+}")
    if changes.final is not None:
        lines.append(f"final score: {changes.final:+}")
    lines += criteria_lines(changes)
    lines += [
        f"{moved.kind}: {moved.words.rstrip('.')}: {moved.before or 'none'} -> {moved.after or 'none'}"
        for moved in changes.findings
    ]
    lines += panel_lines(before, after)
    lines += [
        f'new evidence, {name}, {evidence_note(quote)}: "{shortened_line(quote.quote, 100)}"'
        for name, quote in changes.new_evidence
    ]
    lines += [f'evidence gone, {name}: "{shortened_line(quote.quote, 100)}"' for name, quote in changes.gone_evidence]
    return lines + [f"note: {note}" for note in changes.notes]


def criteria_lines(changes: Changes) -> list[str]:
    """The criteria that are answered differently, the largest loss first."""
    lines = []
    for entry in changes.criteria[:MOST_CRITERIA]:
        moved = "" if entry.points is None else f"  {entry.points:+}"
        lines.append(f"criterion {entry.id}: {entry.before or 'not asked'} -> {entry.after or 'not asked'}{moved}")
    left = len(changes.criteria) - MOST_CRITERIA
    return lines + (
        [f"and {counted(left, 'more criterion', 'more criteria')}: --format json has all"] if left > 0 else []
    )


def share_lines(shares: Sequence[CriterionShares]) -> list[str]:
    """The criteria that are met more or less often in the second set, the largest fall first."""
    lines = []
    for share in shares[:MOST_CRITERIA]:
        sides = [
            f"{float(100 * mean):.0f}% of {decided}"
            for mean, decided in zip((share.before, share.after), share.decided, strict=True)
        ]
        lines.append(f"criterion {share.id}: met in {sides[0]} -> {sides[1]}")
    left = len(shares) - MOST_CRITERIA
    return lines + (
        [f"and {counted(left, 'more criterion', 'more criteria')}: --format json has all"] if left > 0 else []
    )


def share_documents(shares: Sequence[CriterionShares]) -> dict[str, Any]:
    """The criteria that are met more or less often, as JSON; nothing where no criterion changed."""
    entries = [
        {"id": id, "before": round(float(before), 4), "after": round(float(after), 4), "decided": list(decided)}
        for id, before, after, decided in shares
    ]
    return {"criteria": entries} if entries else {}


def rest_words(before: Scorecard, after: Scorecard) -> str:
    """What the points come from that no move explains."""
    calibrated = before.official is not None or after.official is not None
    return "rounding, caps, floor, ceiling and calibration" if calibrated else "rounding, caps, floor and ceiling"


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


def disputed_sides(name: str, before: Scorecard, after: Scorecard) -> str:
    """The sides on which a panel's judges disagree about a dimension: they may have moved, not the output."""
    sides = [
        side
        for side, card in (("before", before), ("after", after))
        if card.agreement is not None and name in card.agreement.disputed
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
    for side, card in (("before", before), ("after", after)):
        disputes = "" if card.agreement is None else disputed_line(card.agreement)
        lines += [f"disputed {side}: {disputes}"] if disputes else []
    return lines


def set_lines(comparison: SetComparison) -> list[str]:
    """Which set is better, the answers first; "no difference shown" is an answer too."""
    decision = comparison.decision
    lines = [one.says for one in decision.contrasts]
    for facts in decision.variants:
        mean = "" if facts.mean is None else f"mean {shown(facts.mean, decision.measure, sign=False)} over "
        unscored = f", {facts.unscored} without a score" if facts.unscored else ""
        lines.append(f"{facts.name}: {mean}{counted(facts.runs, 'evaluation')}{unscored}")
    return [*lines, *pairing_lines(comparison), *method_lines(decision)]


def pairing_lines(comparison: SetComparison) -> list[str]:
    """By what cases were found, and what else changed between the sets."""
    decision, contrast = comparison.decision, comparison.contrast
    runs = sum(facts.runs for facts in decision.variants)
    once = "; the runs of a case count once, by their mean" if runs > len(decision.variants) * decision.cases else ""
    lines = [f"{counted(contrast.cases, 'case')}, matched by {comparison.paired_by}{once}"]
    if contrast.unit == "cluster":
        lines.append(f"{counted(contrast.units, 'cluster')}; the cases of a cluster count once, by their mean")
    if comparison.changes:
        lines.append(f"between the sets also changed: {changes_words(comparison.changes)}")
    return lines


def set_document(comparison: SetComparison, answer: Answer | None = None) -> dict[str, Any]:
    """A comparison of sets as JSON: the decision, and how cases were found."""
    return {
        **codec.document(comparison.decision),
        "paired_by": comparison.paired_by,
        "changes": [codec.document(change) for change in comparison.changes],
        **({} if answer is None else {"answer": codec.document(answer)}),
    }


def _shown(number: Decimal | None) -> str:
    return "-" if number is None else str(number)
