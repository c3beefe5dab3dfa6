"""A route: its path, its method, who may use it. The application has no others than those in `routes`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, NamedTuple

from aiohttp import web

from evenhand.store.protocol import Store
from evenhand.web.access.people import Role
from evenhand.web.page import Page
from evenhand.web.parameters import Parameters

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
MakePage = Callable[[Store, Parameters], Page]


class Route(NamedTuple):
    """One path under one method."""

    path: str
    handler: Handler
    method: Literal["GET", "POST"] = "GET"
    """A GET route answers HEAD too, and never writes."""
    open: bool = False
    """Whether it needs no session: signing in, and files that are the same for everyone."""
    changes_store: bool = True
    """For a POST route: whether read-only mode refuses it."""
    role: Role = "reviewer"
    """For a POST route that changes the store: the lowest role that may use it."""
    cached: bool = False
    """Whether a browser may keep the answer."""
