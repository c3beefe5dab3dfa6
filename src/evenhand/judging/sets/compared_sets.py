"""Sets of scorecards as a table of results, and the decision on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from evenhand.core.bounds import NOT_READ
from evenhand.core.comparison import Change
from evenhand.core.history import changed_between, of_card
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.decide import decide
from evenhand.decisions.decision import Contrast, SetComparison
from evenhand.decisions.table import MeasureName, Part, ResultsTable, Row
from evenhand.errors import InputError
from evenhand.in_words import listed
from evenhand.judging.files import Named
from evenhand.judging.sets.case_clusters import same_clusters
from evenhand.judging.sets.case_pairs import pair_cards


def compare_sets(
    names: Sequence[str], sets: Sequence[Sequence[Named]], *, cluster_of: Callable[[Named], str] | None = None
) -> SetComparison:
    """Whether each set is better or worse than those before it, as if they were the variants of a suite.

    InputError where no case is in all of them.
    """
    names = _distinct(names)
    pairing = pair_cards(*sets)
    if pairing.paired_by is None:
        raise InputError(
            f"no case is in both {' and '.join(names)}: give the evaluations of one task the same id, file name or task"
        )
    clusters = [""] * len(pairing.names) if cluster_of is None else same_clusters(cluster_of, pairing.members)
    cases = _told_apart(pairing.names)
    has_final = any(entry.card.final is not None for cards in sets for entry in cards)
    measure: MeasureName = "final score" if has_final else "expectations met"
    rows = [
        card_row(entry, case, name, place, measure, cluster)
        for case, members, cluster in zip(cases, pairing.members, clusters, strict=True)
        for name, side in zip(names, members, strict=True)
        for place, entry in enumerate(side, start=1)
    ]
    paired = {id(entry) for members in pairing.members for side in members for entry in side}
    for name, cards in zip(names, sets, strict=True):
        alone = [entry for entry in cards if id(entry) not in paired]
        rows += [card_row(entry, f"{entry.label} ({name} alone)", name, 1, measure) for entry in alone]
    reference = names[0] if len(names) == 2 else None
    decision = decide(ResultsTable(rows, names, reference, measure))
    places = {name: place for place, name in enumerate(names)}
    contrasts = tuple(_doubted(one, places, pairing.members) for one in decision.contrasts)
    return SetComparison(
        names=names,
        decision=replace(decision, contrasts=contrasts),
        paired_by=pairing.paired_by,
        changes=set_changes(sets),
        ids={
            case: tuple(tuple(entry.card.id for entry in side) for side in members)
            for case, members in zip(cases, pairing.members, strict=True)
        },
    )


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names made distinct: one that is given twice gets its place."""
    counts = Counter(names)
    words = ("first", "second", "third")
    return tuple(
        name if counts[name] == 1 else f"{name} ({words[place] if place < len(words) else place + 1})"
        for place, name in enumerate(names)
    )


def _doubted(contrast: Contrast, places: Mapping[str, int], members: Sequence[Sequence[Sequence[Named]]]) -> Contrast:
    """Without a verdict where the two sides were judged by different rubrics."""
    doubt = _different_rubrics(
        (sides[places[contrast.reference]], sides[places[contrast.variant]]) for sides in members
    )
    if not doubt:
        return contrast
    says = f"{contrast.variant} against {contrast.reference}: undecided: {doubt}"
    return replace(contrast, verdict="undecided", low=None, high=None, p_value=None, more=None, doubt=doubt, says=says)


def _different_rubrics(members: Iterable[tuple[Sequence[Named], Sequence[Named]]]) -> str:
    """That the two sides of a case were judged by different rubrics, so that their scores answer different questions;
    empty where they were not."""
    for sides in members:
        first, second = ({entry.card.receipt.rubric: entry.card.rubric for entry in side} for side in sides)
        if first.keys() != second.keys():
            before, after = (listed(sorted(set(names.values()))) for names in (first, second))
            which = f"two versions of the rubric {before}" if before == after else f"the rubrics {before} and {after}"
            return f"the sides were judged by {which}; judge both by one: evenhand score ID... --rubric NAME"
    return ""


def card_row(entry: Named, case: str, variant: str, repeat: int, measure: MeasureName, cluster: str = "") -> Row:
    """A scorecard as a row of a table of results: its value, or between which ends it lies."""
    card = entry.card
    expectations = () if card.checked is None else card.checked.expectations
    results = [expected.result for expected in expectations]
    met, decided = results.count("met"), sum(result != "undecided" for result in results)
    value: Fraction | None
    if measure == "final score":
        value = None if card.final is None else Fraction(card.final)
    else:
        value = Fraction(met, decided) if decided else None
    ends = card.interval if measure == "final score" and value is None else None
    return Row(
        case,
        variant,
        repeat,
        value=value,
        unscored="" if value is not None else unscored_reason(card),
        low=None if ends is None else ends.low,
        high=None if ends is None else ends.high,
        cluster=cluster,
        passed=card.passed,
        met=met,
        expectations=decided,
        parts=tuple(
            Part(kind="dimension", name=name, value=Fraction(line.score))
            for name, line in card.dimensions.items()
            if line.score is not None
        ),
        judging_cost=None if card.panel is None else card.panel.calls.cost,
        counts=value is not None or measure == "final score",
    )


def unscored_reason(card: Scorecard) -> str:
    """Why a scorecard has no final score."""
    return next((line.unscored for line in card.dimensions.values() if line.unscored), NOT_READ)


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names made unique, so that none stands for two cases."""
    counts = Counter(names)
    return [name if counts[name] == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]


def set_changes(sets: Sequence[Sequence[Named]]) -> tuple[Change, ...]:
    """What differs between the first set and the others besides the work: rubric, judge, the skill's version."""
    first, *others = sets
    return changed_between(
        [of_card(entry.card) for entry in first], [of_card(entry.card) for cards in others for entry in cards]
    )
