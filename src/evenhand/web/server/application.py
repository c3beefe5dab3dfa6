"""The aiohttp application: the routes of one table, behind one middleware that lets nothing past the checks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler as AnyHandler

from evenhand import clock
from evenhand.web.access.safety import FOR_A_YEAR, FORM, HEADERS, PRIVATE, admit, check_request, check_write, set_cookie
from evenhand.web.refusal import Refused
from evenhand.web.responses import answer_refusal, redirect, refusal
from evenhand.web.route import Route
from evenhand.web.site import NEW_SESSION, SESSION, SITE, Site

LARGEST_REQUEST: Final = 2 * 1024 * 1024
"""Bytes of a request's body."""

LONGEST_LINE: Final = 8190
"""Bytes of a request's first line, and of each header."""

_BY_RESOURCE: Final = web.AppKey("routes", dict)
_LOGGED: Final = web.AppKey("logged", dict)
"""When an error of each kind was logged last, and how many were left out since."""

BODY: Final = 30.0
"""Seconds that a form may take to arrive."""

QUIET: Final = 60.0
"""Seconds in which an error of one kind is logged once."""

KINDS: Final = 200
"""Kinds of errors that are remembered; paths are those of routes and of whatever people ask for."""

log = logging.getLogger("evenhand.web")


def make_application(site: Site, routes: Sequence[Route]) -> web.Application:
    """The application with these routes and no others."""
    app = web.Application(middlewares=[_guard], client_max_size=LARGEST_REQUEST)
    app[SITE] = site
    app[_BY_RESOURCE] = {}
    app[_LOGGED] = {}
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
    with request.app[SITE].connections.answering(request.protocol):
        return await _answered(request, handler)


async def _answered(request: web.Request, handler: AnyHandler) -> web.StreamResponse:
    try:
        return await _checked(request, handler)
    except Exception as raised:
        error = raised
    refused = refusal(error)
    if refused is None:
        log_failure(request, error)
        refused = Refused(500, "Something went wrong here.", "See the server's output for details.")
    if refused.status == 401 and "text/html" in request.headers.get("Accept", ""):
        from evenhand.web.access.sign_in import ask_again, sign_in_address

        if request.method == "GET":
            return redirect(sign_in_address(request))
        if request.content_type == FORM and request.path != "/sign-out":
            return await ask_again(request)
    if refused.stale_form and request.content_type == FORM and "text/html" in request.headers.get("Accept", ""):
        from evenhand.web.access.sign_in import send_again

        return await send_again(request)
    return answer_refusal(request, refused)


def log_failure(request: web.Request, error: BaseException) -> None:
    """One message for each kind of error and minute; how many were left out is said with the next."""
    kind = f"{type(error).__name__} {request.path}"
    now, logged = clock.elapsed(), request.app[_LOGGED]
    last, left_out = logged.get(kind, (None, 0))
    if last is not None and now - last < QUIET:
        logged[kind] = (last, left_out + 1)
        return
    while len(logged) >= KINDS:
        logged.pop(next(iter(logged)))
    logged[kind] = (now, 0)
    suffix = f" ({left_out} more of these since)" if left_out else ""
    log.error("a request failed: %s %s%s", request.method, request.path, suffix, exc_info=error)


async def _checked(request: web.Request, handler: AnyHandler) -> web.StreamResponse:
    check_request(request)
    route = route_of(request)
    if route is None:
        return await handler(request)  # the router's own answer: no such page, or not with this method
    session = admit(request, route)
    request[SESSION] = session
    if request.method not in ("GET", "HEAD"):
        await _whole_body(request)
        await check_write(request, route, session)
    response = await handler(request)
    if NEW_SESSION in request and not route.cached and not response.prepared:
        set_cookie(response, request.app[SITE], request[NEW_SESSION])
    return response


async def _whole_body(request: web.Request) -> None:
    """Wait for a form to arrive, but not for ever. It is kept: whoever reads it next has it at once."""
    if request.content_type != "application/x-www-form-urlencoded":
        return
    try:
        await asyncio.wait_for(request.read(), BODY)
    except TimeoutError:
        raise Refused(408, "The request was cut off.", "Send it again.") from None


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
