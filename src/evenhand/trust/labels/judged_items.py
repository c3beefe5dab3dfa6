"""Items that one judge scored, some of them with people's scores: from a store, or from a table of numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, nan
from typing import Any, NamedTuple

from evenhand.core.calibration import FIELDS
from evenhand.core.judgement import PERSON
from evenhand.core.receipt import names_text
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError, Problem, unknown
from evenhand.files.tables import Row, Table
from evenhand.stats.agreement.label_scales import TEN_SCALE
from evenhand.stats.clusters import Clusters, cluster_count, clustered
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.trust.labels.label_matches import LabelledItem, judge_name, labelled_items
from evenhand.work.label import JUDGE, PASS


class JudgeKey(NamedTuple):
    """One judge with one rubric; its identity holds the prompt's hash."""

    judge: str
    """The identity as canonical text."""
    rubric_sha256: str
    rubric: str
    pass_mark: float | None = None
    """The rubric's."""
    official: bool = False
    """Whether the rubric makes the calibrated score official, so that it is what a gate looks at."""

    @property
    def identity(self) -> dict[str, str]:
        identity: dict[str, str] = json.loads(self.judge)
        return identity

    def __str__(self) -> str:
        return f"{self.identity['name']} with rubric {self.rubric}"


class JudgedItem(NamedTuple):
    """One item that the judge scored."""

    item: str
    record: Record
    """The judge's latest evaluation of it."""
    people: Mapping[str, float]
    """People's mean score by field; empty when no one labelled it. `pass` is the share of people who passed it."""
    raters: frozenset[str]
    rounds: frozenset[tuple[str, str]] = frozenset()
    """The rounds of review that it was chosen for: how (`sample` or `doubt`), and the round's id."""
    chances: Mapping[str, float] = {}
    """By the round's id, how likely it was to be chosen."""

    def unlabelled(self) -> JudgedItem:
        """A copy of an item without its labels."""
        return self._replace(people={}, raters=frozenset())


def key_of(card: Scorecard) -> JudgeKey:
    """The judge and rubric of a scorecard."""
    mark, official = float(card.pass_mark), card.official is not None
    return JudgeKey(names_text(card.judge), card.receipt.rubric, card.rubric, mark, official)


def judged_items(
    store: Store,
    *,
    skill: str | None = None,
    judge: str | None = None,
    rubric: str | None = None,
    like: JudgeKey | None = None,
) -> tuple[JudgeKey, list[JudgedItem]]:
    """The items of one judge and rubric. InputError when the store has none, or several to choose from."""
    groups = judged_groups(store, skill=skill)
    chosen = {
        key: items
        for key, items in groups.items()
        if (judge is None or key.identity["name"] == judge)
        and (rubric is None or key.rubric == rubric)
        and (like is None or key[:2] == like[:2])
    }
    labelled_ones = {key: items for key, items in chosen.items() if any(item.people for item in items)}
    if len(labelled_ones) == 1:
        return next(iter(labelled_ones.items()))
    raise InputError(_choice(store, groups, chosen, labelled_ones))


def judged_groups(store: Store, *, skill: str | None = None) -> dict[JudgeKey, list[JudgedItem]]:
    """The items that judges scored, by judge and rubric; labelled or not."""
    groups: dict[JudgeKey, list[JudgedItem]] = {}
    for labelled in labelled_items(store, skill=skill):
        people, raters = people_scores(labelled)
        reviews = _reviews(labelled)
        rounds = frozenset((str(review["method"]), str(review["round"])) for review in reviews)
        chances = {str(review["round"]): float(review["probability"]) for review in reviews}
        latest = {
            _key(record): record for record in labelled.by_judges if any(score is not None for score in record.scores)
        }
        for key, record in latest.items():
            groups.setdefault(key, []).append(JudgedItem(labelled.item, record, people, raters, rounds, chances))
    return groups


def _choice(
    store: Store,
    groups: Mapping[JudgeKey, Sequence[JudgedItem]],
    chosen: Mapping[JudgeKey, Sequence[JudgedItem]],
    labelled: Mapping[JudgeKey, Sequence[JudgedItem]],
) -> str:
    if not groups:
        return f"no evaluation in {store.url} has scores by a judge; judge some outputs first"
    if not chosen:
        return f"no judge in {store.url} matches; it has {_listed(groups)}"
    if not labelled:
        return (
            f"there are no labels for outputs judged by {_listed(chosen)}; import labels on a scale from 1 to 10 with: "
            "evenhand trust labels import FILE"
        )
    return (
        f"{store.url} has labelled items of several judges: {_listed(labelled)}; "
        "choose with `judge`, `rubric`, or `like` ID of one evaluation"
    )


def _listed(groups: Mapping[JudgeKey, Sequence[JudgedItem]]) -> str:
    return "; ".join(f"{key} ({sum(bool(item.people) for item in items)} labelled)" for key, items in groups.items())


def _key(record: Record) -> JudgeKey:
    mark = record.document.get("pass_mark")
    official = record.document.get("official") is not None
    return JudgeKey(record.judge, record.rubric_sha256, record.rubric, None if mark is None else float(mark), official)


def people_scores(labelled: LabelledItem) -> tuple[dict[str, float], frozenset[str]]:
    """People's mean scores of an item, from their labels and from judgements of their own."""
    given: dict[str, list[float]] = {}
    raters = set()
    reviewers = {judge_name(record) for record in labelled.evaluations}
    for label in labelled.labels:
        if label.rater.startswith(JUDGE) or label.rater in reviewers:  # a review counts, not its copy in a table
            continue
        if label.field == PASS:
            given.setdefault(PASS, []).append(float(label.value == "pass"))
        elif label.field in FIELDS and label.scale == TEN_SCALE.name:
            given.setdefault(label.field, []).append(float(label.value))
        else:
            continue
        raters.add(label.rater)
    for record in labelled.evaluations:
        if judge_name(record).startswith(PERSON):
            raters.add(judge_name(record))
            for field, score in zip(("final", *DIMENSIONS), (record.final, *record.scores), strict=True):
                if score is not None:
                    given.setdefault(field, []).append(score / 100)
    return {field: sum(values) / len(values) for field, values in given.items()}, frozenset(raters)


def _reviews(labelled: LabelledItem) -> list[Mapping[str, Any]]:
    """What its reviews say about the rounds it was chosen for."""
    return [
        review
        for record in labelled.evaluations
        if judge_name(record).startswith(PERSON) and (review := record.document.get("review")) is not None
    ]


def scores_of(items: Iterable[JudgedItem], field: str) -> list[tuple[float, float | None]]:
    """The judge's score of each item in one field, and people's or None. Items without a judge's score are left out."""
    place = FIELDS.index(field)
    rows = [((item.record.raw_final, *item.record.scores)[place], item.people.get(field)) for item in items]
    return [(judge / 100, people) for judge, people in rows if judge is not None]


def clusters_of(items: Sequence[JudgedItem]) -> Clusters | None:
    """The case or task of each item; None where each item is a cluster of its own."""
    return record_clusters([item.record for item in items])


def record_clusters(records: Sequence[Record]) -> Clusters | None:
    """The case or task of each item, where those tell items apart; None where each item is a cluster of its own.

    One task that all items share does not mean that they belong together: their inputs may differ.
    """
    known: Callable[[Record], str | None]
    for known in (_case, _task):
        names = [known(record) for record in records]
        if None not in names and clustered(names) and cluster_count(names) > 1:
            return names
    return None


def _case(record: Record) -> str:
    suite = record.document.get("suite")
    return record.case_id if suite is None else str(suite["case"])


def _task(record: Record) -> str | None:
    if record.submission is not None:
        kept: str | None = json.loads(record.submission)["task"]
        return kept
    task = record.document.get("task")
    return None if task is None else str(task)


def table_clusters(table: Table, column: str) -> list[str]:
    """The cluster of each row. Refuses a row without one."""
    needed_columns(table, column)
    empty = next((row for row in table.rows if row.cells[column] is None), None)
    if empty is not None:
        raise table.refusal(f'has no cluster in the column "{column}"', empty)
    return [str(row.cells[column]).strip() for row in table.rows]


def needed_columns(table: Table, *columns: str, hint: str = "") -> None:
    """Refuse a table that lacks one of these columns; `hint` is what to do besides correcting a name."""
    for column in columns:
        if column not in table.columns:
            raise table.refusal(unknown("column", column, table.columns) + hint)


_NAME_THEM = "; if they have other names, say which with --set trust.columns=JUDGE,PEOPLE"


def table_scores(
    table: Table, judge: str = "judge", people: str = "people", *, scale: tuple[float, float] | None = None
) -> list[tuple[float | None, float | None]]:
    """Two columns of numbers, either of which may be missing. Lists every cell that is not a number on the scale."""
    needed_columns(table, judge, people, hint=_NAME_THEM)
    problems: list[Problem] = []
    rows = [tuple(_score(table, row, column, scale, problems) for column in (judge, people)) for row in table.rows]
    if problems:
        raise InputError(problems)
    return [(first, second) for first, second in rows]


def verdict_cells(table: Table, judge: str, people: str) -> list[tuple[float | None, float | None]]:
    """Two columns of verdicts as 1 and 0. Refuses numbers, which need a pass mark, and other words."""
    needed_columns(table, judge, people, hint=_NAME_THEM)
    cells = [tuple(_verdict_of(row.cells[column]) for column in (judge, people)) for row in table.rows]
    for row, values in zip(table.rows, cells, strict=True):
        for column, value in zip((judge, people), values, strict=True):
            if value is _UNKNOWN:
                text = row.cells[column]
                raise table.refusal(
                    f'{column} is "{text}", which is not a verdict (pass or fail, yes or no, true or false, 1 or 0); '
                    "a table of scores has no pass mark: set the lowest passing score with `pass_mark`",
                    row,
                )
    return [(first, second) for first, second in cells]


_UNKNOWN = -1.0
_VERDICTS = {"pass": 1.0, "passed": 1.0, "yes": 1.0, "true": 1.0, "1": 1.0, "1.0": 1.0} | {
    "fail": 0.0, "failed": 0.0, "no": 0.0, "false": 0.0, "0": 0.0, "0.0": 0.0,
}  # fmt: skip


def _verdict_of(text: str | None) -> float | None:
    return None if text is None else _VERDICTS.get(text.strip().lower(), _UNKNOWN)


JUDGE_AND_PEOPLE = ("judge", "people")
"""The columns of a table of pairs, unless told otherwise."""


def pairs_by_field(table: Table, columns: tuple[str, str] = JUDGE_AND_PEOPLE) -> dict[str, list[tuple[float, float]]]:
    """Pairs of a judge's and people's score; the column `field` says of what, the final score without it."""
    by_field = _complete_rows(table, columns)
    return {field: [pair for _, pair in rows] for field, rows in by_field.items()}


def clusters_by_field(table: Table, column: str, columns: tuple[str, str] = JUDGE_AND_PEOPLE) -> dict[str, Clusters]:
    """The cluster of each of those pairs."""
    table_clusters(table, column)  # refuses a row without one
    by_field = _complete_rows(table, columns)
    return {field: [str(row.cells[column]).strip() for row, _ in rows] for field, rows in by_field.items()}


def _complete_rows(table: Table, columns: tuple[str, str]) -> dict[str, list[tuple[Row, tuple[float, float]]]]:
    """By field the rows that have both scores."""
    by_field: dict[str, list[Row]] = {}
    for row in table.rows:
        by_field.setdefault(row.cells.get("field") or "final", []).append(row)
    for field, rows in by_field.items():
        if field not in FIELDS:
            raise table.refusal(unknown("scored field", field, FIELDS), rows[0])
    return {
        field: [
            (row, (judge, people))
            for row, (judge, people) in zip(
                rows, table_scores(table._replace(rows=tuple(rows)), *columns, scale=(1, 10)), strict=True
            )
            if judge is not None and people is not None
        ]
        for field, rows in by_field.items()
    }


def _score(
    table: Table, row: Row, column: str, scale: tuple[float, float] | None, problems: list[Problem]
) -> float | None:
    text = row.cells[column]
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not isfinite(number) or (scale is not None and not scale[0] <= number <= scale[1]):
        span = "" if scale is None else f" from {scale[0]:g} to {scale[1]:g}"
        problems.append(table.problem(f'{column} is "{text}"; it must be a number{span}', row))
    return number
