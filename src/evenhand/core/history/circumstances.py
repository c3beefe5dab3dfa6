"""Under which circumstances evaluations were made, and what changed from one to the next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenhand.core.values.comparison import Change
from evenhand.core.values.scorecard import Scorecard
from evenhand.named_tuple import NamedTuple

UNKNOWN = "not given"
_HASH = 12
"""The characters of a hash that are shown."""
_LONG = 40
_LABELS = {"judges": "judges of the panel", "identities": "how the panel's judges are asked (a hash)"}
"""What parts of a judge's identity are called where their own name says too little."""


class Circumstances(NamedTuple):
    """What may change a score besides the work."""

    skill_version: str | None
    rubric: str
    """Its name and version, and the beginning of its hash."""
    judge: Mapping[str, str]
    served: tuple[str, ...]
    """The models that answered, as their servers name them."""


def of_card(card: Scorecard) -> Circumstances:
    """The circumstances of a scorecard."""
    served = () if card.panel is None else card.panel.calls.served
    rubric = _rubric(card.rubric, card.rubric_version, card.receipt.rubric)
    return Circumstances(card.skill_version, rubric, card.judge, served)


def of_document(document: Mapping[str, Any]) -> Circumstances:
    """The circumstances that a scorecard's document gives."""
    rubric, panel = document.get("rubric") or {}, document.get("panel") or {}
    return Circumstances(
        document.get("skill_version"),
        _rubric(rubric.get("name", ""), document.get("rubric_version"), rubric.get("sha256", "")),
        document.get("judge") or {},
        tuple((panel.get("calls") or {}).get("served", ())),
    )


def changed(before: Circumstances, after: Circumstances) -> tuple[Change, ...]:
    """What differs between two evaluations, the skill's version first; what neither knows is not a change."""
    return () if before == after else changed_between([before], [after])


def changed_between(before: Iterable[Circumstances], after: Iterable[Circumstances]) -> tuple[Change, ...]:
    """What differs between two sets of evaluations: all the values of each.

    A hash of how a panel's judges are asked follows from who they are, and says nothing more beside that.
    """
    first, second = list(before), list(after)
    changes = []
    for what, values in (
        ("skill version", lambda card: [card.skill_version or UNKNOWN]),
        ("rubric", lambda card: [card.rubric]),
        *((_LABELS.get(key, f"judge's {key}"), _part(key)) for key in _keys(first, second)),
        ("model as served", lambda card: card.served),
    ):
        old, new = (_distinct(values(card) for card in some) for some in (first, second))
        if old != new and (old or new) and not (what == "model as served" and not (old and new)):
            changes.append(Change(what, ", ".join(old) or UNKNOWN, ", ".join(new) or UNKNOWN))
    others = {change.what for change in changes} & {"judge's name", _LABELS["judges"]}
    return tuple(change for change in changes if not (others and change.what == _LABELS["identities"]))


def changes_words(changes: Sequence[Change]) -> str:
    """Changes in a clause: `judge's model: a -> b; rubric: c -> d`."""
    return "; ".join(f"{change.what}: {change.before} -> {change.after}" for change in changes)


def _keys(first: Sequence[Circumstances], second: Sequence[Circumstances]) -> list[str]:
    """The parts of a judge's identity, its name first."""
    return list({"name": 0} | {key: 0 for card in (*first, *second) for key in card.judge})


def _part(key: str) -> Any:
    return lambda card: [_short(card.judge[key])] if key in card.judge else []


def _distinct(values: Iterable[Iterable[str]]) -> list[str]:
    return sorted({value for some in values for value in some})


def _rubric(name: str, version: str | None, sha256: str) -> str:
    shown = f"{name} {version}" if version else name
    return f"{shown} ({sha256[:_HASH]})" if sha256 else shown


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_HASH]}..."
