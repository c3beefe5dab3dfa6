"""Where evaluations are kept: a SQLite file by default, PostgreSQL for teams, behind one protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.store.protocol import Store

NONE = "none"


def open_store(url: str) -> Store | None:
    """The store at a URL or path: a file, `sqlite:///file`, `postgresql://...`, or `none`. Nothing is touched yet."""
    if url == NONE:
        return None
    scheme, colon, rest = url.partition("://")
    if scheme in ("postgresql", "postgres") and colon:
        from evenhand.store.databases.postgresql import PostgresqlStore

        return PostgresqlStore(url)
    if colon and scheme != "sqlite":
        raise InputError(f'"{scheme}" is not a kind of store; give a file, sqlite:///FILE, postgresql://..., or none')
    from evenhand.store.databases.sqlite import SqliteStore

    path = rest.removeprefix("/") if colon else url
    if not path:
        raise InputError("a store needs a file name, such as .evenhand/evenhand.db")
    return SqliteStore(path)
