"""The log: what was written through the dashboard, by whom."""

from __future__ import annotations

from typing import Final

from evenhand.store.protocol import Store
from evenhand.web.page import Page, Sheet
from evenhand.web.parameters import Parameters
from evenhand.web.responses import page_route

SHOWN: Final = 50


def log(store: Store, parameters: Parameters) -> Page:
    """The log, newest first."""
    before = parameters.number("before", 0, most=2**62)
    entries = store.log_entries(before=before or None, limit=SHOWN + 1)
    rows = [{"number": number, **entry._asdict()} for number, entry in entries[:SHOWN]]
    following = entries[SHOWN - 1][0] if len(entries) > SHOWN else None
    return Page(
        name="log",
        title="Log",
        template="log.html",
        document={"entries": rows, "next": following},
        sheet=Sheet(
            ("number", "moment", "person", "address", "action", "subject"), [list(row.values()) for row in rows]
        ),
    )


ROUTES: Final = (page_route("/log", log),)
