"""What people would say about all outputs, from many that a judge scored and few that people labelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evenhand.errors import InputError
from evenhand.files.tables import Table
from evenhand.judging.files import Named
from evenhand.judging.sets.case_pairs import matches
from evenhand.stats.clusters import Clusters
from evenhand.stats.trust import estimates, pass_rate
from evenhand.stats.trust.estimated import Estimated, What
from evenhand.stats.trust.estimates import CONFIDENCE, Design, Estimate, Sample, equal_chances
from evenhand.stats.trust.pass_rate import PassRate
from evenhand.store.protocol import Store
from evenhand.store.stored_cards import card_of
from evenhand.trust.labels.judged_items import (
    JudgedItem,
    JudgeKey,
    clusters_of,
    judged_items,
    scores_of,
    table_clusters,
    table_scores,
    verdict_cells,
)
from evenhand.trust.labels.label_samples import drawn_at_random, drawn_by_doubt, table_chances
from evenhand.work.label import PASS

Rows = Sequence[tuple[float, float | None]]
"""A judge's score of each item, and people's where there is one."""

Verdicts = Sequence[tuple[bool, bool | None]]
"""Whether a judge passes each item, and whether people do."""

Chances = Sequence[float | None]
"""The chance of each item to be labelled, where they differ."""


class Drawn(NamedTuple):
    """How the labelled items were drawn, and which items belong together."""

    chances: Chances | None = None
    """The chance of each item to be labelled, where those differ."""
    clusters: Clusters | None = None
    """The cluster of each item, where items belong together."""


AT_RANDOM = Drawn()
"""A simple random sample of independent items."""

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
    """For a table: the score from which an item passes."""
    columns: tuple[str, str] = ("judge", "people")
    """For a table: the columns with the judge's scores and people's; for a difference each with _a and _b."""
    cluster: str | None = None
    """For a table: the column that says which items belong together."""


def estimate_mean(rows: Rows, subject: str, request: EstimateRequest, drawn: Drawn = AT_RANDOM) -> Estimated:
    """The mean people would give. InputError with the reason where no honest interval can be given."""
    sample, design = _sample(rows, drawn, request)
    reason = estimates.refusal(sample, design)
    if reason is not None:
        raise InputError(f"no estimate: {reason}")
    beyond = request.what == "difference"  # a claim about two systems, not about these outputs
    estimate = estimates.estimate_mean(sample, design, confidence=request.confidence, beyond=beyond)

    def labels_for(sample: Sample, precision: float, *, confidence: float) -> int | None:
        return estimates.labels_for(sample, precision, design, confidence=confidence, beyond=beyond)

    return _estimated(estimate, sample, subject, request, labels_for)


def _sample(rows: Rows, drawn: Drawn, request: EstimateRequest) -> tuple[Sample, Design]:
    """The labelled items first, and how they were drawn."""
    if drawn.chances is not None and request.precision is not None:
        raise InputError(NO_PRECISION)
    order = sorted(range(len(rows)), key=lambda place: rows[place][1] is None)
    labelled = [place for place in order if rows[place][1] is not None]
    sample = Sample(
        judged=[rows[place][0] for place in labelled],
        labels=[people for _, people in rows if people is not None],
        unlabelled=[judge for judge, people in rows if people is None],
    )
    clusters = None if drawn.clusters is None else [drawn.clusters[place] for place in order]
    if drawn.chances is None:
        return sample, equal_chances(sample, clusters)
    given = [drawn.chances[place] for place in labelled]
    if any(chance is None or not 0 < chance <= 1 for chance in given):
        raise InputError("each label needs its sampling probability, above 0 and at most 1")
    return sample, Design([chance for chance in given if chance is not None], clusters)


def _estimated(
    result: Estimate | PassRate,
    sample: Sample,
    subject: str,
    request: EstimateRequest,
    labels_for: Callable[..., int | None],
) -> Estimated:
    precision, confidence = request.precision, request.confidence
    needed = None if precision is None else labels_for(sample, precision, confidence=confidence)
    sizes = len(sample.labels), len(sample.unlabelled)
    return Estimated(request.what, subject, result, *sizes, precision, needed)


def estimate_difference(
    first: Rows, second: Rows, subject: str, request: EstimateRequest, drawn: Drawn = AT_RANDOM
) -> Estimated:
    """The mean difference people would see between two systems, second minus first, item by item."""
    rows = [
        (after - before, None if people_before is None or people_after is None else people_after - people_before)
        for (before, people_before), (after, people_after) in zip(first, second, strict=True)
    ]
    return estimate_mean(rows, subject, request, drawn)


def estimate_pass_rate(
    verdicts: Verdicts, subject: str, request: EstimateRequest, drawn: Drawn = AT_RANDOM
) -> Estimated:
    """The share people would pass. InputError with the reason where no honest interval can be given."""
    rows = [(float(judge), None if people is None else float(people)) for judge, people in verdicts]
    sample, design = _sample(rows, drawn, request)
    reason = pass_rate.pass_refusal(sample, design)
    if reason is not None:
        raise InputError(f"no estimate: {reason}")
    estimate = pass_rate.estimate_pass_rate(sample, design, confidence=request.confidence)

    def labels_for(sample: Sample, precision: float, *, confidence: float) -> int | None:
        return pass_rate.labels_for(sample, design, precision, confidence=confidence)

    return _estimated(estimate, sample, subject, request, labels_for)


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
        raise InputError(
            f"a {request.what} is of one skill, or of all; for two name: evenhand trust estimate difference"
        )
    sets = [judged_items(store, skill=skill, judge=judge, rubric=rubric, like=like) for skill in skills or (None,)]
    key, items = sets[0]
    subject = f"{skills[0] if skills else 'all skills'}, by {key}"
    chances: Chances | None = None
    if doubtful:
        drawn = drawn_by_doubt(store, items)
        subject = f"the doubtful outputs of {subject}"
        items, chances = [item for item, _ in drawn], [chance for _, chance in drawn]
    else:
        sets = [(judge_key, drawn_at_random(items, random_labels)) for judge_key, items in sets]
        if request.what == "difference":
            return _difference(skills, sets, request)
        items = sets[0][1]
    rows = _verdicts(items) if request.what == "pass-rate" else [_score(item, request.field) for item in items]
    kept = [place for place, row in enumerate(rows) if row is not None]
    given = Drawn(
        None if chances is None else [chances[place] for place in kept], clusters_of([items[place] for place in kept])
    )
    if request.what == "pass-rate":
        verdicts = [(bool(row[0]), None if row[1] is None else bool(row[1])) for row in rows if row is not None]
        return estimate_pass_rate(verdicts, f"passes of {subject}", request, given)
    return estimate_mean([row for row in rows if row is not None], f"{request.field} of {subject}", request, given)


def _score(item: JudgedItem, field: str) -> tuple[float, float | None] | None:
    return next(iter(scores_of([item], field)), None)


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
    drawn = Drawn(clusters=clusters_of([first[place] for place, _ in pairs]))
    subject = f"{request.field} of {skills[1]} minus {skills[0]}, by {key}"
    return estimate_difference(before, after, subject, request, drawn)


def _named(items: Sequence[JudgedItem]) -> list[Named]:
    return [Named(item.record.id, card_of(item.record)) for item in items]


def _verdicts(items: Sequence[JudgedItem]) -> list[tuple[float, float | None] | None]:
    """Whether judge and people pass each item: by labels of `pass`, or by people's final score and the pass mark."""
    return [_verdict(item) for item in items]


def _verdict(item: JudgedItem) -> tuple[float, float | None] | None:
    document = item.record.document
    if document["passed"] is None:
        return None
    people: float | None = None
    if item.people.get(PASS, 0.5) != 0.5:  # as many passed it as failed it: no verdict
        people = float(item.people[PASS] > 0.5)
    elif PASS not in item.people and "final" in item.people:
        people = float(item.people["final"] >= float(document["pass_mark"]))
    return float(document["passed"]), people


def estimate_table(table: Table, request: EstimateRequest) -> Estimated:
    """An estimate from two columns, of a judge and of people; for a difference from four.

    Where a column `probability` has different chances, labelled items count by one over theirs. Verdicts may be words
    such as pass and fail; numbers need a pass mark.
    """
    columns, suffixes = request.columns, ("_a", "_b") if request.what == "difference" else ("",)
    read = verdict_cells if request.what == "pass-rate" and request.pass_mark is None else table_scores
    sides = [read(table, columns[0] + suffix, columns[1] + suffix) for suffix in suffixes]
    kept = [place for place in range(len(table.rows)) if all(side[place][0] is not None for side in sides)]
    rows = [[(judge, people) for judge, people in map(side.__getitem__, kept) if judge is not None] for side in sides]
    drawn = _table_drawn(table, request, kept)
    if request.what == "difference":
        return estimate_difference(rows[0], rows[1], f"{table.source}, b minus a", request, drawn)
    if request.what == "mean":
        return estimate_mean(rows[0], table.source, request, drawn)
    mark = 0.5 if request.pass_mark is None else request.pass_mark
    subject = table.source if request.pass_mark is None else f"{table.source}, {mark:g} or more"
    verdicts = [(judge >= mark, None if people is None else people >= mark) for judge, people in rows[0]]
    return estimate_pass_rate(verdicts, subject, request, drawn)


def _table_drawn(table: Table, request: EstimateRequest, kept: Sequence[int]) -> Drawn:
    chances = table_chances(table)
    clusters = None
    if request.cluster is not None:
        clusters = table_clusters(table, request.cluster)
    return Drawn(
        None if chances is None else [chances[place] for place in kept],
        None if clusters is None else [clusters[place] for place in kept],
    )
