"""Everything in a store examined row by row, and what is sound saved from a damaged one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from evenhand import clock
from evenhand.documents.restore import restore
from evenhand.errors import EvenhandError, InputError, StoreUnavailable
from evenhand.store.databases.sqlite_store import SqliteStore
from evenhand.store.protocol import Store
from evenhand.store.record import CELL, COLUMNS, Record, record_of
from evenhand.store.record_check import check_record, submission_from
from evenhand.store.sql_connection import ReadRow
from evenhand.store.tables.kept_rows import TABLES, Row, Table, check_row
from evenhand.store.used_rows import ROW_COLUMNS, checksum_of

EVALUATIONS = "evaluations"
_COPIED = {"web_log": ("id", "moment", "person", "address", "action", "subject"), "secret": ("only_row", "value")}
"""What an export leaves out, but the same store saved from damage has: the dashboard's log and its secret."""

_A_DAY = 86_400_000_000


class Examined(NamedTuple):
    """A row and what is wrong with it."""

    table: str
    name: str
    """The id of an evaluation; the number of another row."""
    content: Record | Row | None
    """What can be kept of it; None when nothing can."""
    problems: tuple[str, ...] = ()


class Repaired(NamedTuple):
    """What was saved from a damaged store."""

    path: Path
    evaluations: int
    rows: int
    """Rows beside evaluations."""
    mended: list[str]
    """Evaluations that were saved without what was damaged, and how."""
    lost: list[str]
    """What could not be saved, and why."""


def examine(store: Store) -> Iterator[Examined]:
    """Every evaluation, then every row beside them, sound or not; the cells of suites follow from their results."""
    yield from _table(store, EVALUATIONS, ROW_COLUMNS, _evaluation)
    for table in TABLES:
        yield from _table(store, table.name, table.columns, partial(_kept_row, table))


def _table(
    store: Store, name: str, columns: Sequence[str], examined: Callable[[ReadRow], Examined]
) -> Iterator[Examined]:
    """The rows of a table. What cannot be read at all is one entry, and does not end the list."""
    try:
        for row in store.careful_rows(name, columns):
            yield examined(row)
    except StoreUnavailable as error:
        yield Examined(name, f"{name}, some rows", None, (str(error),))


def sound_evaluations(store: Store, left_out: list[str]) -> Iterator[Record]:
    """The evaluations that can be kept, in the order they were added; what is wrong with the others is noted."""
    for item in _table(store, EVALUATIONS, ROW_COLUMNS, _evaluation):
        left_out += [f"{item.name}: {problem}" for problem in item.problems]
        if isinstance(item.content, Record):
            yield item.content


def sound_rows(store: Store, left_out: list[str]) -> Iterator[tuple[str, Row]]:
    """The rows beside evaluations that can be kept; what is wrong with the others is noted."""
    for table in TABLES:
        for item in _table(store, table.name, table.columns, partial(_kept_row, table)):
            left_out += [f"{item.name}: {problem}" for problem in item.problems]
            if item.content is not None and not isinstance(item.content, Record):
                yield item.table, item.content


def repair(store: SqliteStore) -> Repaired:
    """Write what is sound into a new file beside a damaged one, which stays as it is."""
    path = _free_name(Path(store.url))
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    target = SqliteStore(part)
    repaired = Repaired(path, 0, 0, [], [])
    try:
        with target.transaction():
            for item in examine(store):
                repaired = _save(target, item, repaired)
            for table, columns in _COPIED.items():
                repaired = _copy(store, target, table, columns, repaired)
        target.close()
        part.replace(path)
    finally:
        target.close()
        part.unlink(missing_ok=True)
    return repaired


def _save(target: SqliteStore, item: Examined, done: Repaired) -> Repaired:
    why = "; ".join(item.problems)
    try:
        if item.content is None and why:
            done.lost.append(f"{item.name}: {why}")
        elif isinstance(item.content, Record):
            if target.find(item.content.id, item.content.fingerprint) is not None:
                done.lost.append(f"{item.name}: another row is the same evaluation")
                return done
            target.add(item.content)
            if why:
                done.mended.append(f"{item.name}: {why}")
            return done._replace(evaluations=done.evaluations + 1)
        elif item.content is not None and target.add_kept_row(item.table, item.content):
            return done._replace(rows=done.rows + 1)
    except InputError as error:
        done.lost.append(f"{item.name}: {error}")
    return done


def _copy(store: SqliteStore, target: SqliteStore, table: str, columns: tuple[str, ...], done: Repaired) -> Repaired:
    for row in store.careful_rows(table, columns):
        problem = row.problem or _not_text(columns, row.values)
        if row.values is None or problem:
            done.lost.append(f"{table}, row {row.number}: {problem}")
            continue
        target.add_plain_row(table, columns, row.values)
        done = done._replace(rows=done.rows + 1)
    return done


def _evaluation(row: ReadRow) -> Examined:
    """An evaluation, or the cell of a suite that has none, of which nothing need be kept."""
    if row.values is None:
        return Examined(EVALUATIONS, f"row {row.number}" if row.number else "some rows", None, (row.problem,))
    *values, checksum, _ = row.values
    record = Record._make(values)
    if record.in_history == CELL and record.scorecard == "":  # it is made again from the suite's results
        return Examined(EVALUATIONS, str(record.id), None)
    name = record.id if isinstance(record.id, str) and record.id.isprintable() else f"row {row.number}"
    not_text = _not_text(COLUMNS, values)
    readable = Record._make(map(_as_text, values))
    problems = [not_text] if not_text else []
    if not not_text or not_text.startswith("the column submission"):
        sound = readable._replace(submission=None) if not_text else record
        problems += [problem.removeprefix(f"{record.id}: ") for problem in _problems(sound)]
    if not problems and checksum is not None and checksum != checksum_of(record):
        problems = [f"its completion time ({record.completed}) or checksum was changed"]
    return Examined(EVALUATIONS, name, _mended(readable, checksum) if problems else record, tuple(problems))


def _as_text(value: Any) -> Any:
    """Bytes as the text they are, if they are one."""
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return None


def _problems(record: Record) -> list[str]:
    try:
        return check_record(record)
    except (TypeError, KeyError, AttributeError, IndexError, ArithmeticError) as error:
        return [f"the scorecard cannot be read ({type(error).__name__})"]  # a damaged one may have any shape


def _mended(record: Record, checksum: int | None) -> Record | None:
    """The evaluation from its scorecard alone, with its submission if that is sound; None if the scorecard is not."""
    for candidate in (record, record._replace(submission=None)):
        try:
            card = restore(candidate.document)[0]
            kept = None if candidate.submission is None else submission_from(json.loads(candidate.submission))
            again = record_of(card, completed=record.completed, submission=kept, keep_text=True)
            mended = again._replace(scorecard=candidate.scorecard, submission=candidate.submission)
            listed = record.title, record.preview, record.kind
            if candidate.submission is None and all(isinstance(text, str) for text in listed):
                mended = mended._replace(title=record.title, preview=record.preview, kind=record.kind)
            if checksum is None or checksum != checksum_of(mended):
                mended = mended._replace(completed=_completed(record, card.created))
        except (EvenhandError, TypeError, KeyError, AttributeError, IndexError, ValueError, ArithmeticError):
            continue
        if not _problems(mended):
            return mended
    return None


def _completed(record: Record, created: str) -> int:
    """When it was completed; by the scorecard if what is stored is far from it."""
    moment = clock.microseconds(created)
    near = isinstance(record.completed, int) and moment <= record.completed < moment + _A_DAY
    return record.completed if near else moment


def _kept_row(table: Table, row: ReadRow) -> Examined:
    name = f"{table.name}, row {row.number}" if row.number else f"{table.name}, some rows"
    if row.values is None:
        return Examined(table.name, name, None, (row.problem,))
    values: dict[str, Any] = dict(zip(table.columns, row.values, strict=True))
    problem = _not_text(table.columns, row.values)
    if not problem:
        try:
            check_row(table.name, values)
            return Examined(table.name, name, values)
        except EvenhandError as error:
            problem = str(error)
    return Examined(table.name, name, None, (problem,))


def _not_text(columns: Sequence[str], values: Sequence[Any] | None) -> str:
    """What is wrong with the first value that holds bytes instead of text; empty if none does."""
    for column, value in zip(columns, values or (), strict=False):
        if isinstance(value, bytes):
            return f"the column {column} holds bytes instead of text"
        if isinstance(value, str) and not _is_utf8(value):
            return f"the column {column} is not UTF-8"
    return ""


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _free_name(path: Path) -> Path:
    """A name beside the damaged file that no file has."""
    number = 1
    while True:
        name = f"{path.stem}.repaired{'' if number == 1 else f'-{number}'}{path.suffix}"
        if not path.with_name(name).exists():
            return path.with_name(name)
        number += 1
