"""What a report says of the judges behind a score, in words. Pure; renderers do no arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import cents
from evenhand.core.panel.agreement import DISPUTED
from evenhand.core.values.opinion import Evidence, Unscored
from evenhand.core.values.panel import Agreement, Calls, Condensed, Discounted, Escalation, Member, Panel
from evenhand.core.values.scorecard import Scorecard

DISPUTED_MARK = "?"
"""Behind a grade in a list: its panel is not of one mind."""

DISPUTED_LEGEND = f"{DISPUTED_MARK} the judges differ by {DISPUTED} or more in a dimension"

NO_SCORE = "none"
"""Where a judge was asked and gave no score; where it was not asked, nothing stands."""


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
    """ "red flag f1 of openai:small (outvoted)"."""
    explanation: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """A panel as data to show."""

    judges: tuple[str, ...]
    """The names of the judges; the columns of the table."""
    rows: tuple[PanelRow, ...]
    """Empty when there is only one judge: then the scorecard shows all it said."""
    lines: tuple[tuple[str, str, bool], ...]
    """What else to know: a label, a sentence, and whether it is a warning."""
    lost: tuple[LostClaim, ...]


def is_disputed(card: Scorecard) -> bool:
    """Whether judges of a panel differ so much in a dimension that its grade deserves a look."""
    return card.agreement is not None and bool(card.agreement.disputed)


def marked_grade(card: Scorecard) -> str:
    """The grade as a list shows it: "-" when there is no single one, with a mark when it is disputed."""
    return (card.grade.letter if card.grade else "-") + (DISPUTED_MARK if is_disputed(card) else "")


def judge_names(card: Scorecard) -> tuple[str, ...]:
    """Who judged: every judge of a panel, or the one there was; none when nobody said who."""
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
        LostClaim(says=_lost(each), explanation=each.explanation, evidence=each.evidence)
        for each in panel.discounted
        if each.kind != "observation"
    )
    said = [
        ("grades", _grades(card, panel, agreement), False),
        ("disputed", disputed_line(agreement), True),
        ("decisive", _decisive(agreement), True),
        ("not counted", _not_counted(lost), False),
        *(("noticed", each, False) for each in _noticed(panel.discounted)),
        ("escalated", _escalated(panel.escalation), False),
        *(("condensed", _condensed(each), True) for each in panel.condensed),
        ("calls", calls_line(panel.calls), False),
    ]
    return PanelReport(
        judges=judge_names(card),
        rows=_rows(card, panel, agreement) if len(panel.members) > 1 else (),
        lines=tuple(line for line in said if line[1]),
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
    """How probable each grade is, and how far the next one; nothing when nothing is known but one judge's scores."""
    if len(panel.members) == 1 and not panel.members[0].distributions:
        return ""
    said = ", ".join(f"{letter} {percent(chance)}" for letter, chance in agreement.grades.items())
    step = card.next_step
    if not said or step is None or step.next_grade is None:
        return said
    return f"{said}; {step.distance} to {step.next_grade}"


def percent(chance: float) -> str:
    """A probability in whole per cent; what is not certain never looks certain."""
    if 0.995 <= chance < 1:
        return "over 99 %"
    return f"{100 * chance:.0f} %" if chance >= 0.01 else "under 1 %"


def disputed_line(agreement: Agreement) -> str:
    """The dimensions, or how many they are and where it is worst: the table marks each."""
    named = [f"{name} ({agreement.spread[name]})" for name in agreement.disputed]
    if not named:
        return ""
    if len(named) > 3:
        worst = max(agreement.disputed, key=agreement.spread.__getitem__)
        named = [f"{len(named)} dimensions, {worst} most ({agreement.spread[worst]})"]
    return f"{listed(named)}: judges differ by {DISPUTED} or more"


def _decisive(agreement: Agreement) -> str:
    if not agreement.decisive:
        return ""
    if len(agreement.decisive) == 1:
        return f"without {agreement.decisive[0]} the grade would be another"
    return f"the grade would be another without {listed(agreement.decisive, 'or')}"


_WHY = {"unverified": "no quote of it is in the output", "unlisted": "not in the rubric", "outvoted": "outvoted"}


def _lost(claim: Discounted) -> str:
    return f"{claim.kind.replace('_', ' ')} {claim.id} of {claim.judge} ({_WHY[claim.reason]})"


def _not_counted(lost: Sequence[LostClaim]) -> str:
    if not lost:
        return ""
    counted = "1 claim did not count" if len(lost) == 1 else f"{len(lost)} claims did not count"
    return f"{counted}: {', '.join(each.says for each in lost)}"


MOST_NOTICED = 5
"""How many observations outside the rubric are shown; the JSON holds all."""


def _noticed(discounted: Sequence[Discounted]) -> list[str]:
    """What judges saw that the rubric does not list; it counts for nothing, and may be worth listing."""
    seen = [each for each in discounted if each.kind == "observation"]
    lines = [f"{each.judge}: {each.explanation}" for each in seen[:MOST_NOTICED]]
    if lines:
        lines[0] += " (outside the rubric: it counts for nothing)"
    return lines + ([f"and {len(seen) - MOST_NOTICED} more"] if len(seen) > MOST_NOTICED else [])


def _escalated(escalation: Escalation | None) -> str:
    if escalation is None:
        return ""
    saved = f"{escalation.saved_calls} {'call' if escalation.saved_calls == 1 else 'calls'} to it saved"
    if not escalation.asked:
        return f"{escalation.to} was not needed; {saved}"
    return f"{escalation.to} was asked about {_reasons(escalation.asked)}; {saved}"


def _reasons(asked: Mapping[str, str]) -> str:
    """The dimensions, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for name, why in asked.items():
        by_reason.setdefault(why, []).append(name)
    return "; ".join(f"{listed(names)} ({why})" for why, names in by_reason.items())


def _condensed(each: Condensed) -> str:
    return (
        f"{each.judge} saw {each.kept} events whole and {each.shortened} shortened; "
        f"{each.elided} were left out: {each.why}"
    )


def calls_line(calls: Calls) -> str:
    """What asking took; an unknown price says so."""
    if not calls.asked and not calls.stored:
        return ""
    parts = [f"{calls.asked:,} asked" if calls.asked else "none asked"]
    if calls.stored:
        parts.append(f"{calls.stored:,} from the store of replies")
    if calls.repairs:
        parts.append(f"{calls.repairs:,} of them {'a second try' if calls.repairs == 1 else 'second tries'}")
    said = ", ".join(parts)
    if calls.input_tokens or calls.output_tokens:
        said += f"; {calls.input_tokens:,} tokens in, {calls.output_tokens:,} out"
    return f"{said}; {_cost(calls)}"


def _cost(calls: Calls) -> str:
    if not calls.asked:
        return "nothing paid"
    return "cost unknown" if calls.cost is None else f"cost ${_dollars(calls.cost)}"


def _dollars(cost: Decimal) -> str:
    """Cents, or as many places as a smaller sum needs for two figures."""
    if cost == 0 or cost >= Decimal("0.1"):
        return f"{cents(cost):,}"
    return f"{cost:.{1 - cost.adjusted()}f}"


def listed(names: Iterable[str], word: str = "and") -> str:
    """Names as a sentence has them: "a, b and c"."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last
