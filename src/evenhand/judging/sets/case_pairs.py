"""Which evaluations of several sets belong together, and which are repeated runs of one case.

Runs of one case are not independent: what makes the case hard makes it hard every time. So they count as one, by
their mean, in every test and interval.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from dataclasses import dataclass
from os.path import commonpath
from pathlib import PurePath

from evenhand.judging.files import Named

_RUN = re.compile(r"[-_./# ]*(?:run|rep|repeat|sample|trial|attempt|seed|epoch)[-_=# ]?\d+$", re.IGNORECASE)
"""The end of an id or a file name that says which run of a case it is: case-1-run2, case-1_seed=3."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Sets of evaluations, matched."""

    paired_by: str | None
    """submission, id, file name or task; None when nothing could be paired."""
    pairs: int
    """How many keys are in all sets; more than the cases when cases were run several times."""
    names: tuple[str, ...] = ()
    """What people call each case that is in all sets."""
    members: tuple[tuple[tuple[Named, ...], ...], ...] = ()
    """The evaluations of each case in every set."""


def pair_cards(*sets: Sequence[Named]) -> Pairing:
    """Sets paired by the key that gives most pairs, their repeated runs gathered into cases.

    One task shared by many cases pairs nothing: it would make a single pair of their means.
    """
    best = Pairing(None, 0)
    for kind, keys_of in _KINDS.items():
        keys = [keys_of(cards) for cards in sets]
        shared = set.intersection(*(set(of_set) for of_set in keys)) - {None}
        shared_by_all = kind == "task" and len(shared) == 1 and max(map(len, sets)) > 1
        if len(shared) > best.pairs and not shared_by_all:
            best = Pairing(kind, len(shared), *_cases(sets, keys, shared))
    return best


def _cases(
    sets: Sequence[Sequence[Named]], keys: Sequence[Sequence[str | None]], shared: Container[str | None]
) -> tuple[tuple[str, ...], tuple[tuple[tuple[Named, ...], ...], ...]]:
    """The names of the cases that have a key in all sets, and their evaluations.

    A case that links several keys gathers all of them.
    """
    entries = [
        (side, key, entry)
        for side, (cards, of_set) in enumerate(zip(sets, keys, strict=True))
        for key, entry in zip(of_set, cards, strict=True)
        if key in shared
    ]
    names = _case_names([entry for _, _, entry in entries], [key for _, key, _ in entries])
    case_of = {key: name for (_, key, _), name in reversed([*zip(entries, names, strict=True)])}
    runs: dict[Hashable, list[list[Named]]] = {}
    labels: dict[Hashable, str] = {}
    for side, key, entry in entries:
        runs.setdefault(case_of[key], [[] for _ in sets])[side].append(entry)
        labels.setdefault(case_of[key], entry.label)
    members = tuple(tuple(map(tuple, sides)) for sides in runs.values())
    return tuple(labels.values()), members


def _case_names(cards: Sequence[Named], keys: Sequence[str | None]) -> list[Hashable]:
    """The case of each evaluation: its task where tasks tell cases apart, or else its key without the run's number."""
    tasks = [entry.card.task for entry in cards]
    if None not in tasks and len({*tasks}) > 1:
        return list(tasks)
    return [place if key is None else without_run(key) for place, key in enumerate(keys)]


def without_run(name: str) -> str:
    """The name of a case, without the number of a run at its end."""
    return _RUN.sub("", name) or name


def _file_names(cards: Sequence[Named]) -> list[str | None]:
    """Each judged file's path below the folder that all files of the set are in: "c1.md" of "before/c1.md"."""
    files = [None if entry.card.output is None else PurePath(entry.card.output) for entry in cards]
    try:
        shared = commonpath([file.parent for file in files if file is not None])
    except ValueError:  # no files at all, or some of them absolute and some not
        return [None if file is None else file.name for file in files]
    return [None if file is None else str(file.relative_to(shared)) for file in files]


_KINDS: dict[str, Callable[[Sequence[Named]], list[str | None]]] = {
    "submission": lambda cards: [entry.card.receipt.submission for entry in cards],
    "id": lambda cards: [entry.case for entry in cards],
    "file name": _file_names,
    "task": lambda cards: [entry.card.task for entry in cards],
}


def matches(first: Sequence[Named], second: Sequence[Named]) -> list[tuple[int, int]]:
    """Places of evaluations of one case in both sets, each used once, by the key that gives most; not by submission."""
    best: list[tuple[int, int]] = []
    for kind in ("id", "file name", "task"):
        before, after = _places(_KINDS[kind](first)), _places(_KINDS[kind](second))
        pairs = [(before[key], after[key]) for key in before if key in after]
        best = pairs if len(pairs) > len(best) else best
    return best


def _places(keys: Iterable[str | None]) -> dict[str, int]:
    """The place of each key that only one evaluation has."""
    listed = list(keys)
    counts = Counter(listed)
    return {key: place for place, key in enumerate(listed) if key is not None and counts[key] == 1}
