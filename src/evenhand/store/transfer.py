"""Evaluations and everything kept beside them out of a store as JSONL, and back, byte for byte and all or nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from evenhand.core.receipt import canonical_text, quoted, sha256
from evenhand.documents.restore import restore
from evenhand.errors import DocumentError, InputError, unknown
from evenhand.files.located import Located
from evenhand.store.protocol import Store
from evenhand.store.record import Record, record_of
from evenhand.store.record_check import check_record, differences, submission_from
from evenhand.store.tables.kept_rows import Row, check_row

SCHEMA = "evenhand/evaluation/v1"
ROW = "evenhand/stored-row/v1"
ENDING = "evenhand/export/v1"
_FIELDS = ("schema", "completed", "scorecard", "submission", "listed", "sha256")
_LISTED = ("kind", "title", "preview")
"""What a list says of an evaluation whose text is not kept."""
_ROW_FIELDS = ("schema", "table", "row", "sha256")

Item = TypeVar("Item")


class Imported(NamedTuple):
    """What an import did."""

    added: int
    """Evaluations."""
    known: int
    """Evaluations that were in the store already."""
    rows_added: int = 0
    """Rows beside evaluations: of rounds of review, suites, labels and so on."""
    rows_known: int = 0


def exported(records: Iterable[Record], rows: Iterable[tuple[str, Row]] = ()) -> Iterator[str]:
    """One line of JSON for each evaluation, its scorecard exactly as it is stored; one for each row kept beside them;
    and a last line that counts them."""
    ending = _Ending()
    for record in records:
        submission = "null" if record.submission is None else record.submission
        yield (
            f'{{"schema":{quoted(SCHEMA)},"completed":{record.completed},'
            f'"scorecard":{record.scorecard},"submission":{submission}{_listed(record)},"sha256":"{ending.add(record)}"}}\n'
        )
    for table, row in rows:
        yield _line({"schema": ROW, "table": table, "row": row, "sha256": ending.add_row(table, row)})
    if ending.count or ending.rows:
        yield _line(ending.document())


def _listed(record: Record) -> str:
    """What only the list says, as a further field; empty where everything follows from the rest."""
    if record.submission is not None:
        return ""
    return f',"listed":{canonical_text({name: getattr(record, name) for name in _LISTED})}'


def _line(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


class _Ending:
    """What the last line of an export states about those before it."""

    def __init__(self) -> None:
        self.count = 0
        """Evaluations."""
        self.rows = 0
        self._hash = hashlib.sha256()

    def add(self, record: Record) -> str:
        """Count one more evaluation; returns its hash, which covers everything on its line."""
        digest = sha256(
            "\n".join((str(record.completed), record.scorecard, record.submission or "null", _listed(record)))
        )
        self._hash.update(digest.encode())
        self.count += 1
        return digest

    def add_row(self, table: str, row: Row) -> str:
        """Count one more row beside evaluations; returns its hash."""
        digest = sha256(canonical_text([table, row]))
        self._hash.update(digest.encode())
        self.rows += 1
        return digest

    def document(self) -> dict[str, Any]:
        rows = {"rows": self.rows} if self.rows else {}
        return {"schema": ENDING, "evaluations": self.count, **rows, "sha256": self._hash.hexdigest()}


def import_lines(store: Store, documents: Iterable[Located | InputError]) -> Imported:
    """Add what is not there yet; anything wrong adds nothing."""
    adding = _Adding(store)
    export = _Export()
    with_first = _begun(documents)
    with store.transaction():
        for document in with_first:
            if isinstance(document, InputError):
                raise document
            try:
                adding.add(export.content(document.value))
            except InputError as error:
                raise document.place_all(error) from None
        export.end()
    return adding.imported


class _Adding:
    """Evaluations and rows as they are added to a store, inside a transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.imported = Imported(0, 0)

    def add(self, content: Record | tuple[str, Row] | None) -> None:
        """Add an evaluation or a row; None adds nothing."""
        if content is None:
            return
        done = self.imported
        if isinstance(content, Record):
            new = _add(self._store, content)
            self.imported = done._replace(added=done.added + new, known=done.known + (not new))
        else:
            new = self._store.add_kept_row(*content)
            self.imported = done._replace(rows_added=done.rows_added + new, rows_known=done.rows_known + (not new))


class _Export:
    """An export as its lines come: whether each is whole, and whether all are there.

    Several exports one after another are read as well.
    """

    def __init__(self) -> None:
        self._ending = _Ending()

    def content(self, document: Any) -> Record | tuple[str, Row] | None:
        """The evaluation or the row of a line, or None for a last line."""
        if isinstance(document, dict) and document.get("schema") == ENDING:
            if document != self._ending.document():
                raise DocumentError(
                    f"the export is incomplete: {self._ending.count} evaluations came before this line, which counts "
                    f"{document.get('evaluations')}, or they or the rows beside them are in another order"
                )
            self._ending = _Ending()
            return None
        if isinstance(document, dict) and document.get("schema") == ROW:
            return self._row(document)
        record = record_from(document)
        digest = self._ending.add(record)
        if "sha256" not in document:
            raise DocumentError("the evaluation has no sha256")
        if document["sha256"] != digest:
            raise DocumentError("the evaluation was changed: its sha256 does not match")
        return record

    def _row(self, document: dict[str, Any]) -> tuple[str, Row]:
        """A row beside evaluations."""
        if document.keys() != set(_ROW_FIELDS):
            raise DocumentError(f"a row must have exactly these fields: {', '.join(_ROW_FIELDS)}")
        table, row = document["table"], document["row"]
        check_row(table, row)
        if document["sha256"] != self._ending.add_row(table, row):
            raise DocumentError("the row was changed: its sha256 does not match")
        return table, row

    def end(self) -> None:
        """Check, after the last line, that the export is complete."""
        if self._ending.count or self._ending.rows:
            raise DocumentError("the export is incomplete: its last line, which counts the evaluations, is missing")


def import_records(store: Store, records: Iterable[Record], rows: Iterable[tuple[str, Row]] = ()) -> Imported:
    """Add the evaluations of another store, and what it keeps beside them, after checking each."""
    adding = _Adding(store)
    with_first = _begun(records)
    with store.transaction():
        for record in with_first:
            wrong = check_record(record)
            if wrong:
                raise DocumentError(wrong[0])
            adding.add(record)
        for name, row in rows:
            check_row(name, row)
            adding.add((name, row))
    return adding.imported


def _begun(items: Iterable[Item]) -> Iterator[Item]:
    """The items, with the first already read, so that nothing is created for a source that cannot be read."""
    rest = iter(items)
    first = list(islice(rest, 1))
    for item in first:
        if isinstance(item, InputError):
            raise item
    return chain(first, rest)


def _add(store: Store, record: Record) -> bool:
    stored = store.find(record.id, record.fingerprint)
    if stored is None:
        store.add(record)
        return True
    if stored.id == record.id and stored.scorecard != record.scorecard:
        raise DocumentError(f'{store.url} already has a different evaluation with the id "{record.id}"')
    return False


def record_from(document: Any) -> Record:
    """An evaluation from its exported form, checked as `verify` checks a scorecard."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not an exported evaluation: "schema" must be "{SCHEMA}"')
    for key in document:
        if key not in _FIELDS:
            raise DocumentError(unknown("field", key, _FIELDS))
    completed, scorecard = document.get("completed"), document.get("scorecard")
    if type(completed) is not int or not -(2**63) <= completed < 2**63 or not isinstance(scorecard, dict):
        raise DocumentError("not a complete evaluation: it needs completed, a whole number of 64 bits, and a scorecard")
    submission = submission_from(document.get("submission"))
    wrong = differences(scorecard, submission)
    if wrong:
        raise DocumentError(f"the evaluation was changed: {wrong[0]}")
    record = record_of(restore(scorecard)[0], completed=completed, submission=submission, keep_text=True)
    listed = document.get("listed", {}) if submission is None else {}
    if not isinstance(listed, dict) or listed.keys() - set(_LISTED) or not all(map(_is_plain, listed.values())):
        raise DocumentError(f"listed must be an object with texts in {', '.join(_LISTED)}")
    return record._replace(scorecard=_as_stored(scorecard), **listed)


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _as_stored(scorecard: dict[str, Any]) -> str:
    """The text a scorecard had in the store it comes from: its keys in their order, its numbers in their form."""
    return json.dumps(_floats(scorecard), ensure_ascii=False, separators=(",", ":"))


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
