"""Two evaluations, or two sets of them, side by side: in words, and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import sqrt
from typing import Any

from evenhand.core.history import changes_words
from evenhand.core.numbers import plain
from evenhand.core.values import Scorecard
from evenhand.decisions.sets.changes import Changes, CriterionShares
from evenhand.decisions.sets.pairs import CONFIDENCE, PairedComparison
from evenhand.decisions.sets.repeats import CaseScores, Design, Scatter
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.values.answer import Answer
from evenhand.files import codec
from evenhand.files.records import document_of
from evenhand.in_words import counted, listed, plural, shortened_line
from evenhand.reports.comparison.conclusion import cluster_note, conclusion
from evenhand.reports.document import evidence_note
from evenhand.reports.panel import disputed_line, judge_names
from evenhand.stats.sign_test import POWER

MOST_CRITERIA = 20
"""How many criteria that changed are listed; a tree may have hundreds."""


def change_lines(before: Scorecard, after: Scorecard, changes: Changes) -> list[str]:
    """What moved, line by line, then the sum."""
    grades = [card.grade.letter if card.grade else "no grade" for card in (before, after)]
    lines = [f"{before.final or 'unscored'} ({grades[0]}) -> {after.final or 'unscored'} ({grades[1]})"]
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
        **document_of(changes),
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
    """Whether B is better than A, the answer first; "no difference shown" is an answer too."""
    names, sizes, means, paired_by, left_out, result, cases, _, changes, contrast = comparison[:10]
    lines = [_unpaired(names, result) if contrast is None else conclusion(contrast, "final score")]
    lines += [
        f"{name}: mean {mean:.2f} over {counted(size, 'evaluation')}"
        for name, mean, size in zip(names, means, sizes, strict=True)
    ]
    runs = _runs(cases)
    if sum(runs) > 2 * len(cases):
        lines.append(
            f"{counted(result.pairs, 'case')}, matched by {paired_by}, in {runs[0]} and "
            f"{runs[1]} runs; the runs of a case count once, by their mean"
        )
    else:
        lines.append(
            f"{counted(result.pairs, 'pair')}, matched by {paired_by}"
            if paired_by
            else "the evaluations could not be matched in pairs; the sets are compared as a whole"
        )
    if contrast is not None and contrast.difference.clusters is not None:
        lines.append(cluster_note(contrast.difference))
    if left_out:
        lines.append(f"{left_out} without a final score {plural(left_out, 'was', 'were')} left out")
    if changes:
        lines.append(f"between the sets also changed: {changes_words(changes)}")
    if result.low is not None and result.high is not None and result.claim == "mean":
        lines.append(
            f"difference {result.mean:+.2f}, {CONFIDENCE:.0%} interval {result.low:+.2f} to {result.high:+.2f}"
        )
    else:
        lines.append(f"mean difference {result.mean:+.2f}")
    if result.p_value is not None:
        kind = _TESTS.get(result.test, result.test)
        chance = f"{result.p_value:.3f}" if result.p_value >= 0.0005 else "below 0.001"
        lines.append(f"chance of a difference this large if there were none: {chance} ({kind})")
    if result.detectable is not None:
        lines.append(
            f"with this much data, a difference of {result.detectable:.2f} would be detected {POWER:.0%} of the time"
        )
    if result.p_value is not None and result.mean:
        lines.append(f"{_better(names, result)} comes out ahead in {result.stability:.0%} of resamples")
    return lines


def set_document(comparison: SetComparison, answer: Answer | None = None) -> dict[str, Any]:
    """A comparison of sets as JSON."""
    names, sizes, means, paired_by, left_out, result, cases, _, changes, contrast = comparison[:10]
    return {
        "schema": "evenhand/set-comparison/v1",
        "sets": [
            {"name": name, "n": size, "mean": round(mean, 4)}
            for name, size, mean in zip(names, sizes, means, strict=True)
        ],
        "paired_by": paired_by,
        "left_out": left_out,
        "difference_shown": result.shown,
        "runs": list(_runs(cases)),
        "changes": [codec.document(change) for change in changes],
        **document_of(result),
        "needed": 0 if contrast is None else contrast.needed,
        "more": None if contrast is None or contrast.more is None else document_of(contrast.more),
        **({} if answer is None else {"answer": document_of(answer)}),
    }


def plan_lines(parts: Scatter | None, plans: Sequence[Design]) -> list[str]:
    """What more cases or more runs of each would be worth."""
    if parts is None:
        return ["what repeats are worth cannot be told: run some cases at least twice in both sets"]
    lines = [
        f"from case to case differences scatter by {sqrt(parts.between):.2f} points, from run to run of a case by "
        f"{sqrt(parts.within):.2f}",
    ]
    lines += [
        f"{plan.cases} cases, {counted(plan.runs, 'run')} each: a difference of "
        f"{plan.detectable:.2f} would be detected {POWER:.0%} of the time ({plan.evaluations} evaluations)"
        for plan in plans
    ]
    return lines


def plan_documents(parts: Scatter | None, plans: Sequence[Design]) -> dict[str, Any]:
    """Plans for more data as JSON."""
    return {
        "scatter": None if parts is None else document_of(parts),
        "designs": [*map(document_of, plans)],
    }


def _runs(cases: Sequence[CaseScores]) -> tuple[int, int]:
    """How many evaluations of the matched cases each set has."""
    return sum(len(case.first) for case in cases), sum(len(case.second) for case in cases)


_TESTS = {
    "sign": "exact sign test",
    "sign-and-t": "the larger of an exact sign test's and a paired t test's",
    "t": "paired t test",
    "welch": "Welch's t test",
    "brunner-munzel": "Brunner and Munzel's test of single scores; the mean is not tested: fewer than 30 evaluations, "
    "or skewed scores",
}


def _unpaired(names: tuple[str, str], result: PairedComparison) -> str:
    """The answer where nothing could be paired."""
    if result.shown and result.claim == "scores":
        all_pairs = result.better + result.worse
        share = max(result.better, result.worse) / all_pairs
        which = "higher" if result.verdict == "better" else "lower"
        return (
            f"{names[1]} is {result.verdict} than {names[0]}: a score of {names[1]} is {which} than one of {names[0]} "
            f"in {share:.0%} of the pairs that differ"
        )
    if result.shown:
        return f"{names[1]} is {result.verdict} than {names[0]}: {result.mean:+.2f} in the mean"
    too_few = ": too few evaluations to compare" if result.p_value is None else ""
    return f"{names[1]} against {names[0]}: {result.verdict}{too_few}"


def _better(names: tuple[str, str], result: PairedComparison) -> str:
    return names[1] if result.mean > 0 else names[0]


def _shown(number: Decimal | None) -> str:
    return "-" if number is None else str(number)
