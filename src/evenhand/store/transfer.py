"""Evaluations out of a store as JSONL, and back into another, byte for byte and all or nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain, islice
from typing import Any, TypeVar

from evenhand.core.basics.canonical import quoted, sha256
from evenhand.core.documents.restore import restore
from evenhand.core.documents.verification import verify
from evenhand.core.values.label import Label
from evenhand.core.values.submission import Submission
from evenhand.errors import DocumentError, InputError, StoreUnavailable
from evenhand.reading.located import Located
from evenhand.store.protocol import Store
from evenhand.store.record import Record, kept_submission, record_of

SCHEMA = "evenhand/evaluation/v1"
ENDING = "evenhand/export/v1"
_FIELDS = ("schema", "completed", "scorecard", "submission", "sha256")

Item = TypeVar("Item")


def exported(records: Iterable[Record]) -> Iterator[str]:
    """One line of JSON for each evaluation, its scorecard exactly as it is stored, and a last line that counts them."""
    ending = _Ending()
    for record in records:
        submission = "null" if record.submission is None else record.submission
        yield (
            f'{{"schema":{quoted(SCHEMA)},"completed":{record.completed},'
            f'"scorecard":{record.scorecard},"submission":{submission},"sha256":"{ending.add(record)}"}}\n'
        )
    if ending.count:
        yield json.dumps(ending.document(), separators=(",", ":")) + "\n"


class _Ending:
    """What the last line of an export says of those before it."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = hashlib.sha256()

    def add(self, record: Record) -> str:
        """Take one more evaluation in; its own hash, which covers all that its line says."""
        own = sha256("\n".join((str(record.completed), record.scorecard, record.submission or "null")))
        self._hash.update(own.encode())
        self.count += 1
        return own

    def document(self) -> dict[str, Any]:
        return {"schema": ENDING, "evaluations": self.count, "sha256": self._hash.hexdigest()}


def import_lines(store: Store, documents: Iterable[Located | InputError]) -> tuple[int, int]:
    """Add what is not there yet; how many were added, and how many were there. Anything wrong adds nothing."""
    added = known = 0
    documents = _begun(documents)
    export = _Export()
    with store.transaction():
        for document in documents:
            if isinstance(document, InputError):
                raise document
            try:
                record = export.record(document.value)
                if record is None:
                    continue
                new = _add(store, record)
            except InputError as error:
                raise document.place_all(error) from None
            added, known = added + new, known + (not new)
        export.end()
    return added, known


class _Export:
    """An export as its lines come: whether each is whole, and whether all are there.

    The first exports had neither hashes nor a last line. One that has a hash must have the last line too.
    Several exports one after another are read as well.
    """

    def __init__(self) -> None:
        self._ending = _Ending()
        self._hashed = False

    def record(self, document: Any) -> Record | None:
        """The evaluation of a line, or None for a last line."""
        if isinstance(document, dict) and document.get("schema") == ENDING:
            if document != self._ending.document():
                raise DocumentError(
                    f"the export is not whole: {self._ending.count} evaluations came before this line, which counts "
                    f"{document.get('evaluations')}, or they are in another order"
                )
            self._ending, self._hashed = _Ending(), False
            return None
        record = record_from(document)
        own = self._ending.add(record)
        if "sha256" in document:
            self._hashed = True
            if document["sha256"] != own:
                raise DocumentError("the evaluation was changed: its sha256 is that of another")
        elif self._hashed:
            raise DocumentError("the evaluation has no sha256, unlike those before it")
        return record

    def end(self) -> None:
        """After the last line."""
        if self._hashed:
            raise DocumentError("the export is not whole: its last line, which counts the evaluations, is missing")


def import_records(store: Store, records: Iterable[Record], labels: Iterable[Label] = ()) -> tuple[int, int]:
    """The same with the records of another store; each is checked first. People's labels come along."""
    added = known = 0
    records = _begun(records)
    with store.transaction():
        for record in records:
            wrong = check_record(record)
            if wrong:
                raise DocumentError(wrong[0])
            new = _add(store, record)
            added, known = added + new, known + (not new)
        _add_labels(store, labels)
    return added, known


def _add_labels(store: Store, labels: Iterable[Label]) -> None:
    there = {label.key: label.value for label in store.labels()}
    new = []
    for label in labels:
        if there.get(label.key, label.value) != label.value:
            raise DocumentError(f"{store.url} has another {label.field} of {label.item} by {label.rater}")
        if label.key not in there:
            new.append(label)
    if new:
        store.add_labels(new)


def _begun(items: Iterable[Item]) -> Iterator[Item]:
    """The same items with the first already read, so that nothing is made for a source that cannot be."""
    rest = iter(items)
    first = list(islice(rest, 1))
    for each in first:
        if isinstance(each, InputError):
            raise each
    return chain(first, rest)


def _add(store: Store, record: Record) -> bool:
    there = store.find(record.id, record.fingerprint)
    if there is None:
        store.add(record)
        return True
    if there.id == record.id and there.scorecard != record.scorecard:
        raise DocumentError(f'an evaluation with the id "{record.id}" is in {store.url} already, and differs')
    return False


def record_from(document: Any) -> Record:
    """An evaluation from its exported form, checked as `verify` checks a scorecard."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not an exported evaluation: "schema" must be "{SCHEMA}"')
    unknown = sorted(document.keys() - set(_FIELDS))
    if unknown:
        raise DocumentError(f'unknown field "{unknown[0]}"; valid: {", ".join(_FIELDS)}')
    completed, scorecard = document.get("completed"), document.get("scorecard")
    if type(completed) is not int or not -(2**63) <= completed < 2**63 or not isinstance(scorecard, dict):
        raise DocumentError("not a whole evaluation: it needs completed, a whole number of 64 bits, and a scorecard")
    submission = _submission(document.get("submission"))
    wrong = _differences(scorecard, submission)
    if wrong:
        raise DocumentError(f"the evaluation was changed: {wrong[0]}")
    record = record_of(restore(scorecard)[0], completed=completed, submission=submission, keep_text=True)
    return record._replace(scorecard=_as_stored(scorecard))


def check_record(record: Record) -> list[str]:
    """What is wrong with a stored evaluation: a changed scorecard, or columns that say something else."""
    try:
        document = record.document
        submission = None if record.submission is None else _submission(json.loads(record.submission))
        wrong = _differences(document, submission)
        again = record_of(restore(document)[0], completed=record.completed, submission=submission, keep_text=True)
    except (InputError, StoreUnavailable, ValueError) as error:
        return [f"{record.id}: {error}"]
    skip = ("scorecard", "submission")
    pairs = zip(Record._fields, record, again, strict=True)
    wrong += [
        f"the column {name} says {said}, the scorecard {now}"
        for name, said, now in pairs
        if name not in skip and said != now
    ]
    return [f"{record.id}: {each}" for each in wrong]


def _differences(scorecard: dict[str, Any], submission: Submission | None) -> list[str]:
    """What `verify` finds, and whether the submission, its task included, is the one that was judged."""
    same = submission is None or all(scorecard.get(name) == getattr(submission, name) for name in ("task", "reference"))
    if not same:
        wrong = [f"{each.field} {each.problem}" for each in verify(scorecard).differences]
        return wrong or ["the task or the reference of the submission is not the scorecard's"]
    return [f"{each.field} {each.problem}" for each in verify(scorecard, submission=submission).differences]


def _submission(value: Any) -> Submission | None:
    if value is None:
        return None
    if (
        not isinstance(value, dict)
        or value.keys() - {"reference", "images"} != {"output", "task"}
        or not isinstance(value["output"], str)
        or not isinstance(value.get("reference", ""), str)
        or not _are_images(value.get("images", []))
    ):
        raise DocumentError("submission must be null, or an object with output, task and if known reference, images")
    return kept_submission(value)


def _are_images(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(image, dict)
        and image.keys() == {"media", "sha256"}
        and all(isinstance(text, str) for text in image.values())
        for image in value
    )


def _as_stored(scorecard: dict[str, Any]) -> str:
    """The text a scorecard had in the store it comes from: its keys in their order, its numbers in their form."""
    return json.dumps(_floats(scorecard), ensure_ascii=False, separators=(",", ":"))


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
