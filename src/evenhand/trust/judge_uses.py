"""What a judge can be used for, by the labels and the probes that there are: the one place that every door asks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from evenhand.core.curve import UseVerdict
from evenhand.core.scorecard import DOUBT
from evenhand.stats.trust.judge_card import JudgeCard
from evenhand.stats.trust.use_verdicts import LabelledOutput, gate_verdict, judge_uses, together
from evenhand.store.protocol import Store
from evenhand.trust.labels.judged_items import JudgedItem, judged_groups, record_clusters
from evenhand.work.label import PASS


def uses_of_items(items: Iterable[JudgedItem]) -> tuple[UseVerdict, ...]:
    """The verdicts on the judge of some items, from those that people labelled. Outputs chosen by doubt are left out:
    the judge was at its least sure there."""
    return judge_uses(labelled_outputs([item for item in items if item.people and not chosen_by_doubt(item)]))


def labelled_outputs(items: Sequence[JudgedItem]) -> list[LabelledOutput]:
    """What judge and people gave some items, with the case of each."""
    clusters = record_clusters([item.record for item in items])
    cases = [item.item for item in items] if clusters is None else clusters
    return [_output(item, case) for item, case in zip(items, cases, strict=True)]


def chosen_by_doubt(item: JudgedItem) -> bool:
    """Whether doubt alone brought an output to its reviewers."""
    return bool(item.rounds) and all(method == DOUBT for method, _ in item.rounds)


def _output(item: JudgedItem, case: object) -> LabelledOutput:
    record, people = item.record, item.people.get("final")
    mark = record.document.get("pass_mark")
    # A gate looks at the official score.
    gated = record.raw_final if record.document.get("official") is None else record.final
    passed = item.people.get(PASS, 0.5)
    people_pass = None if passed == 0.5 else passed > 0.5
    if people_pass is None and people is not None and mark is not None:
        people_pass = people >= float(mark)
    return LabelledOutput(
        case=case,
        judge=None if record.raw_final is None else record.raw_final / 100,
        people=people,
        judge_passes=None if gated is None or mark is None else gated / 100 >= float(mark),
        people_pass=people_pass,
        mark=None if mark is None else float(mark),
    )


class TableValues(NamedTuple):
    """What raters of a table gave in one field: by item and rater, on a scale with a number of points."""

    values: Mapping[str, Mapping[str, float]]
    width: float


def uses_of_table(
    judge: str,
    people: Sequence[str],
    scores: TableValues | None,
    verdicts: Mapping[str, Mapping[str, bool]],
    clusters: Mapping[str, Hashable],
    pass_mark: float | None,
) -> tuple[UseVerdict, ...]:
    """The verdicts on a judge of a table: by its scores, and by its verdicts of pass and fail or the mark. One that
    gives no scores can only gate."""
    rows = []
    given = {} if scores is None else scores.values
    stretch = 1.0 if scores is None else 9 / scores.width
    for item in dict.fromkeys([*given, *verdicts]):
        said = given.get(item, {})
        passed = verdicts.get(item, {})
        by_people = [said[name] for name in people if name in said]
        mean = sum(by_people) / len(by_people) if by_people and judge in said else None
        votes = [passed[name] for name in people if name in passed]
        people_pass = None if not votes or sum(votes) * 2 == len(votes) else sum(votes) * 2 > len(votes)
        judge_passes = passed.get(judge)
        if pass_mark is not None and judge_passes is None:
            judge_passes = said[judge] >= pass_mark if judge in said else None
            people_pass = mean >= pass_mark if mean is not None else None
        rows.append(
            LabelledOutput(
                case=clusters.get(item, ("alone", item)),
                judge=said.get(judge) if mean is not None else None,
                people=mean,
                judge_passes=judge_passes,
                people_pass=people_pass,
                mark=pass_mark if mean is not None else None,
                points=stretch,
            )
        )
    return judge_uses(rows) if scores is not None else (gate_verdict(rows),)


def stored_uses(
    store: Store, judge: str | None = None, *, skill: str | None = None
) -> dict[str, tuple[UseVerdict, ...]]:
    """The verdicts on every judge of a store, or on one, that people's labels say something of: by judge and rubric, or
    by the judge alone where it judged with one rubric only."""
    groups = {
        key: items
        for key, items in judged_groups(store, skill=skill).items()
        if judge in (None, key.identity["name"]) and any(item.people for item in items)
    }
    names = [key.identity["name"] for key in groups]
    return {
        key.identity["name"] if names.count(key.identity["name"]) == 1 else str(key): uses_of_items(items)
        for key, items in groups.items()
    }


def uses_by_judge(store: Store) -> dict[str, list[tuple[str, tuple[UseVerdict, ...]]]]:
    """The same of all judges at once: by name, each rubric that people's labels say something of."""
    found: dict[str, list[tuple[str, tuple[UseVerdict, ...]]]] = {}
    for key, items in judged_groups(store).items():
        if any(item.people for item in items):
            found.setdefault(key.identity["name"], []).append((str(key), uses_of_items(items)))
    return {
        name: [(name, verdicts) for _, verdicts in rows] if len(rows) == 1 else rows for name, rows in found.items()
    }


def uses_with_card(by_labels: Sequence[UseVerdict], card: JudgeCard | None) -> tuple[UseVerdict, ...]:
    """The verdicts by labels, and where they tell nothing by the newest self-test."""
    if card is None or not by_labels:
        return card.uses if card is not None else tuple(by_labels)
    return together(by_labels, card.uses)
