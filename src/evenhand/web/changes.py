"""New evaluations, without reloading: a page asks what is newest, and the answer comes when that changes."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from evenhand.web.responding import json_bytes, parameters_of
from evenhand.web.route import Route
from evenhand.web.site import SITE


async def newest(request: web.Request) -> web.StreamResponse:
    """Wait for an evaluation newer than the one that a page has seen."""
    seen = parameters_of(request).text("after")
    body = json_bytes({"newest": await request.app[SITE].watch.after(seen)})
    return web.Response(body=body, content_type="application/json")


ROUTES: Final = (Route("/changes", newest),)
