"""Two evaluations, or two sets of them, side by side: in words, and as JSON. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from evenhand.core.basics.numbers import plain
from evenhand.core.history.changes import Changes
from evenhand.core.history.pairs import CONFIDENCE, POWER, PairedComparison
from evenhand.core.values.scorecard import Scorecard
from evenhand.reports.document import evidence_note
from evenhand.reports.panel import disputed_line, judge_names, listed


def change_lines(before: Scorecard, after: Scorecard, found: Changes) -> list[str]:
    """What moved, a line each, the sum last."""
    grades = [card.grade.letter if card.grade else "no grade" for card in (before, after)]
    lines = [f"{before.final or 'unscored'} ({grades[0]}) -> {after.final or 'unscored'} ({grades[1]})"]
    if not found.moves:
        lines.append("no score, flag or bonus differs")
    for move in found.moves:
        moved = "" if move.points is None else f"  {move.points:+}"
        disputed = _disputed_where(move.name, before, after)
        lines.append(f"{move.name}: {_shown(move.before)} -> {_shown(move.after)}{moved}{disputed}")
    if found.rest:
        lines.append(f"rounding, caps, floor and ceiling: {found.rest:+}")
    if found.final is not None:
        lines.append(f"final score: {found.final:+}")
    lines += _panel_lines(before, after)
    lines += [f"new evidence, {name}, {evidence_note(each)}: {_short(each.quote)}" for name, each in found.new_evidence]
    lines += [f"evidence gone, {name}: {_short(each.quote)}" for name, each in found.gone_evidence]
    return lines + [f"note: {note}" for note in found.notes]


def change_document(before: Scorecard, after: Scorecard, found: Changes) -> dict[str, Any]:
    """The same for a program."""
    return {
        "schema": "evenhand/comparison/v1",
        "before": _side(before),
        "after": _side(after),
        "final": _maybe(found.final),
        "moves": [
            {"name": move.name, **{key: _maybe(getattr(move, key)) for key in ("before", "after", "points")}}
            for move in found.moves
        ],
        "rest": _maybe(found.rest),
        "new_evidence": [
            {"for": name, "quote": each.quote, "verified": each.verified} for name, each in found.new_evidence
        ],
        "gone_evidence": [
            {"for": name, "quote": each.quote, "verified": each.verified} for name, each in found.gone_evidence
        ],
        "notes": list(found.notes),
    }


def _side(card: Scorecard) -> dict[str, Any]:
    agreement = card.agreement
    return {
        "id": card.id,
        "final": _maybe(card.final),
        "judges": list(judge_names(card)),
        "spread": {} if agreement is None else {name: plain(width) for name, width in agreement.spread.items()},
        "disputed": [] if agreement is None else list(agreement.disputed),
    }


def _disputed_where(name: str, before: Scorecard, after: Scorecard) -> str:
    """On which side the judges of a panel dispute a dimension: a move there may be theirs, not the output's."""
    sides = [
        side
        for side, card in (("before", before), ("after", after))
        if card.agreement is not None and name in card.agreement.disputed
    ]
    return f"  (disputed {' and '.join(sides)})" if sides else ""


def _panel_lines(before: Scorecard, after: Scorecard) -> list[str]:
    """Who judged, and what they dispute, when a side was judged by several."""
    judges = [judge_names(card) for card in (before, after)]
    if max(map(len, judges)) < 2:
        return []
    named = [listed(names) if names else "unknown" for names in judges]
    if judges[0] == judges[1]:
        lines = [f"judges of both: {named[0]}"]
    else:
        lines = [f"judges before: {named[0]}", f"judges after: {named[1]}"]
    for side, card in (("before", before), ("after", after)):
        said = "" if card.agreement is None else disputed_line(card.agreement)
        lines += [f"disputed {side}: {said}"] if said else []
    return lines


def set_lines(
    names: tuple[str, str],
    sizes: tuple[int, int],
    means: tuple[float, float],
    paired_by: str | None,
    left_out: int,
    result: PairedComparison,
) -> list[str]:
    """Is B better than A? Said plainly, also when it is not shown."""
    lines = [f"{name}: mean {mean:.2f} of {size}" for name, mean, size in zip(names, means, sizes, strict=True)]
    lines.append(
        f"{result.pairs} pairs by the same {paired_by}"
        if paired_by
        else "nothing could be paired; the sets are compared whole"
    )
    if left_out:
        lines.append(f"{left_out} without a final score left out")
    lines.append(_verdict(names, result))
    if result.low is not None and result.high is not None:
        lines.append(
            f"difference {result.mean:+.2f}, {CONFIDENCE:.0%} interval {result.low:+.2f} to {result.high:+.2f}"
        )
    if result.p_value is not None:
        kind = {"sign-flip": "exact sign-flip test", "t": "paired t test", "welch": "Welch's t test"}[result.test]
        lines.append(f"chance of a difference this large if there were none: {result.p_value:.3f} ({kind})")
    if result.test == "sign-flip" and result.detectable is None and result.pairs < 6:
        lines.append("with fewer than six pairs no difference can be shown at all")
    if result.detectable is not None:
        lines.append(
            f"so much data shows a difference of {result.detectable:.2f} {POWER:.0%} of the time, smaller ones rarely"
        )
    if result.p_value is not None:
        lines.append(f"rank: {_better(names, result)} stays first in {result.stability:.0%} of resamples")
    return lines


def set_document(
    names: tuple[str, str],
    sizes: tuple[int, int],
    means: tuple[float, float],
    paired_by: str | None,
    left_out: int,
    result: PairedComparison,
) -> dict[str, Any]:
    """The same for a program."""
    numbers = {name: round(value, 6) if isinstance(value, float) else value for name, value in result._asdict().items()}
    return {
        "schema": "evenhand/set-comparison/v1",
        "sets": [
            {"name": name, "n": size, "mean": round(mean, 4)}
            for name, size, mean in zip(names, sizes, means, strict=True)
        ],
        "paired_by": paired_by,
        "left_out": left_out,
        "difference_shown": result.shown,
        **numbers,
    }


def _verdict(names: tuple[str, str], result: PairedComparison) -> str:
    if result.p_value is None:
        return "too few evaluations to tell anything"
    if not result.shown:
        return "no difference shown"
    return f"{_better(names, result)} is better"


def _better(names: tuple[str, str], result: PairedComparison) -> str:
    return names[1] if result.mean > 0 else names[0]


def _shown(number: Decimal | None) -> str:
    return "-" if number is None else str(number)


def _short(quote: str) -> str:
    text = " ".join(quote.split())
    return f'"{text if len(text) <= 100 else text[:97] + "..."}"'


def _maybe(number: Any) -> int | float | None:
    return None if number is None else plain(number)
