"""The judges behind a score, in words. Pure; renderers do no arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from evenhand.core.judgement import (
    DISPUTED,
    Agreement,
    Calls,
    Condensed,
    Discounted,
    Escalation,
    Evidence,
    Influence,
    Member,
    Panel,
    Reading,
    Unscored,
)
from evenhand.core.numbers import cents, half_up, hundredths, points
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.in_words import counted, listed, plural

DISPUTED_MARK = "?"
"""After a grade in a list: its judges disagree."""

DISPUTED_LEGEND = f"{DISPUTED_MARK} the judges are {DISPUTED} or more apart in some dimension"

NO_SCORE = "none"
"""Shown where a judge was asked and gave no score; where it was not asked, the cell is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRow:
    """One dimension, judge by judge."""

    name: str
    scores: tuple[str, ...]
    official: str
    spread: str
    disputed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LostClaim:
    """A claim that did not count."""

    says: str
    """ "red flag f1 from openai:small (outvoted)"."""
    explanation: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """A panel as data to show."""

    judges: tuple[str, ...]
    """The names of the judges; the columns of the table."""
    rows: tuple[PanelRow, ...]
    """Empty when there is only one judge: then the scorecard shows everything already."""
    lines: tuple[tuple[str, str, bool], ...]
    """Everything else: a label, a sentence, and whether it is a warning."""
    lost: tuple[LostClaim, ...]


def is_disputed(card: Scorecard) -> bool:
    """Whether the judges disagree so much about a dimension that the grade deserves a second look."""
    return card.agreement is not None and bool(card.agreement.disputed)


def marked_grade(card: Scorecard) -> str:
    """The grade as a list shows it: "-" when there is no single one, with a mark when it is disputed."""
    return (card.grade.letter if card.grade else "-") + (DISPUTED_MARK if is_disputed(card) else "")


def judge_names(card: Scorecard) -> tuple[str, ...]:
    """Who judged: every judge of a panel, or the only one; empty when the judgement names none."""
    if card.panel is not None:
        return tuple(member.judge["name"] for member in card.panel.members)
    name = card.judge.get("name")
    return () if name is None else (name,)


def panel_report(card: Scorecard) -> PanelReport | None:
    """Put a scorecard's panel into words; None when no model judged."""
    panel, agreement = card.panel, card.agreement
    if panel is None or agreement is None:
        return None
    lost = tuple(
        LostClaim(says=_lost(claim), explanation=claim.explanation, evidence=claim.evidence)
        for claim in panel.discounted
        if claim.kind != "observation"
    )
    lines = [
        ("grades" if card.official is None else "raw grades", _grades(card, panel, agreement), False),
        ("disputed", disputed_line(agreement), True),
        ("decisive", _decisive(agreement), True),
        ("not counted", _not_counted(lost), False),
        *(("noticed", observation, False) for observation in _noticed(panel.discounted)),
        ("escalated", _escalated(panel.escalation), False),
        *(("condensed", _condensed(condensed), True) for condensed in panel.condensed),
        *(("read again", _influence(influence), influence.counts != "first") for influence in panel.influence),
        ("calls", calls_line(panel.calls), False),
    ]
    return PanelReport(
        judges=judge_names(card),
        rows=_rows(card, panel, agreement) if len(panel.members) > 1 else (),
        lines=tuple(line for line in lines if line[1]),
        lost=lost,
    )


def _rows(card: Scorecard, panel: Panel, agreement: Agreement) -> tuple[PanelRow, ...]:
    rows = [
        PanelRow(
            name=name,
            scores=tuple(_verdict(member, name) for member in panel.members),
            official=NO_SCORE if card.dimensions[name].score is None else str(card.dimensions[name].score),
            spread=str(agreement.spread.get(name, "")),
            disputed=name in agreement.disputed,
        )
        for name in DIMENSIONS
    ]
    rows.append(
        PanelRow(
            name="grade alone",
            scores=tuple(grade or "-" for grade in agreement.member_grades),
            official=card.grade.letter if card.grade else "-",
            spread="",
            disputed=False,
        )
    )
    return tuple(rows)


def _verdict(member: Member, name: str) -> str:
    verdict = member.scores.get(name)
    return "" if verdict is None else NO_SCORE if isinstance(verdict, Unscored) else str(verdict)


def _grades(card: Scorecard, panel: Panel, agreement: Agreement) -> str:
    """How probable each grade is, and how far the next one; empty when all there is are one judge's scores."""
    if len(panel.members) == 1 and not panel.members[0].distributions:
        return ""
    chances = ", ".join(f"{letter} {percent(chance)}" for letter, chance in agreement.grades.items())
    if is_too_sure(agreement):
        chances = ""
    step = card.next_step
    if not chances or step is None or step.next_grade is None or card.official is not None:
        return chances
    return f"{chances}; {step.next_grade} is {step.distance} away"


def is_too_sure(agreement: Agreement) -> bool:
    """Whether one grade is all but certain by the judges' scores although judges are far apart on a dimension.

    The probability is right as computed, and says nothing of what divides them; beside their dispute it would mislead.
    """
    return bool(agreement.disputed) and max(agreement.grades.values(), default=0.0) >= 0.995


def percent(chance: float) -> str:
    """A probability in whole per cent, never rounded to certainty."""
    if 0.995 <= chance < 1:
        return "over 99%"
    return f"{100 * chance:.0f}%" if chance >= 0.01 else "under 1%"


def disputed_line(agreement: Agreement) -> str:
    """The disputed dimensions, or how many there are and the worst: the table marks them all."""
    named = [f"{name} ({agreement.spread[name]})" for name in agreement.disputed]
    if not named:
        return ""
    if len(named) > 3:
        worst = max(agreement.disputed, key=agreement.spread.__getitem__)
        named = [f"{len(named)} dimensions, {worst} most ({agreement.spread[worst]})"]
    return f"{listed(named)}: the judges are {DISPUTED} or more apart"


def _decisive(agreement: Agreement) -> str:
    if not agreement.decisive:
        return ""
    return f"without {listed(agreement.decisive, 'or')} the grade would change"


_WHY = {"unverified": "none of its quotes is in the output", "unlisted": "not in the rubric", "outvoted": "outvoted"}


def _lost(claim: Discounted) -> str:
    return f"{claim.kind.replace('_', ' ')} {claim.id} from {claim.judge} ({_WHY[claim.reason]})"


def _not_counted(lost: Sequence[LostClaim]) -> str:
    if not lost:
        return ""
    claims = counted(len(lost), "claim did not count", "claims did not count")
    return f"{claims}: {', '.join(claim.says for claim in lost)}"


MOST_NOTICED = 5
"""How many observations outside the rubric are shown; the JSON holds all."""


def _noticed(discounted: Sequence[Discounted]) -> list[str]:
    """What judges saw that the rubric does not list: it does not count, and may be worth adding to the rubric."""
    observations = [claim for claim in discounted if claim.kind == "observation"]
    lines = [f"{observation.judge}: {observation.explanation}" for observation in observations[:MOST_NOTICED]]
    if lines:
        lines[0] += " (not in the rubric, so it does not count)"
    return lines + ([f"and {len(observations) - MOST_NOTICED} more"] if len(observations) > MOST_NOTICED else [])


def _escalated(escalation: Escalation | None) -> str:
    if escalation is None:
        return ""
    saved = f"{counted(escalation.saved_calls, 'call')} to it saved"
    if not escalation.asked:
        return f"{escalation.to} was not needed; {saved}"
    return f"{escalation.to} was asked about {_reasons(escalation.asked)}; {saved}"


def _reasons(reasons: Mapping[str, str]) -> str:
    """The dimensions, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for name, why in reasons.items():
        by_reason.setdefault(why, []).append(name)
    return "; ".join(f"{listed(names)} ({why})" for why, names in by_reason.items())


def _condensed(condensed: Condensed) -> str:
    return (
        f"{condensed.judge} saw {counted(condensed.kept, 'event')} in full and {condensed.shortened} shortened; "
        f"{counted(condensed.elided, 'was', 'were')} left out: {condensed.why}"
    )


def _influence(influence: Influence) -> str:
    readings = [f"{_VARIANTS[reading.variant]} {_mean(reading)}" for reading in influence.readings]
    return f"{influence.judge}, on average: {', '.join(readings)}; {influence.why}"


_VARIANTS = {
    "first": "first reading",
    "masked": "with words masked",
    "first-again": "read again",
    "masked-again": "masked again",
}


def _mean(reading: Reading) -> str:
    scores = [score for score in reading.scores.values() if not isinstance(score, Unscored)]
    return str(points(half_up(sum(map(hundredths, scores)), len(scores)))) if scores else NO_SCORE


def calls_line(calls: Calls) -> str:
    """What the calls to models took; an unknown price is called unknown."""
    if not calls.asked and not calls.stored:
        return ""
    parts = [f"{calls.asked:,} made" if calls.asked else "none made"]
    if calls.stored:
        parts.append(f"{calls.stored:,} answered from stored replies")
    if calls.repairs:
        parts.append(f"{calls.repairs:,} of them {plural(calls.repairs, 'a second try', 'second tries')}")
    text = ", ".join(parts)
    if calls.input_tokens or calls.output_tokens:
        cached = f" ({calls.cached_tokens:,} from the server's cache)" if calls.cached_tokens else ""
        text += f"; {counted(calls.input_tokens, 'token')} in{cached}, {calls.output_tokens:,} out"
        text += " (estimated: the server does not count them)" if calls.estimated else ""
    return f"{text}; {_cost(calls)}"


def _cost(calls: Calls) -> str:
    if not calls.asked:
        return "no cost"
    return "cost unknown" if calls.cost is None else f"cost ${_dollars(calls.cost)}"


def _dollars(cost: Decimal) -> str:
    """Cents, or as many places as a smaller sum needs for two figures."""
    if cost == 0 or cost >= Decimal("0.1"):
        return f"{cents(cost):,}"
    return f"{cost:.{1 - cost.adjusted()}f}"
