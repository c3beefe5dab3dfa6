"""What to change in the best of some sets of evaluations, and the cases in which it is worse than the first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.decisions.decision import SetComparison
from evenhand.decisions.grouped_complaints import MOST_CASES, MOST_WORSE, CollectedComplaints, fallen, worse_case
from evenhand.decisions.what_to_change import Answer, Changes
from evenhand.judging.files import Named
from evenhand.judging.sets.case_pairs import pair_cards


def set_answer(
    comparison: SetComparison, sets: Sequence[Sequence[Named]], skill: tuple[str, str] | None = None
) -> Answer:
    """What follows the verdict of a comparison; `skill` is the name and the text of the skill's file."""
    pairing = pair_cards(*sets)
    names = dict(zip(pairing.names, pairing.members, strict=True))
    variant = comparison.decision.advised_variant
    contrast = next(one for one in comparison.decision.contrasts if one.variant == variant)
    places = [comparison.names.index(name) for name in (contrast.reference, variant)]
    worse = fallen(contrast.differences)
    before, now = CollectedComplaints(), CollectedComplaints()
    wanted = dict.fromkeys([*[*names][:MOST_CASES], *(one.case for one in worse[:MOST_WORSE])])
    for name in wanted:
        for side, place in zip((before, now), places, strict=True):
            for entry in names[name][place] if name in names else ():
                side.add(entry.card, name)
    cases = [worse_case(one, now.of_case(one.case), before.of_case(one.case)) for one in worse[:MOST_WORSE]]
    return Answer(variant, now.changes(skill, cases=[*names][:MOST_CASES]), tuple(cases), len(worse) - len(cases))


def changes_of(cards: Iterable[Named], skill: tuple[str, str] | None = None) -> Changes:
    """What to change, by scorecards of outputs of one skill."""
    collected = CollectedComplaints()
    for entry in cards:
        place = entry.card.suite
        collected.add(entry.card, entry.label if place is None else place.case)
    return collected.changes(skill)
