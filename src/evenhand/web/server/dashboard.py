"""Starting and stopping the server: bind, announce, serve until interrupted, close."""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from aiohttp import web

from evenhand import clock
from evenhand.errors import InputError
from evenhand.options.settings import user_name
from evenhand.store.protocol import Store
from evenhand.web.access.people import Person, is_loopback, refuse_open_door
from evenhand.web.access.proxy import Proxy
from evenhand.web.access.safety import own_host
from evenhand.web.access.sessions import Sessions, signed_out
from evenhand.web.rendering import Renderer
from evenhand.web.routes import all_routes
from evenhand.web.server.application import LONGEST_LINE, make_application
from evenhand.web.server.connections import allow_many_files
from evenhand.web.server.watch import Watch
from evenhand.web.server.workers import Workers
from evenhand.web.site import Site

LAST_WORDS: Final = 5.0
"""Seconds that requests get to end when the server stops."""

BACKLOG: Final = 128
"""Connections that wait to be accepted."""

TURN: Final = 0.0005
"""Seconds that a thread runs while others wait: a save asks the store several things, and waits a turn after each."""


class Options(NamedTuple):
    """How to serve."""

    host: str
    port: int
    public_url: str | None
    people: Callable[[], Sequence[Person]]
    """Who may sign in, at this moment; no one has to if there is no one at the start."""
    read_only: bool
    open_browser: bool = False
    proxy: Proxy | None = None


def serve(open_store: Callable[[], Store], options: Options, say: Callable[[str], None]) -> None:
    """Serve until interrupted. `open_store` gives each thread its own store; `say` announces the address."""
    people = options.people()
    if options.proxy is None:
        refuse_open_door(options.host, people)
    public = _checked_address(options.public_url)
    renderer = Renderer()
    store = open_store()
    try:
        store.latest()  # a store that cannot be read is reported now
        if options.read_only:
            sessions = Sessions(secrets.token_bytes(32))
        else:
            sessions = Sessions(store.secret(), signed_out(store, clock.epoch_seconds()))
    finally:
        store.close()
    with _bound(options.host, options.port) as listening, closing(Workers(open_store)) as workers:
        site = Site(
            host=options.host,
            port=listening.getsockname()[1],
            store_url=store.url,
            public_url=public,
            people=options.people,
            must_sign_in=bool(people) or options.proxy is not None,
            proxy=options.proxy,
            local_name=user_name(),
            read_only=options.read_only,
            sessions=sessions,
            workers=workers,
            renderer=renderer,
            watch=Watch(workers),
        )
        sys.setswitchinterval(TURN)
        allow_many_files()
        asyncio.run(_serve(site, listening, options, say))


async def _serve(site: Site, listening: socket.socket, options: Options, say: Callable[[str], None]) -> None:
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # malformed requests are not worth a traceback
    app = make_application(site, all_routes())
    runner = web.AppRunner(
        app,
        access_log=None,
        keepalive_timeout=60,
        max_line_size=LONGEST_LINE,
        max_field_size=LONGEST_LINE,
        shutdown_timeout=LAST_WORDS,
    )
    await runner.setup()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        assert runner.server is not None
        server = await loop.create_server(site.connections.watched(runner.server), sock=listening, backlog=BACKLOG)
        watching = asyncio.create_task(site.connections.watch())
        _announce(site, options, say)
        await stop.wait()
        watching.cancel()
        server.close()
    finally:
        await site.watch.close()
        await runner.cleanup()


def _announce(site: Site, options: Options, say: Callable[[str], None]) -> None:
    address = f"{site.origin_of(own_host(site))}/"
    say(f"serving {site.store_url} at {address} ({'read-only; ' if site.read_only else ''}stop with Ctrl-C)")
    if not is_loopback(options.host):
        tokens = f"with one of {len(site.people())} tokens" if site.people() else "through the proxy"
        say(f"other machines can connect: everyone has to sign in {tokens}")
        if not site.secure:
            say("the connection is not encrypted; put a proxy with TLS in front, and name it with serve.public_url")
    if options.open_browser:
        import webbrowser

        webbrowser.open(address)


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens, or a line that says why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError:
        raise InputError(f"--host {host}: no such address; use 127.0.0.1, or an address of this machine") from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            why = f"port {port} is in use; choose another with --port, or --port 0 for any that is free"
        elif error.errno == errno.EACCES:
            why = f"port {port} needs administrator rights; choose 1024 or higher"
        else:
            why = f"cannot listen on {host}: {error.strerror}; use 127.0.0.1, or an address of this machine"
        raise InputError(why) from None
    return listening


def _checked_address(url: str | None) -> str | None:
    """The public address: a scheme and a host, nothing after them."""
    if url is None:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise InputError(f"serve.public_url {url}: give a scheme and a host only, such as https://evals.example.com")
    return f"{parts.scheme}://{parts.netloc.lower()}"
