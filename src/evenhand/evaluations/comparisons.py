"""Existing evaluations: looked up, compared in pairs or as sets."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from evenhand.core.history import changed_between, of_card
from evenhand.core.values import Change, Rubric, Scorecard
from evenhand.decisions.sets.case_verdicts import LEVEL
from evenhand.decisions.sets.pairs import compare_pairs, compare_unpaired
from evenhand.decisions.sets.repeats import CaseScores, Design, Scatter, designs, scatter
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.suites.board import Board, CaseEntry, Cell
from evenhand.decisions.suites.contrasts import contrasts_of
from evenhand.decisions.values.decision import Contrast
from evenhand.documents.scorecards.restore import restore
from evenhand.errors import DocumentError, InputError, unknown
from evenhand.evaluations.case_clusters import same_clusters
from evenhand.evaluations.case_pairs import final_of, pair_cards, runs_by_case
from evenhand.judging.files import Named, cards_from
from evenhand.reading.text import STDIN
from evenhand.store.protocol import Store
from evenhand.store.record import SUITE, Record
from evenhand.store.submission_text import transcript_from
from evenhand.work.submission import Submission

_MOST_RUNS = 1_000_000


def card_of(record: Record) -> Scorecard:
    """The scorecard of a stored evaluation; StoreUnavailable when its row was damaged."""
    try:
        return restore(record.document)[0]
    except DocumentError as error:
        raise record.damaged(error.problems[0].message) from None


def submission_of(record: Record) -> Submission | None:
    """The text of a stored evaluation; None when only its hash is kept; of transcripts see below."""
    if record.submission is None:
        return None
    try:
        kept = json.loads(record.submission)
        return Submission(output=kept["output"], task=kept["task"], reference=kept.get("reference"))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise record.damaged("its text cannot be read") from None


def stored_submission(store: Store, record: Record) -> Submission | None:
    """What was judged, as far as a store keeps it: the text of an output, or a transcript that was asked to be kept."""
    if record.submission is None:
        digest = (record.document.get("receipt") or {}).get("submission")
        text = None if digest is None else store.transcript(digest)
        if text is not None:
            try:
                return transcript_from(text)
            except (ValueError, LookupError, TypeError, AttributeError):
                raise record.damaged("its transcript cannot be read") from None
    return submission_of(record)


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
        show = f"evenhand suite show {name}"
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
        hint = "except in runs of suites; see: evenhand suite runs, evenhand gate --suite"
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


def compare_sets(
    names: tuple[str, str],
    first: Sequence[Named],
    second: Sequence[Named],
    *,
    cluster_of: Callable[[Named], str] | None = None,
) -> SetComparison:
    """Whether the second set is better or worse than the first, or no difference can be detected.

    Repeated runs of a case count once, by their mean, and so do the cases of a cluster.
    """
    complete = [complete_cards(cards) for cards in (first, second)]
    finals = [[final_of(entry) for entry in cards] for cards in complete]
    if not all(finals):
        raise InputError(f"{names[0] if not finals[0] else names[1]} holds no scorecard with a final score")
    pairing = pair_cards(*complete)
    if pairing.cases:
        clusters = None if cluster_of is None else same_clusters(cluster_of, pairing.members)
        result = compare_pairs([case.difference for case in pairing.cases], clusters=clusters)
        contrast = _contrast(names, pairing.cases, clusters)
    else:
        contrast = None
        means = [[sum(runs) / len(runs) for runs in runs_by_case(cards, cluster_of)] for cards in complete]
        result = compare_unpaired(*means)
    return SetComparison(
        names=names,
        sizes=(len(finals[0]), len(finals[1])),
        means=(sum(finals[0]) / len(finals[0]) / 100, sum(finals[1]) / len(finals[1]) / 100),
        paired_by=pairing.paired_by,
        result=result,
        left_out=len(first) + len(second) - len(finals[0]) - len(finals[1]),
        cases=pairing.cases,
        case_names=pairing.names,
        changes=set_changes(first, second),
        contrast=contrast,
        case_ids=pairing.ids,
    )


def _contrast(names: tuple[str, str], cases: Sequence[CaseScores], clusters: Sequence[str] | None) -> Contrast:
    """The second set against the first, as two variants of a suite."""
    board = Board()
    for place, case in enumerate(cases):
        cells = {
            str(side): Cell(len(scores), len(scores), tuple(sorted(map(int, scores))))
            for side, scores in enumerate((case.first, case.second))
        }
        board.cases[str(place)] = CaseEntry((), Fraction(1), cells, "" if clusters is None else clusters[place])
    (contrast,) = contrasts_of(board, "01", "0", "final score", LEVEL)
    return contrast._replace(variant=names[1], reference=names[0])


def set_changes(first: Sequence[Named], second: Sequence[Named]) -> tuple[Change, ...]:
    """What differs between two sets besides the work: rubric, judge, the skill's version."""
    return changed_between((of_card(entry.card) for entry in first), (of_card(entry.card) for entry in second))


def plan_repeats(comparison: SetComparison) -> tuple[Scatter | None, list[Design]]:
    """Where the scatter of a comparison comes from, and what more cases or more runs of each would be worth."""
    parts = scatter(comparison.cases)
    return parts, [] if parts is None else designs(parts, len(comparison.cases))


def complete_cards(cards: Sequence[Named]) -> list[Named]:
    """The scorecards that have a final score."""
    return [entry for entry in cards if entry.card.final is not None]
