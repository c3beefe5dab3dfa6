"""Scorecards that are there already: by file, by id, or of a skill."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from evenhand.core.rubric import Rubric
from evenhand.errors import InputError, unknown
from evenhand.files.text import STDIN
from evenhand.judging.files import Named, cards_from
from evenhand.store.protocol import Store
from evenhand.store.record import SUITE, Record
from evenhand.store.stored_cards import card_of

_MOST_RUNS = 1_000_000


def find_cards(
    names: Iterable[str], store: Store | None, *, rubric: str | Path | Rubric | None = None
) -> Iterator[Named | InputError]:
    """Scorecards by file name or by id; a file comes first."""
    for name in names:
        if name == STDIN or os.path.exists(name):  # noqa: PTH110 (a name that is too long is not a file)
            yield from cards_from([name], rubric=rubric)
            continue
        record = store.get(name) if store is not None else None
        if record is None:
            yield InputError(f"{name}: {not_found(name, store)}")
        else:
            yield Named(record.id, card_of(record))


def not_found(name: str, store: Store | None) -> str:
    """Why a name is neither a file nor an evaluation."""
    if store is None:
        return "no such file"
    if (run := store.suite_run(name)) is not None:
        show = f"evenhand run show {name}"
        return f'a run of the suite "{run.suite}", not an evaluation; see: {show}, or {show} --baseline NAME'
    return f"no such file, and no evaluation in {store.url} has this id"


def cards_of_skill(
    store: Store, skill: str, *, last: int | None = None, suite: str | None = None, only_history: bool = False
) -> list[Named]:
    """A skill's evaluations, oldest first; those of a suite, if one is named.

    A skill that was only evaluated in suites has those, unless only its history may be used.
    """
    records = [] if suite is not None else [*store.evaluations(skill, last=last, reviews=False)]
    records = records or of_suite(store, skill, suite, last=last)
    if only_history and records and records[0].in_history == SUITE:
        hint = "except in runs of suites; see: evenhand run show, evenhand gate --suite"
        raise InputError(f'no evaluation of a skill "{skill}" in {store.url}, {hint}')
    cards = [Named(record.id, card_of(record)) for record in records]
    if not cards:
        if suite is not None:
            raise InputError(f'no run of a suite "{suite}" in {store.url} evaluated a skill "{skill}"; see: suite runs')
        names = (name for name, _ in store.skills())
        raise InputError(f"{store.url}: {unknown('skill', skill, names, most=3, otherwise='see: evenhand history')}")
    return cards


def of_suite(store: Store, skill: str | None, suite: str | None, *, last: int | None = None) -> list[Record]:
    """Evaluations that runs of suites made, oldest first: of one suite by its name or the id of a run, or of all."""
    names = {run.id: run.suite for run in store.suite_runs(suite=None, limit=_MOST_RUNS)}
    records = []
    for record in store.evaluations(skill, suites=True):
        run = (record.document.get("suite") or {}).get("run", "")
        if suite is None or suite in (run, names.get(run)):
            records.append(record)
    return records if last is None else records[-last:]
