"""What every request must pass before a handler sees it, and the headers that every answer carries.

The order: the name of the server, the rate, the origin, the session; for a request that writes also read-only mode
and the token against forged requests.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from aiohttp import web

from evenhand import clock
from evenhand.errors import InputError
from evenhand.web.access.people import ROLES, Person, Role, holder
from evenhand.web.access.sessions import LIFETIME, Session
from evenhand.web.refusal import Refused
from evenhand.web.route import Route
from evenhand.web.site import NEW_SESSION, PROXIED, SITE, WILDCARDS, Site

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser would send "Origin: null" with our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
PRIVATE: Final = "no-store"
FOR_A_YEAR: Final = "public, max-age=31536000, immutable"

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
TOKEN_FIELD, TOKEN_HEADER = "form_token", "X-Form-Token"

log = logging.getLogger("evenhand.web")


def check_request(request: web.Request) -> None:
    """Refuse a request that is not meant for this server, comes too often, or was made by a page elsewhere."""
    site = request.app[SITE]
    host = request.headers.get("Host", "")
    if not site.knows_host(host):
        raise Refused(421, f'This server is not "{host}".', f"Open it at {site.origin_of(own_host(site))}/ instead.")
    waiting = site.requests.wait(request.remote or "", clock.elapsed())
    if waiting:
        raise Refused(429, "Too many requests.", "Wait a moment, then reload the page.", retry_after=waiting)
    origin = request.headers.get("Origin")
    if origin is not None and origin != site.origin_of(host):
        raise Refused(403, "The request comes from another site.", "Open the dashboard itself, and try again there.")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none") and not _is_link(request):
        raise Refused(403, "The request comes from another site.", "Open the dashboard itself, and try again there.")


def _is_link(request: web.Request) -> bool:
    """Whether someone followed a link: a whole page to read."""
    headers = request.headers
    return (
        request.method == "GET"
        and headers.get("Sec-Fetch-Mode") == "navigate"
        and headers.get("Sec-Fetch-Dest") == "document"
    )


def admit(request: web.Request, route: Route) -> Session | None:
    """The session of a request; a new one where nobody has to sign in, None on an open route without one."""
    site = request.app[SITE]
    now = clock.epoch_seconds()
    cookie = request.cookies.get(site.cookie, "")
    if not site.must_sign_in:
        session = site.sessions.read(cookie, (), now)
        if session is None:
            session = site.sessions.begin(Person(site.local_name), now)
            request[NEW_SESSION] = session
        return session
    if route.cached:
        return None  # a file that everyone may have
    people = current_people(site)
    if site.proxy is not None:
        person = site.proxy.person(request.remote or "", request.headers.getall(site.proxy.header, []), people)
        if person is not None:
            request[PROXIED] = True
            session = site.sessions.read(cookie, (person,), now)
            if session is None:
                request[NEW_SESSION] = session = site.sessions.begin(person, now)
            return session
    session = site.sessions.read(cookie, people, now) if people else None
    if session is None and route.method == "GET":
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            person = holder(people, token)
            if person is None:
                count_wrong_token(site, request.remote or "")
            else:
                session = site.sessions.begin(person, now)
    if session is None and not route.open:
        raise Refused(401, "Sign in first.", "You need a token; ask whoever runs this server.")
    return session


def current_people(site: Site) -> Sequence[Person]:
    """Who may sign in at this moment; while the token file has a mistake, no one has access."""
    try:
        return site.people()
    except InputError as error:
        log.error("no one has access: %s", error)
        raise Refused(503, "There is a mistake in the token file.", "Ask whoever runs this server.") from None


def count_wrong_token(site: Site, address: str) -> None:
    """Refuse an address that sent too many wrong tokens.

    Only wrong ones count, and a correct one is accepted however many came before: otherwise anyone could keep out the
    people who share an address with them, as all do behind a proxy. A token is too long to be guessed at any rate.
    """
    waiting = site.wrong_tokens.wait(address, clock.elapsed())
    if waiting:
        raise Refused(429, "Too many wrong tokens.", "Wait a minute, then try again.", retry_after=waiting)


async def check_write(request: web.Request, route: Route, session: Session | None) -> None:
    """Refuse a write in read-only mode, and one that none of our pages made."""
    site = request.app[SITE]
    if site.read_only and route.changes_store:
        raise Refused(403, "This dashboard is read-only.", "To write, start it without --read-only.")
    if session is not None and route.changes_store and not may(session, route.role):
        needed = {"reviewer": "write here", "administrator": "start a round of review"}[route.role]
        raise Refused(403, f"As a {session.role} you may not {needed}.", "Ask whoever runs this server.")
    if "Origin" not in request.headers and "Sec-Fetch-Site" not in request.headers:
        raise Refused(403, "The request does not say where it comes from.", "Send the header Origin.")
    if request.content_type not in (FORM, JSON):
        raise Refused(415, f"A request that writes must be {FORM} or {JSON}.", "Use the form on the page.")
    if session is None:
        return  # signing in: the token itself is the proof, and the origin was checked
    token = request.headers.get(TOKEN_HEADER, "")
    if not token and request.content_type == FORM:
        token = str((await request.post()).get(TOKEN_FIELD, ""))
    if not site.sessions.is_form_token(session, token):
        raise Refused(
            403,
            "The form is too old, or was made by another site.",
            "Reload the page and send it again.",
            stale_form=True,
        )


def may(session: Session, role: Role) -> bool:
    """Whether someone has a role, or a higher one."""
    return ROLES.index(session.role) >= ROLES.index(role)


def set_cookie(response: web.StreamResponse, site: Site, session: Session) -> None:
    """Keep a session in the browser."""
    value = site.sessions.cookie(session)
    response.set_cookie(
        site.cookie, value, max_age=LIFETIME, path="/", httponly=True, samesite="Strict", secure=site.secure
    )


def own_host(site: Site) -> str:
    """The name under which this server is meant to be opened."""
    if site.public_url is not None:
        return site.public_url.partition("://")[2]
    host = "127.0.0.1" if site.host in WILDCARDS else site.host
    return f"[{host}]:{site.port}" if ":" in host else f"{host}:{site.port}"
