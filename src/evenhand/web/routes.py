"""Every route of the dashboard. A part of the dashboard adds its routes here, and nowhere else."""

from __future__ import annotations

from aiohttp import web

from evenhand.web import notes, reviews
from evenhand.web.access import sign_in
from evenhand.web.pages import (
    evaluation,
    evaluations,
    judge_list,
    log,
    rubrics,
    skill,
    skill_list,
    suites,
)
from evenhand.web.responses import json_bytes, parameters_of
from evenhand.web.route import Route
from evenhand.web.site import SITE
from evenhand.web.static_files import static_routes

_PARTS = (
    sign_in,
    skill_list,
    skill,
    evaluations,
    evaluation,
    notes,
    suites,
    judge_list,
    rubrics,
    reviews,
    log,
)


def all_routes() -> list[Route]:
    """The table of routes."""
    return [*static_routes(), Route("/changes", _newest), *(route for part in _PARTS for route in part.ROUTES)]


async def _newest(request: web.Request) -> web.StreamResponse:
    """Wait for an evaluation newer than the one that a page has seen, which then asks for the page again."""
    seen = parameters_of(request).text("after")
    body = json_bytes({"newest": await request.app[SITE].watch.after(seen)})
    return web.Response(body=body, content_type="application/json")
