"""A comparison of systems pair by pair: win rates and strengths with intervals, position bias, every item. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.decisions.preference import Interval, JudgePreference, PairReading, PairResult, Preferences, Tally
from evenhand.decisions.preferences import (
    Position,
    favoured_place,
    positions,
    preference_document,
    preferences_decision,
    system_strengths,
    tallies,
    win_rate,
)
from evenhand.errors import shortened_line
from evenhand.in_words import counted
from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.tree import Column, Drawing, Head, Item, Items, Line, Node, Report, Row, Section, Table
from evenhand.stats.sign_test import two_sided_sign

FEWEST_FLIPS = 6
"""Fewer cannot reach 5 % in a sign test, even if all go to one place."""
MOST_LISTED = 20
"""Items of a kind that are listed by name in a report for people."""
MOST_ITEMS = 500
"""Items that can be unfolded one by one."""


def preferences_report(preferences: Preferences) -> Report:
    """The answer, how the pairs came out, and every item to unfold."""
    title = " and ".join(preferences.systems)
    judges = ", ".join(identity["name"] for identity in preferences.judges)
    head = Head(title=title, kicker=f"judged by {judges}" if judges else "", headline=preference_lines(preferences)[0])
    return Report(title, (head, *preference_nodes(preferences)))


def preference_nodes(preferences: Preferences) -> tuple[Node, ...]:
    """What stands below the answer."""
    document = preference_document(preferences)
    nodes: list[Node] = []
    if rest := preference_lines(preferences)[1:]:
        nodes.append(Items(tuple(Item(head=line.strip()) for line in rest)))
    if len(preferences.results) > 1:
        nodes.append(_came_out(document["tallies"]))
    strengths = [
        Measured(row["system"], row["strength"], row["low"], row["high"], _text("{:+.2f}", row, "strength"))
        for row in document["strengths"]
    ]
    if strengths:
        chart = interval_chart(strengths, reference=0, caption="Strength in log odds, mean 0")
        nodes.append(Section(title="Strengths", nodes=(Drawing("interval_chart", chart),)))
    if len(preferences.results) > 1:
        nodes.append(Section(title="Every item", nodes=_item_nodes(preferences)))
    return tuple(nodes)


def _came_out(counted_pairs: Sequence[dict[str, Any]]) -> Section:
    """How often each won; all win rates share their error rate, as their verdicts do."""
    confidence = 100 - 5 / max(1, len(counted_pairs))
    rates = []
    for tally in (tally for tally in counted_pairs if tally["win_rate"]):
        share = {name: 100 * value for name, value in tally["win_rate"].items()}
        words = _text("{:.0f}%", share, "share", confidence)
        rates.append(Measured(f"{tally['a']} against {tally['b']}", share["share"], share["low"], share["high"], words))
    names = ("first wins", "second wins", "ties", "inconsistent", "no verdict")
    counts = ("wins", "losses", "ties", "inconsistent", "undecided")
    table = Table(
        (Column("compared"), *(Column(name, right=True) for name in names)),
        tuple(
            Row((f"{tally['a']} against {tally['b']}", *(str(tally[count]) for count in counts)))
            for tally in counted_pairs
        ),
        "How the pairs came out; inconsistent means that the verdict changed with the order",
    )
    if not rates:
        return Section(title="Win rates", nodes=(table,))
    chart = interval_chart(rates, reference=50, caption="How often the first system wins", unit="{:.0f}%", span=50)
    return Section(title="Win rates", nodes=(Drawing("interval_chart", chart), table))


def _text(form: str, row: dict[str, Any], value: str, confidence: float = 95) -> str:
    ends = f"{form.format(row['low'])} to {form.format(row['high'])}"
    return f"{form.format(row[value])} ({confidence:.4g}% interval {ends})"


def preference_lines(preferences: Preferences) -> list[str]:
    """The comparison for people: each pair of systems, their strengths, position bias, and what did not count."""
    lines = [] if preferences.results else ["no pair was compared"]
    if len(preferences.results) == 1:
        lines += _one_pair(preferences.results[0])
    elif preferences.results:
        contrasts = preferences_decision(preferences).contrasts
        lines += [contrast.says for contrast in contrasts]
        for (a, b, counts), contrast in zip(tallies(preferences), contrasts, strict=True):
            lines += _tally_lines(a, b, counts, win_rate(counts, contrast))
    ranked = system_strengths(preferences)
    if ranked:
        lines.append("strength (Bradley-Terry, log odds, mean 0; standard error from the Fisher information):")
        lines += [
            f"  {strength.system}: {round(strength.value, 2) + 0:+.2f} (standard error {strength.error:.2f})"
            for strength in ranked
        ]
    if len(preferences.results) > 1:
        lines += [_position_line(position) for position in positions(preferences)]
        lines += _named("inconsistent", _items(preferences.results, "inconsistent"))
        lines += _named("no verdict", _items(preferences.results, "undecided"))
    lines += _named("not in all systems", [f"{item} (in {system})" for system, item in preferences.unmatched])
    lines += [f"not compared: {failure}" for failure in preferences.failures]
    if preferences.left_out:
        lines.append(f"not compared because the run stopped: {preferences.left_out}")
    warnings = dict.fromkeys(
        f"{result.item}: {warning}" for result in preferences.results for warning in result.warnings
    )
    return lines + [f"warning: {warning}" for warning in list(warnings)[:MOST_LISTED]]


def _one_pair(result: PairResult) -> list[str]:
    """A single pair with the reasons of every judge."""
    lines = [_outcome_line(result)]
    for preference in result.judges:
        lines.append(f"{preference.judge}: {_judge_outcome(preference, result)}")
        for reading in preference.readings:
            names = (result.a, result.b) if reading.shown_first == "a" else (result.b, result.a)
            lines.append(f"  {names[0]} first: {_verdict_words(reading, names)}")
            for side, name in (("a", result.a), ("b", result.b)):
                for quote in reading.evidence.get(side, ()):  # type: ignore[call-overload]
                    where = (
                        f"line {quote.line}"
                        if quote.verified and quote.line
                        else "verified"
                        if quote.verified
                        else "not found"
                    )
                    lines.append(f'    {name}, {where}: "{shortened_line(quote.quote, 80)}"')
    return lines


def _item_nodes(preferences: Preferences) -> tuple[Node, ...]:
    """Every item to unfold: who is preferred, and why."""
    outcomes = {"tie": "tie", "inconsistent": "inconsistent", "undecided": "no verdict"}
    nodes: list[Node] = []
    for result in preferences.results[:MOST_ITEMS]:
        preferred = f"prefers {result.a if result.outcome == 'a' else result.b}"
        reasons = Items(tuple(Item(head=line.strip()) for line in _one_pair(result)[1:]))
        title = f"{result.item}: {outcomes.get(result.outcome, preferred)}"
        nodes.append(Section(title=title, nodes=(reasons,), folded=True))
    if (left := len(preferences.results) - MOST_ITEMS) > 0:
        nodes.append(Line(f"and {left:,} more: --format json has all", "quiet"))
    return tuple(nodes)


def _outcome_line(result: PairResult) -> str:
    if result.outcome in ("a", "b"):
        return f"{result.a if result.outcome == 'a' else result.b} is preferred, in both orders"
    words = {
        "tie": "a tie, in both orders",
        "inconsistent": "no preference: the verdicts do not agree",
        "undecided": "no verdict",
    }
    return words[result.outcome]


def _judge_outcome(preference: JudgePreference, result: PairResult) -> str:
    names = {"a": f"prefers {result.a}", "b": f"prefers {result.b}", "tie": "a tie", "undecided": "no verdict"}
    return names.get(preference.outcome, "inconsistent, the verdict depends on the order")


def _verdict_words(reading: PairReading, names: Sequence[str]) -> str:
    if reading.verdict is None:
        return f"no verdict: {reading.reason}"
    verdict = {"first": names[0], "second": names[1]}.get(reading.verdict, "tie")
    return f"{verdict}. {reading.justification}".rstrip()


_NO_VERDICT = "no pair has a verdict"


def _tally_lines(a: str, b: str, counts: Tally, rate: Interval | None) -> list[str]:
    share = f"{a} wins {_percent(rate)}" if rate else "no preference measured" if counts.decided else _NO_VERDICT
    rest = [
        counted(counts.ties, "tie"),
        f"{counts.inconsistent} inconsistent",
        f"{counts.undecided} without a verdict",
    ]
    return [f"{a} or {b}: {share}", f"  {a} {counts.wins}, {b} {counts.losses}, {', '.join(rest)}"]


def _percent(share: Interval) -> str:
    return f"{100 * share.share:.0f} %"


def _position_line(position: Position) -> str:
    flips = position.flips
    total, p = flips.first + flips.second, two_sided_sign(*flips)
    if not total:
        return f"position: no verdict of {position.judge} changed with the order"
    place = favoured_place(flips)
    note = (
        f"it favours the {place} place"
        if place
        else "no bias shown"
        if total >= FEWEST_FLIPS
        else "too few to show a bias"
    )
    leaning = f"{position.judge} leaned to the first place in {flips.first} of {counted(total, 'pair')}"
    return f"position: {leaning} whose verdict changed with the order (sign test, p = {p:.2g}): {note}"


def _items(results: Sequence[PairResult], outcome: str) -> list[str]:
    return [f"{result.item} ({result.a}, {result.b})" + _why(result) for result in results if result.outcome == outcome]


def _why(result: PairResult) -> str:
    reasons = [reading.reason for preference in result.judges for reading in preference.readings if reading.reason]
    return f": {reasons[0]}" if reasons else ""


def _named(title: str, items: Sequence[str]) -> list[str]:
    shown = [f"{title}: {item}" for item in items[:MOST_LISTED]]
    return shown + ([f"{title}: {len(items) - MOST_LISTED:,} more"] if len(items) > MOST_LISTED else [])
