"""Labels joined to evaluations, when they are read: by submission, by id, or by the text of the output.

Labels and evaluations of one submission belong together whatever they were joined by. A label of an item that nobody
has judged yet is an item of its own, and joins once an evaluation with its id, submission or text is in the store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from evenhand.core.basics.canonical import sha256
from evenhand.core.values.label import PERSON, ItemKind, Label
from evenhand.store.protocol import Store
from evenhand.store.record import SUITE, Record


class LabelledItem(NamedTuple):
    """One item with what people and judges said about it."""

    item: str
    """The hash of the submission where there is one, or else the kind and the name of the item."""
    evaluations: tuple[Record, ...]
    """Every evaluation of it, oldest first; people's own among them."""
    labels: tuple[Label, ...]

    @property
    def by_judges(self) -> tuple[Record, ...]:
        """The evaluations that are not a person's."""
        return tuple(record for record in self.evaluations if not judge_name(record).startswith(PERSON))


class Index:
    """The evaluations of a store by everything that a label can name."""

    def __init__(self, evaluations: Iterable[Record]) -> None:
        self.items: dict[str, list[Record]] = {}
        self._named: dict[tuple[ItemKind, str], str] = {}
        self._cases: dict[str, list[tuple[int, str]]] = {}
        """When each evaluation of a case was completed, and its item; without suites, whose variants share cases."""
        self.ids: list[str] = []
        self.outputs: dict[str, str] = {}
        """The outputs whose text is kept, by their hash."""
        for record in evaluations:
            self._add(record)

    def _add(self, record: Record) -> None:
        receipt = record.document.get("receipt") or {}
        submission = receipt.get("submission")
        item = submission or f"id:{record.id}"
        self.items.setdefault(item, []).append(record)
        self._named["id", record.id] = item
        self.ids.append(record.id)
        if record.in_history != SUITE:
            self._cases.setdefault(record.case, []).append((record.completed, item))
        if submission:
            self._named["submission", submission] = item
        if record.submission is not None:
            output = json.loads(record.submission)["output"]
            self._named.setdefault(("text", sha256(output)), item)
            self.outputs[sha256(output)] = output

    def item_of(self, label: Label) -> str | None:
        """The item that a label names; None when no evaluation has it.

        The id of a case that was judged again stands for what was newest when the label came, or else for the first.
        """
        if label.kind == "id" and label.item in self._cases:
            evaluations = self._cases[label.item]
            known = [item for completed, item in evaluations if completed <= label.imported]
            return known[-1] if known else evaluations[0][1]
        return self._named.get((label.kind, label.item))


def labelled_items(store: Store, *, skill: str | None = None, fields: Iterable[str] = ()) -> list[LabelledItem]:
    """Everything that was judged or labelled, judged items first; of one skill only, if one is named."""
    index = Index(store.evaluations(skill))
    labels: dict[str, list[Label]] = {item: [] for item in index.items}
    for label in store.labels(fields=fields):
        item = index.item_of(label)
        if item is None and skill is not None:
            continue
        labels.setdefault(item or f"{label.kind}:{label.item}", []).append(label)
    return [LabelledItem(item, tuple(index.items.get(item, ())), tuple(given)) for item, given in labels.items()]


def judge_name(record: Record) -> str:
    """The judge's name in an evaluation."""
    name: str = json.loads(record.judge)["name"]
    return name
