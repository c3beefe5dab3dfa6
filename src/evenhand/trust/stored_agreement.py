"""People and judges of a store on the same items: what each gave, field by field, ready to be compared.

A person's values are labels and evaluations by `human:NAME`. Where a person scored all seven dimensions and no final
score, the final score follows from the weights of the item's rubric, without flags and bonuses; a grade and a pass
follow from a final score. Of several evaluations of an item by one judge the newest counts. What people said of a
criterion, by its id or its sentence, is compared with what judges answered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evenhand.core.judgement import PERSON
from evenhand.core.numbers import half_up, points, shown
from evenhand.core.rules import DIMENSIONS, GRADES
from evenhand.errors import InputError
from evenhand.in_words import counted
from evenhand.stats.agreement.agreed import AgreementReport
from evenhand.stats.agreement.disagreements import WORST
from evenhand.stats.agreement.interval import RESAMPLES
from evenhand.stats.agreement.label_scales import CATEGORIES, Scale, default_scale, scale_from
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.trust.judge_uses import stored_uses
from evenhand.trust.labels.judged_items import record_clusters
from evenhand.trust.labels.label_matches import LabelledItem, judge_name, labelled_items
from evenhand.trust.rater_agreement import Given, cluster_notes, report
from evenhand.work.label import FINAL, GRADE, JUDGE, JUDGED_FIELDS, PASS

_RESULTS = {"met": "yes", "unmet": "no", "undecided": "cannot tell"}


class CriteriaAnswers:
    """The criteria that evaluations of a store answered, by id or sentence."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._denied: set[str] = set()
        """Those that are met by a no."""

    def of(self, document: Mapping[str, Any]) -> dict[str, str]:
        """The answers of one evaluation."""
        answers = answers_of(document)
        self.names |= {id for id, _, _ in answers}
        self._denied |= {id for id, _, denied in answers if denied}
        return {id: answer for id, answer, _ in answers if id not in JUDGED_FIELDS}

    def on_scale(
        self, field: str, values: Mapping[str, Mapping[str, str]], scale: Scale
    ) -> Mapping[str, Mapping[str, str]]:
        """The values of a field by item and rater. Where people said pass or fail of a criterion, so do judges:
        whether it is met; an answer that is neither is left out."""
        if field not in self.names or scale.name != PASS:
            return values
        met, missed = ("no", "yes") if field in self._denied else ("yes", "no")
        words = {met: "pass", missed: "fail", "pass": "pass", "fail": "fail"}
        return {
            item: {rater: words[value] for rater, value in given.items() if value in words}
            for item, given in values.items()
        }


def answers_of(document: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """The criteria of a stored scorecard: id or sentence, the answer, and whether it is met by a no."""
    answers = []
    for line in document["dimensions"].values():
        waiting = list(line.get("criteria", {}).get("criteria", ()))
        for node in waiting:  # grows as groups are opened
            if "criteria" in node:
                waiting += node["criteria"]
            else:
                answers.append((node["id"], node["verdict"], str(node["points"]).startswith("-")))
    for expected in document.get("expectations") or ():
        if expected.get("by"):
            answers.append((expected["expectation"], _RESULTS[expected["result"]], False))
    return answers


Values = dict[str, str]
"""By field."""


def agree_stored(
    store: Store,
    *,
    skill: str | None = None,
    fields: Iterable[str] = (),
    judges: Iterable[str] = (),
    seed: int = 0,
    resamples: int = RESAMPLES,
    full: bool = True,
    worst: int = WORST,
) -> AgreementReport:
    """Judges and people of a store, for every field or for some; only some judges if any are named."""
    wanted, named = tuple(fields), frozenset(judges)
    reader = _Reader(named)
    items = labelled_items(store, skill=skill)
    for item in items:
        reader.read(item)
    unknown = named - reader.judges
    if unknown:
        known = ", ".join(sorted(reader.judges)) or "none"
        raise InputError(f'no judge "{min(unknown)}" in {store.url}; judges: {known}')
    clusters = _clusters(items)
    names = {item.item: item.evaluations[-1].case_id for item in items if item.evaluations}
    given = [
        entry._replace(clusters=clusters, names=names, reasons=reader.reasons.get(entry.field, {}))
        for entry in reader.given(wanted)
        if not wanted or entry.field in wanted
    ]
    comparable = [entry for entry in given if len(entry.raters) > 1]
    if not comparable:
        raise InputError(_nothing(store, reader, wanted))
    notes = [*reader.notes(), *cluster_notes(clusters)]
    uses = {
        name: verdicts
        for name, verdicts in stored_uses(store, skill=skill).items()
        if not named or any(name == judge or name.startswith(f"{judge} with rubric ") for judge in named)
    }
    made = report(store.url, comparable, notes, seed=seed, resamples=resamples, full=full, worst=worst)
    return made._replace(uses=uses)


def _clusters(items: Sequence[LabelledItem]) -> dict[str, Hashable]:
    """The case or task of each item, where those tell items apart; an item no one judged is a cluster of its own."""
    records = [item.evaluations[-1] if item.evaluations else None for item in items]
    names = record_clusters([record for record in records if record is not None])
    if names is None:
        return {}
    known = iter(names)
    return {
        item.item: next(known) if record is not None else ("alone", item.item)
        for item, record in zip(items, records, strict=True)
    }


def _nothing(store: Store, reader: _Reader, wanted: tuple[str, ...]) -> str:
    if wanted and reader.fields and not reader.fields & set(wanted):
        return f'{store.url} has no values of "{wanted[0]}"; fields: {", ".join(sorted(reader.fields))}'
    if not reader.people:
        return f"{store.url} has no labels; add people's judgements with: evenhand trust labels import FILE"
    return f"no two raters in {store.url} have values of the same items; import more labels, or judge the items"


class _Reader:
    """The values of a store's items by field, item and rater."""

    def __init__(self, named: frozenset[str]) -> None:
        self._named = named
        self._values: dict[str, dict[str, dict[str, str]]] = {}
        self._scales: dict[str, set[str]] = {}
        self.reasons: dict[str, dict[tuple[str, str], str]] = {}
        """By field, then by item and rater: why a judge, or a person who judged in full, gave the value."""
        self.judges: set[str] = set()
        self.people: set[str] = set()
        self._repeats = self._conflicts = 0
        self._labelled_only = self._judged_only = 0
        self._criteria = CriteriaAnswers()

    @property
    def fields(self) -> set[str]:
        return set(self._values)

    def read(self, item: LabelledItem) -> None:
        """Take in what was said about one item."""
        people, torn = _labels(item)
        self._conflicts += torn
        judged: dict[str, Values] = {name: people.pop(name) for name in [*people] if name.startswith(JUDGE)}
        for record in item.evaluations:  # oldest first, so that the newest stays
            name = judge_name(record)
            self._repeats += name in judged
            members = _members(record)
            judged[name] = _evaluated(record) | self._criteria.of(record.document)
            for field in judged[name]:
                reason = _reason(record, field)
                if reason is not None:
                    self.reasons.setdefault(field, {})[item.item, name] = reason
            for member, values in members:
                judged.setdefault(member, values)
            # A panel does not count as a rater beside its own members, unless it alone was asked for.
            if any(not self._named or member in self._named for member, _ in members):
                fields = {field for _, values in members for field in values}
                judged[name] = {field: value for field, value in judged[name].items() if field not in fields}
        for name, values in judged.items():
            if name.startswith(PERSON):
                people.setdefault(name, {}).update(
                    {field: v for field, v in values.items() if field not in people[name]}
                )
        by_judges = {name: values for name, values in judged.items() if not name.startswith(PERSON) and values}
        self.judges |= by_judges.keys()
        self.people |= people.keys()
        self._labelled_only += bool(people) and not by_judges
        self._judged_only += bool(by_judges) and not people
        for name, values in people.items():
            self._put(
                item.item, name, values if not item.evaluations else _completed(values, item.evaluations[-1].document)
            )
        for name, values in by_judges.items():
            if not self._named or name in self._named:
                self._put(item.item, name, values)
        for label in item.labels:
            if label.field not in JUDGED_FIELDS:
                self._scales.setdefault(label.field, set()).add(label.scale)

    def _put(self, item: str, rater: str, values: Values) -> None:
        for field, value in values.items():
            self._values.setdefault(field, {}).setdefault(item, {})[rater] = value

    def given(self, wanted: Sequence[str] = ()) -> list[Given]:
        """The fields in their order, those of evaluations first; a field on two scales cannot be compared. A criterion
        that no one labelled is among them only if it is `wanted`."""
        order = [*JUDGED_FIELDS, *sorted(self._values.keys() - set(JUDGED_FIELDS))]
        fields = []
        for field in order:
            scale = default_scale(field) or (
                scale_from(next(iter(self._scales[field]))) if len(self._scales.get(field, ())) == 1 else None
            )
            if scale is None and field in self._criteria.names and field in wanted and field not in self._scales:
                scale = scale_from(CATEGORIES)
            if field in self._values and scale is not None:
                values = self._criteria.on_scale(field, self._values[field], scale)
                fields.append(Given(field, scale, values, frozenset(self.judges)))
        return fields

    def notes(self) -> list[str]:
        """What the numbers rest on."""
        notes = []
        if self._labelled_only:
            notes.append(
                f"{counted(self._labelled_only, 'item has', 'items have')} labels and no evaluation by a judge"
            )
        if self._judged_only:
            notes.append(
                f"{counted(self._judged_only, 'item was judged and has', 'items were judged and have')} no label"
            )
        if self._repeats:
            notes.append(f"{self._repeats} earlier evaluations of the same item by the same judge are left out")
        if self._conflicts:
            notes.append(f"{self._conflicts} values are left out: the same person gave the item another one too")
        for field, scales in self._scales.items():
            if len(scales) > 1:
                notes.append(f"{field} has labels on several scales ({', '.join(sorted(scales))}) and is left out")
        return notes


def _labels(item: LabelledItem) -> tuple[dict[str, Values], int]:
    """What each person gave, without fields that have two different values, by id and by text for instance."""
    people: dict[str, Values] = {}
    torn: set[tuple[str, str]] = set()
    for label in item.labels:
        values = people.setdefault(label.rater, {})
        if values.setdefault(label.field, label.value) != label.value:
            torn.add((label.rater, label.field))
    for rater, field in torn:
        del people[rater][field]
    return people, len(torn)


def _evaluated(record: Record) -> Values:
    """The values of an evaluation; a dimension without a score has none."""
    values = {
        name: shown(points(score)) for name, score in zip(DIMENSIONS, record.scores, strict=True) if score is not None
    }
    if record.final is not None:
        values[FINAL] = shown(points(record.final))
    if record.grade is not None:
        values[GRADE] = record.grade
    passed = record.document.get("passed")
    if isinstance(passed, bool):
        values[PASS] = "pass" if passed else "fail"
    return values


def _reason(record: Record, field: str) -> str | None:
    """Why an evaluation has a value: the justification of the dimension, or of the lowest one for what follows from
    all of them."""
    dimensions = record.document.get("dimensions") or {}
    if field in DIMENSIONS:
        said = (dimensions.get(field) or {}).get("justification")
        return str(said) if said else None
    known = [(entry["score"], name, entry.get("justification")) for name, entry in dimensions.items() if entry["score"]]
    told = [(score, name, said) for score, name, said in known if said]
    if not told:
        return None
    score, name, said = min(told)
    return f"{name} {score}: {said}"


def _members(record: Record) -> list[tuple[str, Values]]:
    """The judges of a panel with their own scores."""
    panel = record.document.get("panel")
    members = panel.get("members", ()) if isinstance(panel, dict) else ()
    if len(members) < 2:
        return []
    return [
        (
            member["judge"]["name"],
            {name: shown(Decimal(str(n))) for name, n in member["scores"].items() if n is not None}
            | {id: answer for id, answer in member.get("verdicts", {}).items() if id not in JUDGED_FIELDS},
        )
        for member in members
    ]


def _completed(values: Values, document: Mapping[str, Any]) -> Values:
    """A person's values with the final score, grade and pass that follow from them."""
    completed = dict(values)
    if FINAL not in completed and all(name in completed for name in DIMENSIONS):
        weights = {name: Fraction(str(document["dimensions"][name]["weight"])) for name in DIMENSIONS}
        total = sum((Fraction(completed[name]) * weight for name, weight in weights.items()), Fraction(0)) * 100
        completed[FINAL] = shown(points(half_up(total.numerator, total.denominator)))
    if FINAL in completed:
        hundredths = int(Fraction(completed[FINAL]) * 100)
        completed.setdefault(GRADE, next(grade.letter for grade in GRADES if hundredths >= grade.lower))
        mark = document.get("pass_mark")
        if mark is not None:
            completed.setdefault(PASS, "pass" if Fraction(completed[FINAL]) >= Fraction(str(mark)) else "fail")
    return completed
