"""Signing in with a token, and out again."""

from __future__ import annotations

import json
from typing import Final

from aiohttp import web

from evenhand import clock
from evenhand.web.access.people import holder
from evenhand.web.access.safety import TOKEN_FIELD, count_wrong_token, current_people, set_cookie
from evenhand.web.access.sessions import SIGNED_OUT, session_mark
from evenhand.web.activity_log import log, log_entry
from evenhand.web.parameters import link
from evenhand.web.responses import frame_of, parameters_of, redirect
from evenhand.web.route import Route
from evenhand.web.site import SESSION, SITE, session_of

SIGN_IN: Final = "/sign-in"
SIGN_OUT: Final = "/sign-out"


def sign_in_address(request: web.Request) -> str:
    """Where to sign in, to come back to the page that was asked for."""
    address = str(request.rel_url)
    return link(SIGN_IN, {"next": address if address != "/" else ""})


async def show_form(request: web.Request) -> web.StreamResponse:
    """The form; on a server without tokens there is nothing to sign in to."""
    site = request.app[SITE]
    if not site.must_sign_in or request.get(SESSION) is not None:
        return redirect(_next(parameters_of(request).text("next")))
    return _form(request, parameters_of(request).text("next"), wrong=False)


async def ask_again(request: web.Request) -> web.StreamResponse:
    """The form to sign in, for someone whose session has ended while they were writing: it carries what they sent."""
    sent = (await request.post()).items()
    fields = [(name, str(value).replace("\r\n", "\n")) for name, value in sent if name != TOKEN_FIELD]
    unsent = json.dumps({"path": str(request.rel_url), "fields": fields})
    text = request.app[SITE].renderer.sign_in(frame_of(request), "", wrong=False, unsent=unsent)
    return web.Response(text=text, content_type="text/html", status=401)


async def send_again(request: web.Request) -> web.StreamResponse:
    """What someone wrote on a page that is too old, to be looked at and sent again: nothing of it was saved."""
    sent = (await request.post()).items()
    fields = [(name, str(value).replace("\r\n", "\n")) for name, value in sent if name != TOKEN_FIELD]
    text = request.app[SITE].renderer.unsent(frame_of(request), str(request.rel_url), fields)
    return web.Response(text=text, content_type="text/html", status=403)


def _unsent(text: str) -> tuple[str, list[tuple[str, str]]] | None:
    """Where a form was sent to, and its fields; None when there was none."""
    try:
        kept = json.loads(text)
        return _next(str(kept["path"])), [(str(name), str(value)) for name, value in kept["fields"]]
    except (ValueError, LookupError, TypeError):
        return None


async def sign_in(request: web.Request) -> web.StreamResponse:
    """Begin a session for the holder of a token."""
    site = request.app[SITE]
    form = await request.post()
    person = holder(current_people(site), str(form.get("token", "")).strip())
    if person is None:
        count_wrong_token(site, request.remote or "")
        return _form(request, str(form.get("next", "")), wrong=True, unsent=str(form.get("unsent", "")))
    request[SESSION] = session = site.sessions.begin(person, clock.epoch_seconds())
    await log(request, log_entry(request, "signed in"))
    unsent = _unsent(str(form.get("unsent", "")))
    response = redirect(_next(str(form.get("next", ""))))
    if unsent is not None:
        text = site.renderer.unsent(frame_of(request), *unsent)
        response = web.Response(text=text, content_type="text/html")
    set_cookie(response, site, session)
    return response


async def sign_out(request: web.Request) -> web.StreamResponse:
    """End the session, also for the next time the server is started."""
    site = request.app[SITE]
    session = session_of(request)
    site.sessions.end(session, clock.epoch_seconds())
    await log(request, log_entry(request, SIGNED_OUT, session_mark(session)))
    response = redirect(SIGN_IN if site.must_sign_in else "/")
    response.del_cookie(site.cookie, path="/", httponly=True, samesite="Strict", secure=site.secure)
    return response


def _form(request: web.Request, next: str, *, wrong: bool, unsent: str = "") -> web.Response:
    text = request.app[SITE].renderer.sign_in(frame_of(request), next, wrong=wrong, unsent=unsent)
    return web.Response(text=text, content_type="text/html", status=401 if wrong else 200)


def _next(address: str) -> str:
    """One of our pages to continue with; never another site's."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if inside and "\\" not in address else "/"


ROUTES: Final = (
    Route(SIGN_IN, show_form, open=True),
    Route(SIGN_IN, sign_in, "POST", open=True, changes_store=False),
    Route(SIGN_OUT, sign_out, "POST", changes_store=False),
)
