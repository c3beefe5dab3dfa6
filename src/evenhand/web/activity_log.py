"""What every handler that writes does: note who did what, in the store that it writes to."""

from __future__ import annotations

from aiohttp import web

from evenhand import clock
from evenhand.store.protocol import Store
from evenhand.store.tables.web_log import LogEntry
from evenhand.web.site import SITE, session_of


def log_entry(request: web.Request, action: str, subject: str = "") -> LogEntry:
    """An entry for `store.add_log`, which a job that writes calls in its own transaction."""
    return LogEntry(clock.now(), session_of(request).name, request.remote or "", action, subject)


async def log(request: web.Request, entry: LogEntry) -> None:
    """Note something that writes nothing else; a read-only dashboard notes nothing."""
    site = request.app[SITE]
    if site.read_only:
        return

    def job(store: Store) -> None:
        with store.transaction():
            store.add_log(entry)

    await site.workers.write(job)
