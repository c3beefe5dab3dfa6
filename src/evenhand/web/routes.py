"""Every route of the dashboard. A part of the dashboard adds its routes here, and nowhere else."""

from __future__ import annotations

from evenhand.web import changes, reviews, signing_in
from evenhand.web.pages import (
    comparison,
    evaluation,
    evaluations,
    findings,
    judge,
    judge_list,
    log,
    ranking,
    rubrics,
    skill,
    skill_list,
    suites,
)
from evenhand.web.route import Route
from evenhand.web.static_files import static_routes

_PARTS = (
    signing_in,
    changes,
    skill_list,
    skill,
    evaluations,
    evaluation,
    comparison,
    ranking,
    suites,
    judge,
    judge_list,
    rubrics,
    findings,
    reviews,
    log,
)


def all_routes() -> list[Route]:
    """The table of routes."""
    return [*static_routes(), *(route for part in _PARTS for route in part.ROUTES)]
