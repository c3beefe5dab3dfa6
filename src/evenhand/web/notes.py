"""Notes and tags on an evaluation: what a person sends is appended, and logged in the same transaction."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from evenhand import clock
from evenhand.errors import NUL, InputError
from evenhand.store.protocol import Store
from evenhand.store.tables.notes import NOTE, TAGGED, UNTAGGED, Note
from evenhand.web.activity_log import log_entry
from evenhand.web.pages.evaluation import MOST_CHARACTERS, MOST_OF_A_TAG, NOTE_PATH
from evenhand.web.pages.records import record_by
from evenhand.web.parameters import link
from evenhand.web.responses import redirect
from evenhand.web.route import Route
from evenhand.web.site import SITE, session_of

_DONE: Final = {NOTE: "wrote a note", TAGGED: "put on a tag", UNTAGGED: "took off a tag"}


async def add(request: web.Request) -> web.StreamResponse:
    """Append a note, or put on or take off a tag, and go back to the evaluation."""
    form = {name: str(value) for name, value in (await request.post()).items()}
    kind, words = form.get("kind", ""), _checked(form.get("kind", ""), form.get("words", ""))
    person = session_of(request).name
    entry = log_entry(request, _DONE[kind])

    def job(store: Store) -> str:
        id = record_by(store, form.get("id", "")).id
        with store.transaction():
            store.add_note(Note(id, clock.now(), person, kind, words))
            store.add_log(entry._replace(subject=id))
        return id

    id = await request.app[SITE].workers.write(job)
    return redirect(f"{link('/evaluation', {'id': id})}#notes")


def _checked(kind: str, words: str) -> str:
    if kind not in _DONE:
        raise InputError(f'"kind" must be one of {", ".join(_DONE)}')
    text = words.replace("\r\n", "\n").strip() if kind == NOTE else " ".join(words.split())
    most = MOST_CHARACTERS if kind == NOTE else MOST_OF_A_TAG
    what = "a note" if kind == NOTE else "a tag"
    if not text:
        raise InputError(f"{what} needs at least one word")
    if len(text) > most:
        raise InputError(f"{what} has at most {most} characters; this one has {len(text)}")
    if "\0" in text:
        raise InputError(f"{what} {NUL}")
    return text


ROUTES: Final = (Route(NOTE_PATH, add, "POST"),)
