"""A SQLite file that several processes open at once: its folder made, WAL turned on."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from evenhand.errors import StoreUnavailable

if TYPE_CHECKING:
    import tempfile

CHECKPOINT = 2_000
"""After how many pages the log is copied into the file: 8 MB, so that it stays small beside it."""

PATIENCE = 60.0
"""How many seconds to wait for another process that is writing."""


def is_sqlite(path: str | Path) -> bool:
    """Whether a file is a SQLite database, by its first bytes."""
    try:
        if not Path(path).is_file():  # a FIFO would be waited for
            return False
        with open(path, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def connect(path: Path) -> sqlite3.Connection:
    """A connection on which every statement is its own transaction unless one is begun. Threads that share it
    must take turns.

    A new file can be read by its owner only, and so can what SQLite puts beside it; one that is there stays as it is.
    """
    make_private(path)
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
    return connection


class ReadOnlyFile:
    """A file on a disk, or in a folder, on which SQLite may not write even what it needs for reading."""

    def __init__(self, path: Path) -> None:
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            import shutil  # loaded here: few stores are on a read-only disk
            import tempfile

            # The newest evaluations are in the log, which cannot be read in place without writing beside it.
            self._copy = tempfile.TemporaryDirectory(prefix="evenhand-")
            self.path = Path(self._copy.name) / path.name
            for file in (path, log):
                if file.exists():
                    shutil.copyfile(file, self.path.with_name(file.name))
                    self.path.with_name(file.name).chmod(0o600)
            self._address = str(self.path)
        else:
            from urllib.parse import quote

            self.path = path
            self._address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"

    def connect(self) -> sqlite3.Connection:
        """A connection for reading."""
        uri = self._copy is None
        return sqlite3.connect(self._address, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=uri)

    def close(self) -> None:
        """Remove the copy, if one was made."""
        if self._copy is not None:
            self._copy.cleanup()


def open_tables(path: Path, *statements: str) -> sqlite3.Connection:
    """A connection to a file with these tables, its folder made and WAL turned on; closed again if that fails."""
    make_folder(path)
    connection = connect(path)
    try:
        use_wal(connection)
        for statement in statements:
            connection.execute(statement)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class FileOfTables:
    """A file with its own tables beside the store, opened when it is first used."""

    statements: ClassVar[tuple[str, ...]]
    """What is run when it is opened."""
    fails: ClassVar[str]
    """What a user is told when it cannot be used."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._connection: sqlite3.Connection | None = None

    def connection(self) -> sqlite3.Connection:
        """The open file."""
        if self._connection is None:
            self._connection = open_tables(self._path, *self.statements)
        return self._connection

    def unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        """The error that a caller sees."""
        return StoreUnavailable(f"{self._path}: {self.fails.format(error=error)}")

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def make_private(path: Path) -> None:
    """Create an empty file for its owner only, unless there is one; SQLite reports any failure."""
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def make_file(path: Path, statements: Iterable[str]) -> bool:
    """Make a file with these tables, whole or not at all; whether it was made, and not by another process meanwhile.

    It is made under another name first: a file without tables is never one that was just begun.
    """
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with closing(connect(part)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN")
            for statement in statements:
                connection.execute(statement)
            connection.execute("COMMIT")
        return _moved(part, target)
    finally:
        for name in (part.name, f"{part.name}-wal", f"{part.name}-shm", f"{part.name}-journal"):
            part.with_name(name).unlink(missing_ok=True)


def _moved(part: Path, target: Path) -> bool:
    """Give a file its name unless one has it; whether that is done."""
    try:
        os.link(part, target)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if target.exists():
            return False
        part.rename(target)
    return True


def make_folder(path: Path) -> None:
    """Create the folder of a file, for its owner only; one with our own name is kept out of git."""
    folder = path.parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.name == ".evenhand" and not (folder / ".gitignore").exists():
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreUnavailable(f"{path}: the folder cannot be created: {error.strerror}") from None


def use_wal(connection: sqlite3.Connection) -> None:
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
