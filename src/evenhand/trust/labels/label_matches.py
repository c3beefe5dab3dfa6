"""Labels joined to evaluations, when they are read: by submission, by id, by the text of the output, or by its file.

Labels and evaluations of one submission belong together whatever they were joined by. A label of an item that nobody
has judged yet is an item of its own, and joins once an evaluation with its id, submission or text is in the store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evenhand.core.judgement import PERSON
from evenhand.core.receipt import sha256
from evenhand.store.protocol import Store
from evenhand.store.record import REVIEW, SUITE, Record
from evenhand.work.label import ItemKind, Label


class LabelledItem(NamedTuple):
    """One item with what people and judges said about it."""

    item: str
    """The hash of the submission where there is one, or else the kind and the name of the item."""
    evaluations: tuple[Record, ...]
    """Every evaluation of it, oldest first; people's own among them, each with the decision that counts."""
    labels: tuple[Label, ...]

    @property
    def by_judges(self) -> tuple[Record, ...]:
        """The evaluations that are not a person's."""
        return tuple(record for record in self.evaluations if not judge_name(record).startswith(PERSON))


class _JudgedFile(NamedTuple):
    """A file that was judged."""

    parts: tuple[str, ...]
    completed: int
    item: str


class Index:
    """The evaluations of a store by everything that a label can name."""

    def __init__(self, evaluations: Iterable[Record]) -> None:
        self.items: dict[str, list[Record]] = {}
        self._named: dict[tuple[ItemKind, str], str] = {}
        self._cases: dict[str, list[tuple[int, str]]] = {}
        """When each evaluation of a case was completed, and its item; without suites, whose variants share cases."""
        self.ids: list[str] = []
        self._files: dict[str, list[_JudgedFile]] = {}
        """The judged files, by the last part of their paths."""
        self.corrected: set[str] = set()
        """Decisions of reviewers that they replaced by others."""
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
        corrects = (record.document.get("review") or {}).get("corrects") if record.in_history == REVIEW else None
        if corrects is not None:
            self.corrected.add(corrects)
        if record.in_history != SUITE:
            self._cases.setdefault(record.case_id, []).append((record.completed, item))
        if submission:
            self._named["submission", submission] = item
        parts = path_parts(record.document.get("output") or "")
        if parts:
            self._files.setdefault(parts[-1], []).append(_JudgedFile(parts, record.completed, item))
        if record.submission is not None:
            output = json.loads(record.submission)["output"]
            self._named.setdefault(("text", sha256(output)), item)
            self.outputs[sha256(output)] = output

    def item_of(self, label: Label) -> str | None:
        """The item that a label names; None when no evaluation has it.

        The id of a case, or the file, that was judged again stands for what was newest when the label came, or else for
        the first. The name of a file that several paths end in stands for none of them.
        """
        if label.kind == "id" and label.item in self._cases:
            return _newest(self._cases[label.item], label)
        if label.kind == "file":
            files = self._matching(label.item)
            one = len({file.parts for file in files}) == 1
            return _newest([(file.completed, file.item) for file in files], label) if one else None
        return self._named.get((label.kind, label.item))

    def counting(self, item: str) -> tuple[Record, ...]:
        """The evaluations of an item, without decisions of reviewers that they corrected."""
        return tuple(record for record in self.items.get(item, ()) if record.id not in self.corrected)

    def files(self, name: str) -> list[str]:
        """The paths of judged files that a name, or the end of a path, stands for: more than one leaves it open."""
        return list(dict.fromkeys("/".join(file.parts) for file in self._matching(name)))

    def _matching(self, name: str) -> list[_JudgedFile]:
        parts = path_parts(name)
        files = self._files.get(parts[-1], []) if parts else []
        return [file for file in files if file.parts == parts] or [
            file for file in files if file.parts[-len(parts) :] == parts
        ]


def _newest(evaluations: Sequence[tuple[int, str]], label: Label) -> str:
    """The item of the newest evaluation when the label came, or else of the first."""
    known = [item for completed, item in evaluations if completed <= label.imported]
    return known[-1] if known else evaluations[0][1]


def path_parts(path: str) -> tuple[str, ...]:
    """The parts of a path, however it is written: `./runs\\a.md` is `runs`, `a.md`."""
    return tuple(part for part in path.replace("\\", "/").split("/") if part not in ("", "."))


def labelled_items(store: Store, *, skill: str | None = None, fields: Iterable[str] = ()) -> list[LabelledItem]:
    """Everything that was judged or labelled, judged items first; of one skill only, if one is named."""
    index = Index(store.evaluations(skill))
    labels: dict[str, list[Label]] = {item: [] for item in index.items}
    for label in store.labels(fields=fields):
        item = index.item_of(label)
        if item is None and skill is not None:
            continue
        labels.setdefault(item or f"{label.kind}:{label.item}", []).append(label)
    return [LabelledItem(item, index.counting(item), tuple(given)) for item, given in labels.items()]


def judge_name(record: Record) -> str:
    """The judge's name in an evaluation."""
    name: str = json.loads(record.judge)["name"]
    return name
