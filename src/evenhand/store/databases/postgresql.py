"""The team's store: PostgreSQL, through psycopg. Tables are made on request, never by surprise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

from evenhand.errors import StoreUnavailable
from evenhand.store.evaluation_store import SCHEMA, schema_of
from evenhand.store.protocol import Store
from evenhand.store.sql_connection import ReadRow

if TYPE_CHECKING:
    import psycopg

_APPENDING = 7_305_106_946
"""The advisory lock that one appending transaction holds; any number will do, as long as it stays the same."""

PATIENCE = 60.0
"""How many seconds to wait for another process that is appending."""

_CONNECT_SECONDS = 10


class PostgresqlStore(Store):
    """A store on a server."""

    dialect = "postgresql"

    def __init__(self, url: str) -> None:
        self._address = url
        self.url = re.sub(r"(//[^/@:?]*):[^?]*@", r"\1:***@", re.sub(r"(password=)[^&\s]*", r"\1***", url))
        self._connection: psycopg.Connection[Any] | None = None
        self._checked = False
        self.sound_rows = set()
        self._transaction_begins()
        self._lock = RLock()
        """One thread at a time uses the connection, and keeps it throughout a transaction."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            connection = self._connect()
            self._check_schema()
            with self._errors(), connection.transaction():
                self._wait_for_others(connection)
                self._transaction_begins()
                yield
                self._transaction_ends()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._lock:
            connection = self._connect()
            self._check_schema()
            with self._errors(), connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                yield

    def state(self) -> str:
        """The transactions that can be seen: any that was committed since changes it."""
        return str(self._first("SELECT CAST(txid_current_snapshot() AS TEXT)", ()))

    def create(self) -> bool:
        connection = self._connect()
        with self._lock, self._errors(), connection.transaction():
            self._wait_for_others(connection)
            if self._schema() == SCHEMA:
                return False
            connection.execute("CREATE TABLE IF NOT EXISTS evenhand_schema (version INTEGER NOT NULL)")
            for statement in schema_of(self.dialect):
                connection.execute(statement.encode())
            connection.execute("INSERT INTO evenhand_schema VALUES (%s)", (SCHEMA,))
        return True

    def check(self) -> list[str]:
        self._connect()
        self._check_schema()
        return []

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            connection = self._connect()
            self._check_schema()
            with self._errors():
                cursor = connection.execute(statement.replace("?", "%s").encode(), tuple(values))
                return cursor.fetchall() if cursor.description else []

    def _write(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        connection = self._connect()
        with self._errors(), connection.cursor() as cursor:
            cursor.executemany(statement.replace("?", "%s").encode(), rows)

    def _stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        self._connect()
        self._check_schema()
        # A separate connection: the cursor's transaction must not become part of one that appends.
        with self._errors(), self._dial(autocommit=False) as connection, connection.cursor(name="evenhand") as cursor:
            cursor.itersize = 500
            cursor.execute(statement.replace("?", "%s").encode(), tuple(values))
            yield from cursor

    def careful_rows(self, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
        for number, values in enumerate(self._stream(f"SELECT {', '.join(columns)} FROM {table}"), start=1):
            yield ReadRow(number, values)

    def _damaged(self, what: str) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self.url}: {what}, and nothing is added; see all damage with: evenhand store check; "
            "save what is sound with: evenhand store export FILE --sound"
        )

    def _connect(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            try:
                import psycopg  # noqa: F401
            except ImportError:
                raise StoreUnavailable(
                    "a PostgreSQL store needs the package psycopg; install it with: pip install 'evenhand[postgresql]'"
                ) from None
            with self._lock, self._errors():
                self._connection = self._connection or self._dial(autocommit=True)
        return self._connection

    def _dial(self, *, autocommit: bool) -> psycopg.Connection[Any]:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict

        try:
            parts = conninfo_to_dict(self._address)
            readable = "@" not in str(parts.get("host", "")) and re.fullmatch("[0-9,]*", str(parts.get("port", "")))
        except psycopg.ProgrammingError:
            readable = None
        if not readable:  # the server's library would say why in words that may hold the password
            raise StoreUnavailable(
                f"{self.url} is not a valid address; write special characters of a name or password as %40 and the like"
            )
        return psycopg.connect(
            self._address, autocommit=autocommit, connect_timeout=_CONNECT_SECONDS, application_name="evenhand"
        )

    def _wait_for_others(self, connection: psycopg.Connection[Any]) -> None:
        """One transaction at a time appends or makes tables; the lock ends with it."""
        connection.execute(
            "SELECT set_config('lock_timeout', %s, true), pg_advisory_xact_lock(%s)",
            (f"{PATIENCE * 1000:.0f}", _APPENDING),
        )

    def _schema(self) -> int:
        """The number of the tables, 0 without any; other tables are refused."""
        assert self._connection is not None
        present = self._connection.execute("SELECT to_regclass('evenhand_schema') IS NOT NULL").fetchone()
        if not present or not present[0]:
            return 0
        row = self._connection.execute("SELECT version FROM evenhand_schema").fetchone()
        number = int(row[0]) if row else 0
        self._refuse_other(number)
        return number

    def _check_schema(self) -> None:
        if self._checked:
            return
        with self._lock, self._errors():
            number = self._schema()
        if number != SCHEMA:
            raise StoreUnavailable(
                f"{self.url}: it has no tables yet; make them with: evenhand store create --store URL"
            )
        self._checked = True

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """The server's errors in one line, without a password."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            message = " ".join(str(error).split()) or type(error).__name__
            lost = self._connection is not None and self._connection.closed
            if lost:
                self._connection = None
            raise StoreUnavailable(f"{self.url}: {message}") from None
