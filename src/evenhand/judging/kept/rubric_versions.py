"""What is known of a rubric's versions from the scorecards made by them, and how two versions differ. Pure.

A scorecard holds the hash of a rubric and what of it the score depended on: weights, pass mark, the flags and bonuses
that were given, and where models judged a checksum of everything they were shown. It does not hold the rubric's text;
`rubric_texts` finds that where it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class KnownVersion(NamedTuple):
    """A version of a rubric as scorecards show it."""

    sha256: str
    pass_mark: Any
    weights: Mapping[str, Any]
    flags: Mapping[str, tuple[str, Any]]
    """By id: the description and the deduction of every red flag that was raised."""
    bonuses: Mapping[str, tuple[str, Any]]
    criteria: Mapping[str, str]
    """Checksums of what judges were shown, by name; empty where no model judged."""


class Difference(NamedTuple):
    """Something that is not the same in two versions."""

    what: str
    before: str
    after: str


def known_version(sha256: str, documents: Iterable[Mapping[str, Any]]) -> KnownVersion | None:
    """What some scorecards by one version show of it; None without any."""
    pass_mark: Any = None
    weights: dict[str, Any] = {}
    flags: dict[str, tuple[str, Any]] = {}
    bonuses: dict[str, tuple[str, Any]] = {}
    criteria: dict[str, str] = {}
    for document in documents:
        pass_mark = document["pass_mark"]
        weights = {name: line["weight"] for name, line in document["dimensions"].items()}
        flags |= {flag["id"]: (flag["description"], flag["deduction"]) for flag in document["red_flags"]}
        bonuses |= {bonus["id"]: (bonus["description"], bonus["bonus"]) for bonus in document["bonuses"]}
        criteria |= (document.get("panel") or {}).get("criteria", {})
    return KnownVersion(sha256, pass_mark, weights, flags, bonuses, criteria) if weights else None


def version_differences(before: KnownVersion, after: KnownVersion) -> list[Difference]:
    """What changed, as far as scorecards show it; a flag that only one version raised is not a difference."""
    changes = []
    if before.pass_mark != after.pass_mark:
        changes.append(Difference("pass mark", f"{before.pass_mark}", f"{after.pass_mark}"))
    for name in dict.fromkeys((*before.weights, *after.weights)):
        pair = before.weights.get(name), after.weights.get(name)
        if pair[0] != pair[1]:
            changes.append(Difference(f"weight of {name}", percent(pair[0]), percent(pair[1])))
    for kind, old, new in (("red flag", before.flags, after.flags), ("bonus", before.bonuses, after.bonuses)):
        for id in sorted(old.keys() & new.keys()):
            for place, what in ((1, "amount"), (0, "description")):
                if old[id][place] != new[id][place]:
                    changes.append(Difference(f"{what} of {kind} {id}", str(old[id][place]), str(new[id][place])))
    for name in sorted(before.criteria.keys() | after.criteria.keys()) if before.criteria and after.criteria else ():
        was, now = before.criteria.get(name), after.criteria.get(name)
        if was != now:
            shown = "there" if was else "not there", ("another text" if was else "there") if now else "not there"
            changes.append(Difference(f"wording of {name}", *shown))
    return changes


def percent(weight: Any) -> str:
    """A weight as people write it."""
    return "none" if weight is None else f"{float(weight) * 100:g}%"
