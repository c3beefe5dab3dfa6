"""Why an attempt failed: messages that say what to do, and never contain the key."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from evenhand.errors import shortened
from evenhand.providers.exchange import CallFailed
from evenhand.providers.keys import Key

if TYPE_CHECKING:
    from evenhand.providers.limits import Timeouts

LONGEST_MESSAGE = 300
QUOTA = "insufficient_quota"
"""The code for an account without credit at OpenAI and compatible services, sent with 429; waiting does not help."""

Kind = Literal["unreachable", "timeout", "limited", "server", "rejected"]


class Rejected(CallFailed):
    """A request that the server rejected and would reject again."""

    def __init__(self, reason: str, *, status: int, message: str, parameter: str | None, code: str = "") -> None:
        super().__init__(reason, kind="rejected")
        self.status = status
        self.code = code
        """The server's short name for the error, if it gives one."""
        self.message = message
        """The server's message, without the key."""
        self.parameter = parameter
        """The request parameter that the server calls wrong, if it names one."""


class Failed(NamedTuple):
    """An attempt without a reply."""

    reason: str
    kind: Kind
    again: bool = False
    """Whether another attempt may help."""
    counts: bool = False
    """Whether it is the server's fault, so that the circuit breaker counts it."""
    retry_after: float | None = None
    not_ready: bool = False
    """Whether the server says that it cannot answer yet, as while it loads its model."""
    status: int = 0
    message: str = ""
    parameter: str | None = None
    code: str = ""

    @property
    def put_off(self) -> bool:
        """Whether the server answered that the call should come later: that is not a failure."""
        return self.kind == "limited" or self.not_ready

    def error(self, name: str, tries: int = 1) -> CallFailed:
        """The exception that a caller sees."""
        reason = f"{name}: {self.reason}"
        if tries > 1:
            reason += f" (tried {tries} times)"
        if self.status and self.kind == "rejected":
            return Rejected(reason, status=self.status, message=self.message, parameter=self.parameter, code=self.code)
        return CallFailed(reason, kind=self.kind)


def parsed(content: bytes) -> Any:
    """The JSON of a response. ValueError when it is not JSON, or gives a key twice: which one holds is unclear."""
    return json.loads(content, object_pairs_hook=_without_twins)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the reply gives {one_line(twin, None)!r} twice")
    return members


def http_failure(status: int, headers: Mapping[str, str], content: bytes, *, key: Key | None, now: float) -> Failed:
    """The failure in a response whose status is not success."""
    if 300 <= status < 400:
        where = _redirect_target(headers.get("Location", ""), key)
        reason = f"it redirects to {where}, which is not followed; set the base URL to the server's real address"
        return Failed(reason, "rejected", status=status)
    error = _error(content)
    message = one_line(str(error.get("message") or ""), key)
    reason = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    if status == 401:  # servers often repeat the key in this message
        return Failed(
            "the key was refused (HTTP 401); set the right one" if key else "it requires a key (HTTP 401)",
            "rejected",
            counts=True,
            status=status,
        )
    if status == 429 and QUOTA not in (error.get("code"), error.get("type")):
        return Failed(reason, "limited", again=True, retry_after=retry_after(headers, now), status=status)
    if status == 500 and "not supported" in message:  # llama.cpp about pictures; asking again would not help
        return Failed(reason, "rejected", status=501, message=message)
    if status in (408, 425) or (status >= 500 and status != 501):
        wait = retry_after(headers, now)
        not_ready = status == 503
        return Failed(reason, "server", again=True, counts=True, retry_after=wait, not_ready=not_ready, status=status)
    if status == 404:
        reason += "; check the model's name, and that the base URL ends as the server expects, often in /v1"
    parameter = error.get("param")
    return Failed(
        reason,
        "rejected",
        counts=status in (402, 429),  # a 403 may concern a single parameter; see ladders
        status=status,
        message=message,
        parameter=one_line(parameter, key) if isinstance(parameter, str) else None,
        code=one_line(f"{error.get('code') or ''} {error.get('type') or ''}", key),
    )


def connection_failure(error: Exception, timeouts: Timeouts, provider: str, server: str) -> Failed:
    """The failure behind a connection error. The message is ours: the library's may contain headers or keys.

    `server` is the address without what may be secret in it: user, path and query.
    """
    import aiohttp

    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return _timed_out(f"no connection within {timeouts.connect:g} s", "connect_timeout", provider)
    if isinstance(error, aiohttp.SocketTimeoutError):
        return _timed_out(f"the server was silent for {timeouts.first_byte:g} s", "first_byte_timeout", provider)
    if isinstance(error, asyncio.TimeoutError):
        return _timed_out(f"no whole reply within {timeouts.total:g} s", "total_timeout", provider)
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        reason = "no secure connection: its certificate is not valid for this address, or it does not support TLS"
        return Failed(reason, "rejected", counts=True)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return _unreachable(f"the host name of {server} cannot be resolved")
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return _unreachable("the proxy set in the environment cannot be reached")
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno
        what_to_do = "; start the server, or correct its address" if number == errno.ECONNREFUSED else ""
        reason = os.strerror(number) if number else "no connection"
        return _unreachable(f"{server} cannot be reached: {reason}{what_to_do}")
    if isinstance(error, aiohttp.ClientPayloadError):
        return _unreachable("the connection was cut off in the middle of the reply")
    if isinstance(error, aiohttp.ClientConnectionError | ConnectionError):
        return _unreachable("the connection was closed before a reply arrived")
    if isinstance(error, aiohttp.InvalidURL):
        return Failed("its address is not valid", "rejected")
    if isinstance(error, aiohttp.ClientError):
        return Failed("the response is not HTTP", "server", again=True, counts=True)
    return Failed(f"the call could not be made ({type(error).__name__})", "unreachable", counts=True)


def _timed_out(reason: str, setting: str, provider: str) -> Failed:
    slow = "" if setting == "connect_timeout" else "if the model is slow, lower judge.concurrency or "
    hint = f"{slow}raise {setting} under [judges.{provider}] in evenhand.toml"
    return Failed(f"{reason}; {hint}", "timeout", again=True, counts=True)


def _unreachable(reason: str) -> Failed:
    return Failed(reason, "unreachable", again=True, counts=True)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """How many seconds the server asks to wait, given as a number or a date; None without a readable value."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
        return max(moment.timestamp() - now, 0.0)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def one_line(text: str, key: Key | None) -> str:
    """A server's message on one line: without the key or control characters, and not too long."""
    text = key.scrub(text) if key else text
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return shortened(line, LONGEST_MESSAGE)


def _redirect_target(location: str, key: Key | None) -> str:
    """Where a redirect points to, without the query, which may contain secrets."""
    try:
        parts = urlsplit(location)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that is not valid"
    whole = f"{parts.scheme}://{host}{port}{parts.path}" if host else parts.path
    return one_line(whole, key) or "no address"


def _error(content: bytes) -> dict[str, Any]:
    """The error in a body, in any of the forms that servers use; always with `message`."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {"message": content[:2000].decode(errors="replace")}
    if isinstance(document, list) and len(document) == 1:  # Google's servers wrap the error in a list
        document = document[0]
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return {"message": error if isinstance(error, str) else json.dumps(error)[:2000]}
    if not isinstance(error.get("message"), str):
        detail = error.get("detail", error)
        error = {**error, "message": detail if isinstance(detail, str) else json.dumps(detail)[:2000]}
    return error
