"""A panel to and from its part of the scorecard document, and which parts are hashed. Pure.

Distributions are counted in whole parts, so everything derived from a panel can be recomputed exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from evenhand.core.judgement import Agreement, Panel, Unscored
from evenhand.core.numbers import exact, hundredths, plain
from evenhand.core.receipt import canonical_text, checksum
from evenhand.core.rules import DEDUCTION_CAP
from evenhand.documents.scorecards.fields import malformed
from evenhand.files import codec

FOLLOWING: Final = frozenset(("spread", "disputed", "decisive", "grade_probabilities"))
"""The fields computed from the others."""


def panel_json(panel: Panel, agreement: Agreement) -> tuple[str, dict[str, str]]:
    """A panel and its agreement as canonical text, in the published shape, and the checksums of its parts."""
    document = codec.document(panel)
    members = [
        canonical_text({**member, "grade": grade})
        for member, grade in zip(document.pop("members"), agreement.member_grades, strict=True)
    ]
    document |= {
        "spread": {name: plain(width) for name, width in agreement.spread.items()},
        "disputed": list(agreement.disputed),
        "decisive": list(agreement.decisive),
        "grade_probabilities": {letter: plain(exact(chance)) for letter, chance in agreement.grades.items()},
        "deductions": {id: plain(amount) for id, amount in agreement.deductions.items()},
    }
    parts = {name: canonical_text(value) for name, value in document.items()}
    checksums = {f"panel.members.{place}": checksum(text) for place, text in enumerate(members)}
    checksums |= {f"panel.{name}": checksum(text) for name, text in parts.items() if name not in FOLLOWING}
    parts["members"] = f"[{','.join(members)}]"
    return "{" + ",".join([f'"{name}":{parts[name]}' for name in sorted(parts)]) + "}", checksums


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


def deductions_from(document: Mapping[str, Any], where: str = "panel") -> dict[str, Decimal]:
    """The deduction of each red flag that some judge of the panel raised."""
    try:
        amounts = {id: exact(amount) for id, amount in document["deductions"].items() if not isinstance(amount, str)}
    except (KeyError, AttributeError, ValueError):
        raise malformed(f"{where}.deductions", "amounts by red flag") from None
    if len(amounts) < len(document["deductions"]) or any(
        not 0 < hundredths(amount) <= DEDUCTION_CAP for amount in amounts.values()
    ):
        raise malformed(f"{where}.deductions", "numbers above 0 and at most 2")
    return amounts


def contradictions(panel: Panel) -> Iterator[tuple[str, str]]:
    """Where a judge that read the work several times does not have the scores of the reading that counts."""
    members = {member.judge["name"]: member.scores for member in panel.members}
    for place, influence in enumerate(panel.influence):
        by_variant = {reading.variant: reading.scores for reading in influence.readings}
        scores = by_variant[influence.counts] if influence.counts is not None else {}
        for name, verdict in members.get(influence.judge, {}).items():
            if _number_of(verdict) != _number_of(scores.get(name)):
                reading = influence.counts or "no reading"
                yield f"panel.influence.{place}", f"{reading} counts, which gives {influence.judge} another {name}"


def _number_of(verdict: Decimal | Unscored | None) -> Decimal | None:
    return None if isinstance(verdict, Unscored) else verdict
