"""Half-open connections: they are closed, those that wait for an answer are not, and others are answered meanwhile."""

from __future__ import annotations

import http.client
import re
import socket
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest
from web_stores import store_with_history

from evenhand.web.server import application
from evenhand.web.server.application import make_application
from evenhand.web.server.connections import FIRST, LATER, Connections
from test_web_command import served


class Transport:
    aborted = False

    def abort(self) -> None:
        self.aborted = True


class Protocol:
    """As much of a connection as is looked at."""

    def __init__(self) -> None:
        self.transport = Transport()


@pytest.fixture
def moment(monkeypatch):
    """A clock that stands still until it is moved."""
    now = SimpleNamespace(at=1000.0)
    monkeypatch.setattr("evenhand.clock.elapsed", lambda: now.at)
    return now


def test_a_connection_without_a_request_is_closed_after_ten_seconds(moment):
    """Not at ten, but after; one that is gone already is not counted."""
    connections = Connections()
    make = connections.watched(Protocol)
    first, gone = make(), make()
    gone.transport = None
    assert connections.close_silent(moment.at + FIRST) == 0
    assert connections.close_silent(moment.at + FIRST + 0.1) == 1
    assert first.transport.aborted
    assert connections.close_silent(moment.at + 1e6) == 0


def test_a_connection_that_waits_for_an_answer_is_left_alone(moment):
    """However long it takes; after the answer it may be silent for longer than before the first request."""
    connections = Connections()
    one = connections.watched(Protocol)()
    with connections.answering(one):
        assert connections.close_silent(moment.at + 1e6) == 0
        moment.at += 500
    assert connections.close_silent(moment.at + LATER) == 0
    assert connections.close_silent(moment.at + LATER + 0.1) == 1


def test_an_unknown_connection_is_answered_all_the_same():
    """A server that does not watch its connections, as in tests."""
    with Connections().answering(Protocol()):
        pass


def test_an_error_of_a_kind_is_logged_once_a_minute(moment, caplog):
    """The next message says how many were left out; another path is another kind."""
    app = make_application(SimpleNamespace(), [])

    def fail(path: str) -> None:
        application.log_failure(SimpleNamespace(method="GET", path=path, app=app), ValueError("no"))

    for _ in range(3):
        fail("/a")
    fail("/b")
    assert [record.getMessage() for record in caplog.records] == [
        "a request failed: GET /a",
        "a request failed: GET /b",
    ]
    moment.at += application.QUIET
    fail("/a")
    assert caplog.records[-1].getMessage() == "a request failed: GET /a (2 more of these since)"


@pytest.mark.slow
def test_the_server_answers_beside_many_half_open_connections_and_closes_them(tmp_path):
    """Some send nothing, some half of a request; the page is answered at once, and then they are closed."""
    store_with_history(str(tmp_path / "evaluations.db"), evaluations=1)
    with served(tmp_path) as (_, said), ExitStack() as opened:
        port = int(re.search(r":(\d+)/", said[0])[1])
        silent = [opened.enter_context(socket.create_connection(("127.0.0.1", port), 30)) for _ in range(300)]
        for one in silent[::2]:
            one.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        opened.callback(connection.close)
        connection.request("GET", "/suites")
        assert connection.getresponse().read() and connection.sock is not None
        for one in silent:
            one.settimeout(60)
            with suppress(ConnectionResetError):
                assert one.recv(1) == b""
        connection.request("GET", "/suites")  # the one that was answered is open still
        assert connection.getresponse().status == 200
