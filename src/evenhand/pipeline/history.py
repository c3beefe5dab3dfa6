"""Existing evaluations: looked up, compared in pairs or as sets, and checked against a gate."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest
from os.path import commonpath
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from evenhand.core.basics.numbers import half_up, hundredths, points
from evenhand.core.documents.restore import restore
from evenhand.core.history.gate import Gate, Ruling, judge_card, judge_drop
from evenhand.core.history.pairs import PairedComparison, compare_pairs, compare_unpaired, pair_up
from evenhand.core.trust.calibration_file import Calibration, shortcoming
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import DocumentError, InputError
from evenhand.pipeline.files import Named, cards_from
from evenhand.reading.text import STDIN
from evenhand.store.protocol import Store
from evenhand.store.record import Record


class PairedScores(NamedTuple):
    """The final scores of one pair; of a case that was evaluated several times, the means."""

    name: str
    before: Decimal
    after: Decimal


class SetComparison(NamedTuple):
    """Two sets of scorecards, B against A."""

    names: tuple[str, str]
    sizes: tuple[int, int]
    """How many have a final score."""
    means: tuple[float, float]
    paired_by: str | None
    """The key the cards of a pair share: submission, id, file name or task; None when nothing could be paired."""
    result: PairedComparison
    left_out: int
    """How many scorecards have no final score."""
    pairs: tuple[PairedScores, ...] = ()
    """The scores behind each difference."""


def card_of(record: Record) -> Scorecard:
    """The scorecard of a stored evaluation; StoreUnavailable when its row was damaged."""
    try:
        return restore(record.document)[0]
    except DocumentError as error:
        raise record.damaged(error.problems[0].message) from None


def submission_of(record: Record) -> Submission | None:
    """The text of a stored evaluation; None when only its hash is kept, as of every transcript."""
    if record.submission is None:
        return None
    try:
        kept = json.loads(record.submission)
        return Submission(output=kept["output"], task=kept["task"], reference=kept.get("reference"))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise record.damaged("its text cannot be read") from None


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
    cards = [Named(record.id, card_of(record)) for record in store.evaluations(skill, last=last)]
    if not cards:
        from evenhand.core.basics.names import nearest_few

        near = nearest_few(skill, [name for name, _ in store.skills()])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise InputError(f'no evaluation of a skill "{skill}" in {store.url}{hint}')
    return cards


def compare_sets(names: tuple[str, str], first: Sequence[Named], second: Sequence[Named]) -> SetComparison:
    """Whether the second set is better or worse than the first, or no difference can be detected."""
    complete = [_complete(cards) for cards in (first, second)]
    finals = [[_final(entry) for entry in cards] for cards in complete]
    if not all(finals):
        raise InputError(f"{names[0] if not finals[0] else names[1]} holds no scorecard with a final score")
    paired_by, differences = pair_cards(*complete)
    return SetComparison(
        names=names,
        sizes=(len(finals[0]), len(finals[1])),
        means=(sum(finals[0]) / len(finals[0]) / 100, sum(finals[1]) / len(finals[1]) / 100),
        paired_by=paired_by,
        result=compare_pairs(differences) if differences else compare_unpaired(*finals),
        left_out=len(first) + len(second) - len(finals[0]) - len(finals[1]),
        pairs=tuple(_paired_scores(paired_by, *complete)),
    )


def pair_cards(first: Sequence[Named], second: Sequence[Named]) -> tuple[str | None, list[Fraction]]:
    """Differences in hundredths, paired by the key that gives most pairs: submission, id, file name or task.

    One task shared by many cases pairs nothing: it would make a single pair of their means.
    """
    best: tuple[str | None, list[Fraction]] = (None, [])
    for kind, key_of in _KEYS.items():
        keyed = _by_key(key_of(first), first), _by_key(key_of(second), second)
        differences = pair_up(*keyed)
        shared_by_all = kind == "task" and len(differences) == 1 and max(len(first), len(second)) > 1
        if len(differences) > len(best[1]) and not shared_by_all:
            best = (kind, differences)
    return best


def rule(
    cards: Sequence[Named],
    gate: Gate,
    baseline: Sequence[Named] | None,
    *,
    calibrated: bool = False,
    calibration: Calibration | None = None,
) -> list[Ruling]:
    """The gate's ruling on each scorecard, and on all of them against a baseline.

    With `calibrated`, a scorecard without a calibrated final score is red; `calibration` is the one to hold it to.
    """
    limits = gate.min_score is not None or gate.min_grade is not None or gate.no_red_flags or gate.no_fault
    rulings = [judge_card(entry.card, gate)._replace(name=entry.label) for entry in cards] if limits else []
    if calibrated:
        rulings = [_with_calibration(entry, ruling, calibration) for entry, ruling in zip_longest(cards, rulings)]
    if baseline is not None:
        rulings.append(judge_drop(pair_cards(_complete(baseline), _complete(cards))[1], gate.margin))
    return rulings


def _with_calibration(entry: Named, ruling: Ruling | None, calibration: Calibration | None) -> Ruling:
    """A ruling that also asks for a calibrated judge; None where nothing else was asked for."""
    missing = shortcoming(entry.card, calibration)
    if missing is None:
        return ruling or Ruling(entry.label, "green", "its judge is calibrated")
    also = f"{ruling.says}; " if ruling is not None and ruling.colour == "red" else ""
    return Ruling(entry.label, "red", f"{also}{missing}")


def _complete(cards: Sequence[Named]) -> list[Named]:
    return [entry for entry in cards if entry.card.final is not None]


def _by_key(keys: Iterable[str | None], cards: Sequence[Named]) -> dict[str, list[int]]:
    """The final scores under each key; several under one when a case was evaluated several times."""
    finals: dict[str, list[int]] = {}
    for key, entry in zip(keys, cards, strict=True):
        if key is not None:
            finals.setdefault(key, []).append(_final(entry))
    return finals


def _submission(cards: Sequence[Named]) -> list[str | None]:
    return [entry.card.receipt.submission for entry in cards]


def _id(cards: Sequence[Named]) -> list[str | None]:
    return [entry.name for entry in cards]


def _task(cards: Sequence[Named]) -> list[str | None]:
    return [entry.card.task for entry in cards]


def _file_name(cards: Sequence[Named]) -> list[str | None]:
    """Each judged file's path below the folder that all files of the set are in: "c1.md" of "before/c1.md"."""
    files = [None if entry.card.output is None else PurePath(entry.card.output) for entry in cards]
    try:
        shared = commonpath([file.parent for file in files if file is not None])
    except ValueError:  # no files at all, or some of them absolute and some not
        return [None if file is None else file.name for file in files]
    return [None if file is None else str(file.relative_to(shared)) for file in files]


_KEYS: Final[Mapping[str, Callable[[Sequence[Named]], list[str | None]]]] = {
    "submission": _submission,
    "id": _id,
    "file name": _file_name,
    "task": _task,
}
"""What the two of a pair can share."""


def _paired_scores(kind: str | None, first: Sequence[Named], second: Sequence[Named]) -> Iterator[PairedScores]:
    """The pairs by that key, in the order of the first set."""
    if kind is None:
        return
    keys = _KEYS[kind](first)
    labels = {key: entry.label for key, entry in zip(keys, first, strict=True)}
    before, after = _by_key(keys, first), _by_key(_KEYS[kind](second), second)
    for key in before:
        if key in after:
            yield PairedScores(labels[key], _mean_score(before[key]), _mean_score(after[key]))


def _mean_score(finals: Sequence[int]) -> Decimal:
    return points(half_up(sum(finals), len(finals)))


def _final(named: Named) -> int:
    assert named.card.final is not None
    return hundredths(named.card.final)
