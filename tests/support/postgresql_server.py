"""A PostgreSQL server for the tests alone: in a temporary folder, on a free port of this machine, thrown away after."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

USER, PASSWORD = "evenhand", "never-shown"

_SETTINGS = (
    "listen_addresses = '127.0.0.1'",
    "fsync = off",  # nobody pulls this machine's plug during a test, and a database a test is made quickly
    "full_page_writes = off",
    "max_connections = 40",
    "autovacuum = off",
)


def find_binaries() -> Path | None:
    """The folder of the server's programs: where the shell finds them, or where Debian keeps them."""
    on_path = shutil.which("pg_ctl")
    if on_path is not None:
        return Path(on_path).resolve().parent
    installed = Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")
    return max((path.parent for path in installed), key=lambda path: float(path.parent.name), default=None)


class PostgresqlServer:
    """One server; every test gets a database of its own."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._folder = Path(tempfile.mkdtemp(prefix="evenhand-postgresql-"))
        self._identity = _unprivileged(self._folder)
        self.port = _free_port()

    def make(self) -> None:
        """Make the server's files and start it."""
        secret = self._folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)  # the folder itself is closed to others
        options = ("--no-sync", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256")
        self._run("initdb", "-D", self._data, "-U", USER, f"--pwfile={secret}", *options)
        with open(self._data / "postgresql.conf", "a", encoding="utf-8") as file:
            lines = (*_SETTINGS, f"unix_socket_directories = '{self._folder}'", f"port = {self.port}")
            file.write("\n".join(lines) + "\n")
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._run("pg_ctl", "start", "-w", "-t", "60", "-D", self._data, "-l", self._folder / "log")

    def stop(self) -> None:
        """Stop it at once, as if it had died."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self._data)

    def throw_away(self) -> None:
        """Stop it and remove its files."""
        if (self._data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self._folder)

    def url(self, database: str = "postgres", *, password: str = PASSWORD, port: int | None = None) -> str:
        """The address of a database."""
        return f"postgresql://{USER}:{password}@127.0.0.1:{port or self.port}/{database}"

    def empty_database(self) -> str:
        """The address of a database with nothing in it and nobody else on it.

        The same one every time, emptied: making one takes ten times as long.
        """
        others = "pid <> pg_backend_pid() AND backend_type = 'client backend'"
        behind_the_back(
            self.url(),
            f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {others}",
            "DROP SCHEMA public CASCADE",
            "CREATE SCHEMA public",
        )
        return self.url()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _run(self, program: str, *arguments: str | Path) -> None:
        # What the server itself says goes to its log: a pipe would stay open as long as the server runs.
        with open(self._folder / "said", "w+b") as said:
            done = subprocess.run(
                [self._binaries / program, *arguments],
                stdout=said,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self._folder,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
                check=False,
                **self._identity,
            )
            if done.returncode:
                said.seek(0)
                raise RuntimeError(f"{program} failed: {said.read().decode(errors='replace')}")


def _unprivileged(folder: Path) -> dict[str, Any]:
    """The server refuses to be root: then it runs as another user, who gets the folder."""
    if os.getuid() != 0:
        return {}
    names = {user.pw_name: user for user in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def behind_the_back(address: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements in a store of either kind without its knowledge; the rows of the last one."""
    import sqlite3
    from contextlib import closing

    import psycopg

    if address.startswith("postgresql:"):
        with psycopg.connect(address, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []
    with closing(sqlite3.connect(address, isolation_level=None)) as file:
        for statement in statements:
            rows = file.execute(statement).fetchall()
        return rows
