"""What about an evaluation deserves a look: drift, unusual dimensions, red flags. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from evenhand.reports.history import LIKELY_CHANCE, strength_words


class Alarm(NamedTuple):
    """Something about an evaluation that deserves a look."""

    kind: Literal["drift", "unusual", "chance", "flag"]
    """A drift alarm; a dimension further off than chance explains; one that chance explains; a red flag."""
    text: str
    detail: str


def alarms_of(document: Mapping[str, Any]) -> list[Alarm]:
    """The alarms of a scorecard's document, the loudest first."""
    history = document.get("history") or {}
    drift = history.get("drift") or {}
    alarms = []
    if drift.get("alarm"):
        way = "fallen" if drift["average"] < drift["baseline"] else "risen"
        numbers = f"from {drift['baseline']:.2f} to {drift['average']:.2f}"
        alarms.append(Alarm("drift", "drift", f"the final score has {way} {numbers} on average"))
    flagged = [(name, line) for name, line in (history.get("dimensions") or {}).items() if line.get("flagged")]
    for name, line in sorted(flagged, key=lambda pair: pair[1].get("strength") or 0):
        alarms.append(_flagged(name, line))
    alarms += [Alarm("flag", str(flag["id"]), str(flag["description"])) for flag in document.get("red_flags", ())]
    return alarms


def _flagged(name: str, line: Mapping[str, Any]) -> Alarm:
    strength = line.get("strength")
    text = f"{name} {line['delta']:+.2f}"
    if strength is None:
        return Alarm("unusual", text, "it had never changed before")
    often = f"by chance, some dimension is this far off {strength_words(float(strength))}"
    return Alarm("chance" if strength > LIKELY_CHANCE else "unusual", text, often)
