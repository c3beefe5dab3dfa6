"""The embedded store: one SQLite file, safe against crashes, shared by many processes.

The file is made on the first write, with a `.gitignore` beside it. WAL lets readers go on while
one process writes; synchronous=FULL means that what was committed survives a loss of power.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, StoreUnavailable
from evenhand.store.sql import SqlStore, migrations

PATIENCE = 60.0
"""How many seconds to wait for another process that is writing."""

_ADVICE = {
    "locked": "another process holds it; try again when it is done",
    "readonly": "the file or its folder is read-only; change that, or choose another with --store",
    "full": "the disk is full; make room and score again",
    "unable to open": "the file cannot be opened; look at the path and its permissions, or choose another with --store",
    "not a database": "the file is not a SQLite database; move it away, or choose another with --store",
    "malformed": "the file is damaged; restore a backup, or move it away (evenhand store check says more)",
    "disk i/o": "the disk cannot be read or written",
}


def is_sqlite(path: str | Path) -> bool:
    """Whether a file is a SQLite database, by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


class SqliteStore(SqlStore):
    """A store in a file."""

    dialect = "sqlite"

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self.url = str(path)
        self._connection: sqlite3.Connection | None = None
        self._writable = False

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._errors():
            connection = self._open_to_write()
            connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._errors():
                connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def migrate(self) -> list[str]:
        with self._errors():
            before = self._version(self._connect()) if self._path.exists() else 0
            self._open_to_write()
        return [path.stem for path in migrations(self.dialect)[before:]]

    def check(self) -> list[str]:
        connection = self._open_to_read()
        if connection is None:
            return [f"{self.url}: no such store"]
        with self._errors():
            said = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        return [] if said == ["ok"] else said

    def backup(self, target: str | Path) -> None:
        """Copy the store to a new file while others use it; an existing file is never touched."""
        if Path(target).exists():
            raise InputError(f"{target} exists already; name a new file")
        connection = self._open_to_read()
        if connection is None:
            raise InputError(f"{self.url}: there is no store to back up")
        with self._errors():
            copy = sqlite3.connect(target)
            try:
                connection.backup(copy)
            finally:
                copy.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._writable = False

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        connection = self._open_to_read()
        if connection is None:
            return []
        with self._errors():
            return connection.execute(statement, values).fetchall()

    def _stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        connection = self._open_to_read()
        if connection is None:
            return
        with self._errors():
            yield from connection.execute(statement, values)

    # --- opening

    def _open_to_read(self) -> sqlite3.Connection | None:
        """The connection, or None while there is no file: reading never makes one."""
        if self._connection is None:
            if not self._path.exists():
                return None
            with self._errors():
                connection = self._connect()
                version = self._version(connection)
            self._refuse_newer(version)
            if version < len(migrations(self.dialect)):
                return self._open_to_write()
        return self._connection

    def _open_to_write(self) -> sqlite3.Connection:
        if self._writable:
            assert self._connection is not None
            return self._connection
        if not self._path.exists():
            self._make_folder()
        connection = self._connect()
        self._use_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        version = self._version(connection)
        self._refuse_newer(version)
        if version < len(migrations(self.dialect)):
            self._migrate(connection)
        self._writable = True
        return connection

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
        return self._connection

    def _make_folder(self) -> None:
        folder = self._path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if folder.name == ".evenhand" and not (folder / ".gitignore").exists():
                (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise StoreUnavailable(f"{self.url}: the folder cannot be made: {error.strerror}") from None

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """Turn WAL on; while another process does so, SQLite says "locked" at once instead of waiting."""
        if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
            return
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.005)

    def _version(self, connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def _migrate(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = self._version(connection)  # another process may have been quicker
            for number, path in enumerate(migrations(self.dialect)[version:], start=version + 1):
                for statement in path.read_text(encoding="utf-8").split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """SQLite's errors in words that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            said = str(error)
            advice = next((advice for sign, advice in _ADVICE.items() if sign in said.lower()), "")
            raise StoreUnavailable(f"{self.url}: {said}" + (f"; {advice}" if advice else "")) from None
