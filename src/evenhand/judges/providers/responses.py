"""What went wrong with an attempt, in words that say what to do, and without the key."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from evenhand.judges.providers.exchange import CallFailed
from evenhand.judges.providers.keys import Key

if TYPE_CHECKING:
    from evenhand.judges.providers.limits import Timeouts

LONGEST_MESSAGE = 300
QUOTA = "insufficient_quota"
"""What OpenAI and its likes call an account without money; they say it with 429, and waiting does not help."""

Kind = Literal["unreachable", "timeout", "limited", "server", "rejected"]


class Rejected(CallFailed):
    """A request that the server understood and refuses; the same one will be refused again."""

    def __init__(self, reason: str, *, status: int, said: str, parameter: str | None) -> None:
        super().__init__(reason, kind="rejected")
        self.status = status
        self.said = said
        """The server's own words, without the key."""
        self.parameter = parameter
        """The parameter of the request that the server names as wrong, if it names one."""


class Failed(NamedTuple):
    """An attempt that brought no reply."""

    reason: str
    kind: Kind
    again: bool = False
    """Whether another attempt may help."""
    counts: bool = False
    """Whether it speaks against the server, so that the circuit breaker counts it."""
    retry_after: float | None = None
    status: int = 0
    said: str = ""
    parameter: str | None = None

    def error(self, name: str, tries: int = 1) -> CallFailed:
        """The same as the exception a caller sees."""
        reason = f"{name}: {self.reason}"
        if tries > 1:
            reason += f" (tried {tries} times)"
        if self.status and self.kind == "rejected":
            return Rejected(reason, status=self.status, said=self.said, parameter=self.parameter)
        return CallFailed(reason, kind=self.kind)


def failure_of(status: int, headers: Mapping[str, str], content: bytes, *, key: Key | None, now: float) -> Failed:
    """A reply whose status is not success."""
    if 300 <= status < 400:
        where = _shown(headers.get("Location", ""), key)
        reason = f"it redirects to {where}, which is not followed; set the base URL to where the server really is"
        return Failed(reason, "rejected", status=status)
    error = _error(content)
    said = one_line(str(error.get("message") or ""), key)
    reason = f"HTTP {status}: {said}" if said else f"HTTP {status}"
    if status == 401:  # what servers say here likes to repeat the key
        return Failed(
            "the key was refused (HTTP 401); set the right one" if key else "it wants a key (HTTP 401)",
            "rejected",
            counts=True,
            status=status,
        )
    if status == 429 and QUOTA not in (error.get("code"), error.get("type")):
        return Failed(reason, "limited", again=True, retry_after=retry_after(headers, now), status=status)
    if status in (408, 425) or (status >= 500 and status != 501):
        wait = retry_after(headers, now)
        return Failed(reason, "server", again=True, counts=True, retry_after=wait, status=status)
    if status == 404:
        reason += (
            "; see that the model's name is right, and that the base URL ends as the server wants it, often in /v1"
        )
    parameter = error.get("param")
    return Failed(
        reason,
        "rejected",
        counts=status in (402, 429),  # 403 may be about one parameter only; see ladders
        status=status,
        said=said,
        parameter=one_line(parameter, key) if isinstance(parameter, str) else None,
    )


def trouble_of(error: Exception, timeouts: Timeouts) -> Failed:
    """An exception of the connection. Only our own words: theirs may hold headers or addresses."""
    import aiohttp

    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return _late(f"no connection within {timeouts.connect:g} s")
    if isinstance(error, aiohttp.SocketTimeoutError):
        return _late(f"the server was silent for {timeouts.first_byte:g} s")
    if isinstance(error, asyncio.TimeoutError):
        return _late(f"no whole reply within {timeouts.total:g} s")
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        reason = "no safe connection: its certificate is not valid for this address, or it does not speak TLS"
        return Failed(reason, "rejected", counts=True)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return _away("the name of its host is not known")
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return _away("the proxy that the environment names does not connect")
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno
        return _away(f"cannot be reached: {os.strerror(number) if number else 'no connection'}")
    if isinstance(error, aiohttp.ClientPayloadError):
        return _away("the connection was cut in the middle of the reply")
    if isinstance(error, aiohttp.ClientConnectionError | ConnectionError):
        return _away("the connection was closed before a reply came")
    if isinstance(error, aiohttp.InvalidURL):
        return Failed("its address is not valid", "rejected")
    if isinstance(error, aiohttp.ClientError):
        return Failed("what came back is not HTTP", "server", again=True, counts=True)
    return Failed(f"the call could not be made ({type(error).__name__})", "unreachable", counts=True)


def _late(reason: str) -> Failed:
    return Failed(reason, "timeout", again=True, counts=True)


def _away(reason: str) -> Failed:
    return Failed(reason, "unreachable", again=True, counts=True)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds the server asks to wait: a number, or a date. None when it says nothing that can be read."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
        return max(moment.timestamp() - now, 0.0)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def one_line(text: str, key: Key | None) -> str:
    """What a server said, fit for a message: no key, no line breaks or control characters, not too long."""
    text = key.scrub(text) if key else text
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 3] + "..."


def _shown(location: str, key: Key | None) -> str:
    """Where a redirect points to, without a query, which may hold secrets."""
    try:
        parts = urlsplit(location)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that is not valid"
    whole = f"{parts.scheme}://{host}{port}{parts.path}" if host else parts.path
    return one_line(whole, key) or "no address"


def _error(content: bytes) -> dict[str, Any]:
    """The error in a body, in the forms that servers have: always with `message`."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {"message": content[:2000].decode(errors="replace")}
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return {"message": error if isinstance(error, str) else json.dumps(error)[:2000]}
    if not isinstance(error.get("message"), str):
        detail = error.get("detail", error)
        error = {**error, "message": detail if isinstance(detail, str) else json.dumps(detail)[:2000]}
    return error
