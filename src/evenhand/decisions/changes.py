"""Two scorecards side by side: what moved, by how many points, and which evidence is new. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal, NamedTuple, TypedDict

from evenhand.core.criteria_results import verdict_rows
from evenhand.core.finding import Checked
from evenhand.core.judgement import Evidence
from evenhand.core.numbers import half_up, points
from evenhand.core.rubric import ANSWERS
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.facts import LEAST_FOR_DETAILS

ZERO = Decimal("0.00")


class Move(NamedTuple):
    """One thing that differs, and its effect on the final score."""

    name: str
    before: Decimal | None
    """The score, or the signed amount of a flag or bonus; None where there is none."""
    after: Decimal | None
    points: Decimal | None
    """None where a dimension is unscored on one side."""


class MovedCriterion(NamedTuple):
    """A criterion that is answered differently, or on one side only."""

    id: str
    """Its id in the rubric; of a sentence, the sentence itself."""
    before: Annotated[str | None, {"enum": ANSWERS}]
    """The answer; None where it was not asked about."""
    after: Annotated[str | None, {"enum": ANSWERS}]
    points: Decimal | None
    """What the change is worth in points of the final score, before claims; None where an answer is missing or cannot
    be told, and for sentences, which give no score."""


class MovedFinding(NamedTuple):
    """A fault that only one of the two has, or an expectation with another result."""

    kind: Literal["fault", "expectation"]
    words: str
    """What the check found, or the expectation."""
    before: str | None
    """The fault's severity, or the expectation's result; None where there is none."""
    after: str | None


MovedQuote = TypedDict("MovedQuote", {"for": str, "quote": str, "verified": bool | None})
"""A quote that only one of the two has, and what it was given for."""


def _write_evidence(moved: tuple[tuple[str, Evidence], ...]) -> list[MovedQuote]:
    return [{"for": name, "quote": quote.quote, "verified": quote.verified} for name, quote in moved]


_MovedEvidence = Annotated[tuple[tuple[str, Evidence], ...], {"shape": list[MovedQuote], "write": _write_evidence}]


class Changes(NamedTuple):
    """From one scorecard to another. The points of all moves and the rest add up to the change of the final score."""

    final: Decimal | None
    moves: tuple[Move, ...]
    rest: Decimal | None
    """The effect of rounding, caps, floor and ceiling; None without two final scores."""
    new_evidence: _MovedEvidence
    gone_evidence: _MovedEvidence
    notes: tuple[str, ...]
    criteria: tuple[MovedCriterion, ...] = ()
    """The criteria that are answered differently, the largest loss first."""
    findings: tuple[MovedFinding, ...] = ()
    """What checks found on one side only, and expectations with another result; without notes, which count for
    nothing."""


def changes(before: Scorecard, after: Scorecard) -> Changes:
    """What changed from one scorecard to the other."""
    moves = [*_dimensions(before, after), *_claims(before, after)]
    final = None if before.final is None or after.final is None else after.final - before.final
    counted = [move.points for move in moves]
    rest = None
    if final is not None:
        rest = final - sum((gain for gain in counted if gain is not None), ZERO)
    old, new = _evidence(before), _evidence(after)
    return Changes(
        moves=tuple(moves),
        rest=rest,
        final=final,
        new_evidence=tuple(new[key] for key in new if key not in old),
        gone_evidence=tuple(old[key] for key in old if key not in new),
        notes=_notes(before, after),
        criteria=_criteria(before, after),
        findings=_findings(before, after),
    )


def _findings(before: Scorecard, after: Scorecard) -> tuple[MovedFinding, ...]:
    if before.checked is None or after.checked is None:  # what was not looked for is not gone
        return ()
    moved = []
    for kind, sides in (("fault", _faults), ("expectation", _results)):
        old, new = sides(before.checked), sides(after.checked)
        for words in {**old, **new}:
            if old.get(words) != new.get(words):
                moved.append(MovedFinding(kind, words, old.get(words), new.get(words)))  # type: ignore[arg-type]
    return tuple(moved)


def _faults(checked: Checked) -> dict[str, str]:
    return {finding.message: finding.severity for finding in checked.findings if finding.severity and finding.is_fault}


def _results(checked: Checked) -> dict[str, str]:
    return {expected.words: expected.result for expected in checked.expectations}


def _criteria(before: Scorecard, after: Scorecard) -> tuple[MovedCriterion, ...]:
    old, new = ({row.id: row for row in verdict_rows(card)} if _has_criteria(card) else {} for card in (before, after))
    moved = []
    for id in {**old, **new}:
        was, now = old.get(id), new.get(id)
        if was is not None and now is not None and was.verdict.answer == now.verdict.answer:
            continue
        told = [row for row in (was, now) if row is not None and row.dimension and row.state != "open"]
        gain = None
        if was is not None and now is not None and len(told) == 2:
            hundredths = 100 * (was.lost - now.lost)
            gain = points(half_up(hundredths.numerator, hundredths.denominator))
        moved.append(
            MovedCriterion(
                id, None if was is None else was.verdict.answer, None if now is None else now.verdict.answer, gain
            )
        )
    return tuple(sorted(moved, key=lambda entry: ZERO if entry.points is None else entry.points))


class CriterionShares(NamedTuple):
    """How often a criterion is met in each of two sets."""

    id: str
    before: Fraction
    """The mean of how far it is met, from 0 to 1, where it was decided."""
    after: Fraction
    decided: tuple[int, int]
    """In how many scorecards it was decided."""


def criteria_shares(before: Iterable[Scorecard], after: Iterable[Scorecard]) -> list[CriterionShares]:
    """The criteria that are met more often in one set than in the other, the largest fall first; only those that could
    be decided in enough evaluations of both."""
    sides = []
    for cards in (before, after):
        values: dict[str, list[Fraction]] = {}
        for row in (row for card in cards if _has_criteria(card) for row in verdict_rows(card)):
            if row.met is not None:
                values.setdefault(row.id, []).append(row.met)
        sides.append(values)
    old, new = sides
    shares = [
        CriterionShares(
            id,
            sum(old[id]) / Fraction(len(old[id])),
            sum(new[id]) / Fraction(len(new[id])),
            (len(old[id]), len(new[id])),
        )
        for id in old
        if id in new and min(len(old[id]), len(new[id])) >= LEAST_FOR_DETAILS
    ]
    return sorted(
        (share for share in shares if share.before != share.after), key=lambda share: share.after - share.before
    )


def _has_criteria(card: Scorecard) -> bool:
    return card.checked is not None or any(line.criteria is not None for line in card.dimensions.values())


def _dimensions(before: Scorecard, after: Scorecard) -> list[Move]:
    moves = []
    for name in DIMENSIONS:
        old, new = before.dimensions[name], after.dimensions[name]
        if old.score == new.score and old.weight == new.weight:
            continue
        gain = None if old.points is None or new.points is None else new.points - old.points
        moves.append(Move(name, old.score, new.score, gain))
    return moves


def _claims(before: Scorecard, after: Scorecard) -> list[Move]:
    old_flags = {flag.id: -flag.deduction for flag in before.red_flags}
    new_flags = {flag.id: -flag.deduction for flag in after.red_flags}
    old_bonuses = {award.id: award.bonus for award in before.bonuses}
    new_bonuses = {award.id: award.bonus for award in after.bonuses}
    moves = []
    for noun, old, new in (("red flag", old_flags, new_flags), ("bonus", old_bonuses, new_bonuses)):
        for id in {**old, **new}:
            was, now = old.get(id), new.get(id)
            if was != now:
                moves.append(Move(f"{noun} {id}", was, now, (now or ZERO) - (was or ZERO)))
    return moves


def _evidence(card: Scorecard) -> dict[tuple[str, str], tuple[str, Evidence]]:
    lists = [(name, line.evidence) for name, line in card.dimensions.items()]
    lists += [(f"red flag {flag.id}", flag.evidence) for flag in card.red_flags]
    lists += [(f"bonus {award.id}", award.evidence) for award in card.bonuses]
    for line in card.dimensions.values():
        verdicts = {} if line.criteria is None else line.criteria.verdicts
        lists += [(id, verdict.evidence) for id, verdict in verdicts.items()]
    return {(name, item.quote): (name, item) for name, evidence in lists for item in evidence}


def _notes(before: Scorecard, after: Scorecard) -> tuple[str, ...]:
    """Why the two may not be comparable (R18)."""
    pairs = (
        ("skills", before.skill, after.skill),
        ("rubrics", before.receipt.rubric, after.receipt.rubric),
        ("judges", before.judge, after.judge),
    )
    return tuple(f"the two come from different {what}" for what, old, new in pairs if old != new)
