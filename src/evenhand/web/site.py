"""What all requests share: the store's workers, the people, the addresses under which the server is known."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from evenhand.web.access.people import LOOPBACK_NAMES, Person, is_loopback
from evenhand.web.access.proxy import Proxy
from evenhand.web.access.sessions import Session, Sessions
from evenhand.web.rendering import Renderer
from evenhand.web.server.connections import Connections
from evenhand.web.server.watch import Watch
from evenhand.web.server.workers import Workers

WILDCARDS: Final = ("0.0.0.0", "::", "")


class Rate:
    """The size of a burst, then the number of requests per second."""

    def __init__(self, *, burst: float, per_second: float, addresses: int = 10_000) -> None:
        self._burst = burst
        self._per_second = per_second
        self._addresses = addresses
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What is left in each bucket, and when that was; the address seen last comes last."""

    def wait(self, address: str, now: float) -> float:
        """Admit a request: 0 if there is room, else the seconds until there is."""
        left, then = self._buckets.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        waiting = 0.0 if left >= 1 else (1 - left) / self._per_second
        self._buckets[address] = (left if waiting else left - 1, now)
        while len(self._buckets) > self._addresses:
            self._buckets.popitem(last=False)
        return waiting


@dataclass(frozen=True, kw_only=True)
class Site:
    """One running dashboard."""

    host: str
    port: int
    store_url: str
    """Without a password."""
    public_url: str | None
    """The address that people use when a proxy is in front: `https://evals.example.com`."""
    people: Callable[[], Sequence[Person]]
    """Who may sign in, at this moment; an InputError when the token file has a mistake."""
    must_sign_in: bool
    """Whether there are tokens at all; decided when the server starts, so that a file that lost them opens nothing."""
    local_name: str
    """The name of the person who uses it without signing in."""
    read_only: bool
    sessions: Sessions
    workers: Workers
    renderer: Renderer
    watch: Watch
    proxy: Proxy | None = None
    """Who names people in a header; None when they sign in here."""
    connections: Connections = field(default_factory=Connections)
    requests: Rate = field(default_factory=lambda: Rate(burst=600, per_second=200))
    wrong_tokens: Rate = field(default_factory=lambda: Rate(burst=5, per_second=5 / 60))
    """For one address."""

    @property
    def secure(self) -> bool:
        """Whether people use it over https."""
        return bool(self.public_url and self.public_url.startswith("https://"))

    @property
    def cookie(self) -> str:
        """The name of the session's cookie: one for each port, because browsers share cookies between ports."""
        return f"{'__Host-' if self.secure else ''}evenhand_{self.port}"

    def knows_host(self, host: str) -> bool:
        """Whether a `Host` header names this server.

        A page elsewhere can make its own name resolve to this machine, but then the browser sends that name. An
        address in numbers is what the reader typed, and may be any of this machine's.
        """
        if self.public_url is not None and host == self.public_url.partition("://")[2]:
            return True
        name, port = split_host(host)
        if port != self.port or not name:
            return False
        own_name = f"[{self.host}]" if ":" in self.host else self.host
        if self.host in WILDCARDS:
            return name in LOOPBACK_NAMES or _is_address(name, link_local=self.must_sign_in)
        return name == own_name or (is_loopback(self.host) and name in LOOPBACK_NAMES)

    def origin_of(self, host: str) -> str:
        """The origin of the pages that a browser gets from us under a `Host`."""
        if self.public_url is not None and host == self.public_url.partition("://")[2]:
            return self.public_url
        return f"http://{host}"


SITE: Final = web.AppKey("site", Site)


def _request_key(name: str) -> Any:
    """A key for a request; older versions of aiohttp take plain names."""
    make = getattr(web, "RequestKey", None)
    return name if make is None else make(name, object)


SESSION: Final = _request_key("session")
"""Who sends a request; None on an open route without a session."""

PROXIED: Final = _request_key("proxied")
"""Set where a proxy has named the person."""

NEW_SESSION: Final = _request_key("new_session")
"""The session that began with a request, where nobody has to sign in."""


def split_host(host: str) -> tuple[str, int]:
    """A `Host` header as name and port, 80 if there is none, -1 if it is not a number."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or host.endswith("]"):
        return host.lower(), 80
    return name, int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else -1


def _is_address(name: str, *, link_local: bool) -> bool:
    """Whether a name is an address in numbers; one of the local link only where people sign in, since any device on it
    can take such an address."""
    import ipaddress

    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return link_local or not address.is_link_local


def session_of(request: web.Request) -> Session:
    """The session of a request that was let through."""
    session: Session = request[SESSION]
    return session
