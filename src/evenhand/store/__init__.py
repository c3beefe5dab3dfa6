"""Where evaluations are kept: a SQLite file by default, PostgreSQL for teams, behind one protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.store.evaluation_store import EvaluationStore
    from evenhand.store.protocol import Store

NONE = "none"


def open_store(url: str) -> Store | None:
    """The store at a URL or path: a file, `sqlite:///file`, `postgresql://...`, or `none`. Nothing is touched yet."""
    path = _file(url)
    if path is None:
        return _server(url)
    from evenhand.store.databases.sqlite_store import SqliteStore

    return SqliteStore(path)


def open_evaluations(url: str) -> EvaluationStore | None:
    """The evaluations of a store, for a command that only scores: the rest of a SQLite store is not loaded."""
    path = _file(url)
    if path is None:
        return _server(url)
    from evenhand.store.databases.sqlite import SqliteEvaluations

    return SqliteEvaluations(path)


def _server(url: str) -> Store | None:
    if url == NONE:
        return None
    from evenhand.store.databases.postgresql import PostgresqlStore

    return PostgresqlStore(url)


def _file(url: str) -> str | None:
    """The path of a store in a file; None for a server, and without a store."""
    scheme, colon, rest = url.partition("://")
    if url == NONE or (colon and scheme in ("postgresql", "postgres")):
        return None
    if colon and scheme != "sqlite":
        raise InputError(f'"{scheme}" is not a kind of store; give a file, sqlite:///FILE, postgresql://..., or none')
    path = rest.removeprefix("/") if colon else url
    if not path:
        raise InputError("a store needs a file name, such as .evenhand/evenhand.db")
    return path
