"""Requirements on a scorecard -> the reasons why it does not meet them. What nobody can tell is not met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.core.method.bounds import HIGHEST_WITH
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.evaluations.comparisons import find_cards
from evenhand.evaluations.gate import gate
from evenhand.evaluations.red_flags import refuse_unknown_flags
from evenhand.judging.files import Named, rank_cards

REQUIREMENTS = frozenset(
    ("min_grade", "min_score", "no_red_flag", "no_fault", "expect", "not_worse_than", "better_than")
)


def shortcomings(card: Scorecard, required: Mapping[str, Any]) -> Iterator[str]:
    """Every requirement that the scorecard misses, in words."""
    yield from _limits(card, required)
    yield from _red_flags(card, required.get("no_red_flag"))
    if required.get("expect") is not None:
        yield from _expectations(card)
    for name, better in (("not_worse_than", False), ("better_than", True)):
        if required.get(name) is not None:
            yield from _preference(card, _baseline(card, required[name]), better=better)


def _limits(card: Scorecard, required: Mapping[str, Any]) -> Iterator[str]:
    """The gate's ruling on the score, the grade and the faults."""
    fault = required.get("no_fault")
    if fault not in (None, True, False, *HIGHEST_WITH):
        raise InputError(f'no_fault is "{fault}"; valid: True, {", ".join(HIGHEST_WITH)}')
    least: Any = "minor" if fault is True else fault or None
    limits = required.get("min_score"), required.get("min_grade")
    for ruling in gate([card], min_score=limits[0], min_grade=limits[1], no_fault=least):
        if ruling.colour != "green":
            hint = ' (judges=["checks", ...] runs them)' if fault and card.checked is None else ""
            yield f"{ruling.says}{hint}"


def _red_flags(card: Scorecard, forbidden: Any) -> Iterator[str]:
    if not forbidden:
        return
    if isinstance(forbidden, str):
        forbidden = [forbidden]
    if forbidden is not True:
        refuse_unknown_flags(forbidden, [card])
    if card.unread:
        yield "nobody has read it: only a reader can tell whether a red flag applies"
    for flag in card.red_flags:
        if forbidden is True or flag.id in forbidden:
            yield f"red flag {flag.id} was raised: {flag.explanation or flag.description}"


def _expectations(card: Scorecard) -> Iterator[str]:
    """Whatever is not met: an expectation nobody can decide is not met either."""
    if card.checked is None or not card.checked.expectations:
        yield "no expectation was looked at"
        return
    for expected in card.checked.expectations:
        if expected.result != "met":
            yield f"{expected.result}: {expected.line}"


def _baseline(card: Scorecard, name: str | Path) -> Scorecard:
    """The baseline's scorecard of the same id, or its only one."""
    from evenhand.settings import load_settings
    from evenhand.store import open_store

    store = None if Path(name).exists() else open_store(load_settings().store)
    cards = []
    for entry in find_cards([str(name)], store):
        if isinstance(entry, InputError):
            raise entry
        cards.append(entry)
    if len(cards) == 1:
        return cards[0].card
    for entry in cards:
        if entry.name == card.id:
            return entry.card
    raise InputError(f'{name} holds {len(cards)} scorecards, and none has the id "{card.id}"')


def _preference(card: Scorecard, baseline: Scorecard, *, better: bool) -> Iterator[str]:
    """By the rules that order a ranking: the final score, then the dimensions in turn, flags and bonuses."""
    ranking, _ = rank_cards([Named("this output", card), Named("the baseline", baseline)])
    for entry in ranking.unranked:
        yield f"{entry.id} cannot be compared: {entry.reason}"
    if ranking.unranked:
        return
    first = ranking.entries[0]
    finals = f"{card.final} against {baseline.final}"
    if first.equivalent_to:
        if better:
            yield f"not better than the baseline: equal in everything ({finals})"
    elif first.id == "the baseline":
        rule = (first.decided_by or "").replace("_", " ")
        yield f"worse than the baseline: decided by {rule} ({finals})"
