"""What to change in a skill: complaints about its outputs, grouped by what they say, most costly first. Pure.

Two complaints say the same when they are

1. about the same red flag, check or expectation
2. reasons that quote the same instruction of SKILL.md
3. reasons about the same dimension whose words are alike: two stems or more in common, at least `ALIKE` of both

The most alike are put together first. Groups that quote different instructions are never put together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from evenhand.decisions.advice.instructions import Instructions
from evenhand.decisions.advice.word_stems import stems
from evenhand.decisions.values.change import Change, Changes, Complaint, Instruction, Passage

ALIKE = 0.3
"""The least part of the words of two reasons that they have in common (Dice's coefficient)."""

ALIKE_IN_MEAN = 0.15
"""The least mean of that over all pairs of wordings of two groups, so that no chain of wordings ties everything."""

SHARED_STEMS = 2
QUOTES = 2
"""How many quotes a change has, where there are as many."""


class _Group:
    """Complaints that say the same."""

    def __init__(self, complaint: Complaint, instruction: Instruction | None) -> None:
        self.complaints = [complaint]
        self.instruction = instruction

    @property
    def dimension(self) -> str:
        return self.complaints[0].dimension

    def absorb(self, other: _Group) -> None:
        self.complaints += other.complaints
        self.instruction = self.instruction or other.instruction

    def fits(self, other: _Group) -> bool:
        """Whether the two may be one: not if both quote an instruction, nor if a chain of wordings alone ties them."""
        if self.instruction and other.instruction:
            return False
        pairs = [(left, right) for left in self.wordings for right in other.wordings]
        return sum(_likeness(*pair) for pair in pairs) >= ALIKE_IN_MEAN * len(pairs)

    @property
    def wordings(self) -> list[str]:
        """The ways in which it is said."""
        return list(dict.fromkeys(complaint.text for complaint in self.complaints))


def what_to_change(
    complaints: Mapping[str, Sequence[Sequence[Complaint]]],
    *,
    is_read: bool,
    skill: tuple[str, str] | None = None,
    is_shown: bool = False,
) -> Changes:
    """The changes that complaints ask for; by case, those about each of its runs. `skill` is a file's name and text."""
    instructions = None if skill is None else Instructions(skill[1])
    shares = {case: Fraction(1, len(complaints) * len(runs)) for case, runs in complaints.items() if runs}
    groups = _groups((one for runs in complaints.values() for run in runs for one in run), instructions)
    costs = [(sum((one.cost * shares[one.case] for one in group.complaints), Fraction(0)), group) for group in groups]
    ordered = sorted(costs, key=lambda entry: (-entry[0], entry[1].complaints[0].text))
    return Changes(
        cases=len(complaints),
        is_read=is_read,
        skill=None if skill is None else skill[0],
        is_shown=is_shown,
        changes=tuple(_change(group, cost, instructions) for cost, group in ordered),
    )


def _groups(complaints: Iterable[Complaint], instructions: Instructions | None) -> list[_Group]:
    keyed: dict[tuple[str, ...], _Group] = {}
    loose: list[_Group] = []
    for complaint in complaints:
        is_reason = complaint.kind == "reason"
        named = instructions.quoted_in(complaint.text) if is_reason and instructions is not None else None
        group = _Group(complaint, named)
        if is_reason and named is None:
            loose.append(group)
            continue
        key = (complaint.kind, complaint.name) if named is None else ("instruction", str(named.line))
        if key in keyed:
            keyed[key].absorb(group)
        else:
            keyed[key] = group
    quoting = [group for key, group in keyed.items() if key[0] == "instruction"]
    return [*(group for key, group in keyed.items() if key[0] != "instruction"), *_merged([*quoting, *_same(loose)])]


def _same(groups: Sequence[_Group]) -> list[_Group]:
    """Reasons in the same words put together: most of many are, and the rest is compared pair by pair."""
    found: dict[tuple[str, frozenset[str]], _Group] = {}
    for group in groups:
        key = group.dimension, stems(group.complaints[0].text) or frozenset([group.complaints[0].text])
        if key in found:
            found[key].absorb(group)
        else:
            found[key] = group
    return list(found.values())


def _merged(groups: list[_Group]) -> list[_Group]:
    """Groups whose reasons are alike put together, the most alike first."""
    pairs = [
        (likeness, first, second)
        for first, left in enumerate(groups)
        for second, right in enumerate(groups[:first])
        if left.dimension == right.dimension
        and (likeness := max(_likeness(one, other) for one in left.wordings for other in right.wordings)) >= ALIKE
    ]
    home = list(groups)
    for _, first, second in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        left, right = home[first], home[second]
        if left is not right and right.fits(left):
            right.absorb(left)
            home = [right if group is left else group for group in home]
    return list(dict.fromkeys(home))


def _likeness(first: str, second: str) -> float:
    left, right = stems(first), stems(second)
    shared = len(left & right)
    return 2 * shared / (len(left) + len(right)) if shared >= SHARED_STEMS else 0.0


def _change(group: _Group, cost: Fraction, instructions: Instructions | None) -> Change:
    complaints = sorted(group.complaints, key=lambda one: -one.cost)
    wordings = tuple(dict.fromkeys(one.text for one in complaints))
    by_dimension: dict[str, Fraction] = defaultdict(Fraction)
    for one in complaints:
        by_dimension[one.dimension] += one.cost
    instruction = group.instruction
    if instruction is None and instructions is not None:
        instruction = instructions.alike(wordings)
    return Change(
        says=wordings[0],
        kind=complaints[0].kind,
        name=complaints[0].name,
        dimension=max(by_dimension, key=lambda name: by_dimension[name]),
        cost=Decimal(round(cost * 100)).scaleb(-2),
        cases=tuple(sorted({one.case for one in group.complaints})),
        quotes=_quotes(complaints),
        wordings=wordings,
        instruction=instruction,
    )


def _quotes(complaints: Sequence[Complaint]) -> tuple[Passage, ...]:
    """The output's words before anyone else's, one of each case before a second of any."""
    places = [
        (passage.source != "output", number, passage) for one in complaints for number, passage in enumerate(one.quotes)
    ]
    chosen: dict[str, Passage] = {}
    for _, _, passage in sorted(places, key=lambda place: place[:2]):
        chosen.setdefault(passage.text, passage)
    return tuple(chosen.values())[:QUOTES]
