"""What to change in the second of two sets of evaluations, and the cases in which it is worse than the first."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.decisions.advice.worse_cases import MOST_WORSE, fallen, worse_case
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.values.answer import Answer
from evenhand.evaluations.case_pairs import pair_cards
from evenhand.evaluations.collected_complaints import MOST_CASES, CollectedComplaints
from evenhand.judging.files import Named


def set_answer(
    comparison: SetComparison,
    first: Sequence[Named],
    second: Sequence[Named],
    skill: tuple[str, str] | None = None,
) -> Answer:
    """What follows the verdict of a comparison; `skill` is the name and the text of the skill's file."""
    pairing = pair_cards(first, second)
    names = dict(zip(pairing.names, pairing.members, strict=True))
    worse = fallen(comparison.contrast.differences)
    sides = CollectedComplaints(), CollectedComplaints()
    wanted = dict.fromkeys([*[*names][:MOST_CASES], *(one.case for one in worse[:MOST_WORSE])])
    for name in wanted:
        for side, cards in zip(sides, names.get(name, ((), ())), strict=True):
            for entry in cards:
                side.add(entry.card, name)
    cases = [worse_case(one, sides[1].of_case(one.case), sides[0].of_case(one.case)) for one in worse[:MOST_WORSE]]
    changes = sides[1].changes(skill, cases=[*names][:MOST_CASES])
    return Answer(comparison.names[1], changes, tuple(cases), len(worse) - len(cases))
