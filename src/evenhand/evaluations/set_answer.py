"""What to change in the second of two sets of evaluations, and the cases in which it is worse than the first."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.decisions.advice.worse_cases import MOST_WORSE, fallen, worse_case
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.values.answer import Answer
from evenhand.evaluations.case_pairs import pair_cards
from evenhand.evaluations.collected_complaints import MOST_CASES, CollectedComplaints, changes_of
from evenhand.evaluations.comparisons import complete_cards
from evenhand.judging.files import Named


def set_answer(
    comparison: SetComparison,
    first: Sequence[Named],
    second: Sequence[Named],
    skill: tuple[str, str] | None = None,
) -> Answer:
    """What follows the verdict of a comparison; `skill` is the name and the text of the skill's file."""
    variant = comparison.names[1]
    before, after = complete_cards(first), complete_cards(second)
    pairing = pair_cards(before, after)
    if comparison.contrast is None:
        return Answer(variant, changes_of(after[:MOST_CASES], skill), ())
    worse = fallen(comparison.contrast.differences)
    sides = CollectedComplaints(), CollectedComplaints()
    wanted = {*range(min(MOST_CASES, len(pairing.members))), *(int(one.case) for one in worse[:MOST_WORSE])}
    for place in sorted(wanted):
        for side, cards in zip(sides, pairing.members[place], strict=True):
            for entry in cards:
                side.add(entry.card, pairing.names[place])
    cases = []
    for difference in worse[:MOST_WORSE]:
        name = pairing.names[int(difference.case)]
        then, now = (side.of_case(name) for side in sides)
        cases.append(worse_case(difference._replace(case=name), now, then))
    changes = sides[1].changes(skill, cases=dict.fromkeys(pairing.names[:MOST_CASES]))
    return Answer(variant, changes, tuple(cases), len(worse) - len(cases))
