"""One HTTP client for every provider that is a server: limits, retries, time-outs, a circuit breaker; no redirects.

A call holds one of the provider's slots from its first attempt to its last, including waits, so a server that answers
"too many" gets fewer and fewer requests without a special rule. Nothing is sent anywhere but to the configured address.
Exceptions contain neither the key nor the request: failures are passed as values, and no aiohttp exception is chained.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from evenhand.core.basics.canonical import quoted
from evenhand.judges.providers.breaker import Breaker
from evenhand.judges.providers.keys import Key
from evenhand.judges.providers.limits import Limits, Timeouts
from evenhand.judges.providers.pace import Pace, Timing
from evenhand.judges.providers.responses import Failed, connection_failure, http_failure
from evenhand.judges.providers.written_schema import WrittenSchema

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

Value = TypeVar("Value")

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds: the longest wait after the first failure, and after any."""


_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LIMITS, _TIMEOUTS, _TIMING = Limits(), Timeouts(), Timing()


class Client:
    """A client for one server. Create it anywhere; use it in one event loop."""

    def __init__(
        self,
        name: str,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        key: Key | None = None,
        limits: Limits = _LIMITS,
        timeouts: Timeouts = _TIMEOUTS,
        timing: Timing = _TIMING,
        proxy: str | None = None,
    ) -> None:
        self._name = name
        self._base, _, self._query = address.rstrip("/").partition("?")
        self._headers = dict(headers or {})
        self._key = key
        self._limits = limits
        self._timeouts = timeouts
        self._timing = timing
        self._proxy = proxy
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._requests = Pace(limits.requests_per_minute, timing) if limits.requests_per_minute else None
        self._tokens = Pace(limits.tokens_per_minute, timing) if limits.tokens_per_minute else None
        self._breaker = Breaker(name, timing)
        self._session: ClientSession | None = None

    @property
    def counts_tokens(self) -> bool:
        """Whether there is a limit on tokens per minute."""
        return self._tokens is not None

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[Any], Value],
        *,
        tokens: int = 0,
        used: Callable[[Value], int | None] = lambda value: None,
    ) -> Value:
        """What `read` returns for the JSON in the response. A ValueError from it means a bad reply, which is retried.

        `tokens` is the most the call may use, for the limit on tokens per minute; `used` gives the actual number.
        """
        data = written(body).encode(errors="replace")  # half a surrogate pair cannot be sent
        async with self._slots:
            entry = await self._tokens.take(tokens) if self._tokens is not None else None
            value = await self._until_answered(path, data, read)
            really = used(value)
            if self._tokens is not None and entry is not None and really is not None:
                self._tokens.correct(entry, really)
            return value

    async def look(self, path: str, read: Callable[[Any], Value]) -> Value:
        """One GET without retries, to see whether the server answers."""
        outcome = await self._attempt("GET", path, None, read)
        if isinstance(outcome, Failed):
            raise outcome.error(self._name)
        return outcome

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _until_answered(self, path: str, data: bytes, read: Callable[[Any], Value]) -> Value:
        deadline: float | None = None
        tries = put_off = 0
        while True:
            if self._requests is not None:
                await self._requests.take()
            deadline = deadline or self._timing.elapsed() + self._limits.patience
            outcome = await self._guarded(path, data, read, deadline)
            if not isinstance(outcome, Failed):
                return outcome
            if outcome.kind == "limited":
                put_off += 1
            else:
                tries += 1
            wait = self._wait(outcome, tries, put_off)
            if wait is None or self._timing.elapsed() + wait > deadline:
                if outcome.kind == "limited":
                    self._breaker.failure(outcome.reason)
                raise outcome.error(self._name, tries + put_off)
            await self._timing.sleep(wait)

    async def _guarded(self, path: str, data: bytes, read: Callable[[Any], Value], deadline: float) -> Value | Failed:
        """One attempt, if the circuit breaker allows it; reports the outcome to the breaker."""
        probe = await self._breaker.enter(deadline)
        try:
            outcome = await self._attempt("POST", path, data, read)
        except BaseException:
            if probe:
                self._breaker.abandon()
            raise
        if isinstance(outcome, Failed) and outcome.counts:
            self._breaker.failure(outcome.reason, probe=probe)
        else:
            self._breaker.success()
        return outcome

    def _wait(self, failed: Failed, tries: int, put_off: int) -> float | None:
        """Seconds until the next attempt: what the server asked for, plus full jitter; None when there is none."""
        allowed = self._limits.timeout_tries if failed.kind == "timeout" else self._limits.tries
        if not failed.again or tries >= allowed:
            return None
        most: float = min(FIRST_WAIT * 2 ** (tries + put_off - 1), LONGEST_WAIT)
        return (failed.retry_after or 0.0) + self._timing.chance() * most

    async def _attempt(
        self, method: Literal["GET", "POST"], path: str, data: bytes | None, read: Callable[[Any], Value]
    ) -> Value | Failed:
        """One request and its reply, or what went wrong, as a value."""
        session = self._session or self._connect()
        url = f"{self._base}/{path}?{self._query}" if self._query else f"{self._base}/{path}"
        try:
            async with session.request(method, url, data=data, allow_redirects=False, proxy=self._proxy) as response:
                content = await self._content(response)
                if isinstance(content, Failed):
                    return content
                status, headers = response.status, response.headers
        except Exception as error:  # may contain the key, so it is replaced by a message of our own
            return connection_failure(error, self._timeouts)
        if not 200 <= status < 300:
            return http_failure(status, headers, content, key=self._key, now=self._timing.epoch_seconds())
        try:
            return read(json.loads(content))
        except (ValueError, RecursionError) as error:
            return self._unreadable(error, headers.get("Content-Type", ""))

    def _unreadable(self, error: Exception, kind: str) -> Failed:
        decoding = isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)
        reason = f"the reply is not JSON ({kind or 'of no stated type'})" if decoding else str(error)
        return Failed(self._key.scrub(reason) if self._key else reason, "server", again=True, counts=True)

    async def _content(self, response: ClientResponse) -> bytes | Failed:
        """The whole body, up to the limit, whatever length the server stated; any copy of the key is removed."""
        pieces, size = [], 0
        while piece := await response.content.readany():
            pieces.append(piece)
            size += len(piece)
            if size > self._limits.largest:
                response.close()
                mib = self._limits.largest / 1024 / 1024
                return Failed(f"the reply is larger than the limit of {mib:g} MiB", "server", counts=True)
        content = b"".join(pieces)
        return self._key.scrub_bytes(content) if self._key is not None else content

    def _connect(self) -> ClientSession:
        import aiohttp  # slow to import, so only when a server is asked

        from evenhand._version import __version__

        timeouts = self._timeouts
        self._session = aiohttp.ClientSession(
            # We limit concurrency ourselves; aiohttp verifies certificates by default.
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
            timeout=aiohttp.ClientTimeout(
                total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.first_byte, ceil_threshold=60
            ),
            headers={
                "Content-Type": "application/json",
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # replies are small, and no decompression bomb is possible
                "User-Agent": f"evenhand/{__version__}",
                **self._headers,
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,  # it would also read .netrc and send those credentials instead of the key
        )
        return self._session


def written(value: Any) -> str:
    """A value as JSON; a schema with cached JSON is not serialised again."""
    if isinstance(value, WrittenSchema):
        return value.text
    if type(value) is dict:
        return "{" + ", ".join([f"{quoted(key)}: {written(item)}" for key, item in value.items()]) + "}"
    return _ENCODER.encode(value)
