"""Answers: a page as HTML, JSON or CSV, and what is shown when there is no page."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from typing import Any, Final

from aiohttp import web

from evenhand.errors import InputError, Unavailable
from evenhand.store.blind_view import Blind, BlindView
from evenhand.store.protocol import Store
from evenhand.web.access.sessions import Session
from evenhand.web.page import Cell, Page, Sheet
from evenhand.web.parameters import NotFound, Parameters, link
from evenhand.web.refusal import Refused
from evenhand.web.rendering import Frame
from evenhand.web.route import MakePage, Route
from evenhand.web.server.workers import Busy
from evenhand.web.site import PROXIED, SESSION, SITE

BUSY_SECONDS = 2
_HTML: Final = {"Content-Type": "text/html; charset=utf-8"}
"""Given whole: putting it together takes longer than sending it."""


def page_route(path: str, make: MakePage) -> Route:
    """A page: read from the store by a worker, shown as HTML, JSON or CSV."""

    async def handler(request: web.Request) -> web.StreamResponse:
        return await answer_page(request, make)

    return Route(path, handler)


async def answer_page(request: web.Request, make: MakePage, *, reviewing: bool = False) -> web.Response:
    """Read, lay out and render a page, all in a worker: the event loop only passes it on.

    A reviewer gets it without what they are asked to review, except on the pages of the review itself.
    """
    site = request.app[SITE]
    parameters = parameters_of(request)
    format = parameters.format
    frame = frame_of(request, parameters)
    session: Session | None = request.get(SESSION)
    reviewer = session.name if session is not None and session.role == "reviewer" and not reviewing else ""

    def job(store: Store) -> web.Response:
        hidden = 0
        if reviewer:
            view = BlindView(store, reviewer)
            hidden = view.hidden()
        page = make(view if hidden else store, parameters)
        if hidden:
            page = page._replace(document={**page.document, "hidden_until_reviewed": hidden})
        if format == "json":
            return _file(json_bytes(page.document), "application/json", page, "json", parameters)
        if format == "csv":
            return _file(csv_text(page.sheet).encode(), "text/csv", page, "csv", parameters)
        text = site.renderer.page_again(page, frame._replace(hidden=hidden))
        return web.Response(body=text.encode(), headers=_HTML, status=page.status)

    return await site.workers.run(job)


def frame_of(request: web.Request, parameters: Parameters | None = None) -> Frame:
    """What every page shows around its content."""
    site = request.app[SITE]
    session: Session | None = request.get(SESSION)
    return Frame(
        parameters=parameters or parameters_of(request),
        store=site.store_url if session is not None else "",
        read_only=site.read_only or (session is not None and session.role == "reader"),
        person=session.name if session is not None else "",
        can_sign_out=session is not None and site.must_sign_in and PROXIED not in request,
        form_token=site.sessions.form_token(session) if session is not None else "",
        administers=session is not None and session.role == "administrator",
    )


def redirect(address: str) -> web.Response:
    """Redirect to another of our addresses."""
    return web.Response(status=303, headers={"Location": address})


def parameters_of(request: web.Request) -> Parameters:
    """The parameters of a request's address."""
    query = request.query
    return Parameters(request.path, {name: tuple(query.getall(name)) for name in dict.fromkeys(query)})


def _file(body: bytes, kind: str, page: Page, ending: str, parameters: Parameters) -> web.Response:
    """A download: JSON only if asked for, so that a browser can show it as well."""
    response = web.Response(body=body, content_type=kind, charset="utf-8", status=page.status)
    if ending == "csv" or parameters.text("download"):
        response.headers["Content-Disposition"] = f'attachment; filename="{file_name(page.name)}.{ending}"'
    return response


def file_name(name: str) -> str:
    """A name that every file system takes and no shell or header misreads."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:80].strip("-")
    return f"evenhand-{plain or 'page'}"


def json_bytes(document: Any) -> bytes:
    """A document as JSON in plain ASCII, which no browser takes for a page."""
    text = json.dumps(document, indent=1, default=_number).replace("<", "\\u003c").replace("\x7f", "\\u007f")
    return text.encode() + b"\n"


def _number(value: Any) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def refusal(error: Exception) -> Refused | None:
    """An error as shown to a reader; None when the fault is ours."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, Blind):
        return Refused(
            403,
            "You are asked to review this work.",
            "What others gave it is shown once you have decided.",
            link=("Review it", link("/review", {"round": error.round, "item": str(error.place)})),
        )
    if isinstance(error, NotFound):
        return Refused(404, str(error), "Look it up in the list of skills, or search for it.")
    if isinstance(error, InputError):
        return Refused(400, "; ".join(map(str, error.problems)), "Correct the address, or start at the first page.")
    if isinstance(error, Busy):
        return Refused(503, "The server is busy.", "Reload the page in a moment.", retry_after=BUSY_SECONDS)
    if isinstance(error, Unavailable):
        return Refused(
            503, f"The store is out of reach: {error}", "Reload the page when it is back.", retry_after=BUSY_SECONDS
        )
    if isinstance(error, web.HTTPException) and error.status >= 400:
        return _of_the_server(error)
    return None


def _of_the_server(error: web.HTTPException) -> Refused:
    if error.status == 404:
        return Refused(404, "There is no such page.", "Start at the first page, or search.")
    if error.status == 405:
        allowed = error.headers.get("Allow", "")
        return Refused(405, f"This address takes only {allowed}.", "Follow a link, or use the form on the page.")
    if error.status == 413:
        return Refused(413, "The request is too large.", "Send less at once.")
    return Refused(error.status, error.reason, "Start at the first page.")


def answer_refusal(request: web.Request, refused: Refused) -> web.Response:
    """The page, or for a program the document, that says why there is no page."""
    wants = request.query.get("format") or ("json" if "json" in request.headers.get("Accept", "") else "html")
    if wants in ("json", "csv"):
        document = {"error": refused.what, "advice": refused.advice, "status": refused.status}
        response = web.Response(body=json_bytes(document), content_type="application/json", status=refused.status)
    else:
        text = request.app[SITE].renderer.refusal(refused, frame_of(request))
        response = web.Response(text=text, content_type="text/html", status=refused.status)
    if refused.retry_after:
        response.headers["Retry-After"] = str(max(1, round(refused.retry_after)))
    return response


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that spreadsheets take for a formula; the last four are the wide forms of the first."""


def csv_text(sheet: Sheet) -> str:
    """The rows under their heading. Text that would be a formula gets an apostrophe in front; numbers stay numbers."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([_harmless(name) for name in sheet.head])
    writer.writerows([[_harmless(cell) for cell in row] for row in sheet.rows])
    return file.getvalue()


def _harmless(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\0", "\ufffd")
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text
