"""A comparison of systems pair by pair as a document, and back; and the figures that it holds. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from typing import Any

from evenhand.core.history.bradley_terry import strengths
from evenhand.core.history.preferences import Z, first_place, tally, wilson, win_rate
from evenhand.core.panel.consensus import add_calls
from evenhand.core.values.opinion import Evidence
from evenhand.core.values.panel import Calls
from evenhand.core.values.preference import (
    Interval,
    JudgePreference,
    PairReading,
    PairResult,
    Preferences,
    Strength,
    Tally,
)
from evenhand.errors import DocumentError, Problem

SCHEMA = "evenhand/preferences/v1"


def preference_document(preferences: Preferences) -> dict[str, Any]:
    """The whole comparison for a program."""
    return {
        "schema": SCHEMA,
        "systems": list(preferences.systems),
        "judges": [dict(identity) for identity in preferences.judges],
        "rubrics": [{"name": name, "sha256": digest} for name, digest in preferences.rubrics.items()],
        "pairs": [_pair_document(result) for result in preferences.results],
        "tallies": [
            {"a": a, "b": b, **counts._asdict(), "win_rate": _share_document(win_rate(counts))}
            for a, b, counts in tallies(preferences)
        ],
        "strengths": [
            {
                "system": strength.system,
                "strength": round(strength.value, 4),
                "standard_error": round(strength.error, 4),
                "low": round(strength.value - Z * strength.error, 4),
                "high": round(strength.value + Z * strength.error, 4),
            }
            for strength in system_strengths(preferences)
        ],
        "position": [
            {"judge": judge, "preferences": total, "first": first, "share": _share_document(wilson(first, total))}
            for judge, first, total in positions(preferences)
        ],
        "unmatched": [{"system": system, "item": item} for system, item in preferences.unmatched],
        "failures": list(preferences.failures),
        "left_out": preferences.left_out,
        "calls": _calls_document(add_calls(result.calls for result in preferences.results)),
    }


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


def _pair_document(result: PairResult) -> dict[str, Any]:
    return {
        "item": result.item,
        "a": result.a,
        "b": result.b,
        "outcome": result.outcome,
        "judges": [
            {
                "judge": preference.judge,
                "outcome": preference.outcome,
                "readings": [_reading_document(reading) for reading in preference.readings],
                "reread": [_reading_document(reading) for reading in preference.reread],
            }
            for preference in result.judges
        ],
        "warnings": list(result.warnings),
        "calls": _calls_document(result.calls),
    }


def _reading_document(reading: PairReading) -> dict[str, Any]:
    return {
        "shown_first": reading.shown_first,
        "verdict": reading.verdict,
        "reason": reading.reason,
        "justification": reading.justification,
        "evidence": {
            "a": [_quote_document(quote) for quote in reading.evidence.get("a", ())],
            "b": [_quote_document(quote) for quote in reading.evidence.get("b", ())],
        },
    }


def _quote_document(quote: Evidence) -> dict[str, Any]:
    place = {} if quote.line is None else {"line": quote.line}
    return {"quote": quote.quote, "verified": quote.verified, **place}


def _share_document(share: Interval | None) -> dict[str, float] | None:
    return None if share is None else {name: round(value, 4) for name, value in share._asdict().items()}


def _calls_document(calls: Calls) -> dict[str, Any]:
    return {
        "asked": calls.asked,
        "stored": calls.stored,
        "repairs": calls.repairs,
        "input_tokens": calls.input_tokens,
        "output_tokens": calls.output_tokens,
        "cost": None if calls.cost is None else float(round(calls.cost, 6)),
    }


def preferences_from(document: Any) -> Preferences:
    """The comparison in a document that `preference_document` preferences; DocumentError when it is not one."""
    try:
        return Preferences(
            systems=tuple(document["systems"]),
            results=tuple(map(_pair_from, document["pairs"])),
            judges=tuple(document["judges"]),
            rubrics={rubric["name"]: rubric["sha256"] for rubric in document["rubrics"]},
            unmatched=tuple((entry["system"], entry["item"]) for entry in document["unmatched"]),
            failures=tuple(document["failures"]),
            left_out=document["left_out"],
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise DocumentError(Problem(f"pairs must be as in the schema {SCHEMA}", path=("pairs",))) from None


def _pair_from(pair: Any) -> PairResult:
    calls = pair.get("calls") or {}
    cost = calls.get("cost")
    return PairResult(
        item=pair["item"],
        a=pair["a"],
        b=pair["b"],
        outcome=pair["outcome"],
        judges=tuple(
            JudgePreference(
                judge["judge"],
                judge["outcome"],
                tuple(map(_reading_from, judge["readings"])),
                tuple(map(_reading_from, judge["reread"])),
            )
            for judge in pair["judges"]
        ),
        warnings=tuple(pair["warnings"]),
        calls=Calls(**calls | {"cost": None if cost is None else Decimal(str(cost))}),
    )


def _reading_from(reading: Any) -> PairReading:
    return PairReading(
        reading["shown_first"],
        reading["verdict"],
        reading["reason"],
        reading["justification"],
        {
            side: tuple(Evidence(quote["quote"], quote["verified"], quote.get("line")) for quote in quotes)
            for side, quotes in reading["evidence"].items()
            if quotes
        },
    )
