"""The embedded store: one SQLite file, safe against crashes, shared by many processes.

The file is made on the first write, with a `.gitignore` beside it. WAL lets readers go on while
one process writes; synchronous=FULL means that what was committed survives a loss of power.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from evenhand.errors import InputError, StoreUnavailable
from evenhand.store.databases.sqlite_file import ReadOnlyFile, connect, make_file, make_folder, use_wal
from evenhand.store.evaluation_store import SCHEMA, EvaluationStore, schema_of
from evenhand.store.sql_connection import ReadRow

REPAIR = (
    "the file is damaged, and nothing is added to it; restore a backup, or save what is sound with: "
    "evenhand store check --repair"
)

_ADVICE = {
    "locked": "another process is using it; try again when it is done",
    "readonly": "the file or its folder is read-only; change that, or choose another with `store`",
    "full": "the disk is full; make room and score again",
    "unable to open": "the file cannot be opened; look at the path and its permissions, or choose another with `store`",
    "not a database": "the file is not a SQLite database; move it away, or choose another with `store`",
    "malformed": REPAIR,
    "not utf-8": REPAIR,
    "no such table": REPAIR,
    "no such column": REPAIR,
    "unsupported file format": REPAIR,
    "already exists": REPAIR,
    "disk i/o": "the disk cannot be read or written; it may be full or damaged",
}
"""What to do about SQLite's errors. Its own words come first in the message."""

_MADE = re.compile(r"\s*CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX|TRIGGER) (\w+)")
"""A statement of the schema, and what it makes."""

_MOST_FAULTS = 1_000_000
"""How many faults of a file are listed; SQLite stops at 100 by itself."""

LOOKED_THROUGH = 4 * 1024 * 1024
"""Files up to this size are looked through for damage before something is added: some milliseconds."""


class SqliteEvaluations(EvaluationStore):
    """The evaluations of a store in a file."""

    dialect = "sqlite"

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self.url = str(path)
        self._connection: sqlite3.Connection | None = None
        self._writable = False
        self._damage = ""
        self._read_only: ReadOnlyFile | None = None
        self.sound_rows = set()
        self._transaction_begins()
        self._lock = RLock()
        """One thread at a time uses the connection, and keeps it throughout a transaction."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock, self._transaction():
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._refuse_damaged()
        with self._errors():
            connection = self._open_to_write()
            # Locked for writing at once: what is read in it, such as a skill's history, must still be the latest when
            # the evaluation that was compared with it is added.
            connection.execute("BEGIN IMMEDIATE")
        try:
            self._transaction_begins()
            yield
            self._transaction_ends()
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back(connection)
            raise self._unavailable(error) from None
        except BaseException:
            self._roll_back(connection)
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._lock, self._errors():
            connection = self._open_to_read()
            if connection is not None:
                connection.execute("BEGIN")
            try:
                yield
            finally:
                if connection is not None:
                    self._roll_back(connection)

    def create(self) -> bool:
        with self._lock, self._errors():
            return self._prepare()

    def check(self) -> list[str]:
        connection = self._open_to_read()
        if connection is None:
            return [f"{self.url}: no such store"]
        report: list[str] = []
        with self._lock:
            try:
                missing = self._missing(connection)
                for (text,) in connection.execute(f"PRAGMA integrity_check({_MOST_FAULTS})"):
                    report += [line for line in text.splitlines() if not line.startswith("***")]
            except (sqlite3.Error, UnicodeDecodeError) as error:
                report.append(str(self._unavailable(error)).removeprefix(f"{self.url}: ").partition(";")[0])
                missing = []
        return missing + ([] if report == ["ok"] else report)

    @property
    def exists(self) -> bool:
        """Whether there is a file yet."""
        return self._path.exists()

    def backup(self, target: str | Path) -> None:
        """Copy the store to a new file while others use it; an existing file is never touched."""
        connection = self._open_to_read()
        if connection is None:
            raise InputError(f"{self.url}: there is no store to back up")
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            raise InputError(f"{target} already exists; name a new file") from None
        except OSError as error:
            raise InputError(f"{target} cannot be created: {error.strerror}") from None
        try:
            with self._lock, self._errors(), closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
        except BaseException:
            Path(target).unlink(missing_ok=True)  # half a copy must not pass for a whole one
            raise

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self._writable = False
            if self._read_only is not None:
                self._read_only.close()
                self._read_only = None

    def careful_rows(self, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
        from evenhand.store.databases.damaged_table import damaged_rows  # few files are damaged

        if self._open_to_read() is not None:
            with self._errors(), closing(self._connect()) as connection:
                yield from damaged_rows(connection, table, columns)

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            connection = self._connection or self._open_to_read()
            if connection is None:
                return []
            with self._errors():
                return connection.execute(statement, values).fetchall()

    def _write(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._errors():
            self._open_to_write().executemany(statement, rows)

    def _stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        if self._open_to_read() is None:
            return
        # A separate connection sees only what was there when it began, whatever is appended meanwhile.
        with self._errors(), closing(self._connect()) as connection:
            yield from connection.execute(statement, values)

    # --- opening

    def _open_to_read(self) -> sqlite3.Connection | None:
        """The connection, or None while there is no file: reading never makes one."""
        if self._connection is None and self._is_there():
            with self._lock, self._errors():
                if self._connection is not None:  # another thread was quicker
                    return self._connection
                try:
                    self._connection = self._connection_to_read()
                except sqlite3.OperationalError as error:
                    if not _is_read_only(error):
                        raise
                    self._connection = self._connection_on_read_only_disk(error)
        return self._connection

    def _connection_to_read(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            self._refuse_others(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connection_on_read_only_disk(self, error: sqlite3.OperationalError) -> sqlite3.Connection:
        """A connection that needs no file beside the store's; the error that led here if there is none either."""
        connection = None
        try:
            self._read_only = ReadOnlyFile(self._path)
            connection = self._connect()
            self._refuse_others(connection)
        except (sqlite3.Error, OSError):
            if connection is not None:
                connection.close()
            self._read_only = None
            raise error from None
        return connection

    def _open_to_write(self) -> sqlite3.Connection:
        if not self._writable:
            self._prepare()
        assert self._connection is not None
        return self._connection

    def _prepare(self) -> bool:
        """Make the store ready to be written to; whether its tables were made."""
        if self._writable:
            return False
        if self._read_only is not None:
            raise sqlite3.OperationalError("attempt to write a readonly database")  # as SQLite says it elsewhere
        made = False
        if not self._is_there():
            make_folder(self._path)
            made = make_file(self._path, (*schema_of(self.dialect), f"PRAGMA user_version = {SCHEMA}"))
        connection = self._connection or self._connect()
        try:
            self._refuse_others(connection)
            use_wal(connection)
            connection.execute("PRAGMA synchronous = FULL")
            self._look_for_damage(connection)
        except BaseException:
            connection.close()
            self._connection = None
            raise
        self._connection, self._writable = connection, True
        return made

    def _look_for_damage(self, connection: sqlite3.Connection) -> None:
        """Refuse to append to a damaged file: that would bury what a backup could restore.

        A small file is looked through, with its indexes. Of a large one SQLite sees whether it was cut off, and damage
        that is found in reading stops appending from then on. The rows that a comparison uses are checked in both.
        """
        pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        if missing := self._missing(connection):
            self._damage = missing[0]
        elif pages * size <= LOOKED_THROUGH:
            (report,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if report != "ok":
                self._damage = f"database disk image is malformed: {_first_line(report)}"  # SQLite's own words for it
        self._refuse_damaged()

    def _missing(self, connection: sqlite3.Connection) -> list[str]:
        """The tables, indexes and triggers of a store that the file does not have."""
        named = dict(connection.execute("SELECT name, type FROM sqlite_master"))
        made = (_MADE.match(statement) for statement in schema_of(self.dialect))
        return [f"the {one[1].lower()} {one[2]} is missing" for one in made if one is not None and one[2] not in named]

    def _refuse_damaged(self) -> None:
        if self._damage:
            raise StoreUnavailable(f"{self.url}: {self._damage}; {REPAIR}")

    def _damaged(self, what: str) -> StoreUnavailable:
        self._damage = what
        return StoreUnavailable(f"{self.url}: {what}; {REPAIR}")

    def _connect(self) -> sqlite3.Connection:
        return connect(self._path) if self._read_only is None else self._read_only.connect()

    def _is_there(self) -> bool:
        try:
            return self._path.exists()
        except OSError:  # a folder that may not be looked into; SQLite will say what is wrong
            return True

    def _refuse_others(self, connection: sqlite3.Connection) -> None:
        """Refuse other tables, another program's database, and a file that holds nothing: a store never does."""
        statement = "SELECT user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version"
        number, tables = connection.execute(statement).fetchone()
        if not tables:
            raise StoreUnavailable(
                f"{self.url} is an empty file, not a store: if it was one, restore a backup; to begin a new store, "
                "remove the file, or choose another with `store`"
            )
        if number == 0:
            raise StoreUnavailable(f"{self.url} is another program's database; choose another file with `store`")
        self._refuse_other(number)

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except sqlite3.Error:
                self.close()  # what was not committed is gone with the connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what it cannot parse, text or not
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> StoreUnavailable:
        """SQLite's errors in words that say what to do."""
        message = "malformed database schema" if isinstance(error, UnicodeDecodeError) else str(error)
        if message.startswith("Could not decode"):  # Python goes on with the text itself, which may be long
            message = f"text that is not UTF-8{message[len('Could not decode to UTF-8') :].partition(' with text')[0]}"
        if "malformed" in message or "not UTF-8" in message:
            self._damage = message
        advice = next((advice for sign, advice in _ADVICE.items() if sign in message.lower()), "")
        return StoreUnavailable(f"{self.url}: {message}" + (f"; {advice}" if advice else ""))


def _first_line(report: str) -> str:
    """The first fault that SQLite reports; before it there may be a heading."""
    lines = [line for line in report.splitlines() if not line.startswith("***")]
    return lines[0] if lines else report.strip()


def _is_read_only(error: sqlite3.Error) -> bool:
    """Whether SQLite could not write, or not make, what it needs beside the file."""
    return any(sign in str(error) for sign in ("readonly", "unable to open"))
