"""What to change in a skill: complaints about its outputs, one entry for each, most costly first. Pure.

Two complaints are one entry, in whatever dimensions and cases they are, when they

1. are about the same red flag, check, criterion or expectation
2. say the same sentence, but for case, spaces and punctuation, or quote the same words of outputs
3. are reasons that quote the same instruction of SKILL.md
4. are reasons about the same dimension whose words are alike: two stems or more in common, at least `ALIKE` of both

The most alike are put together first. Groups that quote different instructions are never put together. Where no one has
read the outputs, unmet expectations of one kind are one entry, and what happens in one case alone is none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from evenhand.core.scorecard import Scorecard
from evenhand.decisions.complaints import complaints_of
from evenhand.decisions.decision import CaseDifference
from evenhand.decisions.instructions import Instructions, stems
from evenhand.decisions.what_to_change import Change, Changes, Complaint, Instruction, Kind, Passage, WorseCase

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
    def kind(self) -> Kind:
        return self.complaints[0].kind

    @property
    def dimensions(self) -> set[str]:
        return {complaint.dimension for complaint in self.complaints}

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
    said = (one for runs in complaints.values() for run in runs for one in run)
    groups = _groups(said if is_read else map(_of_kind, said), instructions)
    if not is_read and len(complaints) > 1:
        groups = [group for group in groups if len({one.case for one in group.complaints}) > 1]
    costs = [(sum((one.cost * shares[one.case] for one in group.complaints), Fraction(0)), group) for group in groups]
    ordered = sorted(costs, key=lambda entry: (-entry[0], entry[1].complaints[0].text))
    return Changes(
        cases=len(complaints),
        is_read=is_read,
        skill=None if skill is None else skill[0],
        is_shown=is_shown,
        changes=tuple(_change(group, cost, instructions) for cost, group in ordered),
    )


_LITERAL = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d|\d+(?:[.,]\d+)*')
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def _of_kind(complaint: Complaint) -> Complaint:
    """An unmet expectation by its kind: its words without what each case asks for."""
    if complaint.kind != "expectation":
        return complaint
    return complaint._replace(text=complaint.name, name=_LITERAL.sub("\u2026", complaint.name))


def _folded(text: str) -> str:
    """A sentence without case, spaces and punctuation; itself where nothing else is in it."""
    return _BETWEEN_WORDS.sub(" ", text.casefold()).strip() or text.strip()


def _groups(complaints: Iterable[Complaint], instructions: Instructions | None) -> list[_Group]:
    home: dict[tuple[str, ...], _Group] = {}
    groups: list[_Group] = []
    for complaint in complaints:
        is_reason = complaint.kind == "reason"
        named = instructions.quoted_in(complaint.text) if is_reason and instructions is not None else None
        group = _Group(complaint, named)
        keys = _keys(complaint, named)
        for key in keys:
            other = home.get(key)
            if other is not None and other is not group and not _quote_different_instructions(other, group):
                other.absorb(group)
                groups = [one for one in groups if one is not group]
                home = {known: other if one is group else one for known, one in home.items()}
                group = other
        if not any(one is group for one in groups):
            groups.append(group)
        for key in keys:
            home.setdefault(key, group)
    loose = [group for group in groups if group.kind == "reason"]
    return [*(group for group in groups if group.kind != "reason"), *_merged(loose)]


def _keys(complaint: Complaint, named: Instruction | None) -> list[tuple[str, ...]]:
    """What makes another complaint the same entry."""
    keys: list[tuple[str, ...]] = [("name", complaint.kind, complaint.name)] if complaint.name else []
    keys += [("instruction", str(named.line))] if named is not None else []
    keys += [("says", _folded(complaint.text))] if complaint.text.strip() else []
    return keys + [("quote", _folded(quote.text)) for quote in complaint.quotes if quote.source == "output"]


def _quote_different_instructions(first: _Group, second: _Group) -> bool:
    return bool(first.instruction and second.instruction and first.instruction.line != second.instruction.line)


def _merged(groups: list[_Group]) -> list[_Group]:
    """Groups whose reasons are alike put together, the most alike first."""
    pairs = [
        (likeness, first, second)
        for first, left in enumerate(groups)
        for second, right in enumerate(groups[:first])
        if left.dimensions & right.dimensions
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
    # The sentence that costs most in all speaks for the entry, not the one that costs most in one case.
    costs: dict[str, Fraction] = defaultdict(Fraction)
    for one in group.complaints:
        costs[_folded(one.text)] += one.cost
    complaints = sorted(group.complaints, key=lambda one: (-costs[_folded(one.text)], -one.cost))
    wordings = tuple(dict.fromkeys(one.text for one in complaints))
    names = {one.name for one in complaints}
    says = wordings[0] if len(wordings) == 1 or complaints[0].kind != "expectation" or len(names) > 1 else names.pop()
    by_dimension: dict[str, Fraction] = defaultdict(Fraction)
    for one in complaints:
        by_dimension[one.dimension] += one.cost
    instruction = group.instruction
    if instruction is None and instructions is not None:
        instruction = instructions.alike(wordings)
    return Change(
        says=says,
        kind=complaints[0].kind,
        name=complaints[0].name,
        dimension=max(by_dimension, key=lambda name: by_dimension[name]),
        dimensions=tuple(sorted(by_dimension, key=lambda name: (-by_dimension[name], name))),
        cost=Decimal(round(cost * 100)).scaleb(-2),
        cases=tuple(sorted({one.case for one in group.complaints})),
        quotes=_quotes(complaints),
        wordings=wordings,
        instruction=instruction,
    )


def _quotes(complaints: Sequence[Complaint]) -> tuple[Passage, ...]:
    """Quotes of the output come first, and one of each case comes before a second of any case."""
    places = [
        (passage.source != "output", number, passage) for one in complaints for number, passage in enumerate(one.quotes)
    ]
    chosen: dict[str, Passage] = {}
    for _, _, passage in sorted(places, key=lambda place: place[:2]):
        chosen.setdefault(passage.text, passage)
    return tuple(chosen.values())[:QUOTES]


MOST_CASES = 300
"""Cases whose complaints are looked at where no one asked for all: grouping takes time with the square of them."""


class CollectedComplaints:
    """Complaints by case, added to scorecard by scorecard."""

    def __init__(self) -> None:
        self._complaints: dict[str, list[list[Complaint]]] = {}
        self._is_read = False
        self._shown: set[str] = set()

    def add(self, card: Scorecard, case: str) -> None:
        """One scorecard of a run of a case."""
        self._complaints.setdefault(case, []).append(complaints_of(card, case))
        self._is_read = self._is_read or not card.unread
        self._shown |= {member.judge.get("skill_file", "") for member in card.panel.members} if card.panel else set()

    def of_case(self, case: str) -> Sequence[Sequence[Complaint]]:
        """The complaints about each run of a case; empty when none was added."""
        return self._complaints.get(case, [])

    def changes(self, skill: tuple[str, str] | None = None, *, cases: Iterable[str] | None = None) -> Changes:
        """What they ask for, in all cases or in some; `skill` is the name and the text of the skill's file."""
        is_shown = bool(self._shown) and "" not in self._shown
        complaints = self._complaints
        if cases is not None:
            complaints = {case: complaints[case] for case in cases if case in complaints}
        return what_to_change(complaints, is_read=self._is_read, skill=skill, is_shown=is_shown)


MOST_WORSE = 20
"""Cases that got worse which are explained."""

Runs = Sequence[Sequence[Complaint]]
"""What cost each run of a case points."""


def fallen(differences: Sequence[CaseDifference]) -> list[CaseDifference]:
    """Those below zero, the largest fall first."""
    return sorted((fall for fall in differences if fall.high < 0), key=lambda fall: (fall.difference, fall.case))


def worse_case(difference: CaseDifference, now: Runs, before: Runs) -> WorseCase:
    """A case, explained by the complaints about each side's runs; not explained where the reference's are not known."""
    found = new_complaint(now, before) if before else None
    return WorseCase(
        difference.case,
        difference.before,
        difference.after,
        "" if found is None else found.text,
        None if found is None else next((quote for quote in found.quotes if quote.source == "output"), None),
    )


def new_complaint(now: Runs, before: Runs) -> Complaint | None:
    """The one whose cost has grown most, in the mean over runs; None when nothing costs more than before."""
    costs = _costs(now)
    for key, cost in _costs(before).items():
        costs[key] -= cost
    grown = [(cost, key) for key, cost in costs.items() if cost > 0]
    if not grown:
        return None
    _, most = max(grown)
    return max((one for run in now for one in run if _key(one) == most), key=lambda one: one.cost)


def _costs(runs: Runs) -> dict[tuple[str, str, str], Fraction]:
    costs: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    for run in runs:
        for one in run:
            costs[_key(one)] += one.cost / len(runs)
    return costs


def _key(complaint: Complaint) -> tuple[str, str, str]:
    """What a complaint is about: a dimension, or a red flag, check, criterion or expectation."""
    return complaint.kind, complaint.name, complaint.dimension
