"""A comparison of systems pair by pair as a document, and back; and the figures that it holds. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from evenhand.core.panel import add_calls
from evenhand.decisions.sets.preferences import (
    favoured_place,
    first_place,
    first_share,
    flips,
    preferences_decision,
    strengths,
    tally,
    win_rate,
)
from evenhand.decisions.values.preference import Flips, Interval, Preferences, Strength, Tally, write_calls
from evenhand.files import codec
from evenhand.stats.sign_test import two_sided_sign

SCHEMA = "evenhand/preferences/v1"


def preference_document(preferences: Preferences) -> dict[str, Any]:
    """The whole comparison for a program."""
    contrasts = preferences_decision(preferences).contrasts
    return {
        **codec.document(preferences, SCHEMA),
        "contrasts": [*map(codec.document, contrasts)],
        "tallies": [
            {"a": a, "b": b, **codec.document(counts), "win_rate": _share(win_rate(counts, contrast))}
            for (a, b, counts), contrast in zip(tallies(preferences), contrasts, strict=True)
        ],
        "strengths": [*map(codec.document, system_strengths(preferences))],
        "position": [
            {
                "judge": position.judge,
                "preferences": position.preferences,
                "first": position.first,
                "share": _share(first_share(position.first, position.preferences)),
                "flips_to_first": position.flips.first,
                "flips_to_second": position.flips.second,
                "p": round(two_sided_sign(*position.flips), 4) if any(position.flips) else None,
                "favours": favoured_place(position.flips),
            }
            for position in positions(preferences)
        ],
        "calls": write_calls(add_calls(result.calls for result in preferences.results)),
    }


def _share(share: Interval | None) -> dict[str, Any] | None:
    return None if share is None else codec.document(share)


def tallies(preferences: Preferences) -> Iterator[tuple[str, str, Tally]]:
    """Every two systems with how they did against each other."""
    for a, b in combinations(preferences.systems, 2):
        yield a, b, tally(result.outcome for result in preferences.results if (result.a, result.b) == (a, b))


def system_strengths(preferences: Preferences) -> tuple[Strength, ...]:
    """The strength of each of three systems or more, if any pair has a preference; two have a win rate."""
    measured = any(result.outcome in ("a", "b") for result in preferences.results)
    return strengths(preferences.systems, preferences.results) if len(preferences.systems) > 2 and measured else ()


class Position(NamedTuple):
    """How a judge's verdicts depend on the order."""

    judge: str
    first: int
    """How often it preferred what was shown first."""
    preferences: int
    """How many of its verdicts prefer one at all."""
    flips: Flips


def positions(preferences: Preferences) -> Iterator[Position]:
    """Every judge with how often it preferred the first place, and where its flips went."""
    for identity in preferences.judges:
        judged = [
            preference
            for result in preferences.results
            for preference in result.judges
            if preference.judge == identity["name"]
        ]
        first, total = first_place(reading for preference in judged for reading in preference.readings)
        yield Position(identity["name"], first, total, flips(judged))


def preferences_from(document: Any) -> Preferences:
    """The comparison in a document that `preference_document` wrote; DocumentError when it is not one."""
    return codec.read(Preferences, document, part_of="comparison of pairs")
