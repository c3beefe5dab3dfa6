"""A dashboard for the tests: the real application on a real port, in a thread of this process."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import web

from evenhand.store import open_store
from evenhand.web.access.people import Person
from evenhand.web.access.sessions import Sessions
from evenhand.web.rendering import Renderer
from evenhand.web.route import Route
from evenhand.web.routes import all_routes
from evenhand.web.server.application import make_application
from evenhand.web.server.watch import Watch
from evenhand.web.server.workers import Workers
from evenhand.web.site import Rate, Site

SECRET = b"a secret of the tests"


def on_one_store(fixture: str) -> Any:
    """For a test in a browser, which makes the same of a page whatever the store; requests show the pages of both."""
    return pytest.mark.parametrize(fixture, ["sqlite"], indirect=True, scope="module")


class Answer:
    """What the server answered."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def cookie(self) -> str:
        """The cookie it sets, as a browser would send it back."""
        return self.headers.get("Set-Cookie", "").partition(";")[0]


class Dashboard:
    """A running dashboard."""

    def __init__(
        self,
        store: str,
        *,
        people: Sequence[Person] | Callable[[], Sequence[Person]] = (),
        secret: bytes = SECRET,
        read_only: bool = False,
        routes: Callable[[], list[Route]] = all_routes,
        **more: Any,
    ) -> None:
        more.setdefault("requests", Rate(burst=1e6, per_second=1e6))  # tests ask much in a short time

        def opened() -> Any:
            return open_store(store)

        now: Callable[[], Sequence[Person]] = people if callable(people) else lambda: people
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self.workers = Workers(opened)
        self._routes = routes()
        self._make: Callable[[int], Site] = lambda port: Site(
            host=more.pop("host", "127.0.0.1"),
            port=port,
            store_url="the store",
            public_url=more.pop("public_url", None),
            people=now,
            must_sign_in=bool(now()),
            local_name="tester",
            read_only=read_only,
            sessions=Sessions(secret, more.pop("ended", None)),
            workers=self.workers,
            renderer=Renderer(),
            watch=Watch(self.workers),
            **more,
        )
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Dashboard:
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()
        self.workers.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(self, method: str, path: str, *, body: Any = None, timeout: float = 60, **headers: str) -> Answer:
        """Send a request; `Sec_Fetch_Site=...` gives the header Sec-Fetch-Site."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, dict):
            body = urlencode(body)
            named.setdefault("Content-Type", "application/x-www-form-urlencoded")
        try:
            connection.request(method, path, body, named)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, **headers)

    def json(self, path: str, **headers: str) -> Any:
        """The JSON version of a page."""
        answer = self.get(f"{path}{'&' if '?' in path else '?'}format=json", **headers)
        assert answer.status == 200, answer.text
        return answer.json

    def sign_in(self, token: str, **headers: str) -> Answer:
        return self.request("POST", "/sign-in", body={"token": token}, Origin=self.url, **headers)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()

    async def _start(self) -> None:
        import socket

        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        self.site = self._make(self.port)
        self.app = make_application(self.site, self._routes)
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=2)
        await self._runner.setup()
        await web.SockSite(self._runner, listening).start()

    async def _stop(self) -> None:
        await self.site.watch.close()
        await self._runner.cleanup()
