"""evenhand serve as a process: what it says, how it stops, and what it does when it cannot start."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import pytest
from dashboard import Answer
from web_stores import store_with_history

TOKEN = "0123456789abcdefghijklm"


@contextmanager
def served(folder: Path, *options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The command, once it announced itself, and the lines in which it did."""
    process = subprocess.Popen(
        [sys.executable, "-m", "evenhand", "serve", "--port", "0", "--store", "evaluations.db", *options],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
    )
    assert process.stderr is not None
    try:
        yield process, [process.stderr.readline()]
    finally:
        process.kill()
        process.communicate(timeout=30)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store_with_history(str(tmp_path / "evaluations.db"), evaluations=1)
    return tmp_path


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_it_serves_until_it_is_stopped_and_then_ends_in_order(folder, sign):
    """Exit code 0, nothing on standard output, and no traceback."""
    with served(folder) as (process, said):
        url = re.search(r"http://127\.0\.0\.1:\d+/", said[0])[0]
        assert f" {url} (stop with Ctrl-C)" in said[0]  # nothing that a terminal takes for a part of the address
        with urlopen(url, timeout=30) as answer:
            assert answer.status == 200
        process.send_signal(sign)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.slow
def test_a_page_that_waits_for_news_does_not_hold_it_up(folder):
    """The question is answered, and the server ends."""
    with served(folder) as (process, said):
        port = int(re.search(r":(\d+)/", said[0])[1])
        with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as waiting:
            newest = urlopen(f"http://127.0.0.1:{port}/changes?after=x", timeout=30).read().decode()
            key = re.search(r'"newest": "([^"]*)"', newest)[1]
            waiting.sendall(f"GET /changes?after={key} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (0, "")


@pytest.mark.slow
def test_other_machines_can_connect_only_with_a_token_and_it_says_so(folder, evenhand_command):
    """Refused without one; with one it says who can connect, and that nothing is encrypted."""
    done = evenhand_command("serve", "--store", "evaluations.db", "--host", "0.0.0.0", cwd=folder)
    assert (done.code, "lets other machines connect" in done.err, "EVENHAND_WEB_TOKEN" in done.err) == (2, True, True)
    with served(folder, "--host", "0.0.0.0", EVENHAND_WEB_TOKEN=TOKEN) as (process, _):
        assert process.stderr is not None
        assert "sign in" in process.stderr.readline()
        assert "not encrypted" in process.stderr.readline()
    weak = evenhand_command("serve", "--store", "evaluations.db", cwd=folder, EVENHAND_WEB_TOKEN="short")
    assert (weak.code, "too easy to guess" in weak.err) == (2, True)
    assert "short" not in weak.err


@pytest.mark.slow
def test_what_keeps_it_from_starting_is_one_line(folder, evenhand_command):
    """A port in use, an unknown address, a bad public address, a bad token file."""
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        cases = [
            (("--port", str(taken.getsockname()[1])), "is in use; choose another with --port"),
            (("--host", "no.such.host.invalid"), "lets other machines connect"),
            (("--set", "serve.public_url=evals.example.com/x"), "give a scheme and a host only"),
            (("--token-file", "nobody.txt"), "the token file cannot be read"),
        ]
        for options, says in cases:
            done = evenhand_command("serve", "--store", "evaluations.db", *options, cwd=folder)
            assert (done.code, says in done.err, len(done.err.splitlines())) == (2, True, 1), done.err


@pytest.mark.slow
def test_a_store_that_cannot_be_served_is_one_line(tmp_path, evenhand_command):
    """None there, none wanted, one of another version, one out of reach."""
    other = tmp_path / "other.db"
    store_with_history(str(other), evaluations=1)
    with closing(sqlite3.connect(other)) as file:
        file.execute("PRAGMA user_version = 999")
    cases = [
        ("absent.db", 2, "there is no store yet"),
        ("none", 2, "needs a store"),
        ("other.db", 4, "another version of evenhand"),
        ("postgresql://127.0.0.1:1/none", 4, "postgresql://127.0.0.1:1/none"),
    ]
    for store, code, says in cases:
        done = evenhand_command("serve", "--store", store, "--port", "0")
        assert (done.code, says in done.err, len(done.err.splitlines())) == (code, True, 1), done.err
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.slow
def test_read_only_writes_nothing_into_the_store(folder):
    """Not even the secret behind its sessions."""
    with served(folder, "--read-only") as (_, said):
        assert "(read-only; " in said[0]
        url = re.search(r"http://\S+/", said[0])[0]
        assert b"read-only" in urlopen(url, timeout=30).read()
    with closing(sqlite3.connect(folder / "evaluations.db")) as file:
        assert file.execute("SELECT count(*) FROM secret").fetchone() == (0,)


@pytest.mark.slow
def test_removed_people_and_ended_sessions_stay_out_after_a_restart(folder):
    """The real command, started three times on the same store, with the cookies of the first."""
    people = folder / "people.txt"
    people.touch(mode=0o600)
    people.write_text("".join(f"{name} {name}-{TOKEN}\n" for name in ("ana", "bo", "cy")))

    def ask(url: str, path: str = "", method: str = "GET", cookie: str = "", **fields: str) -> Answer:
        address = urlsplit(url)
        headers = {"Origin": url, "Cookie": f"evenhand_{address.port}={cookie}"}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        with closing(http.client.HTTPConnection(address.hostname, address.port, timeout=60)) as connection:
            connection.request(method, f"/{path}", urlencode(fields), headers)
            return Answer(connection.getresponse())

    def statuses(url: str) -> list[int]:
        return [ask(url, cookie=cookie).status for cookie in cookies.values()]

    cookies = {}
    with served(folder, "--token-file", "people.txt") as (_, said):
        url = re.search(r"http://127\.0\.0\.1:\d+", said[0])[0]
        for name in ("ana", "bo", "cy"):
            answer = ask(url, "sign-in", "POST", token=f"{name}-{TOKEN}")
            cookies[name] = answer.cookie.partition("=")[2]
        assert statuses(url) == [200, 200, 200]
        page = ask(url, cookie=cookies["bo"]).text
        form_token = re.search(r'name="form_token" value="(\w+)"', page)[1]
        assert ask(url, "sign-out", "POST", cookies["bo"], form_token=form_token).status == 303
        assert statuses(url) == [200, 401, 200]
    with served(folder, "--token-file", "people.txt") as (_, said):
        url = re.search(r"http://127\.0\.0\.1:\d+", said[0])[0]
        assert statuses(url) == [200, 401, 200], "signed out for good"
        people.write_text(f"bo bo-{TOKEN}\ncy cy-new-{TOKEN}\n")
        assert statuses(url) == [401, 401, 401], "removed, signed out, with a new token"
    with served(folder, "--token-file", "people.txt") as (_, said):
        url = re.search(r"http://127\.0\.0\.1:\d+", said[0])[0]
        assert statuses(url) == [401, 401, 401]
        assert ask(url, "sign-in", "POST", token=f"cy-new-{TOKEN}").status == 303
