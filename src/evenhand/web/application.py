"""The aiohttp application: the routes of one table, behind one middleware that lets nothing past the checks."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler as AnyHandler

from evenhand.web.refusal import Refused
from evenhand.web.responding import answer_refusal, redirect, refusal
from evenhand.web.route import Route
from evenhand.web.safety import FOR_A_YEAR, FORM, HEADERS, PRIVATE, admit, check_request, check_write, set_cookie
from evenhand.web.site import NEW_SESSION, SESSION, SITE, Site

LARGEST_REQUEST: Final = 2 * 1024 * 1024
"""Bytes of a request's body."""

LONGEST_LINE: Final = 8190
"""Bytes of a request's first line, and of each header."""

_BY_RESOURCE: Final = web.AppKey("routes", dict)

log = logging.getLogger("evenhand.web")


def make_application(site: Site, routes: Sequence[Route]) -> web.Application:
    """The application with these routes and no others."""
    app = web.Application(middlewares=[_guard], client_max_size=LARGEST_REQUEST)
    app[SITE] = site
    app[_BY_RESOURCE] = {}
    for route in routes:
        resource = app.router.add_resource(route.path)
        for method in (route.method, "HEAD") if route.method == "GET" else (route.method,):
            resource.add_route(method, route.handler)
            app[_BY_RESOURCE][method, route.path] = route
    app.on_response_prepare.append(_add_headers)
    return app


@web.middleware
async def _guard(request: web.Request, handler: AnyHandler) -> web.StreamResponse:
    """Check, admit, handle; turn every error into an answer."""
    try:
        return await _checked(request, handler)
    except Exception as raised:
        error = raised
    refused = refusal(error)
    if refused is None:
        log.error("a request failed: %s %s", request.method, request.path, exc_info=error)
        refused = Refused(500, "Something went wrong here.", "See the server's output for details.")
    if refused.status == 401 and "text/html" in request.headers.get("Accept", ""):
        from evenhand.web.signing_in import ask_again, sign_in_address

        if request.method == "GET":
            return redirect(sign_in_address(request))
        if request.content_type == FORM and request.path != "/sign-out":
            return await ask_again(request)
    return answer_refusal(request, refused)


async def _checked(request: web.Request, handler: AnyHandler) -> web.StreamResponse:
    check_request(request)
    route = route_of(request)
    if route is None:
        return await handler(request)  # the router's own answer: no such page, or not with this method
    session = admit(request, route)
    request[SESSION] = session
    if request.method not in ("GET", "HEAD"):
        await check_write(request, route, session)
    response = await handler(request)
    if NEW_SESSION in request and not route.cached and not response.prepared:
        set_cookie(response, request.app[SITE], request[NEW_SESSION])
    return response


def route_of(request: web.Request) -> Route | None:
    """The route of a request; None when the table has none for it."""
    if request.match_info.http_exception is not None:
        return None
    resource = request.match_info.route.resource
    if resource is None:
        raise RuntimeError("a route without a resource")
    route: Route = request.app[_BY_RESOURCE][request.method, resource.canonical]  # one outside the table is an error
    return route


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """The headers of every answer, also of errors."""
    response.headers.update(HEADERS)
    try:
        route = route_of(request)
    except (KeyError, RuntimeError):
        route = None
    kept = route is not None and route.cached and response.status == 200
    response.headers["Cache-Control"] = FOR_A_YEAR if kept else PRIVATE
    response.headers["Server"] = "evenhand"
