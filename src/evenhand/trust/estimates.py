"""What people would say about all outputs, from many that a judge scored and few that people labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evenhand.core.trust import estimates, pass_rate
from evenhand.core.trust.estimates import CONFIDENCE, Estimated, Sample, What
from evenhand.core.trust.pass_rate import Counts
from evenhand.core.trust.unequal_chances import estimate_weighted, weighted_refusal
from evenhand.core.trust.unequal_pass_rate import weighted_pass_rate, weighted_pass_refusal
from evenhand.core.values.label import PASS
from evenhand.errors import InputError
from evenhand.evaluations.case_pairs import matches
from evenhand.evaluations.comparisons import card_of
from evenhand.judging.files import Named
from evenhand.labels.judged_items import JudgedItem, JudgeKey, judged, judged_items, scores_of, table_scores
from evenhand.labels.label_samples import drawn_at_random, drawn_by_doubt, table_chances
from evenhand.reading.tables import Table
from evenhand.store.protocol import Store

Rows = Sequence[tuple[float, float | None]]
"""A judge's score of each item, and people's where there is one."""

Verdicts = Sequence[tuple[bool, bool | None]]
"""Whether a judge passes each item, and whether people do."""

Chances = Sequence[float | None]
"""The chance of each item to be labelled, where they differ."""

NO_PRECISION = "the number of labels needed can be computed only where all items had the same chance"
RANDOM_IN_PYTHON = (
    "an estimate holds only if the labelled items were drawn at random from all judged ones; if they were, say so with "
    "random_labels=True"
)


class EstimateRequest(NamedTuple):
    """What is to be estimated, and how surely."""

    what: What
    field: str = "final"
    confidence: float = CONFIDENCE
    precision: float | None = None
    pass_mark: float | None = None
    """Of a table: the score from which an item passes."""


def estimate_mean(rows: Rows, subject: str, request: EstimateRequest, chances: Chances | None = None) -> Estimated:
    """The mean people would give. InputError with the reason where no honest interval can be given.

    With `chances`, one for each row, labelled items count by one over theirs.
    """
    sample = Sample(
        judged=[judge for judge, people in rows if people is not None],
        labels=[people for _, people in rows if people is not None],
        unlabelled=[judge for judge, people in rows if people is None],
    )
    if chances is not None:
        return _weighted(sample, _of_labelled(rows, chances), subject, request)
    reason = estimates.refusal(sample)
    if reason is not None:
        raise InputError(f"no estimate: {reason}")
    precision, confidence = request.precision, request.confidence
    needed = None if precision is None else estimates.labels_for(sample, precision, confidence=confidence)
    estimate = estimates.estimate_mean(sample, confidence=confidence)
    return Estimated(request.what, subject, estimate, estimate.labels, estimate.unlabelled, precision, needed)


def _of_labelled(rows: Rows | Verdicts, chances: Chances) -> list[float]:
    given = [chance for (_, people), chance in zip(rows, chances, strict=True) if people is not None]
    if any(chance is None or not 0 < chance <= 1 for chance in given):
        raise InputError("each label needs its sampling probability, above 0 and at most 1")
    return [chance for chance in given if chance is not None]


def _weighted(sample: Sample, chances: Sequence[float], subject: str, request: EstimateRequest) -> Estimated:
    if request.precision is not None:
        raise InputError(NO_PRECISION)
    reason = weighted_refusal(sample, chances)
    if reason is not None:
        raise InputError(f"no estimate: {reason}")
    estimate = estimate_weighted(sample, chances, confidence=request.confidence)
    return Estimated(request.what, subject, estimate, estimate.labels, estimate.unlabelled, None, None)


def estimate_difference(
    first: Rows, second: Rows, subject: str, request: EstimateRequest, chances: Chances | None = None
) -> Estimated:
    """The mean difference people would see between two systems, second minus first, item by item."""
    rows = [
        (after - before, None if people_before is None or people_after is None else people_after - people_before)
        for (before, people_before), (after, people_after) in zip(first, second, strict=True)
    ]
    return estimate_mean(rows, subject, request, chances)


def estimate_pass_rate(
    verdicts: Verdicts, subject: str, request: EstimateRequest, chances: Chances | None = None
) -> Estimated:
    """The share people would pass. InputError with the reason where no honest interval can be given.

    With `chances`, one for each item, labelled items count by one over theirs.
    """
    if chances is not None:
        return _weighted_pass_rate(verdicts, chances, subject, request)
    fails = [judge for judge, people in verdicts if people is False]
    passes = [judge for judge, people in verdicts if people is True]
    rest = [judge for judge, people in verdicts if people is None]
    counts = Counts(sum(rest), len(rest), len(fails) - sum(fails), len(fails), sum(passes), len(passes))
    reason = pass_rate.refusal(counts)
    if reason is not None:
        raise InputError(f"no estimate: {reason}")
    precision, confidence = request.precision, request.confidence
    needed = None if precision is None else pass_rate.labels_for(counts, precision, confidence=confidence)
    estimate = pass_rate.corrected_pass_rate(counts, confidence=confidence)
    return Estimated("pass-rate", subject, estimate, len(fails) + len(passes), len(rest), precision, needed)


def _weighted_pass_rate(verdicts: Verdicts, chances: Chances, subject: str, request: EstimateRequest) -> Estimated:
    if request.precision is not None:
        raise InputError(NO_PRECISION)
    labelled = [(judge, people) for judge, people in verdicts if people is not None]
    of_labelled = _of_labelled(verdicts, chances)
    rest = [judge for judge, people in verdicts if people is None]
    reason = weighted_pass_refusal(labelled, of_labelled, rest)
    if reason is not None:
        raise InputError(f"no estimate: {reason}")
    estimate = weighted_pass_rate(labelled, of_labelled, rest, confidence=request.confidence)
    return Estimated("pass-rate", subject, estimate, len(labelled), len(rest), None, None)


def estimate_store(
    store: Store,
    request: EstimateRequest,
    *,
    skills: Sequence[str] = (),
    judge: str | None = None,
    rubric: str | None = None,
    like: JudgeKey | None = None,
    random_labels: bool = False,
    doubtful: bool = False,
) -> Estimated:
    """An estimate from a store: of one skill or all, or of the difference between two skills.

    The labelled items must be a round of review that was drawn at random, or declared to be random. With `doubtful`,
    the mean or the pass rate is that of the items in doubt, from a round drawn by doubt.
    """
    if doubtful and request.what == "difference":
        raise InputError("a difference of doubtful items is not supported; `doubtful` goes with mean and pass-rate")
    if len(skills) != 2 and request.what == "difference":
        raise InputError("a difference is between two skills; name both")
    if len(skills) > 1 and request.what != "difference":
        raise InputError(f"a {request.what} is of one skill, or of all; for two name: evenhand estimate difference")
    sets = [judged_items(store, skill=skill, judge=judge, rubric=rubric, like=like) for skill in skills or (None,)]
    key, items = sets[0]
    subject = f"{skills[0] if skills else 'all skills'}, by {key}"
    if doubtful and request.what == "pass-rate":
        given = [(verdict, chance) for item, chance in drawn_by_doubt(store, items) for verdict in _verdicts([item])]
        subject = f"passes of the doubtful outputs of {subject}"
        return estimate_pass_rate([verdict for verdict, _ in given], subject, request, [chance for _, chance in given])
    if doubtful:
        drawn = [(item, chance) for item, chance in drawn_by_doubt(store, items) if scores_of([item], request.field)]
        rows = scores_of([item for item, _ in drawn], request.field)
        chances = [chance for _, chance in drawn]
        return estimate_mean(rows, f"{request.field} of the doubtful outputs of {subject}", request, chances)
    sets = [(judge_key, drawn_at_random(items, random_labels)) for judge_key, items in sets]
    key, items = sets[0]
    if request.what == "difference":
        return _difference(skills, sets, request)
    if request.what == "mean":
        return estimate_mean(scores_of(items, request.field), f"{request.field} of {subject}", request)
    return estimate_pass_rate(_verdicts(items), f"passes of {subject}", request)


def _difference(
    skills: Sequence[str], sets: Sequence[tuple[JudgeKey, list[JudgedItem]]], request: EstimateRequest
) -> Estimated:
    (key, first), (last_key, second) = sets
    if key[:2] != last_key[:2]:
        raise InputError(f"{skills[0]} was judged by {key}, {skills[1]} by {last_key}; a difference needs one judge")
    first, second = ([item for item in items if scores_of([item], request.field)] for items in (first, second))
    pairs = matches(_named(first), _named(second))
    if not pairs:
        raise InputError(f"no item of {skills[0]} could be paired with one of {skills[1]} by id, file name or task")
    before = scores_of([first[place] for place, _ in pairs], request.field)
    after = scores_of([second[place] for _, place in pairs], request.field)
    return estimate_difference(before, after, f"{request.field} of {skills[1]} minus {skills[0]}, by {key}", request)


def _named(items: Sequence[JudgedItem]) -> list[Named]:
    return [Named(item.record.id, card_of(item.record)) for item in items]


def _verdicts(items: Sequence[JudgedItem]) -> Verdicts:
    """Whether judge and people pass each item: by labels of `pass`, or by people's final score and the pass mark."""
    verdicts: list[tuple[bool, bool | None]] = []
    for item in items:
        document = item.record.document
        if document["passed"] is None:
            continue
        people: bool | None = None
        if item.people.get(PASS, 0.5) != 0.5:  # as many passed it as failed it: no verdict
            people = item.people[PASS] > 0.5
        elif PASS not in item.people and "final" in item.people:
            people = item.people["final"] >= float(document["pass_mark"])
        verdicts.append((document["passed"], people))
    return verdicts


def estimate_table(table: Table, request: EstimateRequest) -> Estimated:
    """An estimate from columns of numbers: judge and people, or judge_a, people_a, judge_b and people_b.

    Where a column `probability` has different chances, labelled items count by one over theirs.
    """
    chances = table_chances(table)
    if request.what == "difference":
        return _table_difference(table, request, chances)
    scores = table_scores(table)
    rows = judged(scores)
    if request.what == "mean":
        return estimate_mean(rows, table.source, request, _judged_chances([s[0] for s in scores], chances))
    mark = request.pass_mark
    if mark is None:
        raise InputError("a table has no pass mark; set the lowest passing score with `pass_mark`")
    verdicts = [(judge >= mark, None if people is None else people >= mark) for judge, people in rows]
    kept = _judged_chances([score[0] for score in scores], chances)
    return estimate_pass_rate(verdicts, f"{table.source}, {mark:g} or more", request, kept)


def _table_difference(table: Table, request: EstimateRequest, chances: Chances | None) -> Estimated:
    sides = [table_scores(table, f"judge_{side}", f"people_{side}") for side in "ab"]
    pairs = [*zip(*sides, strict=True)]
    both = [None if a[0] is None or b[0] is None else a[0] for a, b in pairs]
    complete = [pair for pair, known in zip(pairs, both, strict=True) if known is not None]
    first, second = (judged(side) for side in zip(*complete, strict=True)) if complete else ([], [])
    subject = f"{table.source}, b minus a"
    return estimate_difference(first, second, subject, request, _judged_chances(both, chances))


def _judged_chances(judge: Sequence[float | None], chances: Chances | None) -> Chances | None:
    """The chances of the rows that the judge scored."""
    if chances is None:
        return None
    return [chance for score, chance in zip(judge, chances, strict=True) if score is not None]
