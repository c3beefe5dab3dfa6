"""From verdicts in both orders to outcomes, win rates and position bias. Pure.

A preference counts only if it survives the swap: the same output must be preferred whichever is shown first. Two ties
are a tie. Anything else is inconsistent, and a missing verdict leaves the pair undecided; neither is a tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

from evenhand.core.panel import add_calls
from evenhand.decisions.decide import LEVEL as DECISION_LEVEL
from evenhand.decisions.decide import decide
from evenhand.decisions.decision import Contrast, Decision
from evenhand.decisions.preference import (
    Flips,
    Interval,
    JudgePreference,
    Outcome,
    PairReading,
    PairResult,
    Preferences,
    Strength,
    Tally,
    write_calls,
)
from evenhand.decisions.table import MEASURES, ResultsTable, Row
from evenhand.files import codec
from evenhand.stats.bradley_terry import fitted
from evenhand.stats.sign_test import share_interval, two_sided_sign

LEVEL: Final = 0.05
"""A judge favours a place if flips as uneven as its own have a lower probability than this without bias."""

NORMAL_95: Final = 1.959963984540054
"""The normal quantile of a 95 % interval."""

MIRRORED: Final[dict[Outcome, Outcome]] = {"a": "b", "b": "a"}
"""The outcomes that change when the two sides change places."""


def outcome(readings: Sequence[PairReading]) -> Outcome:
    """What one judge's readings in both orders come to."""
    preferred = {_preferred(reading) for reading in readings}
    if None in preferred or len({reading.shown_first for reading in readings}) < 2:
        return "undecided"
    if len(preferred) > 1:
        return "inconsistent"
    only = preferred.pop()
    return "a" if only == "a" else "b" if only == "b" else "tie"


def _preferred(reading: PairReading) -> str | None:
    """The side that a reading prefers, or tie; None without a verdict."""
    if reading.verdict is None or reading.verdict == "tie":
        return reading.verdict
    return reading.shown_first if reading.verdict == "first" else MIRRORED[reading.shown_first]


def agreed(outcomes: Sequence[Outcome]) -> Outcome:
    """What several judges come to: the outcome of more than half of them, else inconsistent.

    A judge without a verdict counts as one that is asked, so that half of a panel cannot decide alone.
    """
    for candidate in dict.fromkeys(outcomes):
        if 2 * outcomes.count(candidate) > len(outcomes):
            return candidate
    return "inconsistent"


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """The number of wins and losses of side a."""
    counts = {"a": 0, "b": 0, "tie": 0, "inconsistent": 0, "undecided": 0}
    for outcome in outcomes:
        counts[outcome] += 1
    return Tally(counts["a"], counts["b"], counts["tie"], counts["inconsistent"], counts["undecided"])


def win_rate(tally: Tally, contrast: Contrast) -> Interval | None:
    """The share of decided pairs won; ties and inconsistent pairs count half.

    The interval is that of the verdict in `contrast`, of b against a: it leaves out one half exactly where b is better
    or worse. Pairs without a verdict may be won or lost. None when no pair is won or lost: half of nothing but ties
    and flips is not a measured 50 %.
    """
    if not tally.wins + tally.losses:
        return None
    even = tally.ties + tally.inconsistent
    share = (tally.wins + even / 2) / tally.decided
    if contrast.claim == "mean" and contrast.low is not None and contrast.high is not None:
        return Interval(share, (1 - contrast.high) / 2, (1 - contrast.low) / 2)
    differing = tally.wins + tally.losses + tally.undecided
    low, _ = share_interval(tally.wins, tally.losses + tally.undecided, contrast.level)
    _, high = share_interval(tally.wins + tally.undecided, tally.losses, contrast.level)
    return Interval(share, *((even / 2 + differing * end) / (even + differing) for end in (low, high)))


def preferences_decision(preferences: Preferences) -> Decision:
    """Every two systems, decided like everything that is compared: an item is won, lost, or neither.

    Each pair of systems is a table of its own, since what an item is worth depends on what it is beside. A preference
    that changed with the order is neither won nor lost, and an item without a verdict may be either.
    """
    pairs = [*combinations(preferences.systems, 2)]
    alone = DECISION_LEVEL / max(1, len(pairs))
    decided = [decide(_table(preferences, a, b), level=alone) for a, b in pairs]
    return Decision(
        measure="preferred",
        reference=None,
        level=DECISION_LEVEL,
        margin=float(MEASURES["preferred"].margin),
        cases=len({result.item for result in preferences.results}),
        variants=(),
        contrasts=tuple(contrast for one in decided for contrast in one.contrasts),
    )


def _table(preferences: Preferences, a: str, b: str) -> ResultsTable:
    results = [result for result in preferences.results if (result.a, result.b) == (a, b)]
    rows = [
        Row(result.item, name, value=_WORTH.get(own), unscored="" if own in _WORTH else "no verdict")
        for result in results
        for name, own in ((a, result.outcome), (b, MIRRORED.get(result.outcome, result.outcome)))
    ]
    known = {result.item for result in results}
    rows += [
        Row(item, system, unscored=f"{system} alone has it")
        for system, item in preferences.unmatched
        if system in (a, b) and item not in known
    ]
    return ResultsTable(rows, (a, b), a, "preferred")


_WORTH: Final[Mapping[Outcome, Fraction]] = {
    "a": Fraction(1),
    "b": Fraction(0),
    "tie": Fraction(1, 2),
    "inconsistent": Fraction(1, 2),
}
"""What an item is worth to the side that the outcome calls a."""


def first_place(readings: Iterable[PairReading]) -> tuple[int, int]:
    """How often the output shown first was preferred, and how many readings had a preference."""
    verdicts = [reading.verdict for reading in readings if reading.verdict in ("first", "second")]
    return verdicts.count("first"), len(verdicts)


def first_share(first: int, preferences: int) -> Interval | None:
    """How often what was shown first was preferred; None without a preference."""
    if not preferences:
        return None
    return Interval(first / preferences, *share_interval(first, preferences - first, LEVEL))


def flips(preferences: Iterable[JudgePreference]) -> Flips:
    """The pairs whose verdict changed with the order, by the place that they lean to.

    A pair that prefers a place once and ties once leans to that place. Consistent pairs say nothing about position:
    counting them hides a judge that follows the place whenever it is unsure.
    """
    places = [
        sum({"first": 1, "second": -1}.get(reading.verdict or "", 0) for reading in preference.readings)
        for preference in preferences
        if preference.outcome == "inconsistent"
    ]
    return Flips(sum(place > 0 for place in places), sum(place < 0 for place in places))


def favoured_place(flips: Flips) -> Literal["first", "second"] | None:
    """The place that a judge favours by the sign test at 5 %, or None."""
    if two_sided_sign(flips.first, flips.second) >= LEVEL:
        return None
    return "first" if flips.first > flips.second else "second"


def strengths(systems: Sequence[str], results: Iterable[PairResult]) -> tuple[Strength, ...]:
    """Each system's strength, strongest first. Ties and inconsistent pairs are half a win for each."""
    index = {name: place for place, name in enumerate(systems)}
    wins = [[0.0] * len(systems) for _ in systems]
    for result in results:
        worth = _WORTH.get(result.outcome)
        if worth is not None:
            wins[index[result.a]][index[result.b]] += float(worth)
            wins[index[result.b]][index[result.a]] += 1 - float(worth)
    rows = [
        Strength(name, value, error, value - NORMAL_95 * error, value + NORMAL_95 * error)
        for name, (value, error) in zip(systems, fitted(wins), strict=True)
    ]
    return tuple(sorted(rows, key=lambda strength: (-strength.value, strength.system)))


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
