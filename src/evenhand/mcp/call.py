"""One call of a tool: what it may use, how it reports progress, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.mcp.allowed_files import Confinement
from evenhand.mcp.handles import Handles
from evenhand.store.protocol import Store

Report = Callable[[int, int, str], None]
"""Tells the client how far a call has come: steps done, steps in all, what is done now."""


class Call(NamedTuple):
    """What a tool may use while it is called."""

    store: Store | None
    confinement: Confinement
    handles: Handles
    agent: str
    """The client's name, for the identity of the judge."""
    report: Report

    def needed_store(self) -> Store:
        """The store, for a tool that cannot do without one."""
        if self.store is None:
            raise InputError("this needs a store; start the server with one: evenhand agent mcp --store FILE")
        return self.store


class Reply(NamedTuple):
    """A tool's answer, in two forms: text for people and a document for programs."""

    text: str
    document: dict[str, Any]
