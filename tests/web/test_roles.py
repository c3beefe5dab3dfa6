"""Roles: a reader writes nothing, a reviewer starts no round, and a change of the file counts at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import LOOKS
from dashboard import Dashboard
from web_stores import store_with_history

from evenhand.errors import InputError
from evenhand.store import open_store
from evenhand.web.access.people import Person, people_from
from evenhand.web.access.sessions import Sessions
from evenhand.web.routes import all_routes
from test_web_browser import quiet_routes

TOKENS = {role: f"{role}-0123456789abcdefghij" for role in ("reader", "reviewer", "administrator")}
PEOPLE = tuple(Person(role, token, role) for role, token in TOKENS.items())  # type: ignore[arg-type]
PAGE = "/evaluation?id=code-0-ana"
ROUND = {"method": "sample", "size": "1", "skill": "", "rubric": "", "seed": "1"}
NOTE = {"id": "code-0-ana", "kind": "note", "words": "Seen."}


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = str(tmp_path / "evaluations.db")
    store_with_history(made, evaluations=1)
    return made


def send(dashboard: Dashboard, role: str, to: str, body: dict[str, str]) -> Any:
    """What a form sends, signed in with a role; readers have no form, but can make one up."""
    cookie = dashboard.sign_in(TOKENS[role]).cookie
    token = re.search(r'name="form_token" value="(\w+)"', dashboard.get(PAGE, Cookie=cookie).text)
    assert token is not None
    sent = {**body, "form_token": token[1]}
    return dashboard.request("POST", to, body=sent, Origin=dashboard.url, Cookie=cookie)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("role", "note", "round"), [("reader", 403, 403), ("reviewer", 303, 403), ("administrator", 303, 400)]
)
def test_each_role_may_write_what_it_may_and_nothing_else(path, role, note, round):
    """And the store holds only that. People judged everything in it, so an administrator's round has no items: 400."""
    with Dashboard(path, people=PEOPLE) as dashboard:
        assert send(dashboard, role, "/note", NOTE).status == note
        assert send(dashboard, role, "/reviews", ROUND).status == round
    store = open_store(path)
    assert (len(store.notes("code-0-ana")), store.review_rounds()) == (note == 303, [])


@pytest.mark.slow
def test_a_reader_may_not_use_any_route_that_writes(path):
    """Whatever routes there will be."""
    with Dashboard(path, people=PEOPLE) as dashboard:
        for route in all_routes():
            if route.method == "POST" and route.changes_store:
                answer = send(dashboard, "reader", route.path, {})
                assert (answer.status, "As a reader you may not" in answer.text) == (403, True), route.path


@pytest.mark.slow
def test_pages_offer_only_what_the_role_may_do(path):
    """A reader has no forms and no queue; a reviewer cannot start a round."""
    with Dashboard(path, people=PEOPLE) as dashboard:
        cookies = {role: dashboard.sign_in(token).cookie for role, token in TOKENS.items()}
        for role, cookie in cookies.items():
            assert ('action="/note"' in dashboard.get(PAGE, Cookie=cookie).text) == (role != "reader")
            review = dashboard.get("/reviews", Cookie=cookie)
            assert review.status == (403 if role == "reader" else 200)
            assert ("Start a round" in review.text) == (role == "administrator")


def test_a_role_counts_as_it_is_now_and_an_old_cookie_still_does():
    """Whoever is made a reader is one from the next request on."""
    sessions = Sessions(b"secret")
    cookie = sessions.cookie(sessions.begin(Person("ana", "token-of-ana"), 0))
    for role in TOKENS:
        session = sessions.read(cookie, [Person("ana", "token-of-ana", role)], 1)  # type: ignore[arg-type]
        assert session is not None and session.role == role


def test_the_file_names_roles_and_a_mistake_has_its_line(tmp_path):
    """Without a role one may do everything, as always."""
    file = tmp_path / "people.txt"
    file.touch(mode=0o600)
    file.write_text(f"ana {TOKENS['administrator']}\nbo {TOKENS['reviewer']} reviewer\n{TOKENS['reader']}\n")
    roles = [(person.name, person.role) for person in people_from(str(file), {})]
    assert roles == [("ana", "administrator"), ("bo", "reviewer"), ("reader", "administrator")]
    for wrong in ("owner", "reader now", "Reader"):
        file.write_text(f"ana {TOKENS['administrator']}\nbo {TOKENS['reviewer']} {wrong}\n")
        with pytest.raises(InputError, match="a role is reader, reviewer or administrator") as caught:
            people_from(str(file), {})
        assert caught.value.problems[0].line == 2


@pytest.mark.slow
@pytest.mark.parametrize("role", TOKENS)
def test_a_roles_pages_have_no_barrier(browser, path, role):
    """Signed in with the keyboard."""
    with (
        Dashboard(path, people=PEOPLE, routes=quiet_routes) as dashboard,
        browser.open(f"{dashboard.url}{PAGE}") as opened,
    ):
        opened.page.get_by_label("Token").fill(TOKENS[role])
        opened.page.keyboard.press("Enter")
        opened.page.wait_for_url(f"**{PAGE}")
        for width, scheme in LOOKS:
            opened.look(width, scheme)
            opened.check_width()
            opened.check_barriers()
