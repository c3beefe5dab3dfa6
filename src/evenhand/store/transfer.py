"""Evaluations out of a store as JSONL, and back into another, byte for byte and all or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain, islice
from typing import Any, TypeVar

from evenhand.core.basics.canonical import quoted
from evenhand.core.documents.restore import restore
from evenhand.core.documents.verification import verify
from evenhand.core.values.submission import Submission
from evenhand.errors import DocumentError, InputError, StoreUnavailable
from evenhand.reading.located import Located
from evenhand.store.protocol import Store
from evenhand.store.record import Record, record_of

SCHEMA = "evenhand/evaluation/v1"

Item = TypeVar("Item")


def exported(records: Iterable[Record]) -> Iterator[str]:
    """One line of JSON for each evaluation; the scorecard stands in it exactly as it is stored."""
    for record in records:
        submission = "null" if record.submission is None else record.submission
        yield (
            f'{{"schema":{quoted(SCHEMA)},"completed":{record.completed},'
            f'"scorecard":{record.scorecard},"submission":{submission}}}\n'
        )


def import_lines(store: Store, documents: Iterable[Located | InputError]) -> tuple[int, int]:
    """Add what is not there yet; how many were added, and how many were there. Anything wrong adds nothing."""
    added = known = 0
    documents = _begun(documents)
    with store.transaction():
        for document in documents:
            if isinstance(document, InputError):
                raise document
            try:
                new = _add(store, record_from(document.value))
            except InputError as error:
                raise document.place_all(error) from None
            added, known = added + new, known + (not new)
    return added, known


def import_records(store: Store, records: Iterable[Record]) -> tuple[int, int]:
    """The same with the records of another store; each is checked first."""
    added = known = 0
    records = _begun(records)
    with store.transaction():
        for record in records:
            wrong = check_record(record)
            if wrong:
                raise DocumentError(wrong[0])
            new = _add(store, record)
            added, known = added + new, known + (not new)
    return added, known


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
    if submission is not None and scorecard.get("task") != submission.task:
        wrong = [f"{each.field} {each.problem}" for each in verify(scorecard).differences]
        return wrong or ["the task of the submission is not the scorecard's"]
    return [f"{each.field} {each.problem}" for each in verify(scorecard, submission=submission).differences]


def _submission(value: Any) -> Submission | None:
    if value is None:
        return None
    if not isinstance(value, dict) or value.keys() != {"output", "task"} or not isinstance(value["output"], str):
        raise DocumentError("submission must be null, or an object with output and task")
    return Submission(output=value["output"], task=value["task"])


def _as_stored(scorecard: dict[str, Any]) -> str:
    """The text a scorecard had in the store it comes from: its keys in their order, its numbers in their form."""
    return json.dumps(_floats(scorecard), ensure_ascii=False, separators=(",", ":"))


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
