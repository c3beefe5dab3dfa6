"""A panel to and from its part of the scorecard document, and which parts are hashed. Pure.

Distributions are counted in whole parts, so everything derived from a panel can be recomputed
exactly. `panel_from` raises KeyError, TypeError or ValueError for anything this module did not write.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from evenhand.core.basics.canonical import canonical_text, checksum, names_text, number_text
from evenhand.core.basics.methodology import DEDUCTION_CAP, DIMENSIONS
from evenhand.core.basics.numbers import exact, hundredths, plain, points, score, shown
from evenhand.core.documents.influence import influence_document, influence_from
from evenhand.core.values.opinion import Distribution, Evidence, Unscored
from evenhand.core.values.panel import Agreement, Calls, Condensed, Discounted, Escalation, Member, Panel

FOLLOWING: Final = frozenset(("spread", "disputed", "decisive", "grade_probabilities"))
"""The fields computed from the others."""


_ONLY_IF_ANY = ("cached_tokens", "estimated")


def panel_json(panel: Panel, agreement: Agreement) -> tuple[str, dict[str, str]]:
    """A panel and its agreement as canonical text, in the published shape (`shapes.PanelDocument`), and the checksums
    of its parts."""
    members = [
        _member(member, f'"grade":{canonical_text(grade)},')
        for member, grade in zip(panel.members, agreement.member_grades, strict=True)
    ]
    parts = {
        "quorum": canonical_text(panel.quorum),
        "spread": canonical_text({name: plain(width) for name, width in agreement.spread.items()}),
        "disputed": canonical_text(list(agreement.disputed)),
        "decisive": canonical_text(list(agreement.decisive)),
        "grade_probabilities": canonical_text(
            {letter: plain(exact(chance)) for letter, chance in agreement.grades.items()}
        ),
        "deductions": canonical_text({id: plain(amount) for id, amount in agreement.deductions.items()}),
        "discounted": canonical_text(
            [{**claim._asdict(), "evidence": [*map(_quote, claim.evidence)]} for claim in panel.discounted]
        ),
        "escalation": canonical_text(None if panel.escalation is None else _escalation(panel.escalation)),
        "condensed": canonical_text([entry._asdict() for entry in panel.condensed]),
        "calls": canonical_text(_calls(panel.calls)),
        "criteria": names_text(panel.criteria),
    }
    if panel.influence:  # not in scorecards from before there were several readings
        parts["influence"] = canonical_text([*map(influence_document, panel.influence)])
    checksums = {f"panel.members.{place}": checksum(text) for place, text in enumerate(members)}
    checksums |= {f"panel.{name}": checksum(text) for name, text in parts.items() if name not in FOLLOWING}
    parts["members"] = f"[{','.join(members)}]"
    return "{" + ",".join([f'"{name}":{parts[name]}' for name in sorted(parts)]) + "}", checksums


def canonical_panel(panel: Panel) -> str:
    """The part of a panel that belongs to the judgement: the judges' scores and claims, and the quorum."""
    members = ",".join([_member(member) for member in panel.members])
    return f'{{"members":[{members}],"quorum":{canonical_text(panel.quorum)}}}'


def panel_checksums(document: Any) -> dict[str, str]:
    """A checksum of each part of a panel's document that cannot be recomputed, by field."""
    if not isinstance(document, Mapping):
        return {"panel": checksum(canonical_text(document))}
    checksums: dict[str, str] = {}
    for key, value in document.items():
        if key == "members" and isinstance(value, list):
            checksums |= {
                f"panel.members.{place}": checksum(canonical_text(member)) for place, member in enumerate(value)
            }
        elif key not in FOLLOWING:
            checksums[f"panel.{key}"] = checksum(canonical_text(value))
    return checksums


def panel_from(document: Mapping[str, Any]) -> Panel:
    """The panel of a document that `panel_document` wrote."""
    escalation = document["escalation"]
    calls = document["calls"]
    cost = calls["cost"]
    members = tuple(map(_member_from, document["members"]))
    if not members:
        raise ValueError("a panel has a judge")
    return Panel(
        members=members,
        quorum=None if document["quorum"] is None else _count(document["quorum"]),
        discounted=tuple(map(_discounted_from, document["discounted"])),
        escalation=None
        if escalation is None
        else Escalation(_text(escalation["to"]), _texts(escalation["asked"]), _count(escalation["saved_calls"])),
        condensed=tuple(
            Condensed(
                _text(row["judge"]),
                _count(row["kept"]),
                _count(row["shortened"]),
                _count(row["elided"]),
                _text(row["why"]),
            )
            for row in document["condensed"]
        ),
        calls=Calls(
            **{name: _count(calls[name]) for name in Calls._fields if name not in ("cost", *_ONLY_IF_ANY)},
            **{name: _count(calls.get(name, 0)) for name in _ONLY_IF_ANY},
            cost=None if cost is None else exact(_number(cost)),
        ),
        criteria=_texts(document["criteria"]),
        influence=tuple(map(influence_from, document.get("influence", ()))),
    )


def deductions_from(document: Mapping[str, Any]) -> dict[str, Decimal]:
    """The deduction of each red flag that some judge of the panel raised."""
    amounts = {_text(id): exact(_number(amount)) for id, amount in document["deductions"].items()}
    if any(not 0 < hundredths(amount) <= DEDUCTION_CAP for amount in amounts.values()):
        raise ValueError("a deduction is more than 0 and at most 2")
    return amounts


def _member(member: Member, grade: str = "") -> str:
    """A judge as canonical text; `grade` is that field with a comma behind it, or nothing."""
    scores = [
        f'"{name}":{"null" if isinstance(verdict, Unscored) else number_text(verdict)}'
        for name, verdict in sorted(member.scores.items())
    ]
    unscored = {name: verdict.reason for name, verdict in member.scores.items() if isinstance(verdict, Unscored)}
    distributions = {
        name: {shown(points(place)): parts for place, parts in distribution.items()}
        for name, distribution in member.distributions.items()
    }
    return (
        f'{{"abstained":{canonical_text(member.abstained)},"bonuses":{canonical_text(list(member.bonuses))},'
        f'"distributions":{canonical_text(distributions)},{grade}"judge":{names_text(member.judge)},'
        f'"red_flags":{canonical_text(list(member.red_flags))},"scores":{{{",".join(scores)}}},'
        f'"unscored":{canonical_text(unscored)}}}'
    )


def _member_from(document: Mapping[str, Any]) -> Member:
    judge = _texts(document["judge"])
    if "name" not in judge:
        raise KeyError("name")
    scores, unscored, known = document["scores"], document["unscored"], document["distributions"]
    abstained = document["abstained"]
    return Member(
        judge=judge,
        scores={
            name: Unscored(_text(unscored[name])) if scores[name] is None else score(_number(scores[name]))
            for name in _named(scores)
        },
        distributions={name: _distribution_from(known[name]) for name in _named(known)},
        red_flags=tuple(map(_text, document["red_flags"])),
        bonuses=tuple(map(_text, document["bonuses"])),
        abstained=None if abstained is None else _text(abstained),
    )


def _distribution_from(document: Mapping[str, Any]) -> Distribution:
    counts = {hundredths(score(place)): _count(parts) for place, parts in document.items()}
    if not any(counts.values()):
        raise ValueError("a distribution has parts")
    return dict(sorted(counts.items()))


def _discounted_from(document: Mapping[str, Any]) -> Discounted:
    kind, reason = document["kind"], document["reason"]
    if kind not in ("red_flag", "bonus", "observation") or reason not in ("unverified", "unlisted", "outvoted"):
        raise ValueError(f"{kind} {reason} is not a kind of discounted claim")
    return Discounted(
        kind=kind,
        id=_text(document["id"]),
        judge=_text(document["judge"]),
        reason=reason,
        explanation=_text(document["explanation"]),
        evidence=tuple(map(_quote_from, document["evidence"])),
    )


def _calls(calls: Calls) -> dict[str, Any]:
    """The calls; some counts only where they are not zero, as in scorecards from before these were kept."""
    document = {**calls._asdict(), "cost": None if calls.cost is None else plain(calls.cost)}
    return {name: value for name, value in document.items() if value or name not in _ONLY_IF_ANY}


def _escalation(escalation: Escalation) -> dict[str, Any]:
    return {**escalation._asdict(), "asked": dict(escalation.asked)}


def _quote(evidence: Evidence) -> dict[str, Any]:
    document: dict[str, Any] = {"quote": evidence.quote, "verified": evidence.verified}
    if evidence.source is not None:
        document["source"] = evidence.source
    elif evidence.verified:
        document |= {"line": evidence.line, "offset": evidence.offset}
    return document


def _quote_from(document: Mapping[str, Any]) -> Evidence:
    verified = document["verified"]
    if verified is not None and type(verified) is not bool:
        raise TypeError("verified is true, false or null")
    line, offset, source = document.get("line"), document.get("offset"), document.get("source")
    return Evidence(
        _text(document["quote"]),
        verified,
        None if line is None else _count(line),
        None if offset is None else _count(offset),
        None if source is None else _text(source),
    )


def _named(document: Mapping[str, Any]) -> list[str]:
    """The dimensions a document has something for, in their order."""
    if not set(document) <= set(DIMENSIONS):
        raise ValueError("an unknown dimension")
    return [name for name in DIMENSIONS if name in document]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text was expected")
    return value


def _texts(document: Mapping[str, Any]) -> dict[str, str]:
    return {_text(key): _text(value) for key, value in document.items()}


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("a whole number was expected, 0 or more")
    return value


def _number(value: Any) -> int | float:
    if type(value) not in (int, float):
        raise TypeError("a number was expected")
    number: int | float = value
    return number
