"""Existing evaluations: looked up, compared in pairs or as sets."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from evenhand.core.history import changed_between, of_card
from evenhand.core.scoring import NOT_READ
from evenhand.core.values import Change, Rubric, Scorecard
from evenhand.decisions.decide import decide
from evenhand.decisions.decision import Contrast
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.table import MeasureName, Part, ResultsTable, Row
from evenhand.documents.scorecards.restore import restore
from evenhand.errors import DocumentError, InputError, unknown
from evenhand.evaluations.case_clusters import same_clusters
from evenhand.evaluations.case_pairs import pair_cards
from evenhand.files.text import STDIN
from evenhand.in_words import listed
from evenhand.judging.files import Named, cards_from
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


def compare_sets(
    names: Sequence[str], sets: Sequence[Sequence[Named]], *, cluster_of: Callable[[Named], str] | None = None
) -> SetComparison:
    """Whether each set is better or worse than those before it, as if they were the variants of a suite.

    InputError where no case is in all of them.
    """
    names = _distinct(names)
    pairing = pair_cards(*sets)
    if pairing.paired_by is None:
        raise InputError(
            f"no case is in both {' and '.join(names)}: give the evaluations of one task the same id, file name or task"
        )
    clusters = [""] * len(pairing.names) if cluster_of is None else same_clusters(cluster_of, pairing.members)
    cases = _told_apart(pairing.names)
    has_final = any(entry.card.final is not None for cards in sets for entry in cards)
    measure: MeasureName = "final score" if has_final else "expectations met"
    rows = [
        card_row(entry, case, name, place, measure, cluster)
        for case, members, cluster in zip(cases, pairing.members, clusters, strict=True)
        for name, side in zip(names, members, strict=True)
        for place, entry in enumerate(side, start=1)
    ]
    paired = {id(entry) for members in pairing.members for side in members for entry in side}
    for name, cards in zip(names, sets, strict=True):
        alone = [entry for entry in cards if id(entry) not in paired]
        rows += [card_row(entry, f"{entry.label} ({name} alone)", name, 1, measure) for entry in alone]
    reference = names[0] if len(names) == 2 else None
    decision = decide(ResultsTable(rows, names, reference, measure))
    places = {name: place for place, name in enumerate(names)}
    contrasts = tuple(_doubted(one, places, pairing.members) for one in decision.contrasts)
    return SetComparison(
        names=names,
        decision=replace(decision, contrasts=contrasts),
        paired_by=pairing.paired_by,
        changes=set_changes(sets),
        ids={
            case: tuple(tuple(entry.card.id for entry in side) for side in members)
            for case, members in zip(cases, pairing.members, strict=True)
        },
    )


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """One name given twice stands for two sets, by the place of each."""
    counts = Counter(names)
    words = ("first", "second", "third")
    return tuple(
        name if counts[name] == 1 else f"{name} ({words[place] if place < len(words) else place + 1})"
        for place, name in enumerate(names)
    )


def _doubted(contrast: Contrast, places: Mapping[str, int], members: Sequence[Sequence[Sequence[Named]]]) -> Contrast:
    """Without a verdict where the two sides were judged by different rubrics."""
    doubt = _different_rubrics(
        (sides[places[contrast.reference]], sides[places[contrast.variant]]) for sides in members
    )
    if not doubt:
        return contrast
    says = f"{contrast.variant} against {contrast.reference}: no verdict: {doubt}"
    return replace(contrast, verdict="undecided", low=None, high=None, p_value=None, more=None, doubt=doubt, says=says)


def _different_rubrics(members: Iterable[tuple[Sequence[Named], Sequence[Named]]]) -> str:
    """That the two sides of a case were judged by different rubrics, so that their scores answer different questions;
    empty where they were not."""
    for sides in members:
        first, second = ({entry.card.receipt.rubric: entry.card.rubric for entry in side} for side in sides)
        if first.keys() != second.keys():
            before, after = (listed(sorted(set(names.values()))) for names in (first, second))
            which = f"two versions of the rubric {before}" if before == after else f"the rubrics {before} and {after}"
            return f"the sides were judged by {which}; judge both by one: evenhand score ID... --rubric NAME"
    return ""


def card_row(entry: Named, case: str, variant: str, repeat: int, measure: MeasureName, cluster: str = "") -> Row:
    """A scorecard as a row of a table of results: its value, or between which ends it lies."""
    card = entry.card
    expectations = () if card.checked is None else card.checked.expectations
    results = [expected.result for expected in expectations]
    met, decided = results.count("met"), sum(result != "undecided" for result in results)
    value: Fraction | None
    if measure == "final score":
        value = None if card.final is None else Fraction(card.final)
    else:
        value = Fraction(met, decided) if decided else None
    ends = card.interval if measure == "final score" and value is None else None
    return Row(
        case,
        variant,
        repeat,
        value=value,
        unscored="" if value is not None else unscored_reason(card),
        low=None if ends is None else ends.low,
        high=None if ends is None else ends.high,
        cluster=cluster,
        passed=card.passed,
        met=met,
        expectations=decided,
        parts=tuple(
            Part(kind="dimension", name=name, value=Fraction(line.score))
            for name, line in card.dimensions.items()
            if line.score is not None
        ),
        judging_cost=None if card.panel is None else card.panel.calls.cost,
        counts=value is not None or measure == "final score",
    )


def unscored_reason(card: Scorecard) -> str:
    """Why a scorecard has no final score."""
    return next((line.unscored for line in card.dimensions.values() if line.unscored), NOT_READ)


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names of which none stands for two cases."""
    counts = Counter(names)
    return [name if counts[name] == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]


def set_changes(sets: Sequence[Sequence[Named]]) -> tuple[Change, ...]:
    """What differs between the first set and the others besides the work: rubric, judge, the skill's version."""
    first, *others = sets
    return changed_between(
        [of_card(entry.card) for entry in first], [of_card(entry.card) for cards in others for entry in cards]
    )
