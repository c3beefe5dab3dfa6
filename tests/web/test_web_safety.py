"""The dashboard's safety: every route behind the same checks, every answer with the same headers."""

from __future__ import annotations

import base64
import re
import time
from datetime import UTC, datetime

import pytest
from conftest import judged, seven
from dashboard import Dashboard

from evenhand.errors import InputError
from evenhand.store import open_store
from evenhand.store.record import record_of
from evenhand.store.tables.web_log import LogEntry
from evenhand.web.access.people import Person, is_loopback, people_from, people_now, refuse_open_door
from evenhand.web.access.safety import HEADERS, POLICY
from evenhand.web.access.sessions import LIFETIME, Sessions, signed_out
from evenhand.web.page import Sheet
from evenhand.web.responses import csv_text
from evenhand.web.route import Route
from evenhand.web.routes import all_routes
from evenhand.web.site import Rate

ANA, BO = Person("ana", "ana-0123456789abcdefghij"), Person("bo", "bo-zyxwvutsrqponmlkjihgfe")


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store with one evaluation, `x` of the skill `code`."""
    path = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store = open_store(path)
    with store.transaction():
        store.add(record_of(judged(seven(8), skill="code"), completed=1, submission=None, keep_text=True))
    store.close()
    return path


@pytest.fixture(scope="module")
def open_door(filled):
    """Nobody has to sign in."""
    with Dashboard(filled) as dashboard:
        yield dashboard


@pytest.fixture(scope="module")
def closed_door(filled):
    """Ana and Bo have a token each."""
    with Dashboard(filled, people=(ANA, BO)) as dashboard:
        yield dashboard


def served(dashboard: Dashboard) -> list[tuple[str, str]]:
    """Every method and path that the application itself routes, whoever added them."""
    return [(route.method, route.resource.canonical) for route in dashboard.app.router.routes()]


# --- every route


def test_the_application_has_the_routes_of_the_table_and_no_others(open_door):
    """A route that somebody adds past the table is found here, and refused when it is asked for."""
    table = [(method, route.path) for route in all_routes() for method in _methods(route)]
    assert sorted(served(open_door)) == sorted(table)
    assert all("{" not in path for _, path in table), "names are parameters, never parts of a path"


def _methods(route: Route) -> tuple[str, ...]:
    return ("GET", "HEAD") if route.method == "GET" else (route.method,)


OPEN = {"/sign-in"}
"""What can be asked for without a session, beside the files."""


def test_every_route_but_signing_in_and_the_files_needs_a_session(closed_door):
    """Whatever the method; and no answer tells what is in the store."""
    for method, path in served(closed_door):
        headers = {"Origin": closed_door.url} if method == "POST" else {}
        answer = closed_door.request(method, path, body={} if method == "POST" else None, **headers)
        if path in OPEN:
            assert answer.status in (200, 401, 429), path  # 401: no token was given
        elif path.startswith("/static/"):
            assert answer.status == 200
        else:
            assert answer.status == 401, (method, path)
            assert b"the store" not in answer.body
            assert not answer.cookie


@pytest.mark.slow
def test_every_answer_carries_the_headers(open_door, closed_door):
    """Pages, files, errors, redirections, and paths that do not exist."""
    for dashboard in (open_door, closed_door):
        for method, path in [*served(dashboard), ("GET", "/nowhere"), ("DELETE", "/"), ("GET", "/changes?after=x")]:
            if path == "/changes":
                continue  # it waits
            answer = dashboard.request(method, path, Accept="text/html")
            for name, value in HEADERS.items():
                assert answer.headers[name] == value, (method, path, name)
            kept = path.startswith("/static/") and answer.status == 200
            assert answer.headers["Cache-Control"].startswith("public" if kept else "no-store"), (method, path)
            assert "aiohttp" not in answer.headers["Server"]


def test_the_policy_lets_no_script_or_style_in_but_our_files():
    """Nothing inline, nothing from elsewhere, no frame, no base address."""
    assert "default-src 'none'" in POLICY
    assert "unsafe" not in POLICY
    assert "http" not in POLICY


def test_no_page_has_a_script_or_a_style_of_its_own(open_door):
    """The browser would refuse it; so it must not be needed."""
    for method, path in served(open_door):
        if method == "GET" and not path.startswith("/static/") and path != "/changes":
            text = open_door.get(path).text
            assert not re.search(r"<style|style=|<script(?! src=\"/static/)|\son\w+=|javascript:", text), path


def test_a_method_that_a_route_does_not_have_is_refused(open_door):
    """405, with the methods it has."""
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        answer = open_door.request(method, "/", Origin=open_door.url)
        assert answer.status == 405
    assert open_door.request("GET", "/sign-out").status == 405


def test_a_head_request_has_no_body(open_door):
    """And the status of the page."""
    answer = open_door.request("HEAD", "/")
    assert (answer.status, answer.body) == (200, b"")


# --- where a request comes from


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost:x", "", "127.0.0.1.evil.example"]
)
def test_a_request_under_another_name_is_refused(open_door, host):
    """A page elsewhere can make its own name lead here; the browser then sends that name."""
    answer = open_door.get("/", Host=host)
    assert answer.status == 421
    assert f"{open_door.url}/" in answer.text
    assert "the store" not in answer.text


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_this_machine_are_known(open_door, name):
    """With the right port."""
    assert open_door.get("/", Host=f"{name}:{open_door.port}").status == 200


def test_a_request_of_another_site_is_refused_whatever_it_asks(open_door):
    """By its origin or by what the browser says about it; following a link to a page is fine."""
    assert open_door.get("/", Origin="https://evil.example").status == 403
    assert open_door.get("/", Origin="null").status == 403
    assert open_door.get("/", Sec_Fetch_Site="cross-site").status == 403
    assert open_door.get("/", Sec_Fetch_Site="same-site").status == 403
    followed = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert open_door.get("/", Sec_Fetch_Site="cross-site", **followed).status == 200
    framed = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
    assert open_door.get("/", Sec_Fetch_Site="cross-site", **framed).status == 403
    assert open_door.get("/", Origin=open_door.url, Sec_Fetch_Site="same-origin").status == 200


# --- writing


def _session(dashboard: Dashboard, token: str = ANA.token) -> str:
    answer = dashboard.sign_in(token)
    assert answer.status == 303
    return answer.cookie


def _form_token(dashboard: Dashboard, cookie: str) -> str:
    return re.search(r'name="form_token" value="(\w+)"', dashboard.get("/", Cookie=cookie).text)[1]


@pytest.fixture
def door(filled):
    """A server of its own, because attempts to sign in are counted."""
    with Dashboard(filled, people=(ANA, BO)) as dashboard:
        yield dashboard


def test_a_write_needs_the_token_that_our_own_pages_carry(door):
    """Not another session's, not a made up one, not none; and then it works."""
    mine, other = _session(door), _session(door, BO.token)
    stolen = _form_token(door, other)
    for body in ({}, {"form_token": ""}, {"form_token": "0" * 64}, {"form_token": stolen}):
        answer = door.request("POST", "/sign-out", body=body, Origin=door.url, Cookie=mine)
        assert answer.status == 403
        assert "Reload the page" in answer.text
    token = _form_token(door, mine)
    assert door.request("POST", "/sign-out", body={"form_token": token}, Origin=door.url, Cookie=mine).status == 303
    assert door.get("/", Cookie=mine).status == 401, "signed out for good, even with the old cookie"
    assert door.get("/", Cookie=other).status == 200


def test_the_token_may_come_in_a_header(door):
    """As a script sends it."""
    mine = _session(door)
    headers = {"X_Form_Token": _form_token(door, mine), "Content_Type": "application/json"}
    assert door.request("POST", "/sign-out", body="{}", Origin=door.url, Cookie=mine, **headers).status == 303


def test_a_write_must_say_where_it_comes_from(door):
    """Origin or Sec-Fetch-Site: every browser sends one of them."""
    mine = _session(door)
    body = {"form_token": _form_token(door, mine)}
    assert door.request("POST", "/sign-out", body=body, Cookie=mine).status == 403
    assert door.request("POST", "/sign-out", body=body, Cookie=mine, Origin="http://127.0.0.1:1").status == 403
    assert door.request("POST", "/sign-out", body=body, Cookie=mine, Sec_Fetch_Site="same-origin").status == 303


def test_a_write_is_a_form_or_json(door):
    """A page elsewhere can send text/plain without asking first."""
    mine = _session(door)
    sent = {"body": "form_token=x", "Origin": door.url, "Cookie": mine}
    for kind in ("text/plain", "multipart/form-data; boundary=x"):
        assert door.request("POST", "/sign-out", Content_Type=kind, **sent).status == 415


def test_read_only_mode_refuses_what_changes_the_store(filled):
    """Whatever the route; signing in and out still works, and nothing is logged."""

    async def write(request):
        raise AssertionError("reached")

    def routes():
        return [*all_routes(), Route("/write", write, "POST")]

    before = open_store(filled).log_entries(limit=100)
    with Dashboard(filled, people=(ANA,), read_only=True, routes=routes) as dashboard:
        mine = _session(dashboard)
        token = _form_token(dashboard, mine)
        answer = dashboard.request("POST", "/write", body={"form_token": token}, Origin=dashboard.url, Cookie=mine)
        assert (answer.status, "read-only" in answer.text) == (403, True)
        sent = {"body": {"form_token": token}, "Origin": dashboard.url, "Cookie": mine}
        assert dashboard.request("POST", "/sign-out", **sent).status == 303
    assert open_store(filled).log_entries(limit=100) == before


def test_a_request_may_be_only_so_large(door):
    """Its body, its address and its headers."""
    mine = _session(door)
    token = _form_token(door, mine)
    large = door.request(
        "POST", "/sign-out", body={"form_token": token, "x": "x" * 3_000_000}, Origin=door.url, Cookie=mine
    )
    assert large.status == 413
    assert door.get(f"/?after={'x' * 9000}", Cookie=mine).status == 400
    assert door.get("/", Cookie=mine, X_Long="x" * 9000).status == 400


# --- signing in


def test_the_cookie_of_a_session_is_closed_to_scripts_and_other_sites(door):
    """HttpOnly, SameSite=Strict, for the whole server, until it expires."""
    header = door.sign_in(ANA.token).headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={LIFETIME}"} <= set(header.split("; "))
    assert "Secure" not in header


def test_behind_https_the_cookie_is_secure_and_the_public_name_is_known(filled):
    """With the prefix that browsers keep other hosts from setting."""
    with Dashboard(filled, people=(ANA,), public_url="https://evals.example.com") as dashboard:
        answer = dashboard.request(
            "POST", "/sign-in", body={"token": ANA.token}, Host="evals.example.com", Origin="https://evals.example.com"
        )
        assert answer.cookie.startswith("__Host-")
        assert "Secure" in answer.headers["Set-Cookie"].split("; ")
        assert dashboard.get("/", Host="evals.example.com", Cookie=answer.cookie).status == 200
        assert dashboard.get("/", Host="evals.example.com.evil.example", Cookie=answer.cookie).status == 421


def test_a_reader_without_a_session_is_sent_to_sign_in_and_back(door, tmp_path):
    """To the very page; never to another site."""
    answer = door.get("/log?before=9", Accept="text/html")
    assert (answer.status, answer.headers["Location"]) == (303, "/sign-in?next=%2Flog%3Fbefore%3D9")
    form = door.get(answer.headers["Location"])
    assert 'value="/log?before=9"' in form.text
    again = door.request("POST", "/sign-in", body={"token": "wrong", "next": "/log?before=9"}, Origin=door.url)
    assert 'value="/log?before=9"' in again.text
    with Dashboard(str(tmp_path / "new.db"), people=(ANA,)) as other:
        for elsewhere in ("//evil.example", "https://evil.example", "/\\evil.example", "/a\\b"):
            sent = {"token": ANA.token, "next": elsewhere}
            assert other.request("POST", "/sign-in", body=sent, Origin=other.url).headers["Location"] == "/"


def test_signing_in_is_logged_under_the_holders_name(door):
    """And the log is a page."""
    mine = _session(door, BO.token)
    newest = door.json("/log", Cookie=mine)["entries"][0]
    assert (newest["person"], newest["action"], newest["address"]) == ("bo", "signed in", "127.0.0.1")


def test_a_wrong_token_gets_no_session_and_wrong_ones_are_counted(door):
    """Five at once, then one every twelve seconds."""
    for _ in range(5):
        answer = door.sign_in("wrong")
        assert (answer.status, answer.cookie) == (401, "")
    answer = door.sign_in("wrong")
    assert answer.status == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 12


def test_correct_sign_ins_do_not_count_as_wrong_ones(door):
    """Twenty of them, in both ways, and there are still five wrong ones left."""
    for _ in range(10):
        assert door.sign_in(ANA.token).status == 303
        assert door.get("/", Authorization=f"Bearer {BO.token}").status == 200
    assert [door.sign_in("wrong").status for _ in range(6)] == [401] * 5 + [429]


def test_wrong_tokens_keep_nobody_out(door):
    """Neither those who share the address, as all do behind a proxy, nor those at other addresses."""
    for _ in range(40):
        door.sign_in("wrong")
    assert door.sign_in("wrong").status == 429
    answer = door.sign_in(ANA.token)
    assert answer.status == 303
    assert door.get("/", Cookie=answer.cookie).status == 200
    assert door.get("/", Authorization=f"Bearer {BO.token}").status == 200


def test_a_program_may_send_the_token_itself_and_only_to_read(door):
    """As a bearer token."""
    assert door.json("/", Authorization=f"Bearer {BO.token}")["skills"][0]["skill"] == "code"
    assert door.get("/", Authorization="Bearer wrong").status == 401
    assert door.get("/", Authorization=f"Basic {BO.token}").status == 401
    sent = {"body": {}, "Origin": door.url, "Authorization": f"Bearer {BO.token}"}
    assert door.request("POST", "/sign-out", **sent).status == 401


def test_guessing_by_bearer_token_is_counted_too(door):
    """The same allowance as the form's."""
    statuses = [door.get("/", Authorization="Bearer wrong").status for _ in range(6)]
    assert statuses == [401] * 5 + [429]


def test_a_session_expires_and_cannot_be_made_up():
    """Every change to the cookie makes it worthless, and so does another server's secret."""
    sessions, people = Sessions(b"one"), (BO, ANA)
    session = sessions.begin(ANA, 1000.0)
    cookie = sessions.cookie(session)
    assert sessions.read(cookie, people, 1000.0 + LIFETIME - 1) == session
    assert sessions.read(cookie, people, 1000.0 + LIFETIME) is None
    assert Sessions(b"one").read(cookie, people, 1000.0) == session, "a restart with the same secret forgets no one"
    assert Sessions(b"two").read(cookie, people, 1000.0) is None
    content, _, signature = cookie.partition(".")
    for forged in ("", ".", "x", f"{content}.", f".{signature}", f"{content[:-2]}AA.{signature}", f"é.{signature}"):
        assert sessions.read(forged, people, 1000.0) is None


NEW_TOKEN = "another-0123456789abcdefg"


@pytest.mark.parametrize(
    ("people", "is_let_in"),
    [
        ((ANA,), True),
        ((BO, ANA), True),
        ((Person("ana", NEW_TOKEN), ANA), True),
        ((BO,), False),
        ((Person("ana", NEW_TOKEN),), False),
        ((Person("bo", ANA.token),), False),
        ((Person("ana"),), False),
        ((), False),
    ],
)
def test_a_session_counts_as_long_as_its_person_has_its_token(people, is_let_in):
    """Not for someone who was removed, got another token, or whose token belongs to another name now."""
    sessions = Sessions(b"one")
    cookie = sessions.cookie(sessions.begin(ANA, 1000.0))
    assert (sessions.read(cookie, people, 1000.0) is not None) == is_let_in


def test_a_session_from_a_time_without_tokens_opens_nothing_later():
    """The store's secret is the same, so the signature is right; no one signed in for it."""
    sessions = Sessions(b"one")
    cookie = sessions.cookie(sessions.begin(Person("ana"), 1000.0))
    assert sessions.read(cookie, (), 1000.0) is not None
    assert sessions.read(cookie, (ANA,), 1000.0) is None


def test_two_people_of_one_name_are_told_apart_by_their_tokens():
    """Lines with only a token all have the name reader."""
    first, second = Person("reader", ANA.token), Person("reader", BO.token)
    sessions = Sessions(b"one")
    cookies = [sessions.cookie(sessions.begin(person, 1000.0)) for person in (first, second)]
    assert [sessions.read(cookie, (second,), 1000.0) is not None for cookie in cookies] == [False, True]


def test_the_token_cannot_be_read_from_the_cookie():
    """Only a keyed mark of it is in there."""
    sessions = Sessions(b"one")
    session = sessions.begin(ANA, 1000.0)
    plain = base64.urlsafe_b64decode(sessions.cookie(session).partition(".")[0] + "==").decode()
    assert ANA.token not in plain
    assert Sessions(b"two").begin(ANA, 1000.0).token_mark != session.token_mark


def _at(dashboard: Dashboard, cookie: str) -> str:
    """A cookie as the browser would send it to this dashboard; its name has the port in it."""
    return f"{dashboard.site.cookie}={cookie.partition('=')[2]}"


@pytest.fixture
def token_file(tmp_path):
    file = tmp_path / "people.txt"
    file.touch(mode=0o600)
    file.write_text(f"ana {ANA.token}\nbo {BO.token}\n")
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [f"bo {BO.token}\n", f"ana {NEW_TOKEN}\nbo {BO.token}\n"], ids=["removed", "new token"]
)
def test_who_is_removed_or_has_a_new_token_is_out_with_the_next_request(filled, token_file, text):
    """By cookie, bearer token and form; others stay in, and a restart changes nothing."""
    with Dashboard(filled, people=people_now(str(token_file), {})) as door:
        ana, bo = _session(door), _session(door, BO.token)
        assert [door.get("/", Cookie=cookie).status for cookie in (ana, bo)] == [200, 200]
        token_file.write_text(text)
        assert [door.get("/", Cookie=cookie).status for cookie in (ana, bo)] == [401, 200]
        assert door.get("/", Authorization=f"Bearer {ANA.token}").status == 401
        assert door.sign_in(ANA.token).status == 401
    with Dashboard(filled, people=people_now(str(token_file), {})) as door:
        assert [door.get("/", Cookie=_at(door, cookie)).status for cookie in (ana, bo)] == [401, 200]


def test_who_is_added_to_the_file_can_sign_in_at_once(filled, token_file):
    """Without a restart."""
    token_file.write_text(f"bo {BO.token}\n")
    with Dashboard(filled, people=people_now(str(token_file), {})) as door:
        assert door.sign_in(ANA.token).status == 401
        token_file.write_text(f"bo {BO.token}\nana {ANA.token}\n")
        assert door.get("/", Cookie=_session(door)).status == 200


@pytest.mark.parametrize("text", [None, "", "ana short\n", f"ana b {ANA.token}\n"])
def test_a_token_file_with_a_mistake_lets_nobody_in_until_it_is_corrected(filled, token_file, text, caplog):
    """An empty file must not open the door to everyone. The page gives nothing away, the server's output says why."""
    good = token_file.read_text()
    with Dashboard(filled, people=people_now(str(token_file), {})) as door:
        mine = _session(door)
        token_file.unlink() if text is None else token_file.write_text(text)
        for answer in (door.get("/", Cookie=mine), door.get("/"), door.sign_in(ANA.token), door.get("/sign-in")):
            assert (answer.status, answer.cookie) == (503, "")
            assert "people.txt" not in answer.text and "code" not in re.sub(r"<[^>]+>", "", answer.text)
        assert "people.txt" in caplog.text and ANA.token not in caplog.text
        token_file.touch(mode=0o600)
        token_file.write_text(good)
        assert door.get("/", Cookie=mine).status == 200


def test_a_sign_out_lasts_after_a_restart(filled):
    """The log has it, with a mark that tells the session apart; other sessions of the same person stay."""
    with Dashboard(filled, people=(ANA,)) as door:
        mine, other = _session(door), _session(door)
        door.request("POST", "/sign-out", body={"form_token": _form_token(door, mine)}, Origin=door.url, Cookie=mine)
        newest = door.json("/log", Cookie=other)["entries"][0]
        assert (newest["person"], newest["action"]) == ("ana", "signed out")
        assert newest["subject"] not in mine
    store = open_store(filled)
    ended = signed_out(store, time.time(), part=1)
    store.close()
    with Dashboard(filled, people=(ANA,), ended=ended) as door:
        assert [door.get("/", Cookie=_at(door, cookie)).status for cookie in (mine, other)] == [401, 200]


def test_sign_outs_are_read_from_the_log_as_long_as_their_session_could_be_sent(tmp_path):
    """To the second; whatever else is in the log, and however it is divided into parts."""
    store = open_store(str(tmp_path / "new.db"))
    actions = (("00:00:00", "signed out", "a"), ("01:00:00", "judged", "x"), ("02:00:00", "signed out", "b"))
    with store.transaction():
        for clock, action, subject in actions:
            store.add_log(LogEntry(f"2026-01-01T{clock}.000Z", "ana", "127.0.0.1", action, subject))
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()
    for part in (1, 2, 3, 4):
        assert signed_out(store, noon - 1, part) == {"a": noon, "b": noon + 7200}
        assert signed_out(store, noon, part) == {"b": noon + 7200}
        assert signed_out(store, noon + 7200, part) == {}
    store.close()


def test_too_many_requests_are_turned_away(filled):
    """With the time to wait."""
    with Dashboard(filled, requests=Rate(burst=3, per_second=0.1)) as dashboard:
        assert [dashboard.get("/").status for _ in range(4)] == [200, 200, 200, 429]
        assert int(dashboard.get("/").headers["Retry-After"]) in (9, 10)


def test_a_rate_is_a_burst_then_steady_and_knows_only_so_many_addresses():
    """Two at once, one a second after that; the address not seen for longest is forgotten."""
    rate = Rate(burst=2, per_second=1, addresses=2)
    assert [rate.wait("a", 0.0) for _ in range(3)] == [0, 0, 1]
    assert rate.wait("a", 0.5) == 0.5
    assert rate.wait("a", 1.0) == 0
    assert rate.wait("b", 1.0) == rate.wait("c", 1.0) == 0  # "a" is forgotten
    assert rate.wait("a", 1.0) == 0


# --- who may open the door


def test_another_address_than_loopback_needs_a_token():
    """And the message says how to make one."""
    for host in ("127.0.0.1", "127.8.8.8", "localhost", "::1"):
        assert is_loopback(host)
        refuse_open_door(host, ())
    for host in ("0.0.0.0", "::", "192.0.2.7", "example.com", ""):
        with pytest.raises(InputError, match="openssl rand"):
            refuse_open_door(host, ())
        refuse_open_door(host, (ANA,))


def test_tokens_come_from_a_file_and_from_the_environment(tmp_path):
    """A line for each person; comments and empty lines are passed over."""
    file = tmp_path / "people.txt"
    file.touch(mode=0o600)
    file.write_text(f"# who may read\n\nana {ANA.token}\n{BO.token}\n")
    assert people_from(str(file), {}) == (ANA, Person("reader", BO.token))
    assert people_from(None, {"EVENHAND_WEB_TOKEN": BO.token}) == (Person("reader", BO.token),)
    assert people_from(None, {}) == people_from(None, {"EVENHAND_WEB_TOKEN": ""}) == ()


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("ana short\n", 1, "too easy to guess"),
        ("\nana " + "a" * 40 + "\n", 2, "too easy to guess"),
        ("ana b " + ANA.token, 1, "NAME TOKEN"),
        (f"ana {ANA.token}\nbo {ANA.token}\n", 2, "earlier line"),
        ("ana é0123456789abcdefghijklm", 1, "printable ASCII"),
        ("# nobody\n", None, "holds no token"),
    ],
)
def test_a_bad_token_file_is_refused_with_its_line(tmp_path, text, line, problem):
    """22 characters are 128 bits; fewer can be guessed."""
    file = tmp_path / "people.txt"
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as raised:
        people_from(str(file), {})
    assert [found.line for found in raised.value.problems] == [line]


def test_a_token_file_that_everyone_can_read_is_refused(tmp_path):
    """Whoever reads it could sign in as anyone; the message says what to run."""
    file = tmp_path / "people.txt"
    file.write_text(f"ana {ANA.token}\n")
    file.chmod(0o644)
    with pytest.raises(InputError, match=r"everyone on this machine can read the tokens; run: chmod o-r .*people\.txt"):
        people_from(str(file), {})
    file.chmod(0o640)
    assert [person.name for person in people_from(str(file), {})] == ["ana"]


@pytest.mark.parametrize("name", ["", "169.254.1.2", "[fe80::1]"])
def test_an_open_door_does_not_answer_to_no_name_or_to_an_address_of_the_local_link(filled, name):
    """Where no one signs in, whatever the server listens on."""
    with Dashboard(filled, host="0.0.0.0") as door:
        assert door.get("/", Host=f"{name}:{door.port}").status == 421
        assert door.get("/", Host=f"127.0.0.1:{door.port}").status == 200


# --- downloads


@pytest.mark.slow
def test_a_cell_that_a_spreadsheet_would_run_is_text():
    """Formulas in every disguise; numbers stay numbers."""
    risky = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", " =1", '=HYPERLINK("http://evil.example")']
    lines = csv_text(Sheet(("=head",), [[cell] for cell in risky]))
    assert lines.startswith("'=head\r\n")
    import csv
    import io

    assert [row[0] for row in csv.reader(io.StringIO(lines, newline=""))] == [f"'{cell}" for cell in ["=head", *risky]]
    assert csv_text(Sheet(("a", "b"), [[-1, -0.5], [None, "plain -1"]])) == "a,b\r\n-1,-0.5\r\n,plain -1\r\n"
