"""What is asked of evaluations already made: one of them again, two against each other, two sets, a gate."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from evenhand.core.basics.numbers import hundredths
from evenhand.core.documents.restore import restore
from evenhand.core.history.gate import Gate, Ruling, judge_card, judge_drop
from evenhand.core.history.pairs import PairedComparison, compare_pairs, compare_unpaired, pair_up
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import DocumentError, InputError
from evenhand.pipeline.files import Named, cards_from
from evenhand.reading.text import STDIN
from evenhand.store.protocol import Store
from evenhand.store.record import Record


class SetComparison(NamedTuple):
    """Two sets of scorecards, B against A."""

    names: tuple[str, str]
    sizes: tuple[int, int]
    """How many have a final score."""
    means: tuple[float, float]
    paired_by: str | None
    """What the pairs have in common: submission, id or task; None when nothing could be paired."""
    result: PairedComparison
    left_out: int
    """How many scorecards have no final score."""


def card_of(record: Record) -> Scorecard:
    """The scorecard of a stored evaluation; StoreUnavailable when its row was damaged."""
    try:
        return restore(record.document)[0]
    except DocumentError as error:
        raise record.damaged(error.problems[0].message) from None


def find_cards(
    names: Iterable[str], store: Store | None, *, rubric: str | Path | Rubric | None = None
) -> Iterator[Named | InputError]:
    """Scorecards by file name or by id; a file comes first."""
    for name in names:
        if name == STDIN or os.path.exists(name):  # noqa: PTH110 (a name that is too long is no file)
            yield from cards_from([name], rubric=rubric)
            continue
        record = store.get(name) if store is not None else None
        if record is None:
            where = f", and no evaluation in {store.url} has this id" if store is not None else ""
            yield InputError(f"{name}: no such file{where}")
        else:
            yield Named(record.id, card_of(record))


def cards_of_skill(store: Store, skill: str, *, last: int | None = None) -> list[Named]:
    """A skill's evaluations, oldest first."""
    found = [Named(record.id, card_of(record)) for record in store.evaluations(skill, last=last)]
    if not found:
        from evenhand.core.basics.names import nearest_few

        near = nearest_few(skill, [name for name, _ in store.skills()])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise InputError(f'no evaluation of a skill "{skill}" in {store.url}{hint}')
    return found


def compare_sets(names: tuple[str, str], first: Sequence[Named], second: Sequence[Named]) -> SetComparison:
    """Is the second set better or worse than the first, or is that not shown?"""
    done = [[each for each in cards if each.card.final is not None] for cards in (first, second)]
    finals = [[_final(each) for each in cards] for cards in done]
    if not all(finals):
        raise InputError(f"{names[0] if not finals[0] else names[1]} holds no scorecard with a final score")
    paired_by, differences = pair_cards(*done)
    return SetComparison(
        names=names,
        sizes=(len(finals[0]), len(finals[1])),
        means=(sum(finals[0]) / len(finals[0]) / 100, sum(finals[1]) / len(finals[1]) / 100),
        paired_by=paired_by,
        result=compare_pairs(differences) if differences else compare_unpaired(*finals),
        left_out=len(first) + len(second) - len(finals[0]) - len(finals[1]),
    )


def pair_cards(first: Sequence[Named], second: Sequence[Named]) -> tuple[str | None, list[Fraction]]:
    """Differences in hundredths, by whatever pairs most: the submission, the id, or the task."""
    best: tuple[str | None, list[Fraction]] = (None, [])
    for kind in ("submission", "id", "task"):
        differences = pair_up(_by(kind, first), _by(kind, second))
        if len(differences) > len(best[1]):
            best = (kind, differences)
    return best


def rule(cards: Sequence[Named], gate: Gate, baseline: Sequence[Named] | None) -> list[Ruling]:
    """What a gate says of each scorecard, and of all of them against a baseline."""
    limits = gate.min_score is not None or gate.min_grade is not None or gate.no_red_flags
    rulings = [judge_card(each.card, gate)._replace(name=each.name) for each in cards] if limits else []
    if baseline is not None:
        now = [each for each in cards if each.card.final is not None]
        then = [each for each in baseline if each.card.final is not None]
        rulings.append(judge_drop(pair_cards(then, now)[1], gate.margin))
    return rulings


def _by(kind: str, cards: Sequence[Named]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for each in cards:
        key = {"submission": each.card.receipt.submission, "id": each.name, "task": each.card.task}[kind]
        if key is not None:
            found.setdefault(key, []).append(_final(each))
    return found


def _final(named: Named) -> int:
    assert named.card.final is not None
    return hundredths(named.card.final)
