"""Sign-in through a proxy's header: believed from the proxy only; with a real nginx that asks for a password."""

from __future__ import annotations

import base64
import http.client
import ipaddress
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from dashboard import Dashboard
from web_stores import store_with_history

from evenhand.errors import InputError
from evenhand.store import open_store
from evenhand.web.access.people import Person
from evenhand.web.access.proxy import LONGEST_NAME, Proxy, proxy_from

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
HEADER = "X-Forwarded-User"
ANA = Person("ana", "ana-0123456789abcdefghij", "reviewer")
LOCAL, ELSEWHERE = (Proxy(HEADER, (ipaddress.ip_network(name),)) for name in ("127.0.0.0/8", "192.0.2.0/24"))
PAGE = "/evaluation?id=code-0-ana"
PUBLIC = "http://evals.example"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = str(tmp_path_factory.mktemp("proxy") / "evaluations.db")
    store_with_history(made, evaluations=1)
    return made


def test_only_one_name_from_the_proxys_address_counts():
    """The token file gives the role, otherwise it is that of the option; the address may be written as IPv6."""
    people = (ANA,)
    for address in ("127.0.0.1", "::ffff:127.0.0.1"):
        assert [LOCAL.person(address, [name], people).role for name in ("ana", "bo")] == ["reviewer", "reader"]
    for address, values in (
        ("192.0.2.1", ["ana"]), ("127.0.0.1", []), ("127.0.0.1", ["ana", "bo"]), ("127.0.0.1", [" "]),
        ("127.0.0.1", ["a\x07"]), ("127.0.0.1", ["x" * (LONGEST_NAME + 1)]), ("unix", ["ana"]),
    ):  # fmt: skip
        assert LOCAL.person(address, values, people) is None, (address, values)


@pytest.mark.parametrize(
    ("header", "addresses", "says"),
    [
        (None, ["127.0.0.1"], "serve.trusted_proxy needs serve.proxy_user"),
        (HEADER, [], "serve.proxy_user needs serve.trusted_proxy"),
        ("a b", ["127.0.0.1"], "give the name of a header"),
        ("Cookie", ["127.0.0.1"], "browsers send this one themselves"),
        (HEADER, ["proxy.local"], "serve.trusted_proxy proxy.local: give an address"),
    ],
)
def test_half_an_option_is_refused(header, addresses, says):
    """With what is missing."""
    with pytest.raises(InputError, match=re.escape(says)):
        proxy_from(header, addresses, "reader")
    assert proxy_from(None, [], "reader") is None


@pytest.mark.slow
def test_the_header_means_nothing_from_elsewhere_and_its_cookie_nothing_without_it(path):
    """Neither from another address nor where it is off, as it is by default."""
    for more in ({"proxy": ELSEWHERE}, {}):
        with Dashboard(path, people=(ANA,), **more) as dashboard:
            assert dashboard.get("/?format=json", X_Forwarded_User="ana").status == 401
    with Dashboard(path, people=(ANA,), proxy=LOCAL) as dashboard:
        answer = dashboard.get("/", X_Forwarded_User="ana")
        assert answer.status == 200 and "Sign out" not in answer.text
        assert dashboard.get("/?format=json", Cookie=answer.cookie).status == 401
        other = dashboard.get("/reviews", X_Forwarded_User="bo", Cookie=answer.cookie)
        assert other.status == 403, "the header counts, not whose cookie it is"
        assert dashboard.get("/?format=json", Authorization=f"Bearer {ANA.token}").status == 200, "tokens still work"


@pytest.fixture
def through_nginx(path: str, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A real nginx with a password in front of the dashboard, on a socket file, since a free port may be taken."""
    if NGINX is None:
        pytest.skip("nginx is not here")
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as short,  # the path of a socket has at most 107 characters
        Dashboard(path, people=(ANA,), proxy=LOCAL, public_url=PUBLIC) as dashboard,
    ):
        address = f"{short}/nginx"
        (tmp_path / "people").write_text("ana:{PLAIN}pa\nbo:{PLAIN}pb\n", encoding="utf-8")
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/errors; events {{}}"
            f"http {{ access_log off; {folders} server {{ listen unix:{address};"
            f"location / {{ auth_basic evenhand; auth_basic_user_file {tmp_path}/people; proxy_pass {dashboard.url};"
            "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-User $remote_user;"
            'proxy_set_header Authorization ""; } } }',
            encoding="utf-8",
        )
        command = [NGINX, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(1200):
                with socket.socket(socket.AF_UNIX) as probe:
                    if probe.connect_ex(address) == 0:
                        break
                assert process.poll() is None, (tmp_path / "errors").read_text(encoding="utf-8")
                time.sleep(0.05)
            yield path, address
        finally:
            process.terminate()
            process.wait(60)


def ask(address: str, method: str, path: str, who: str = "", body: dict[str, str] | None = None, **more: str) -> Any:
    """A request to nginx; with a password if someone is named."""
    connection = http.client.HTTPConnection(PUBLIC.removeprefix("http://"), timeout=60)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(60)
    connection.sock.connect(address)
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    if who:
        headers["Authorization"] = f"Basic {base64.b64encode(who.encode()).decode()}"
    if body is not None:
        headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": PUBLIC}
    connection.request(method, path, None if body is None else urlencode(body), headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, (answer.headers.get("Set-Cookie") or "").partition(";")[0]


@pytest.mark.slow
def test_a_real_nginx_signs_people_in_under_their_names(through_nginx):
    """Without a password nothing; with one a note under the name; a header that someone sends is replaced."""
    path, address = through_nginx
    assert ask(address, "GET", "/")[0] == ask(address, "GET", "/", "ana:wrong")[0] == 401
    status, page, cookie = ask(address, "GET", PAGE, "ana:pa")
    token = re.search(r'name="form_token" value="(\w+)"', page)
    assert status == 200 and token is not None
    note = {"id": "code-0-ana", "kind": "note", "words": "Seen behind nginx.", "form_token": token[1]}
    assert ask(address, "POST", "/note", "ana:pa", note, Cookie=cookie)[0] == 303
    [written] = open_store(path).notes("code-0-ana")
    assert (written.person, written.words) == ("ana", "Seen behind nginx.")
    status, page, _ = ask(address, "GET", PAGE, "bo:pb", X_Forwarded_User="ana")
    assert status == 200 and 'action="/note"' not in page, "Bo is a reader, whoever he says he is"
