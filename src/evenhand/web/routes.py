"""Every route of the dashboard. A part of the dashboard adds its routes here, and nowhere else."""

from __future__ import annotations

from evenhand.web import changes, signing_in
from evenhand.web.pages import log, skill_list
from evenhand.web.route import Route
from evenhand.web.static_files import static_routes


def all_routes() -> list[Route]:
    """The table of routes."""
    return [*static_routes(), *signing_in.ROUTES, *changes.ROUTES, *skill_list.ROUTES, *log.ROUTES]
