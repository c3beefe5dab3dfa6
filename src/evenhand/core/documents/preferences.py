"""A comparison of systems pair by pair as a document, and back; and the figures that it holds. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from evenhand.core.documents.records import document_of, record_from
from evenhand.core.history.bradley_terry import strengths
from evenhand.core.history.preferences import first_place, tally, wilson, win_rate
from evenhand.core.panel.consensus import add_calls
from evenhand.core.values.preference import Interval, Preferences, Strength, Tally, write_calls

SCHEMA = "evenhand/preferences/v1"


def preference_document(preferences: Preferences) -> dict[str, Any]:
    """The whole comparison for a program."""
    return {
        **document_of(preferences, SCHEMA),
        "tallies": [
            {"a": a, "b": b, **document_of(counts), "win_rate": _share(win_rate(counts))}
            for a, b, counts in tallies(preferences)
        ],
        "strengths": [*map(document_of, system_strengths(preferences))],
        "position": [
            {"judge": judge, "preferences": total, "first": first, "share": _share(wilson(first, total))}
            for judge, first, total in positions(preferences)
        ],
        "calls": write_calls(add_calls(result.calls for result in preferences.results)),
    }


def _share(share: Interval | None) -> dict[str, Any] | None:
    return None if share is None else document_of(share)


def tallies(preferences: Preferences) -> Iterator[tuple[str, str, Tally]]:
    """Every two systems with how they did against each other."""
    for a, b in combinations(preferences.systems, 2):
        yield a, b, tally(result.outcome for result in preferences.results if (result.a, result.b) == (a, b))


def system_strengths(preferences: Preferences) -> tuple[Strength, ...]:
    """From three systems on; two have a win rate."""
    return (
        strengths(preferences.systems, preferences.results)
        if len(preferences.systems) > 2 and preferences.results
        else ()
    )


def positions(preferences: Preferences) -> Iterator[tuple[str, int, int]]:
    """Every judge with how often it preferred the first place, and how often any."""
    for identity in preferences.judges:
        readings = [
            reading
            for result in preferences.results
            for preference in result.judges
            if preference.judge == identity["name"]
            for reading in preference.readings
        ]
        yield identity["name"], *first_place(readings)


def preferences_from(document: Any) -> Preferences:
    """The comparison in a document that `preference_document` wrote; DocumentError when it is not one."""
    return record_from(Preferences, document, "comparison of pairs")
