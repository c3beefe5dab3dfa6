"""A gate on scorecards: what a user requires, checked and handed to `decisions.gate`, which rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from evenhand.core.bounds import HIGHEST_WITH
from evenhand.core.calibration import CalibrationLimits, shortcoming
from evenhand.core.criteria_results import criterion_result
from evenhand.core.curve import Calibration
from evenhand.core.numbers import exact
from evenhand.core.numbers import score as checked
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Terms
from evenhand.core.rules import GRADES
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import Gate, Ruling, judge_baseline, judge_card, reasons, worse
from evenhand.errors import InputError, unknown
from evenhand.judging.files import Named
from evenhand.judging.kept.found_cards import find_cards
from evenhand.judging.sets.compared_sets import compare_sets
from evenhand.rubrics.library import find, load_place

REQUIREMENTS = frozenset(
    ("min_grade", "min_score", "no_red_flag", "no_fault", "expect", "criteria", "not_worse_than", "better_than")
)
"""What a test or a bridge can require of a scorecard."""


def checked_limits(
    *,
    min_score: Decimal | float | str | None = None,
    min_grade: str | None = None,
    no_fault: str | None = None,
    margin: Decimal | float | str = "0.2",
) -> Gate:
    """The limits of a gate as exact values; InputError for those that cannot be."""
    letters = [grade.letter for grade in GRADES]
    if min_grade is not None and min_grade not in letters:
        raise InputError(unknown("grade", min_grade, letters))
    if no_fault not in (None, *HIGHEST_WITH):
        raise InputError(f'no_fault is "{no_fault}"; valid: True, {", ".join(HIGHEST_WITH)}')
    try:
        least, allowed = None if min_score is None else checked(min_score), exact(margin)
    except ValueError as error:
        raise InputError(f"the gate's limits are not valid: {error}") from None
    return Gate(min_score=least, min_grade=min_grade, no_fault=no_fault, margin=allowed)


def rule(
    cards: Sequence[Named],
    gate: Gate,
    baseline: Sequence[Named] | None,
    *,
    calibrated: bool = False,
    calibration: Calibration | None = None,
    limits: CalibrationLimits | None = None,
    alarms: Mapping[str, str] = {},
    misplaced: Mapping[str, str] = {},
) -> list[Ruling]:
    """The gate's ruling on each scorecard, and on all of them against a baseline.

    With `calibrated`, a scorecard without a calibrated final score is red; `calibration` is the one to hold it to,
    `limits` what is asked of it. So is one whose judge, or a judge of whose panel, has an open alarm of its anchors, by
    name in `alarms`, and one of a skill that the calibration is not shown to hold for, in `misplaced`. InputError for
    a flag or criterion that nothing could raise or miss.
    """
    refuse_unknown(gate, [entry.card for entry in cards])
    rulings = []
    if calibrated or gate != Gate(margin=gate.margin):
        for entry in cards:
            missing = shortcoming(entry.card, calibration, limits) if calibrated else None
            if calibrated and missing is None:
                missing = _alarm(entry.card, alarms) or misplaced.get(entry.card.skill)
            rulings.append(judge_card(entry.card, gate, uncalibrated=missing)._replace(name=entry.label))
    if baseline is not None:
        rulings.append(judge_baseline(compare_sets(("the baseline", "now"), (baseline, cards)), gate.margin))
    return rulings


def _alarm(card: Scorecard, alarms: Mapping[str, str]) -> str | None:
    members = () if card.panel is None else card.panel.members
    names = [card.judge.get("name", ""), *(member.judge.get("name", "") for member in members)]
    return next((alarms[name] for name in names if name in alarms), None)


def shortcomings(card: Scorecard, required: Mapping[str, Any]) -> list[str]:
    """Every requirement that the scorecard misses, in words. What cannot be told is not met."""
    fault = required.get("no_fault")
    limits = checked_limits(
        min_score=required.get("min_score"),
        min_grade=required.get("min_grade"),
        no_fault="minor" if fault is True else fault or None,
    )
    flags = required.get("no_red_flag") or ()
    limits = limits._replace(
        no_red_flags="any" if flags is True else several(flags),
        all_expected=required.get("expect") is not None,
        criteria=several(required.get("criteria") or ()),
    )
    refuse_unknown(limits, [card])
    missed, unknown = reasons(card, limits)
    missed += unknown
    for name in ("not_worse_than", "better_than"):
        if required.get(name) is not None:
            missed += worse(card, _baseline(card, required[name]), better=name == "better_than")
    return missed


def refuse_unknown(gate: Gate, cards: Sequence[Scorecard]) -> None:
    """InputError for a red flag or a criterion that no scorecard could have: a misspelt one would pass for ever."""
    if gate.no_red_flags and gate.no_red_flags != "any":
        _refuse_unknown_flags(gate.no_red_flags, cards)
    _refuse_unknown_criteria(gate.criteria, cards)


def _refuse_unknown_flags(flags: Iterable[str], cards: Sequence[Scorecard]) -> None:
    """A misspelt flag would never be raised, so each must be in a rubric that was used."""
    rubrics: dict[str, Terms] = {}
    for card in cards:
        if card.rubric not in rubrics:
            place = find(card.rubric)
            if place is None:
                return  # a rubric that is not available here may list anything
            rubrics[card.rubric] = terms_of(load_place(place))
        if rubrics[card.rubric].sha256 != card.receipt.rubric:
            return
    listed = {id for terms in rubrics.values() for id in terms.red_flags}
    for flag in flags:
        if cards and flag not in listed:
            raise InputError(unknown("red flag", flag, sorted(listed)))


def _refuse_unknown_criteria(ids: Iterable[str], cards: Sequence[Scorecard]) -> None:
    """A misspelt criterion would never be missed, so each must have been asked about in some scorecard."""
    for id in ids:
        if cards and not any(criterion_result(card, id) for card in cards):
            asked = {
                criterion.id
                for card in cards
                for line in card.dimensions.values()
                for criterion in (() if line.criteria is None else line.criteria.tree.criteria())
            }
            asked |= {expectation.words for card in cards if card.checked for expectation in card.checked.expectations}
            none = "no scorecard has criteria or expectations" if not asked else ""
            raise InputError(unknown("criterion", id, sorted(asked), otherwise=none))


def several(ids: str | Iterable[str]) -> tuple[str, ...]:
    """One id or sentence, or several."""
    return (ids,) if isinstance(ids, str) else tuple(ids)


def _baseline(card: Scorecard, name: str | Path) -> Scorecard:
    """The baseline's scorecard of the same case, or its only one."""
    from evenhand.options.settings import load_settings
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
        if entry.case == (card.case or card.id):
            return entry.card
    raise InputError(f'{name} holds {len(cards)} scorecards, and none has the id "{card.id}"')
