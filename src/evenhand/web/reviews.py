"""The review queue: its pages for the person who asks, and what they send: a new round, a draft, a decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from evenhand.core.scorecard import DOUBT, SAMPLE
from evenhand.errors import InputError, unknown
from evenhand.rubrics import library
from evenhand.rubrics.resolved import resolve_place
from evenhand.store.protocol import Store
from evenhand.store.tables.reviews import Draft
from evenhand.trust.labels.review_rounds import LARGEST, Request, start_round
from evenhand.trust.labels.reviews import (
    AlreadyDecided,
    DraftConflict,
    NotDecided,
    Task,
    cleaned,
    correct,
    decide,
    quote_checks,
    save_draft,
)
from evenhand.web.activity_log import log_entry
from evenhand.web.page import Page
from evenhand.web.pages.review import (
    CORRECT,
    ITEM,
    MOST_OF_A_REASON,
    REASON,
    ROUND,
    ROUNDS,
    Notice,
    item_page,
    round_page,
    rounds,
    task_of,
)
from evenhand.web.parameters import Parameters, link
from evenhand.web.refusal import Refused
from evenhand.web.responses import answer_page, frame_of, json_bytes, parameters_of, redirect
from evenhand.web.route import Handler, Route
from evenhand.web.site import SITE, session_of

CONFLICT: Final = (
    "This review was saved in another tab or window since you opened it here. Nothing was overwritten. What you "
    "entered is still below: send it again to use it, or open the other version."
)


def _page_for(make: Callable[[Store, Parameters, str], Page]) -> Handler:
    """A page that depends on who asks; a read-only dashboard has none of them."""

    async def handler(request: web.Request) -> web.StreamResponse:
        if request.app[SITE].read_only:
            raise Refused(403, "This dashboard is read-only.", "To review, start it without --read-only.")
        if session_of(request).role == "reader":
            raise Refused(403, "As a reader you may not review.", "Ask whoever runs this server.")
        person = session_of(request).name
        return await answer_page(request, lambda store, parameters: make(store, parameters, person), reviewing=True)

    return handler


async def start(request: web.Request) -> web.StreamResponse:
    """Start a round, and go to it."""
    form = {name: str(value) for name, value in (await request.post()).items()}
    wish = _request(form)
    person = session_of(request).name
    entry = log_entry(request, "started review round")
    started = await request.app[SITE].workers.write(lambda store: start_round(store, wish, person, entry))
    return redirect(link(ROUND, {"id": started.round.id}))


def _request(form: dict[str, str]) -> Request:
    method, size, rubric = form.get("method", ""), form.get("size", ""), form.get("rubric", "")
    if method not in (SAMPLE, DOUBT):
        raise InputError(f'"method" must be {SAMPLE} or {DOUBT}')
    if not (size.isascii() and size.isdigit() and len(size) < 6):
        raise InputError(f'"size" must be a whole number from 1 to {LARGEST}')
    texts = [form.get(name, "") for name in ("skill", "rubric", "seed")]
    if any("\0" in text or len(text) > 200 for text in texts):
        raise InputError("a skill, a rubric and a seed have at most 200 characters")
    place = library.find(rubric) if rubric else None  # by name only: a path from a form is never opened
    if rubric and place is None:
        raise InputError(
            unknown("rubric", rubric, (place.name for place in library.places()), otherwise="see: evenhand rubric list")
        )
    chosen = None if place is None else resolve_place(place)
    return Request(method, int(size), form.get("skill") or None, chosen, form.get("seed") or None)


async def send(request: web.Request) -> web.StreamResponse:
    """Save a draft, or decide. A script is answered with JSON, a form with a page."""
    form = dict(await request.post())
    by_script = "json" in request.headers.get("Accept", "")
    parameters, person, frame = parameters_of(request), session_of(request).name, frame_of(request)
    subject = f"{parameters.text('round')} item {parameters.number('item', 1, most=10_000)}"
    began, reviewed, corrected = (
        log_entry(request, action, subject) for action in ("began review", "reviewed", "corrected review")
    )
    renderer = request.app[SITE].renderer
    deciding = form.get("do") == "decide"
    correcting = bool(parameters.text(CORRECT))
    done = link(ITEM, {"round": parameters.text("round"), "item": parameters.text("item")})

    def job(store: Store) -> web.Response:
        task = task_of(store, parameters)
        fields = cleaned(form, task.rubric.rubric)
        based_on = _version(form.get("version", ""))
        try:
            draft = save_draft(store, task, person, fields, based_on, began, correcting=correcting)
            if deciding and correcting:
                correct(store, task, person, fields, draft.version, _reason(form), corrected)
                return redirect(done)
            if deciding:
                decide(store, task, person, fields, draft.version, reviewed)
                return redirect(str(request.rel_url))
            if by_script:
                return _json(_saved(task, draft, fields))
            return redirect(str(request.rel_url))
        except AlreadyDecided:
            if by_script:
                return _json({"error": "You have decided on this item already.", "decided": True}, 409)
            return redirect(str(request.rel_url))
        except NotDecided:
            if by_script:
                return _json({"error": "There is no decision of yours to correct."}, 409)
            return redirect(done)
        except DraftConflict as conflict:
            if by_script:
                return _json({"error": CONFLICT, "version": conflict.version}, 409)
            notice = Notice("conflict", [CONFLICT])
        except InputError as error:
            notice = Notice("problems", [problem.message for problem in error.problems])
        page = item_page(store, parameters, person, submitted=fields, notice=notice, reason=str(form.get(REASON, "")))
        return web.Response(text=renderer.page(page, frame), content_type="text/html", status=page.status)

    return await request.app[SITE].workers.write(job)


def _saved(task: Task, draft: Draft, fields: dict[str, str]) -> dict[str, Any]:
    checks = quote_checks(task.submission, fields)
    return {
        "version": draft.version,
        "saved": draft.saved,
        "quotes": {name: [check.passage is not None for check in quotes] for name, quotes in checks.items()},
    }


def _json(document: Any, status: int = 200) -> web.Response:
    return web.Response(body=json_bytes(document), content_type="application/json", status=status)


def _reason(form: dict[str, Any]) -> str:
    reason = str(form.get(REASON, ""))
    if len(reason) > MOST_OF_A_REASON or "\0" in reason:
        raise InputError(f"the reason for a correction has at most {MOST_OF_A_REASON} characters, and no NUL")
    return " ".join(reason.split())


def _version(value: Any) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError('"version" must be the number of the draft that this one builds on, 0 for none')
    return int(text)


ROUTES: Final = (
    Route(ROUNDS, _page_for(rounds)),
    Route(ROUNDS, start, "POST", role="administrator"),
    Route(ROUND, _page_for(round_page)),
    Route(ITEM, _page_for(item_page)),
    Route(ITEM, send, "POST"),
)
