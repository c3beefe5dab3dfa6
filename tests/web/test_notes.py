"""Notes and tags on evaluations, over both databases: only appended to, logged, inert, and not lost with a session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser import DESKTOPS, LOOKS
from dashboard import Dashboard
from hostile_text import ATTACKS
from html_reading import PageReader
from web_stores import store_with_history

from evenhand.errors import StoreUnavailable
from evenhand.files.documents import open_lines
from evenhand.store import open_store
from evenhand.store.tables.notes import Note, tags_of
from evenhand.store.transfer import exported, import_lines
from evenhand.web.access.people import Person
from evenhand.web.pages.evaluation import MOST_CHARACTERS, MOST_OF_A_TAG
from test_web_browser import quiet_routes, tab_to

ANA = Person("ana", "ana-0123456789abcdefghij")
PAGE = "/evaluation?id=code-0-ana"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: Any, tmp_path: Any) -> str:
    made: str = (
        str(tmp_path / "evaluations.db") if request.param == "sqlite" else request.getfixturevalue("postgresql_url")
    )
    store_with_history(made, evaluations=1)
    return made


@pytest.fixture
def path(tmp_path: Any) -> str:
    store_with_history(str(tmp_path / "evaluations.db"), evaluations=1)
    return str(tmp_path / "evaluations.db")


@pytest.fixture
def dashboard(url: str) -> Iterator[Dashboard]:
    with Dashboard(url) as running:
        yield running


def send(dashboard: Dashboard, kind: str, words: str, id: str = "code-0-ana") -> Any:
    """What the form on the page sends."""
    page = dashboard.get(PAGE)
    token = re.search(r'name="form_token" value="(\w+)"', page.text)
    assert token is not None
    body = {"form_token": token[1], "id": id, "kind": kind, "words": words}
    return dashboard.request("POST", "/note", body=body, Origin=dashboard.url, Cookie=page.cookie)


@pytest.mark.slow
def test_notes_and_tags_are_shown_with_who_wrote_them_and_logged(dashboard):
    """A tag that was taken off is gone from the page and stays in the store."""
    assert send(dashboard, "note", "Look at line 2.\r\nTwice.").headers["Location"] == f"{PAGE}#notes"
    for kind, words in (("tag", "  to   discuss "), ("tag", "regression"), ("untag", "regression")):
        assert send(dashboard, kind, words).status == 303
    text = dashboard.get(PAGE).text
    assert "Look at line 2.\nTwice." in text and "tester" in text
    assert PageReader(text).text_in("span.tag") == ["to discuss"]
    notes = dashboard.json(PAGE)["notes"]
    assert [(note["kind"], note["words"]) for note in notes][1:] == [
        ("tag", "to discuss"),
        ("tag", "regression"),
        ("untag", "regression"),
    ]
    actions = [(entry["action"], entry["subject"]) for entry in dashboard.json("/log")["entries"]][:2]
    assert actions == [("took off a tag", "code-0-ana"), ("put on a tag", "code-0-ana")]


@pytest.mark.slow
def test_what_was_written_cannot_be_changed_or_deleted_and_is_in_a_copy(url, tmp_path):
    """The database itself refuses; an export holds every row."""
    note = Note("code-0-ana", "2026-01-01T00:00:00.000Z", "ana", "note", "x" * MOST_CHARACTERS)
    store = open_store(url)
    with store.transaction():
        store.add_note(note)
        store.add_note(note)  # the very same is kept once
    for statement in ("UPDATE notes SET words = 'y'", "DELETE FROM notes"):
        with pytest.raises(StoreUnavailable, match="only appended to"), store.transaction():
            store._write(statement, [()])
    (tmp_path / "export.jsonl").write_text("".join(exported(store.evaluations(), store.kept_rows())), encoding="utf-8")
    store.close()
    copy = open_store(str(tmp_path / "copy.db"))
    import_lines(copy, open_lines(str(tmp_path / "export.jsonl")))
    assert copy.notes("code-0-ana") == [note]


def test_the_latest_change_of_a_tag_counts():
    """On, off, and on again."""
    rows = [
        Note("e", f"2026-01-0{n}", "ana", kind, tag)
        for n, (kind, tag) in enumerate(
            [("tag", "b"), ("tag", "a"), ("untag", "b"), ("note", "c"), ("tag", "b"), ("untag", "a")]
        )
    ]
    assert tags_of(rows) == ["b"]
    assert tags_of(rows[:2]) == ["a", "b"]


@pytest.mark.slow
def test_what_is_empty_too_long_or_unknown_is_refused_with_a_sentence(path):
    """And nothing is written."""
    with Dashboard(path) as dashboard:
        for kind, words, says in (
            ("note", "  ", "a note needs at least one word"),
            ("tag", "x" * (MOST_OF_A_TAG + 1), "a tag has at most 60 characters; this one has 61"),
            ("note", "x" * (MOST_CHARACTERS + 1), "a note has at most 10000 characters"),
            ("note", "a\0b", "a note "),
            ("shout", "x", "must be one of note, tag, untag"),
        ):
            answer = send(dashboard, kind, words)
            assert answer.status == 400 and says in PageReader(answer.text).words, answer.text
        assert send(dashboard, "note", "x", id="no such").status == 404
        assert "notes" not in dashboard.json(PAGE)
        assert send(dashboard, "tag", "x" * MOST_OF_A_TAG).status == 303
        assert send(dashboard, "note", "x" * MOST_CHARACTERS).status == 303


@pytest.mark.slow
def test_a_read_only_dashboard_shows_notes_and_takes_none(path):
    """There is no form, and one that is sent anyway is refused."""
    with Dashboard(path) as dashboard:
        send(dashboard, "note", "Seen.")
    with Dashboard(path, read_only=True) as dashboard:
        page = dashboard.get(PAGE)
        assert "Seen." in page.text and 'action="/note"' not in page.text
        body = {"id": "code-0-ana", "kind": "note", "words": "x"}
        assert dashboard.request("POST", "/note", body=body, Origin=dashboard.url).status == 403


@pytest.mark.slow
def test_attacks_in_notes_and_tags_stay_text(browser, path):
    """In a real browser."""
    with Dashboard(path, routes=quiet_routes) as dashboard:
        for attack in ATTACKS:
            send(dashboard, "note", attack)
            send(dashboard, "tag", attack[:MOST_OF_A_TAG])
        with browser.open(f"{dashboard.url}{PAGE}") as opened:
            opened.check(scripts=(f"{dashboard.url}/static/",))
            assert opened.evaluate("window.ran") is None
            assert opened.page.locator(".written").count() == len(ATTACKS)


@pytest.mark.slow
def test_a_note_is_written_by_mouse_and_a_tag_by_keyboard_without_a_barrier(browser, path):
    """Every control can be clicked at every width."""
    with Dashboard(path, routes=quiet_routes) as dashboard, browser.open(f"{dashboard.url}{PAGE}") as opened:
        page = opened.page
        page.get_by_label("New note").fill("By mouse.")
        page.get_by_role("button", name="Add the note").click()
        page.wait_for_url("**#notes")
        assert page.locator(".written .says").inner_text() == "By mouse."
        tab_to(opened, "Add the note")
        page.keyboard.press("Tab")
        page.keyboard.type("by key")
        page.keyboard.press("Enter")
        page.wait_for_selector(".tags >> text=by key")
        for width, scheme in LOOKS:
            opened.look(width, scheme)
            opened.check_width()
            opened.check_barriers()
        for width in (360, *DESKTOPS):
            page.set_viewport_size({"width": width, "height": 900})
            opened.check_controls()
        page.get_by_role("button", name="Take off the tag by key").click()
        page.wait_for_selector(".tags", state="detached")


@pytest.mark.slow
def test_what_was_written_survives_the_end_of_the_session(browser, path):
    """Sign in again, with a wrong token first, and send it; nothing is written before that."""
    words = '\n A long thought, <b>with</b> "marks" and \u200bunseen\nand lines.'
    with (
        Dashboard(path, people=(ANA,), routes=quiet_routes) as closed,
        browser.open(f"{closed.url}{PAGE}") as opened,
    ):
        page = opened.page
        page.get_by_label("Token").fill(ANA.token)
        page.keyboard.press("Enter")
        page.get_by_label("New note").fill(words)
        page.context.clear_cookies()
        page.get_by_role("button", name="Add the note").click()
        page.get_by_text("Your session has ended.").wait_for()
        opened.check_barriers()
        page.get_by_label("Token").fill("wrong, and long enough")
        page.keyboard.press("Enter")
        page.wait_for_selector("#wrong")
        page.get_by_label("Token").fill(ANA.token)
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Send it").wait_for()
        opened.check_barriers()
        assert open_store(path).notes("code-0-ana") == []
        page.get_by_role("button", name="Send it").click()
        page.wait_for_url("**#notes")
        (note,) = open_store(path).notes("code-0-ana")
        assert (note.person, note.words) == ("ana", words.strip())


def test_a_program_without_a_session_still_gets_a_plain_refusal(path):
    """And what is not a form of ours becomes nothing."""
    with Dashboard(path, people=(ANA,)) as closed:
        sent = {"id": "x", "kind": "note", "words": "x"}
        assert closed.request("POST", "/note", body=sent, Origin=closed.url).status == 401
        for unsent in ("", "x", "[]", '{"path": "https://evil.example/", "fields": []}'):
            body = {"token": ANA.token, "unsent": unsent}
            answer = closed.request("POST", "/sign-in", body=body, Origin=closed.url)
            assert answer.status in (200, 303) and "evil.example" not in answer.text


@pytest.mark.slow
def test_a_form_that_is_too_old_keeps_what_was_written(path):
    """It is shown to be sent again with a new token, and nothing is saved before; a program gets the refusal."""
    with Dashboard(path) as dashboard:
        cookie = dashboard.get("/").cookie
        body = {"id": "code-0-ana", "kind": "note", "words": "Two\nlines <b>", "form_token": "0" * 64}
        sent = {"body": body, "Origin": dashboard.url, "Cookie": cookie}
        page = dashboard.request("POST", "/note", **sent, Accept="text/html")
        assert page.status == 403 and "Send it again" in page.text
        assert "Two\nlines &lt;b&gt;" in page.text and 'action="/note"' in page.text
        assert open_store(path).notes("code-0-ana") == []
        token = re.search(r'name="form_token" value="(\w+)"', page.text[page.text.index("<h1>Send it again") :])
        assert token is not None
        again = dashboard.request("POST", "/note", **(sent | {"body": body | {"form_token": token[1]}}))
        assert again.status == 303
        assert [note.words for note in open_store(path).notes("code-0-ana")] == ["Two\nlines <b>"]
        program = dashboard.request("POST", "/note", **sent, Accept="application/json")
        assert program.status == 403 and "too old" in program.json["error"]
